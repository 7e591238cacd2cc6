"""Commands and buttons on Discord: for the person who used them alone, and answered whatever happens."""

import asyncio

import pytest

from adapters.discord import panels
from bot.chat import Action, Ask, Audience, Item, Panel, Thread, Undeliverable, User
from tests.fakes.discord import APPLICATION, BOT, Failure
from tests.fakes.discord.bot import ANN, BOB, CHANNEL, DM, GUILD, RecordingBot, Scene, scene, until
from tests.fakes.discord.channels import walk
from tests.fakes.discord.payloads import Json, bot_user, dm_channel, message

EPHEMERAL = 64
DM_THREAD = Thread("discord", APPLICATION, DM, DM, Audience.DM)
CHANNEL_THREAD = Thread("discord", APPLICATION, CHANNEL, CHANNEL, Audience.PUBLIC, GUILD)
WHO = User("discord", ANN["id"], "Ann")
PANEL = Panel("I remember.", actions=(Action("OK, remember", "consent", "yes"), Action("Don't", "consent", "no")))


def texts(body: Json) -> str:
    return "\n".join(part["content"] for part in walk(body["components"]) if "content" in part)


async def use(here: Scene, command: str, token: str = "t", user: Json = ANN) -> Json:
    await here.discord.use(command, user=user, channel=here.discord.channels[CHANNEL], guild=GUILD, token=token)
    await until(lambda: token in here.discord.shown)
    return here.discord.shown[token]


async def test_d46_a_slow_command_is_acknowledged_at_once_and_shown_later() -> None:
    done = asyncio.Event()

    class Slow(RecordingBot):
        async def command(self, name: str, ask: Ask) -> Panel:
            await done.wait()
            return await super().command(name, ask)

    async with scene(bot=Slow()) as here:
        await here.discord.use("forget-me", user=ANN, channel=here.discord.channels[CHANNEL], guild=GUILD, token="t")
        await until(lambda: here.discord.bodies("POST", "/interactions/*"))
        assert here.discord.shown == {}
        done.set()
        await until(lambda: here.discord.shown)


async def test_d58_a_command_in_a_channel_is_answered_to_its_user_alone() -> None:
    async with scene() as here:
        shown = await use(here, "forget-me")
        assert (shown["type"], shown["data"]["flags"]) == (5, EPHEMERAL)
        assert texts(shown["message"]) == f"For {ANN['id']} only."
        assert shown["message"]["allowed_mentions"] == {"parse": []}
        assert here.texts() == []
        [(name, ask)] = here.bot.asks
        assert (name, ask) == ("forget-me", Ask(User("discord", ANN["id"], "Ann"), CHANNEL_THREAD))


async def test_the_audience_of_a_command_comes_from_where_it_is_used() -> None:
    async with scene() as here:
        await here.discord.use("memory", user=ANN, channel=dm_channel(DM, ANN), token="dm")
        foreign = {**here.discord.channels[CHANNEL], "id": "888", "guild_id": "999"}
        await here.discord.use("memory", user=ANN, channel=foreign, guild="999", token="foreign")
        await until(lambda: len(here.discord.shown) == 2)
        audiences = {ask.thread.channel: ask.thread.audience for _, ask in here.bot.asks}
        assert audiences == {DM: Audience.DM, "888": Audience.EXTERNAL}


async def test_d47_a_button_works_although_this_process_never_drew_it() -> None:
    async with scene() as here:
        old = message(CHANNEL, bot_user(), "", flags=EPHEMERAL)
        where = here.discord.channels[CHANNEL]
        press = here.discord.press
        await press("keepsake:3:forget-me:yes:1", on=old, user=ANN, channel=where, guild=GUILD, token="t")
        await until(lambda: here.discord.shown)
        [(name, ask)] = here.bot.asks
        assert (name, ask.argument, ask.user.id) == ("forget-me", "yes:1", ANN["id"])
        assert here.discord.shown["t"]["type"] == 6  # in the place of the panel that was pressed


async def test_d47_a_button_of_an_older_version_and_an_unknown_command_are_answered() -> None:
    async with scene() as here:
        old = message(CHANNEL, bot_user(), "")
        where = here.discord.channels[CHANNEL]
        await here.discord.press("something-else", on=old, user=ANN, channel=where, guild=GUILD, token="p")
        await until(lambda: here.discord.shown)
        assert "older version" in texts(here.discord.shown["p"]["message"])
        assert here.discord.shown["p"]["data"]["flags"] == EPHEMERAL
        assert "do not know" in texts((await use(here, "gone-command"))["message"])
        assert here.bot.asks == []


async def test_d48_whoever_presses_acts_for_themselves_alone() -> None:
    async with scene() as here:
        anns = message(CHANNEL, bot_user(), "")
        where = here.discord.channels[CHANNEL]
        await here.discord.press("keepsake:0:memory:", on=anns, user=BOB, channel=where, guild=GUILD, token="t")
        await until(lambda: here.discord.shown)
        assert [ask.user.id for _, ask in here.bot.asks] == [BOB["id"]]
        assert here.discord.shown["t"]["data"]["flags"] == EPHEMERAL


async def test_d48_pressing_twice_leaves_one_receipt() -> None:
    async with scene() as here:
        panel = message(CHANNEL, bot_user(), "", flags=EPHEMERAL)
        where = here.discord.channels[CHANNEL]
        for token in ("one", "two"):
            await here.discord.press("keepsake:0:memory:", on=panel, user=ANN, channel=where, guild=GUILD, token=token)
        await until(lambda: len(here.discord.shown) == 2)
        assert {shown["type"] for shown in here.discord.shown.values()} == {6}  # both in the one message


async def test_a_button_of_a_panel_that_one_person_sees_replaces_that_panel() -> None:
    class Deleting(RecordingBot):
        async def command(self, name: str, ask: Ask) -> Panel:
            return Panel("Gone.") if ask.argument else await super().command(name, ask)

    async with scene(bot=Deleting()) as here:
        await use(here, "memory", "one")
        [panel] = here.discord.panels.values()
        [button] = here.discord.buttons(panel).values()
        where = here.discord.channels[CHANNEL]
        await here.discord.press(button, on=panel, user=ANN, channel=where, guild=GUILD, token="two")
        await until(lambda: "two" in here.discord.shown)
        assert [(id_, texts(now)) for id_, now in here.discord.panels.items()] == [(panel["id"], "Gone.")]


async def test_d17_an_interaction_that_another_process_answered_is_left_alone() -> None:
    async with scene() as here:
        await use(here, "memory", token="same")
        await here.discord.use("memory", user=ANN, channel=here.discord.channels[CHANNEL], guild=GUILD, token="same")
        await until(lambda: len(here.discord.bodies("POST", "/interactions/*")) == 2)
        await asyncio.sleep(0.05)
        assert len(here.bot.asks) == 1


async def test_a_command_that_fails_is_answered_honestly() -> None:
    class Broken(RecordingBot):
        async def command(self, name: str, ask: Ask) -> Panel:
            raise RuntimeError(name + ask.argument)

    async with scene(bot=Broken()) as here:
        shown = await use(here, "memory")
        assert "try again" in texts(shown["message"])


async def test_the_notice_in_a_dm_is_a_message_of_its_own_with_buttons() -> None:
    async with scene() as here:
        await here.platform.tell(WHO, DM_THREAD, PANEL)
        await here.platform.tell(WHO, DM_THREAD, PANEL)  # the second try of one notice
        [said] = here.discord.messages[DM]
        assert texts(said) == "I remember."
        assert here.discord.buttons(said) == {
            "OK, remember": "keepsake:0:consent:yes",
            "Don't": "keepsake:1:consent:no",
        }


async def test_the_notice_in_a_channel_is_a_small_line_whose_button_opens_it_for_the_presser() -> None:
    async with scene() as here:
        await here.platform.tell(WHO, CHANNEL_THREAD, PANEL)
        [said] = here.discord.messages[CHANNEL]
        [body] = here.discord.bodies("POST", f"/channels/{CHANNEL}/messages")
        assert said["content"].startswith("-# I am an AI")
        assert "message_reference" not in said
        assert (said["flags"], body["allowed_mentions"]) == (4 | 4096, {"parse": []})
        [button] = here.discord.buttons(said).values()
        where = here.discord.channels[CHANNEL]
        await here.discord.press(button, on=said, user=BOB, channel=where, guild=GUILD, token="t")
        await until(lambda: here.discord.shown)
        [(name, ask)] = here.bot.asks
        assert (name, ask.user.id) == ("notice", BOB["id"])
        assert here.discord.shown["t"]["data"]["flags"] == EPHEMERAL


@pytest.mark.parametrize("failure", [Failure(403, {"code": 50007, "message": "no"}), Failure(drop=True)])
async def test_a_notice_that_cannot_be_shown_is_undeliverable(failure: Failure) -> None:
    async with scene() as here:
        here.discord.fail("POST", f"/channels/{DM}/messages", failure)
        with pytest.raises(Undeliverable):
            await here.platform.tell(WHO, DM_THREAD, PANEL)


async def test_a_long_panel_is_cut_to_what_discord_takes() -> None:
    async with scene() as here:
        forget = Action("Forget", "memory", "forget 1", danger=True)
        items = tuple(Item(f"fact {number} " * 20, "said in a DM", (forget,)) for number in range(60))
        await here.platform.tell(WHO, DM_THREAD, Panel("What I know:", items, PANEL.actions * 4))
        [said] = here.discord.messages[DM]
        parts = list(walk(said["components"]))
        assert len(parts) <= 40
        assert sum(len(part.get("content", "")) for part in parts) <= 4000
        assert "more." in texts(said)
        assert "fact 0" in texts(said)
        for panel in (Panel("x" * 9000), Panel("", (Item("y" * 9000, "", PANEL.actions),)), Panel("")):
            await here.platform.tell(WHO, DM_THREAD, panel)
        assert len(here.discord.messages[DM]) == 4


def test_a_buttons_id_is_read_back_as_it_was_written() -> None:
    for command, argument in (("forget-me", ""), ("memory", "delete:7:x"), ("notice", "a b")):
        assert panels.pressed(panels.custom_id(3, command, argument)) == (command, argument)
    for other in ("", "keepsake", "keepsake:1", "keepsake:1:memory", "other:1:memory:x", "keepsake:1::x"):
        assert panels.pressed(other) is None
    with pytest.raises(ValueError, match="must fit"):
        panels.custom_id(0, "memory", "x" * 100)
    assert BOT not in panels.custom_id(0, "memory", "")

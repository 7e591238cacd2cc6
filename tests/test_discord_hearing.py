"""What the bot is told of what happens on Discord, through the real client."""

import asyncio
import logging
import re
import time
from dataclasses import replace

import pytest

from bot.chat import message_key
from tests.fakes.discord import APPLICATION, FakeDiscord
from tests.fakes.discord.bot import (
    ANN,
    CHANNEL,
    FORUM,
    GUILD,
    QUICK,
    ROLE,
    RecordingBot,
    Scene,
    furnish,
    mention,
    said,
    scene,
    until,
    whispered,
)
from tests.fakes.discord.payloads import Json, bot_user


async def heard_nothing(here: Scene, *others: Json) -> None:
    """Say things that are not for the bot, then one that is, and see that only that came through."""
    for other in others:
        await here.discord.say(other)
    await here.discord.say(mention("the last"))
    await until(lambda: here.bot.messages)
    await asyncio.sleep(0.02)
    assert [message.text for message in here.bot.messages] == ["the last"]


async def test_a_dm_a_mention_and_a_reply_with_ping_are_heard() -> None:
    async with scene() as here:
        await here.discord.say(whispered("in private"))
        await here.discord.say(mention("in public"))
        await here.discord.say(said("ok", type=19, mentions=[bot_user()]))
        await until(lambda: len(here.bot.messages) == 3)
        assert [message.text for message in here.bot.messages] == ["in private", "in public", "ok"]
        assert {message.thread.install for message in here.bot.messages} == {APPLICATION}


async def test_what_does_not_call_us_is_never_told_to_the_bot() -> None:
    async with scene() as here:
        everyone = said("@everyone hi", mention_everyone=True)
        robot = {"id": "5", "username": "robo", "discriminator": "0", "avatar": None, "bot": True}
        await heard_nothing(here, everyone, said("just talking"), mention("ok", author=robot), said("", type=7))


async def test_d02_our_role_is_heard_even_before_the_server_is_there() -> None:
    def late(discord: FakeDiscord) -> None:
        furnish(discord)
        discord.gateway.hold_guilds = True

    async with scene(prepare=late) as here:
        await here.discord.say(said(f"<@&{ROLE}> hello", mention_roles=[ROLE]))
        await asyncio.sleep(0.1)
        assert here.bot.messages == []
        await here.discord.gateway.send_guilds()
        await until(lambda: here.bot.messages)
        assert here.bot.messages[0].text == "hello"


async def test_d10_a_mention_before_ready_breaks_nothing() -> None:
    early = mention("early")

    def prepare(discord: FakeDiscord) -> None:
        furnish(discord)
        discord.gateway.before_ready.append(("MESSAGE_CREATE", early))

    async with scene(prepare=prepare) as here:
        await here.ask("later")
        await until(lambda: len(here.bot.messages) == 2)
        assert [message.text for message in here.bot.messages] == ["early", "later"]


async def test_d16_every_delivery_is_passed_on_with_one_key() -> None:
    async with scene() as here:
        payload = mention("once")
        for _ in range(3):
            await here.discord.gateway.dispatch("MESSAGE_CREATE", payload)
        await until(lambda: len(here.bot.messages) == 3)
        assert {message.key for message in here.bot.messages} == {
            message_key("discord", APPLICATION, CHANNEL, payload["id"])
        }


async def test_names_of_roles_and_channels_come_from_the_server() -> None:
    async with scene() as here:
        message = await here.ask(f"look in <#{FORUM}>, <@&{GUILD}>")
        assert message.text == f"look in #channel-{FORUM}, @everyone"


async def test_a_message_that_is_not_accepted_is_offered_again() -> None:
    async with scene(bot=RecordingBot(refusals=2)) as here:
        await here.discord.say(mention("please"))
        await until(lambda: here.bot.messages)
        assert here.bot.refusals == 0


async def test_what_cannot_be_stored_is_counted_and_logged_without_its_id(caplog: pytest.LogCaptureFixture) -> None:
    pace = replace(QUICK, accept_for=0.1)
    async with scene(bot=RecordingBot(refusals=99), pace=pace) as here:
        payload = await here.discord.say(mention("please"))
        await until(lambda: "could not be stored" in caplog.text)
        ours = [record.getMessage() for record in caplog.records if record.name.startswith("adapters")]
        words = set(re.findall(r"\w+", " ".join(ours)))  # whole words: a hash may hold the channel's three digits
        assert words.isdisjoint({payload["id"], CHANNEL, ANN["id"], "please"})


async def test_a_message_keeps_its_place_before_its_own_deletion() -> None:
    """Else a slow database would answer what is already deleted."""
    order: list[str] = []

    class Slow(RecordingBot):
        async def deleted(self, key: str) -> None:
            order.append(f"deleted {len(self.messages)}")
            await super().deleted(key)

    async with scene(bot=Slow(slow=0.1)) as here:
        payload = await here.discord.say(mention("oops"))
        deletion = {"id": payload["id"], "channel_id": CHANNEL, "guild_id": GUILD}
        await here.discord.gateway.dispatch("MESSAGE_DELETE", deletion)
        await until(lambda: here.bot.deletions)
        assert order == ["deleted 1"]


async def test_d26_a_slow_bot_does_not_hold_up_the_connection() -> None:
    def prepare(discord: FakeDiscord) -> None:
        furnish(discord)
        discord.gateway.heartbeat_interval = 0.1

    async with scene(bot=RecordingBot(slow=0.6), prepare=prepare) as here:
        before = here.discord.gateway.heartbeats
        for number in range(20):
            await here.discord.say(mention(f"{number}"))
        lag = 0.0
        while len(here.bot.messages) < 20:
            started = time.monotonic()
            await asyncio.sleep(0.01)
            lag = max(lag, time.monotonic() - started)
        assert lag < 1.0
        assert here.discord.gateway.heartbeats - before >= 3


async def test_logs_carry_no_words_no_token_and_no_ids(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with scene() as here:
        message = await here.ask("my secret is pomegranate")
        here.discord.refuse(CHANNEL, 50035, status=400, times=1)
        await here.answer(message, "so it is pomegranate", "so it")
        await here.discord.use("memory", user=ANN, channel=here.discord.channels[CHANNEL], guild=GUILD)
        await until(lambda: here.discord.shown)
        await here.discord.gateway.close(4000)
        await until(lambda: here.discord.gateway.resumed)
        token, user = here.discord.token, ANN["id"]
    lines = [record.getMessage() + str(record.exc_text) for record in caplog.records if "aiohttp" not in record.name]
    assert not [one for one in caplog.records if one.name.startswith("discord") and one.levelno < logging.INFO]
    assert any("ready" in line or "logging in" in line for line in lines)
    assert not [line for line in lines if any(word in line for word in ("pomegranate", token, user, "a-made-up"))]


async def test_a_deletion_does_not_overtake_a_message_that_waits_for_its_server() -> None:
    def late(discord: FakeDiscord) -> None:
        furnish(discord)
        discord.gateway.hold_guilds = True

    async with scene(prepare=late) as here:
        payload = await here.discord.say(said(f"<@&{ROLE}> oops", mention_roles=[ROLE]))
        await here.discord.gateway.dispatch("MESSAGE_DELETE", {"id": payload["id"], "channel_id": CHANNEL})
        await asyncio.sleep(0.1)
        assert here.bot.deletions == []
        await here.discord.gateway.send_guilds()
        await until(lambda: here.bot.deletions)
        assert [message.id for message in here.bot.messages] == [payload["id"]]


async def test_a_message_that_the_library_cannot_read_is_heard_and_ends_no_connection() -> None:
    async with scene() as here:
        bare = {name: value for name, value in ANN.items() if name != "avatar"}
        member: Json = {"roles": [], "joined_at": None}
        await here.discord.say(mention("hello", author=bare, member=member))
        await here.discord.gateway.dispatch("MESSAGE_UPDATE", {"id": "1", "channel_id": CHANNEL, "attachments": [{}]})
        await here.ask("and again")
        assert [message.text for message in here.bot.messages] == ["hello", "and again"]
        assert len(here.discord.gateway.identified) == 1

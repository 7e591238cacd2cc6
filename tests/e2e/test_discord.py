"""The main job on Discord: a recorded mention, answered from memory, saved, followed, and forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator  # noqa: TC003 - pytest reads the annotations of fixtures
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from adapters.discord import DiscordPlatform
from bot.chat import User
from tests.e2e.conftest import Home, recorded, remembers
from tests.fakes.discord import payloads
from tests.fakes.discord.bot import ANN, CHANNEL, DM, GUILD, QUICK, furnish, mention, whispered
from tests.fakes.discord.channels import walk
from tests.fakes.discord.payloads import BOT, bot_user
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.poll import until

if TYPE_CHECKING:
    from bot.service import Service

ANA = User("discord", ANN["id"])


@dataclass
class Here:
    """A running bot on a Discord of our own."""

    home: Home
    discord: FakeDiscord
    service: Service
    used: int = 0

    def answers(self, channel: str) -> list[str]:
        """Give what the bot's messages in a channel say, but for the first-contact notice."""
        said = [one for one in self.discord.messages.get(channel, []) if one["author"]["id"] == BOT]
        return [one["content"] for one in said if not one.get("components")]

    def notices(self, channel: str) -> list[dict[str, Any]]:
        return [one for one in self.discord.messages.get(channel, []) if one.get("components")]

    async def use(self, command: str) -> dict[str, Any]:
        """Use a command in the channel, and give what only the person sees."""
        self.used += 1
        token = f"use-{self.used}"
        channel = self.discord.channels[CHANNEL]
        await self.discord.use(command, user=ANN, channel=channel, guild=GUILD, token=token)
        await until(lambda: token in self.discord.shown)
        shown: dict[str, Any] = self.discord.shown[token]["message"]
        return shown

    async def press(self, label: str, on: dict[str, Any], channel: str = CHANNEL) -> str:
        """Press a button, and give the text that only the person sees."""
        self.used += 1
        token = f"press-{self.used}"
        button = self.discord.buttons(on)[label]
        guild = GUILD if channel == CHANNEL else ""
        message = {"id": "9", "channel_id": channel, "author": bot_user(), **on}
        where = self.discord.channels[channel]
        await self.discord.press(button, on=message, user=ANN, channel=where, guild=guild, token=token)
        await until(lambda: token in self.discord.shown)
        parts = walk(self.discord.shown[token]["message"]["components"])
        return "\n".join(part["content"] for part in parts if "content" in part)


@pytest.fixture
async def here(home: Home) -> AsyncIterator[Here]:
    async with FakeDiscord() as discord:
        furnish(discord)
        platform = DiscordPlatform(token=discord.token, secret=b"s", api_url=discord.api_url, pace=QUICK)
        async with home.running(platform) as service:
            await until(lambda: discord.gateway.connected)
            yield Here(home, discord, service)


async def test_a_recorded_mention_is_answered_saved_and_remembered_and_then_forgotten(here: Here) -> None:
    body = recorded("discord/channel.json")["mention"]["data"]
    ours = {"mentions": [bot_user()], "channel_id": CHANNEL, "guild_id": GUILD}
    await here.discord.say({**body, **ours, "content": f"<@{BOT}> My dog is called Rex."})
    await until(lambda: here.answers(CHANNEL) == ["You said: My dog is called Rex."])
    await remembers(here.service, ANA, "My dog is called Rex.")
    await here.discord.say(whispered("What is my dog called?"))
    await until(lambda: here.answers(DM))
    assert "- My dog is called Rex.  [in a public channel, " in here.home.openai.requests[-1].system

    text = await here.press("Forget me and start fresh", await here.use("forget-me"))
    assert "found nothing" in text
    await remembers(here.service, ANA)
    assert here.home.files_with("Rex") == []


async def test_in_a_channel_the_notice_is_one_line_whose_button_opens_it_privately(here: Here) -> None:
    await here.discord.say(mention("My dog is called Rex."))
    await until(lambda: here.notices(CHANNEL))
    (notice,) = here.notices(CHANNEL)
    (label,) = here.discord.buttons(notice)
    assert "I am an AI" in await here.press(label, notice)
    assert len(here.notices(CHANNEL)) == 1


async def test_in_a_dm_the_choices_of_the_notice_work(here: Here) -> None:
    await here.discord.say(whispered("My dog is called Rex."))
    await until(lambda: here.notices(DM))
    (notice,) = here.notices(DM)
    assert "will not remember you" in await here.press("Don't remember", notice, DM)
    await remembers(here.service, ANA)


async def test_what_is_edited_or_deleted_on_discord_is_changed_and_forgotten(here: Here) -> None:
    said = await here.discord.say(whispered("My dog is called Rex."))
    await remembers(here.service, ANA, "My dog is called Rex.")
    edited = {**said, "content": "My dog is called Max.", "edited_timestamp": datetime.now(UTC).isoformat()}
    await here.discord.gateway.dispatch("MESSAGE_UPDATE", edited)
    await until(lambda: here.answers(DM) == ["You said: My dog is called Max."])
    await remembers(here.service, ANA, "My dog is called Max.")
    await here.discord.gateway.dispatch("MESSAGE_DELETE", {"id": said["id"], "channel_id": DM})
    await until(lambda: here.answers(DM) == [])
    await remembers(here.service, ANA)


async def test_an_edit_that_takes_the_mention_and_the_secret_away_is_followed_though_its_words_are_hidden(
    here: Here,
) -> None:
    event = await here.discord.say(mention("My PIN is 4711."))
    await remembers(here.service, ANA, "My PIN is 4711.")
    hidden = {**event, "content": "", "mentions": [], "edited_timestamp": datetime.now(UTC).isoformat()}
    await here.discord.gateway.dispatch("MESSAGE_UPDATE", hidden)
    await remembers(here.service, ANA)


async def test_others_names_and_quoted_lines_do_not_become_a_persons_memory(here: Here) -> None:
    ben = payloads.user("1033044521375764531", "Ben. My PIN is 4711. I hate my boss")
    text = f"> I am allergic to nuts.\nI have lunch with <@{ben['id']}> today."
    await here.discord.say(mention(text, mentions=[bot_user(), ben]))
    await until(lambda: here.answers(CHANNEL))

    async def learned() -> bool:
        return bool(await here.service.wishes.known(ANA, 9))

    await until(learned)
    (fact,) = await here.service.wishes.known(ANA, 9)
    assert fact.text.startswith("I have lunch with @Ben ")
    assert fact.text.endswith(" today.")


async def test_what_was_said_in_a_dm_does_not_come_up_in_a_server(here: Here) -> None:
    await here.discord.say(whispered("My dog is called Rex."))
    await remembers(here.service, ANA, "My dog is called Rex.")
    await here.discord.say(mention("What is my dog called?"))
    await until(lambda: here.answers(CHANNEL))
    assert "Rex" not in str(here.home.openai.requests[-1].messages)


async def test_d16_the_same_event_three_times_also_over_a_restart_is_one_answer(home: Home) -> None:
    async with FakeDiscord() as discord:
        furnish(discord)
        event = mention("My dog is called Rex.")
        for _ in range(2):
            platform = DiscordPlatform(token=discord.token, secret=b"s", api_url=discord.api_url, pace=QUICK)
            async with home.running(platform) as service:
                await until(lambda: discord.gateway.connected)
                for _ in range(3):
                    await discord.gateway.dispatch("MESSAGE_CREATE", event)
                await remembers(service, ANA, "My dog is called Rex.")
                assert Here(home, discord, service).answers(CHANNEL) == ["You said: My dog is called Rex."]
    assert len(home.openai.requests) == 1

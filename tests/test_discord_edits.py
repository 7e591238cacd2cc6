"""Edits and deletions on Discord, by the raw events: what the bot is told of them."""

from datetime import UTC, datetime, timedelta

from tests.fakes.discord import APPLICATION
from tests.fakes.discord.bot import CHANNEL, DM, GUILD, mention, said, scene, until, whispered
from tests.fakes.discord.payloads import Json, bot_user


async def test_deletions_one_and_many_are_told_for_messages_no_cache_knows() -> None:
    async with scene() as here:
        await here.discord.gateway.dispatch("MESSAGE_DELETE", {"id": "1", "channel_id": DM})
        many = {"ids": ["2", "3"], "channel_id": CHANNEL, "guild_id": GUILD}
        await here.discord.gateway.dispatch("MESSAGE_DELETE_BULK", many)
        await until(lambda: len(here.bot.deletions) == 3)
        assert here.bot.deletions == [
            f"discord:{APPLICATION}:{DM}:1",
            f"discord:{APPLICATION}:{CHANNEL}:2",
            f"discord:{APPLICATION}:{CHANNEL}:3",
        ]


def edit(payload: Json, content: str, *, ago: float = 0.0, **more: object) -> Json:
    at = datetime.now(UTC) - timedelta(seconds=ago)
    return {**payload, "content": content, "edited_timestamp": at.isoformat(), **more}


async def test_d63_an_edit_that_adds_our_mention_calls_us_once() -> None:
    async with scene() as here:
        payload = said("")
        changed = edit(payload, f"{mention('')['content']} hello", mentions=[bot_user()])
        await here.discord.gateway.dispatch("MESSAGE_UPDATE", changed)
        await here.discord.gateway.dispatch("MESSAGE_UPDATE", {**changed, "embeds": [{"title": "a preview"}]})
        await here.discord.gateway.dispatch("MESSAGE_UPDATE", {**payload, "embeds": [{"title": "a preview"}]})
        await here.ask("the last")
        assert [(message.text, calls) for message, calls in here.bot.edits] == [("hello", True)]
        assert here.bot.edits[0][0].id == payload["id"]


async def test_d63_an_edit_that_comes_late_says_when_it_was_made() -> None:
    async with scene() as here:
        old = mention("x", timestamp=(datetime.now(UTC) - timedelta(hours=2)).isoformat())
        late = edit(old, f"{mention('')['content']} corrected", ago=3600)
        await here.discord.gateway.dispatch("MESSAGE_UPDATE", late)
        await until(lambda: here.bot.edits)
        [(message, calls)] = here.bot.edits
        assert (message.text, calls) == ("corrected", True)  # whether it is too late is the bot's to say
        assert message.edited_at == datetime.fromisoformat(late["edited_timestamp"])
        assert (await here.ask("the last")).edited_at is None


async def test_an_edit_that_hides_the_words_from_us_is_an_edit_to_nothing() -> None:
    async with scene() as here:
        await here.discord.gateway.dispatch("MESSAGE_UPDATE", edit(said(""), ""))
        await until(lambda: here.bot.edits)
        assert [(message.text, calls) for message, calls in here.bot.edits] == [("", False)]


async def test_edits_by_bots_are_ignored() -> None:
    async with scene() as here:
        for payload in (mention("x", author=bot_user()), mention("x", webhook_id="9")):
            await here.discord.gateway.dispatch("MESSAGE_UPDATE", edit(payload, payload["content"]))
        await here.discord.gateway.dispatch("MESSAGE_UPDATE", edit(whispered("a"), "b"))
        await until(lambda: here.bot.edits)
        assert [(message.text, calls) for message, calls in here.bot.edits] == [("b", True)]

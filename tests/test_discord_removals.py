"""Answers that have to go on Discord: they go although calls fail, and although nobody was told where they stand."""

import asyncio
from dataclasses import replace

import discord
import pytest

from bot.chat import Message, Reply, Undeliverable
from tests.fakes.discord import Failure
from tests.fakes.discord.bot import CHANNEL, QUICK, Scene, mention, scene, until

MESSAGES = f"/channels/{CHANNEL}/messages"
ONE = f"{MESSAGES}/*"
OURS = {"Via": "1.1 google"}  # on every 429 that is Discord's own
PACE = replace(QUICK, remove_again=0.02)
HASTY = replace(PACE, remove_for=0.4)
LONG = {"retry_after": 600, "global": False, "message": "slow down"}
LOST = Failure(drop=True, after=True)
"""The message lands, and we do not hear of it."""


def unknown(question: Message) -> Reply:
    """What a row says whose process died before any id was known."""
    return Reply(question.thread, question.id)


def crash(here: Scene) -> None:
    """Let the platform know what a new process knows."""
    here.platform._replies._turns.clear()


def delete_question(here: Scene, question: Message) -> None:
    kept = [one for one in here.discord.messages[CHANNEL] if one["id"] != question.id]
    here.discord.messages[CHANNEL] = kept


async def test_a_removed_answer_is_gone_and_removing_it_again_is_fine() -> None:
    async with scene() as here:
        reply = await here.answer(await here.ask(), "x" * 2500)
        await here.platform.remove_reply(reply)
        await here.platform.remove_reply(reply)
        assert here.texts() == []


async def test_a_preview_is_removed_although_nobody_was_told_its_id() -> None:
    async with scene() as here:
        reply = await here.platform.start_reply(await here.ask())
        await here.platform.update_reply(reply, "a glimpse")
        await here.platform.remove_reply(reply)
        assert here.texts() == []


@pytest.mark.parametrize(
    "trouble",
    [
        Failure(503, "<html>", times=3),
        Failure(drop=True, times=4),
        Failure(drop=True, after=True),
        Failure(429, {"message": "a proxy's"}, {"Retry-After": "0.05"}, times=2),
    ],
)
async def test_an_answer_goes_although_the_first_tries_fail(trouble: Failure) -> None:
    async with scene(pace=PACE) as here:
        reply = await here.answer(await here.ask(), "x" * 2500)
        here.discord.fail("DELETE", ONE, replace(trouble))
        await here.platform.remove_reply(reply)
        assert here.texts() == []
        assert len(here.discord.bodies("DELETE", ONE)) >= 3


async def test_what_could_not_go_for_a_while_is_still_known_to_the_next_try() -> None:
    async with scene(pace=HASTY) as here:
        reply = await here.platform.start_reply(await here.ask())
        await here.platform.update_reply(reply, "a glimpse")
        here.discord.fail("DELETE", ONE, Failure(503, "<html>", times=float("inf")))
        with pytest.raises((discord.DiscordServerError, TimeoutError)):
            await here.platform.remove_reply(reply)  # the id is known to nobody but the platform
        assert len(here.discord.bodies("DELETE", ONE)) >= 2
        here.discord.heal()
        here.discord.fail("GET", MESSAGES, Failure(403, {"code": 50001, "message": "no"}, times=9))
        await here.platform.remove_reply(reply)
        assert here.texts() == []


async def test_a_limit_longer_than_our_patience_is_told_at_once() -> None:
    async with scene(pace=PACE) as here:
        reply = await here.answer(await here.ask(), "Here.")
        here.discord.fail("DELETE", ONE, Failure(429, LONG, OURS))
        async with asyncio.timeout(10):
            with pytest.raises(discord.RateLimited):
                await here.platform.remove_reply(reply)
        assert len(here.discord.bodies("DELETE", ONE)) == 1


async def test_where_we_may_not_delete_it_is_not_tried_again_and_answers_go_on() -> None:
    async with scene(pace=PACE) as here:
        reply = await here.answer(await here.ask(), "Here.")
        here.discord.fail("DELETE", ONE, Failure(403, {"code": 50083, "message": "archived"}))
        for _ in range(2):
            with pytest.raises(Undeliverable):
                await here.platform.remove_reply(reply)
        assert len(here.discord.bodies("DELETE", ONE)) == 1
        await here.answer(await here.ask("another"), "Another.")
        assert here.texts() == ["Here.", "Another."]


async def test_in_a_channel_that_was_closed_to_us_our_words_still_go() -> None:
    async with scene(pace=PACE) as here:
        reply = await here.platform.start_reply(await here.ask())
        reply = await here.platform.update_reply(reply, "a glimpse")
        here.discord.fail("PATCH", ONE, Failure(403, {"code": 50013, "message": "no"}))
        with pytest.raises(Undeliverable):
            await here.platform.finish_reply(reply, "a glimpse and all")
        await here.platform.remove_reply(reply)
        assert here.texts() == []


async def test_a_preview_that_landed_unheard_goes() -> None:
    async with scene(pace=PACE) as here:
        reply = await here.platform.start_reply(await here.ask())
        here.discord.fail("POST", MESSAGES, replace(LOST))
        assert (await here.platform.update_reply(reply, "a glimpse")).ids == ()
        assert here.texts() == ["a glimpse"]
        await here.platform.remove_reply(reply)
        assert here.texts() == []


async def test_a_preview_in_flight_goes_when_it_lands() -> None:
    async with scene(pace=PACE) as here:
        reply = await here.platform.start_reply(await here.ask())
        here.discord.fail("POST", MESSAGES, Failure(delay=0.3))
        glimpse = asyncio.create_task(here.platform.update_reply(reply, "a glimpse"))
        await until(lambda: here.discord.bodies("POST", MESSAGES))
        glimpse.cancel()
        await here.platform.remove_reply(reply)
        assert len(here.discord.bodies("DELETE", ONE)) == 1
        assert here.texts() == []


async def test_what_a_process_that_died_has_posted_goes_and_nothing_else() -> None:
    async with scene(pace=PACE) as here:
        question, other = await here.ask("one"), await here.ask("two")
        await here.answer(question, "To be removed.")
        await here.discord.say(mention("somebody else speaks"))
        await here.answer(other, "To stay.")
        crash(here)
        here.discord.fail("GET", MESSAGES, Failure(503, "<html>"))
        await here.platform.remove_reply(unknown(question))
        assert here.texts() == ["To stay."]


@pytest.mark.parametrize("deleted", [False, True], ids=["forgotten", "question deleted"])
async def test_an_answer_cut_in_the_middle_goes_whole(deleted: bool) -> None:  # noqa: FBT001 - a parameter
    async with scene(pace=PACE) as here:
        question = await here.ask()
        if deleted:  # the first piece then refers to nothing
            delete_question(here, question)
        here.discord.fail("POST", MESSAGES, Failure())
        here.discord.fail("POST", MESSAGES, replace(LOST))
        with pytest.raises(Exception, match="disconnected"):
            await here.platform.finish_reply(unknown(question), "x" * 2000 + "y" * 2000 + "z")
        assert [len(text) for text in here.texts()] == [2000, 2000]
        assert "x" * 20 not in repr(here.platform._replies._turns)  # what is known of it holds no words
        await here.platform.remove_reply(unknown(question))
        assert here.texts() == []


async def test_where_the_history_may_not_be_read_removing_the_unknown_ends_quietly() -> None:
    async with scene(pace=PACE) as here:
        question = await here.ask()
        here.discord.fail("GET", MESSAGES, Failure(403, {"code": 50001, "message": "no"}, times=9))
        for _ in range(3):
            await here.platform.remove_reply(unknown(question))
        assert len(here.discord.bodies("GET", MESSAGES)) == 1
        await here.answer(question, "Here.")
        assert here.texts() == ["Here."]

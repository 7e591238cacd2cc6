"""What happens on Discord when a call fails: nothing doubled, nothing hammered, the person told where possible."""

import asyncio
from dataclasses import replace

import aiohttp
import discord
import pytest

from bot.chat import Reply, Undeliverable
from tests.fakes.discord import Failure
from tests.fakes.discord.bot import CHANNEL, QUICK, Scene, mention, scene

MESSAGES, TYPING = f"/channels/{CHANNEL}/messages", f"/channels/{CHANNEL}/typing"
OURS = {"Via": "1.1 google"}  # on every 429 that is Discord's own


async def finish_until_done(here: Scene, reply: Reply, text: str, *, again: bool = False) -> Reply:
    """Try again as the service does."""
    for _ in range(5):
        try:
            return await here.platform.finish_reply(reply, text, again=again)
        except (discord.DiscordException, aiohttp.ClientError):
            continue
    raise AssertionError("It never worked.")


async def test_d42_a_post_whose_answer_is_lost_is_not_doubled() -> None:
    async with scene() as here:
        reply = await here.platform.start_reply(await here.ask())
        here.discord.fail("POST", MESSAGES, Failure(drop=True, after=True))
        reply = await finish_until_done(here, reply, "x" * 2500)
        assert [len(text) for text in here.texts()] == [2000, 500]
        first, second, *_ = [body["nonce"] for body in here.discord.bodies("POST", MESSAGES)]
        assert first == second


async def test_d42_a_preview_whose_answer_is_lost_becomes_the_answer() -> None:
    async with scene() as here:
        reply = await here.platform.start_reply(await here.ask())
        here.discord.fail("POST", MESSAGES, Failure(drop=True, after=True))
        reply = await here.platform.update_reply(reply, "half")
        assert reply.ids == ()
        await here.platform.finish_reply(reply, "half and whole")
        assert here.texts() == ["half and whole"]


async def test_a_crash_half_way_leaves_one_answer_within_minutes_and_later() -> None:
    whole = "x" * 2000 + "y" * 2000 + "z" * 100
    for minutes_pass in (False, True):
        async with scene() as here:
            question = await here.ask()
            lost = Reply(question.thread, question.id)  # the row knows no ids
            here.discord.fail("POST", MESSAGES, Failure())  # the first piece lands
            here.discord.fail("POST", MESSAGES, Failure())  # so does the second
            here.discord.fail("POST", MESSAGES, Failure(400, {"code": 1, "message": "no"}))
            with pytest.raises(discord.HTTPException):
                await here.platform.finish_reply(lost, whole)
            here.platform._replies._turns.clear()  # what a new process knows
            await here.discord.say(mention("somebody else speaks"))
            if minutes_pass:
                here.discord.forget_nonces()
            reply = await here.platform.finish_reply(lost, whole, again=True)
            assert [len(text) for text in here.texts()] == [2000, 2000, 100]
            assert len(set(reply.ids)) == 3


async def test_after_a_crash_the_preview_is_found_and_used() -> None:
    async with scene() as here:
        question = await here.ask()
        reply = await here.platform.start_reply(question)
        shown = await here.platform.update_reply(reply, "half")
        here.platform._replies._turns.clear()
        here.discord.forget_nonces()
        again = await here.platform.start_reply(question, again=True)
        assert again.ids == shown.ids
        await here.platform.finish_reply(again, "half and whole", again=True)
        assert here.texts() == ["half and whole"]


async def test_where_the_history_may_not_be_read_the_answer_still_arrives() -> None:
    async with scene() as here:
        question = await here.ask()
        here.discord.fail("GET", MESSAGES, Failure(403, {"code": 50001, "message": "no"}, times=9))
        reply = await here.platform.start_reply(question, again=True)
        await here.platform.finish_reply(reply, "Here.", again=True)
        assert here.texts() == ["Here."]


async def test_a_server_error_and_a_short_rate_limit_are_waited_out() -> None:
    async with scene() as here:
        question = await here.ask()
        here.discord.fail("POST", MESSAGES, Failure(502, "<html>"))
        short = {"retry_after": 0.05, "global": False, "message": "slow down"}
        here.discord.fail("POST", MESSAGES, Failure(429, short, OURS))
        await here.answer(question, "Here.")
        assert here.texts() == ["Here."]


async def test_d24_a_long_rate_limit_is_an_error_to_try_again_and_not_a_sleep() -> None:
    async with scene() as here:
        question = await here.ask()
        long = {"retry_after": 600, "global": False, "message": "slow down"}
        here.discord.fail("POST", MESSAGES, Failure(429, long, OURS))
        async with asyncio.timeout(20):
            with pytest.raises(discord.RateLimited):
                await here.answer(question, "Here.")
        await here.answer(question, "Here.")
        assert here.texts() == ["Here."]


async def test_d25_a_ban_by_cloudflare_is_not_answered_with_more_requests() -> None:
    async with scene() as here:
        question = await here.ask()
        here.discord.fail("POST", MESSAGES, Failure(429, "<html>Access denied</html>"))
        with pytest.raises(discord.RateLimited) as first:
            await here.answer(question, "Here.")
        before = len(here.discord.calls)
        for _ in range(3):
            with pytest.raises(discord.RateLimited) as later:
                await here.platform.finish_reply(Reply(question.thread, question.id), "Here.")
        assert first.value.retry_after >= 60
        assert 55 < later.value.retry_after <= first.value.retry_after
        assert len(here.discord.calls) == before


async def test_a_call_that_hangs_is_given_up() -> None:
    async with scene(pace=replace(QUICK, call_timeout=0.2)) as here:
        question = await here.ask()
        here.discord.fail("POST", MESSAGES, Failure(delay=1.0))
        with pytest.raises(TimeoutError):
            await here.answer(question, "Here.")


@pytest.mark.parametrize("code", [10003, 50001, 50013, 50083, 160005])
async def test_a_closed_channel_is_undeliverable(code: int) -> None:
    async with scene() as here:
        question = await here.ask()
        here.discord.refuse(CHANNEL, code)
        with pytest.raises(Undeliverable):
            await here.platform.finish_reply(Reply(question.thread, question.id), "Here.")


@pytest.mark.parametrize(("text", "most"), [("Here.", 4), ("A sentence for a file. " * 600, 8)])
async def test_d44_a_hundred_mentions_in_a_closed_channel_make_few_requests(text: str, most: int) -> None:
    async with scene() as here:
        # Each refusal takes its time: all the others are on their way before the first is known.
        slow = Failure(403, {"code": 50013, "message": "no"}, delay=0.1, times=float("inf"))
        here.discord.fail("POST", f"/channels/{CHANNEL}/*", slow)
        question = await here.ask()
        before = len(here.discord.calls)

        async def turn(number: int) -> None:
            with pytest.raises(Undeliverable):
                await here.answer(replace(question, id=str(number)), text)

        await asyncio.gather(*map(turn, range(100)))
        assert 1 <= len(here.discord.calls) - before <= most


async def test_d44_a_closed_channel_is_asked_again_after_some_minutes() -> None:
    async with scene(pace=replace(QUICK, closed_for=0.1)) as here:
        question = await here.ask()
        here.discord.refuse(CHANNEL, 50013, times=1)
        with pytest.raises(Undeliverable):
            await here.platform.finish_reply(Reply(question.thread, question.id), "Here.")
        here.discord.heal()
        await asyncio.sleep(0.15)
        await here.answer(question, "Here.")
        assert here.texts() == ["Here."]


async def test_d44_where_our_permissions_forbid_it_nothing_is_even_tried() -> None:
    async with scene() as here:
        question = await here.ask()
        mute = {"id": here.discord.guilds["300"]["id"], "type": 0, "allow": "0", "deny": str(1 << 11)}
        closed = {**here.discord.channels[CHANNEL], "permission_overwrites": [mute]}
        await here.discord.gateway.dispatch("CHANNEL_UPDATE", closed)
        before = len(here.discord.calls)

        async def try_for_a_while() -> None:
            for _ in range(100):
                await here.platform.start_reply(question)
                await asyncio.sleep(0.01)

        with pytest.raises(Undeliverable):
            await try_for_a_while()
        await asyncio.sleep(0.05)
        assert len(here.discord.calls) - before <= 1


async def test_d45_the_person_is_told_when_automod_refuses_the_answer_and_it_is_not_tried_again() -> None:
    async with scene() as here:
        reply = await here.platform.start_reply(await here.ask())
        await here.platform.update_reply(reply, "fine so far")
        refused = Failure(400, {"code": 200000, "message": "blocked"})
        here.discord.fail("PATCH", f"{MESSAGES}/*", refused)
        with pytest.raises(Undeliverable):
            await here.platform.finish_reply(reply, "fine so far, bad word")
        [line] = here.texts()
        assert "AutoMod" in line
        await here.answer(await here.ask("another"), "A decent answer.")  # the channel is not closed by it
        assert here.texts()[-1] == "A decent answer."

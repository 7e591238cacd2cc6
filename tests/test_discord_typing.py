"""Typing on Discord: it goes on while we think, once per channel, and nothing of it follows the answer."""

import asyncio
import time
from dataclasses import replace

from tests.fakes.discord import Failure
from tests.fakes.discord.bot import CHANNEL, QUICK, scene, until

MESSAGES, TYPING = f"/channels/{CHANNEL}/messages", f"/channels/{CHANNEL}/typing"


async def test_d43_typing_goes_on_while_we_think_and_stops_before_the_answer() -> None:
    async with scene(pace=replace(QUICK, typing_every=0.05)) as here:
        reply = await here.platform.start_reply(await here.ask())
        await until(lambda: len(here.discord.typed) >= 3)
        await here.platform.finish_reply(reply, "Here.")
        calls = [call.path for call in here.discord.calls]
        await asyncio.sleep(0.15)
        assert [call.path for call in here.discord.calls] == calls
        assert calls.index(MESSAGES) > max(at for at, path in enumerate(calls) if path == TYPING)


async def test_d43_two_turns_in_one_channel_share_one_loop_and_the_last_ends_it() -> None:
    every = 0.1
    async with scene(pace=replace(QUICK, typing_every=every)) as here:
        questions = [await here.ask("one"), await here.ask("two")]
        started = time.monotonic()
        one, two = [await here.platform.start_reply(question) for question in questions]
        await until(lambda: len(here.discord.typed) >= 5)
        assert len(here.discord.typed) <= 1 + (time.monotonic() - started) / every
        await here.platform.finish_reply(one, "One.")
        count = len(here.discord.typed)
        await until(lambda: len(here.discord.typed) > count)
        await here.platform.remove_reply(two)
        await asyncio.sleep(0.05)  # for one that was on its way
        count = len(here.discord.typed)
        await asyncio.sleep(3 * every)
        assert len(here.discord.typed) == count


async def test_d43_typing_ends_on_a_refusal_and_at_its_limit() -> None:
    async with scene(pace=replace(QUICK, typing_every=0.05)) as here:
        here.discord.fail("POST", TYPING, Failure(403, {"code": 50013, "message": "no"}, times=99))
        await here.platform.start_reply(await here.ask())
        await asyncio.sleep(0.3)
        assert len(here.discord.bodies("POST", TYPING)) == 1
    async with scene(pace=replace(QUICK, typing_every=0.05, typing_at_most=0.3)) as here:
        await here.platform.start_reply(await here.ask())
        await until(lambda: not here.platform._replies._typing._loops)
        count = len(here.discord.typed)
        await asyncio.sleep(0.2)
        assert 1 <= len(here.discord.typed) == count <= 7


async def test_d43_one_slow_call_does_not_end_the_typing() -> None:
    async with scene(pace=replace(QUICK, typing_every=0.05)) as here:
        here.discord.fail("POST", TYPING, Failure(delay=0.5))
        await here.platform.start_reply(await here.ask())
        await until(lambda: len(here.discord.typed) >= 2)

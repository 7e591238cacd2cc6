from __future__ import annotations

import asyncio
import gc
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from bot.agent import ModelFailed
from tests.fakes.openai import Answer, FakeOpenAI, fail
from tests.fakes.openai_agents import KNOWN, Block, agents, drafts, said, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI() as server:
        yield server


async def test_closing_early_ends_the_request(server: FakeOpenAI) -> None:
    server.say(Answer(chunks=["One", "two"], hang_after=1))
    async with agents(server) as bot:
        async with aclosing(bot.answer(said("Hi"), (), KNOWN)) as stream:
            async for draft in stream:
                assert draft.text == "One"
                break
        await until(lambda: server.disconnects == 1 and server.open == 0)


async def test_closing_before_the_first_byte_ends_the_request(server: FakeOpenAI) -> None:
    server.say(Answer(hang_after=0))
    async with agents(server) as bot:
        reader = asyncio.ensure_future(drafts(bot, said("Hi")))
        await until(lambda: server.open == 1)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        await until(lambda: server.disconnects == 1 and server.open == 0)


@pytest.mark.parametrize("moment", range(8))
async def test_cancelling_the_reader_at_any_moment_leaves_nothing_running(server: FakeOpenAI, moment: int) -> None:
    server.say(Answer(chunks=["word "] * 400, gap=0.001))
    tasks = asyncio.all_tasks()
    async with agents(server) as bot:
        reader = asyncio.ensure_future(drafts(bot, said("Hi")))
        await until(lambda: server.open == 1)
        await asyncio.sleep(0.003 * moment)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        await until(lambda: server.open == 0)
        ours = [task for task in asyncio.all_tasks() - tasks if "_write" in repr(task)]
        assert ours == []
    assert server.disconnects == 1


async def test_cancelling_while_memory_is_read_sends_no_request(server: FakeOpenAI) -> None:
    async with agents(server) as bot:
        reader = asyncio.ensure_future(drafts(bot, said("Hi"), (), Block("slow", wait=60)))
        await asyncio.sleep(0.02)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
    assert server.requests == []


async def test_the_deadline_ends_a_slow_drip(server: FakeOpenAI) -> None:
    server.say(Answer(chunks=["drip "] * 1000, gap=0.02))
    async with agents(server, deadline=0.3) as bot:
        with pytest.raises(ModelFailed, match=r"^No answer within 0.3 s\.$"):
            await drafts(bot, said("Hi"))
        await until(lambda: server.disconnects == 1 and server.open == 0)


async def test_the_deadline_counts_memory_and_the_wait_between_attempts(server: FakeOpenAI) -> None:
    server.say(fail(429, retry_after=60))
    async with agents(server, deadline=0.3) as bot:
        with pytest.raises(ModelFailed, match=r"within 0\.3 s"):
            await drafts(bot, said("Hi"), (), Block("", wait=0.1))
        with pytest.raises(ModelFailed, match=r"within 0\.3 s"):
            await drafts(bot, said("Hi"), (), Block("", wait=5))
    assert len(server.requests) == 1


async def test_breaking_off_without_closing_ends_the_request_too(server: FakeOpenAI) -> None:
    server.say(Answer(chunks=["One", "two"], hang_after=1))
    async with agents(server) as bot:
        async for draft in bot.answer(said("Hi"), (), KNOWN):
            assert draft.text == "One"
            break
        gc.collect()
        await until(lambda: server.disconnects == 1 and server.open == 0)

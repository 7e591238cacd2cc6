"""The same memory over the local one: what a person says is known, taken back and forgotten."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx
import pytest
from geniffy import AsyncGeniffy

from bot.chat import User
from bot.local.memory import open_memory
from bot.memory import Memories
from bot.recall import State
from tests.fakes.poll import until
from tests.memory.conftest import ANA, DM, PRIVATE, PUBLIC, QUESTION, block_of, context, exchange

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.chat import Thread

BEN = User("slack", "T024.U062", "Ben")


@asynccontextmanager
async def opened(learning_delay: float = 0.0) -> AsyncIterator[Memories]:
    async with open_memory(None, learning_delay=learning_delay) as local:
        http = httpx.AsyncClient(transport=httpx.ASGITransport(local.app), timeout=60)
        async with AsyncGeniffy("key", base_url="http://memory.test", http_client=http, max_retries=0) as client:
            yield Memories(client)


@pytest.fixture
async def memories() -> AsyncIterator[Memories]:
    async with opened() as memories:
        yield memories


async def learned(memories: Memories, count: int, who: User = ANA) -> None:
    async def all_there() -> bool:
        return len(await memories.of(who.space).list(50)) == count

    await until(all_there)


async def recalled(memories: Memories, thread: Thread, who: User = ANA) -> tuple[State | None, list[str]]:
    memory, model_context = memories.at(who, thread), context(QUESTION)
    await memory.update_context(model_context)
    block = await block_of(model_context)
    assert all(one.text in block for one in memory.known)
    return memory.state, [one.text for one in memory.known]


async def test_what_a_person_says_is_known_to_them_and_to_nobody_else(memories: Memories) -> None:
    assert await recalled(memories, DM) == (State.NOTHING, [])
    await memories.of(ANA.space).save(exchange("Rex is my dog."))
    await learned(memories, 1)
    assert await recalled(memories, DM) == (State.KNOWN, ["Rex is my dog."])
    assert await recalled(memories, DM, BEN) == (State.NOTHING, [])


@pytest.mark.parametrize(
    ("said", "asked", "comes_up"),
    [
        (DM, PUBLIC, False),
        (DM, PRIVATE, False),
        (PRIVATE, PUBLIC, False),
        (PUBLIC, PRIVATE, True),
        (PUBLIC, DM, True),
        (PRIVATE, PRIVATE, True),
    ],
)
async def test_the_wall_holds(memories: Memories, said: Thread, asked: Thread, *, comes_up: bool) -> None:
    await memories.of(ANA.space).save(exchange("Rex is my dog.", thread=said))
    await learned(memories, 1)
    state, found = await recalled(memories, asked)
    assert (state is State.KNOWN, bool(found)) == (comes_up, comes_up)


async def test_what_a_person_edits_or_deletes_follows(memories: Memories) -> None:
    memory = memories.of(ANA.space)
    await memory.save(exchange("Rex is my dog."))
    await learned(memories, 1)
    await memory.save(exchange("Rex is my cat."))

    async def followed() -> bool:
        return (await recalled(memories, DM))[1] == ["Rex is my cat."]

    await until(followed)
    await memory.retract(exchange().message.key)
    await memory.retract(exchange().message.key)
    assert await recalled(memories, DM) == (State.NOTHING, [])


async def test_what_a_person_forgets_is_forgotten(memories: Memories) -> None:
    memory = memories.of(ANA.space)
    await memory.save(exchange("Rex is my dog."))
    await learned(memories, 1)
    await memory.forget()
    await memory.forget()  # of nothing at all
    assert await memory.list(10) == ()
    assert await recalled(memories, DM) == (State.NOTHING, [])


async def test_what_is_forgotten_while_it_is_being_learned_does_not_come_back() -> None:
    async with opened(learning_delay=0.1) as memories:
        await memories.of(ANA.space).save(exchange("Rex is my dog."))
        await memories.of(ANA.space).forget()
        await memories.of(BEN.space).save(exchange("Max is my cat.", who=BEN))
        await learned(memories, 1, BEN)  # later than what was forgotten would have been
        assert await memories.of(ANA.space).list(10) == ()

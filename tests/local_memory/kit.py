"""What the suite needs: the real client in front of a local memory, and short ways to say things to it."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx
from geniffy import AsyncGeniffy

from bot.local.memory import open_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from geniffy import Source

    from bot.local.memory import LocalMemory

AUTH = {"Authorization": "Bearer gnf_live_test"}


class House:
    """A local memory and the two ways to reach it: the real client, and plain HTTP for what the client cannot send."""

    def __init__(self, memory: LocalMemory) -> None:
        self.memory = memory
        transport = httpx.ASGITransport(app=memory.app)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://memory", headers=AUTH, timeout=60)
        self.client = AsyncGeniffy(
            "gnf_live_test", base_url="http://memory", http_client=httpx.AsyncClient(transport=transport, timeout=60)
        )

    def of(self, name: str) -> AsyncGeniffy:
        return self.client.space(name)


@asynccontextmanager
async def house(
    path: Path | None = None, *, learning_delay: float = 0.0, scrub_every: float = 0.05
) -> AsyncIterator[House]:
    async with open_memory(path, learning_delay=learning_delay, scrub_every=scrub_every) as memory:
        built = House(memory)
        async with built.http, built.client:
            yield built


async def say(
    person: AsyncGeniffy,
    *texts: str,
    key: str | None = None,
    labels: dict[str, str] | None = None,
    said_at: str | None = None,
) -> Source:
    """Say something in a chat, each text a message of its own, and wait until the last one is learned."""
    for text in texts:
        messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "I like Zanzibar."}]
        source = await person.memories.add(messages=messages, external_id=key, labels=labels, said_at=said_at)
    return await person.sources.wait(source.id)


async def note(person: AsyncGeniffy, text: str, labels: dict[str, str] | None = None) -> Source:
    return await person.sources.wait((await person.memories.add(text, labels=labels)).id)


async def known(person: AsyncGeniffy, labels: dict[str, str | list[str]] | None = None) -> list[str]:
    return [memory.text async for memory in person.memories.iter(labels=labels)]


async def recalled(person: AsyncGeniffy, question: str, labels: dict[str, str | list[str]] | None = None) -> list[str]:
    found = await person.context_full(question, labels=labels)
    return [str(memory["text"]) for memory in found["memories"]]


async def until(check: Callable[[], Awaitable[bool]], seconds: float = 10.0) -> None:
    """Poll until something holds, or fail."""
    deadline = time.monotonic() + seconds
    while not await check():
        assert time.monotonic() < deadline, "It did not happen in time."
        await asyncio.sleep(0.02)

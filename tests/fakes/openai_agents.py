"""A small kit for tests of the agent: the real client and the real agent against the fake server."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from autogen_core.memory import Memory, MemoryContent, MemoryQueryResult, UpdateContextResult
from autogen_core.models import SystemMessage

from bot.agent import Agents, Draft, model_client
from bot.chat import Audience, Exchange, Message, Reply, Thread, User

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from autogen_core.model_context import ChatCompletionContext

    from tests.fakes.openai import FakeOpenAI

THREAD = Thread("slack", "T1", "D1", "D1", Audience.DM)
ANA = User("slack", "T1.UA", "Ana")
NOON = datetime(2026, 10, 5, 12, 0, tzinfo=timezone(timedelta(hours=2), "CEST"))


class Block(Memory):
    """Puts one block behind the leading system messages, as ours does; `results` too, as AutoGen's own memories do."""

    def __init__(self, text: str, wait: float = 0) -> None:
        self.text = text
        self.wait = wait

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        await asyncio.sleep(self.wait)
        messages = await model_context.get_messages()
        await model_context.clear()
        for message in (SystemMessage(content=self.text), *messages):
            await model_context.add_message(message)
        found = [MemoryContent(content=self.text, mime_type="text/plain")]
        return UpdateContextResult(memories=MemoryQueryResult(results=found))

    async def query(self, *_: object, **__: object) -> MemoryQueryResult:
        raise NotImplementedError

    async def add(self, *_: object, **__: object) -> None:
        raise NotImplementedError

    async def clear(self) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError


KNOWN = Block(
    '<memory-3f9a2c1b state="known">\n- Rex is my dog.  [in a direct message, 2026-10-04]\n</memory-3f9a2c1b>'
)


def said(text: str, author: User = ANA) -> Message:
    return Message(id="1", thread=THREAD, author=author, text=text, sent_at=datetime.now(UTC))


def exchange(text: str, answer: str, author: User = ANA) -> Exchange:
    return Exchange(said(text, author), Reply(THREAD, "1"), answer)


@asynccontextmanager
async def agents(
    server: FakeOpenAI, *, model: str = "gpt-5", instructions: str = "", operator: str = "", deadline: float = 30
) -> AsyncIterator[Agents]:
    client = model_client(api_key="k", model=model, options={}, base_url=server.url, config=None)
    try:
        yield Agents(client, instructions=instructions, operator=operator, deadline=deadline, now=lambda: NOON)
    finally:
        await client.close()


async def drafts(
    agents: Agents, message: Message, history: Sequence[Exchange] = (), memory: Memory = KNOWN
) -> list[Draft]:
    return [draft async for draft in agents.answer(message, history, memory)]


async def until(fact: Callable[[], bool], within: float = 5) -> None:
    async with asyncio.timeout(within):
        while not fact():  # noqa: ASYNC110 - the fact is the server's, there is no event to wait for
            await asyncio.sleep(0.005)

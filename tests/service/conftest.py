"""The whole house over fakes at the transport seams: a platform in memory, the real OpenAI and geniffy clients."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from geniffy import AsyncGeniffy

from bot import commands
from bot.agent import Agents, model_client
from bot.engine import LocalEngine
from bot.local.memory import LocalMemory, open_memory
from bot.memory import Memories
from bot.service import Service, Words
from bot.store import Store, open_store
from tests.fakes.openai import FakeOpenAI
from tests.fakes.platform import ANA, BEN, FakePlatform
from tests.fakes.poll import until
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from bot.chat import Message, User

ABOUT = commands.About("The testers", "https://example.org/privacy", "by the tests", "a script")


@dataclass
class Wire(httpx.AsyncBaseTransport):
    """What reaches the memory: each request's space, method, path and body; `before` may wait or fail."""

    inner: httpx.AsyncBaseTransport
    seen: list[tuple[str, str, str, dict[str, Any]]] = field(default_factory=list)
    down: bool = False
    turned_away: int = 0
    refusals: list[int] = field(default_factory=list)
    """Statuses with which the next saves are refused."""
    deletes_refused: int = 0
    """A status with which every deletion is refused."""
    before: Callable[[httpx.Request], Awaitable[None]] | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.before:
            await self.before(request)
        if self.down:
            self.turned_away += 1
            return httpx.Response(503, json={"error": {"code": "memory_unavailable", "message": "Down."}})
        body = json.loads(request.content) if request.content else {}
        space = request.headers.get("X-Geniffy-Space", "")
        self.seen.append((space, request.method, request.url.path, body))
        if self.refusals and (request.method, request.url.path) == ("POST", "/v1/memories"):
            return httpx.Response(self.refusals.pop(), json={"error": {"code": "made_up", "message": "No."}})
        if self.deletes_refused and request.method == "DELETE":
            return httpx.Response(self.deletes_refused, json={"error": {"code": "made_up", "message": "No."}})
        return await self.inner.handle_async_request(request)

    def recalls(self) -> list[dict[str, Any]]:
        return [body for _, _, path, body in self.seen if path in ("/v1/context", "/v1/search", "/v1/briefing")]

    def saved(self) -> list[dict[str, Any]]:
        return [body for _, method, path, body in self.seen if (method, path) == ("POST", "/v1/memories")]


@dataclass
class House:
    """Everything a test looks at. `start` runs the bot, `stop` drains it; both may be repeated over the same files."""

    path: Path
    openai: FakeOpenAI
    memory: LocalMemory
    wire: Wire
    geniffy: AsyncGeniffy
    platform: FakePlatform = field(default_factory=FakePlatform)
    deadline: float = 5.0
    sight: bool = True
    store: Store = field(init=False)
    service: Service = field(init=False)
    _running: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[House]:
        client = model_client(
            api_key="k", model="gpt-5", options={"vision": self.sight}, base_url=self.openai.url, config=None
        )
        async with open_store(f"sqlite+aiosqlite:///{self.path / 'keepsake.db'}", SECRET) as self.store:
            self.service = Service(
                store=self.store,
                engine=LocalEngine(sweep_every=0.2, grace=0.5),
                platforms=[self.platform],
                agents=Agents(client, deadline=self.deadline),
                memories=Memories(self.geniffy, patience=1.0),
                words=Words(partial(commands.notice, ABOUT), commands.foot),
                patience=2.0,
            )
            self.service.commands = commands.offered(self.service)
            self.service.actions = commands.pressed(self.service, ABOUT)
            self._running = asyncio.create_task(self.service.run())
            try:
                yield self
            finally:
                self._running.cancel()
                with suppress(asyncio.CancelledError):
                    await self._running
                await client.close()

    async def say(self, message: Message, *, settle: bool = True) -> str:
        """Say something, wait for the answer and until nothing is owed, and give the answer."""
        await self.service.message(message)
        await until(lambda: message.id in self.platform.answers)
        if settle:
            await self.settle()
        return self.platform.answers[message.id]

    async def settle(self) -> None:
        assert await self.service.settled("test", 10)
        await self.learned()

    async def learned(self) -> None:
        """Wait until the memory has learned all that it was given."""
        for user in (ANA, BEN):
            await until(partial(self._all_learned, user))

    async def _all_learned(self, user: User) -> bool:
        page = await self.geniffy.space(user.space).sources.list()
        return all(source.status == "learned" for source in page.sources)

    def asked(self) -> str:
        """Give all that the last request told the model."""
        return json.dumps(self.openai.requests[-1].messages, ensure_ascii=False)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[House]:
    """Give a house that is not open yet."""
    async with FakeOpenAI() as openai, open_memory(None) as memory:
        wire = Wire(httpx.ASGITransport(memory.app))
        async with httpx.AsyncClient(transport=wire, timeout=60) as http:
            geniffy = AsyncGeniffy("k", base_url="http://localhost", http_client=http, max_retries=0)
            yield House(tmp_path, openai, memory, wire, geniffy)


@pytest.fixture
async def house(world: House) -> AsyncIterator[House]:
    async with world.open():
        yield world

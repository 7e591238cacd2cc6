"""The local memory on a port of its own, with a look at what reaches it and a hand on when it answers."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator  # noqa: TC003 - read at run time by contextlib users
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import uvicorn
from geniffy import AsyncGeniffy

from bot.local.memory import open_memory

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass
class PortMemory:
    """`saves` holds the bodies of every save that arrived. The next one stays in flight while `stall` is set."""

    url: str
    client: AsyncGeniffy
    saves: list[dict[str, Any]] = field(default_factory=list)
    stall: float = 0.0
    lose: bool = False
    """The save that is stalled never takes effect."""

    def wrap(self, app: ASGIApp) -> ASGIApp:
        async def watched(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or (scope["method"], scope["path"]) != ("POST", "/v1/memories"):
                await app(scope, receive, send)
                return
            body = b""
            while True:
                part = await receive()
                body += part.get("body", b"")
                if not part.get("more_body"):
                    break
            self.saves.append(json.loads(body))
            stall, self.stall = self.stall, 0.0
            if stall:
                await asyncio.sleep(stall)
                if self.lose:
                    return
            messages = iter([{"type": "http.request", "body": body}])

            async def again() -> Message:
                return next(messages, None) or await receive()

            await app(scope, again, send)

        return watched

    async def texts(self, space: str) -> list[str]:
        """Give what is known in a space."""
        return [one.text async for one in self.client.space(space).memories.iter()]

    async def sources(self, space: str) -> int:
        """Count the sources of a space."""
        return int((await self.client.space(space).sources.list()).total)


@asynccontextmanager
async def port_memory(path: Path) -> AsyncIterator[PortMemory]:
    """Serve a memory on a free port for the time of the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with open_memory(path) as local, AsyncGeniffy("k", base_url=url) as client:
        memory = PortMemory(url, client)
        server = uvicorn.Server(uvicorn.Config(memory.wrap(local.app), log_level="error"))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield memory
        finally:
            server.should_exit = True
            await task

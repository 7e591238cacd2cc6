"""The gateway: HELLO, IDENTIFY or RESUME, READY and the servers, heartbeats, events, and closing with a code."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING

from aiohttp import web

from tests.fakes.discord.payloads import APPLICATION, Json, bot_user

if TYPE_CHECKING:
    from collections.abc import Mapping

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11


class Gateway:
    """Every websocket that is open, and what was sent over them."""

    def __init__(self, token: str, guilds: Mapping[str, Json]) -> None:
        self.url = ""
        self.identified: list[Json] = []
        self.resumed: list[Json] = []
        self.heartbeats = 0
        self.heartbeat_interval = 41.25  # seconds
        self.refuse_with = 0  # the code to close with instead of READY
        self.hold_guilds = False  # READY comes, the servers do not until `send_guilds`
        self.before_ready: list[tuple[str, Json]] = []
        self._token = token
        self._guilds = guilds
        self._sockets: set[web.WebSocketResponse] = set()
        self._sequence = 0

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        hello = {"heartbeat_interval": int(self.heartbeat_interval * 1000)}
        await socket.send_json({"op": HELLO, "d": hello, "s": None, "t": None})
        try:
            async for frame in socket:
                await self._hear(socket, json.loads(frame.data))
        finally:
            self._sockets.discard(socket)
        return socket

    async def _hear(self, socket: web.WebSocketResponse, frame: Json) -> None:
        if frame["op"] == HEARTBEAT:
            self.heartbeats += 1
            await socket.send_json({"op": ACK, "d": None, "s": None, "t": None})
        elif frame["op"] == IDENTIFY:
            await self._identify(socket, frame["d"])
        elif frame["op"] == RESUME:
            self.resumed.append(frame["d"])
            self._sockets.add(socket)
            await self._send(socket, "RESUMED", {})

    async def _identify(self, socket: web.WebSocketResponse, data: Json) -> None:
        self.identified.append(data)
        code = self.refuse_with or (0 if data["token"] == self._token else 4004)
        if code:
            await socket.close(code=code)
            return
        self._sockets.add(socket)
        for event, early in self.before_ready:
            await self._send(socket, event, early)
        await self._send(socket, "READY", self.ready())
        if not self.hold_guilds:
            await self.send_guilds()

    def ready(self) -> Json:
        return {
            "v": 10,
            "user": bot_user(),
            "session_id": "a-made-up-session",
            "resume_gateway_url": self.url,
            "shard": [0, 1],
            "guilds": [{"id": id_, "unavailable": True} for id_ in self._guilds],
            "application": {"id": APPLICATION, "flags": 0},
        }

    async def send_guilds(self) -> None:
        for guild in self._guilds.values():
            await self.dispatch("GUILD_CREATE", guild)

    async def dispatch(self, event: str, data: Json) -> None:
        """Send an event over every open connection."""
        for socket in tuple(self._sockets):
            await self._send(socket, event, data)

    async def _send(self, socket: web.WebSocketResponse, event: str, data: Json) -> None:
        self._sequence += 1
        with contextlib.suppress(ConnectionError):
            await socket.send_json({"op": DISPATCH, "d": data, "s": self._sequence, "t": event})

    async def close(self, code: int) -> None:
        """Close every connection with a code."""
        sockets = tuple(self._sockets)
        self._sockets.clear()
        await asyncio.gather(*(socket.close(code=code) for socket in sockets))

    async def invalidate(self) -> None:
        """Tell every connection that its session is gone: discord.py then goes to its hard-coded gateway."""
        for socket in tuple(self._sockets):
            await socket.send_json({"op": INVALID_SESSION, "d": False, "s": None, "t": None})

    @property
    def connected(self) -> bool:
        return bool(self._sockets)

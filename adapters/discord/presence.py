"""The typing indicator: one loop per channel, however many answers are being written in it.

Refuses to outlive its answers: a hold ends with the answer, with an error, or at a hard limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

from adapters.discord.errors import TROUBLE
from bot.chat import Undeliverable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Typing:
    """Who is being answered in which channel, and the loops that say so."""

    def __init__(self, send: Callable[[str], Awaitable[None]], *, every: float, at_most: float) -> None:
        """`send` shows the indicator in a channel once; it is repeated `every` seconds, for `at_most` seconds."""
        self._send = send
        self._every = every
        self._at_most = at_most
        self._holds: dict[str, dict[str, float]] = {}
        self._loops: dict[str, asyncio.Task[None]] = {}

    def hold(self, channel: str, turn: str) -> None:
        """Show the indicator in a channel until `release`."""
        self._holds.setdefault(channel, {})[turn] = time.monotonic() + self._at_most
        if channel not in self._loops:
            self._loops[channel] = asyncio.create_task(self._loop(channel))

    async def release(self, channel: str, turn: str) -> None:
        """End one hold; with the last one the loop is over when this returns, so that nothing follows the answer."""
        holds = self._holds.get(channel, {})
        holds.pop(turn, None)
        if not holds:
            await self._stop(channel)

    async def close(self) -> None:
        """End every loop."""
        for channel in tuple(self._loops):
            await self._stop(channel)

    async def _stop(self, channel: str) -> None:
        self._holds.pop(channel, None)
        if task := self._loops.pop(channel, None):
            task.cancel()
            await asyncio.wait({task})

    async def _loop(self, channel: str) -> None:
        with contextlib.suppress(Undeliverable, *TROUBLE):
            while self._held(channel):
                with contextlib.suppress(TimeoutError):  # a slow one is given up: the next may be quicker
                    async with asyncio.timeout(self._every):
                        await self._send(channel)
                await asyncio.sleep(self._every)
        # Not through `release`: an error or the hard limit ended it. The next answer starts a new loop.
        self._holds.pop(channel, None)
        self._loops.pop(channel, None)

    def _held(self, channel: str) -> bool:
        now = time.monotonic()
        return any(until > now for until in self._holds.get(channel, {}).values())

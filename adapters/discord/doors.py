"""What is remembered of channels that turned us away: Discord bans who is refused too often.

Refuses to ask at such a door again for a while, and to let a crowd find out together that a door has closed.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from bot.chat import Undeliverable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

_AT_ONCE = 4  # calls in flight at one door: so many are refused at most before it is known to be closed


class Door(StrEnum):
    """What a channel may let us do, or not, each for itself."""

    WRITE = "write"
    FILES = "files"
    READ = "read"
    ERASE = "erase"


class Doors:
    """The doors of every channel."""

    def __init__(self, *, closed_for: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember a closed door for `closed_for` seconds."""
        self._closed_for = closed_for
        self._clock = clock
        self._until: dict[tuple[str, Door], float] = {}
        self._inside: WeakValueDictionary[tuple[str, Door], asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def enter(self, channel: str, door: Door) -> AsyncIterator[None]:
        """Wait for room at a door, and hold it for one call.

        Raises:
            Undeliverable: the door is known to be closed to us, perhaps since we began to wait.
        """
        self.check(channel, door)
        room = self._inside.setdefault((channel, door), asyncio.Semaphore(_AT_ONCE))
        async with room:
            self.check(channel, door)
            yield

    def check(self, channel: str, door: Door = Door.WRITE) -> None:
        """Raise `Undeliverable` while a door is known to be closed to us."""
        if self._until.get((channel, door), 0.0) > self._clock():
            raise Undeliverable("This channel turned us away a moment ago.")

    def close(self, channel: str, door: Door) -> None:
        """Remember that we were turned away. Called inside, so that whoever waits for the room finds it closed."""
        now = self._clock()
        self._until = {name: until for name, until in self._until.items() if until > now}
        self._until[channel, door] = now + self._closed_for

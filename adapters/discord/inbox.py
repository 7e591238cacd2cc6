"""Hands events to the bot: in order for each message, and again for a while when they could not be stored.

Discord sends nothing twice, so this is where an event waits while the database is away. Refuses to wait without bounds:
past its time or its room an event is counted and logged by a keyed hash.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from bot.chat import NotAccepted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_log = logging.getLogger(__name__)
_ROOM = 1000  # events waiting at once
_FIRST_PAUSE, _LAST_PAUSE = 0.1, 2.0


class Inbox:
    """The events that are being handed over. `lost` counts those that could not be."""

    def __init__(self, secret: bytes, *, patience: float) -> None:
        """Try each event for `patience` seconds; `secret` keys the hashes in the log."""
        self._secret = secret
        self._patience = patience
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._waiting = 0
        self.lost = 0

    async def deliver(self, key: str, accept: Callable[[], Awaitable[None]]) -> None:
        """Hand over one event of the message `key`, after those of the same message that came before."""
        if self._waiting >= _ROOM:
            self._lose(key, "too many are waiting")
            return
        self._waiting += 1
        lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                await self._insist(key, accept)
        finally:
            self._waiting -= 1

    async def _insist(self, key: str, accept: Callable[[], Awaitable[None]]) -> None:
        deadline, pause = time.monotonic() + self._patience, _FIRST_PAUSE
        while True:
            try:
                return await accept()
            except (ValueError, LookupError, TypeError) as error:  # no other try will read it better
                return self._lose(key, type(error).__name__)
            except Exception as error:  # noqa: BLE001 - whatever kept it from being stored may be over in a moment
                if time.monotonic() + pause > deadline:
                    return self._lose(key, "not accepted" if isinstance(error, NotAccepted) else type(error).__name__)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LAST_PAUSE)

    def _lose(self, key: str, why: str) -> None:
        self.lost += 1
        name = hmac.digest(self._secret, key.encode(), "sha256").hex()[:16]
        _log.error("An event of message %s could not be stored (%s); %d so far.", name, why, self.lost)

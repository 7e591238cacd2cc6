"""The local memory as a whole: its file, the task that learns, and the ASGI app in front of them.

Nothing runs before `open_memory` is entered, and everything has ended when it is left.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from bot.local.memory import app, learning, sources
from bot.local.memory.database import Database
from bot.local.memory.faults import Faults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from starlette.types import ASGIApp

_LOG = logging.getLogger(__name__)
_LOOK_EVERY, _LOOK_SOON = 0.5, 0.05
"""Seconds between looks for what another process left to be learned or scrubbed; sooner for a short delay."""


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, so many seconds at most. `asyncio.wait_for` may swallow a cancellation before Python 3.12."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


class LocalMemory:
    """A running local memory. `app` is served in process or on a port; `faults` are switches for tests."""

    app: ASGIApp
    faults: Faults

    def __init__(self, database: Database, delay: float, api_key: str | None) -> None:
        """Put the parts together; `open_memory` starts them."""
        self.faults = Faults()
        self.learning_delay = delay
        """Seconds until an addition may be learned."""
        self.database = database
        self.closing = asyncio.Event()
        self._woken = asyncio.Event()
        self._learned = asyncio.Event()
        self.app = app.make(self, api_key)

    @property
    def terms(self) -> sources.Terms:
        """How additions are taken now."""
        return sources.Terms(self.learning_delay, waiting=self.faults.waiting)

    def wake(self) -> None:
        """Let the learning look at once."""
        self._woken.set()

    async def change(self, seconds: float) -> None:
        """Wait until something was learned here, or so many seconds have passed."""
        await _wait(self._learned, seconds)

    async def learn(self) -> None:
        """Learn what is due, for ever. A database in trouble is tried again; a source in trouble fails alone."""
        while True:
            self._woken.clear()
            try:
                while await self._learn_one():
                    pass
                await self.database.scrub_in_time()
            except sqlite3.Error as error:
                _LOG.warning("The local memory could not learn just now (%s); it tries again.", type(error).__name__)
            await _wait(self._woken, max(_LOOK_SOON, min(_LOOK_EVERY, self.learning_delay or _LOOK_EVERY)))

    async def _learn_one(self) -> bool:
        waiting_too = not self.faults.waiting
        job = await self.database.read(lambda db: learning.next_job(db, waiting_too=waiting_too))
        if job is None:
            return False
        try:
            learned = await asyncio.to_thread(learning.prepare, job)
            await self.database.write(lambda db: learning.write(db, job, learned))
        except sqlite3.OperationalError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one source holds must not end the learning of all others
            _LOG.warning("A source could not be learned (%s).", type(error).__name__)
            await self.database.write(lambda db: learning.fail(db, job))
        self._learned.set()
        self._learned.clear()
        return True


@asynccontextmanager
async def open_memory(
    path: Path | None, *, learning_delay: float = 0.0, api_key: str | None = None, scrub_every: float = 3.0
) -> AsyncIterator[LocalMemory]:
    """Open the memory at `path` (None = in memory only), learn in the background, close everything at the end.

    Args:
        path: the SQLite file; it and missing folders are made readable by their owner alone. Processes may share it.
        learning_delay: seconds until what was added may be learned.
        api_key: the one bearer key to accept; None accepts any that is not blank, for use inside one process.
        scrub_every: seconds between two times that the file is written anew to leave out deleted words, at least.
            A space that is forgotten never waits for that.

    Raises:
        RuntimeError: the file was made by a newer version.
    """
    database = Database(path, scrub_every=scrub_every)
    try:
        await database.open()
        await database.write(lambda db: learning.hurry(db, learning_delay))
        memory = LocalMemory(database, learning_delay, api_key)
        task = asyncio.create_task(memory.learn(), name="local memory: learning")
        try:
            yield memory
        finally:
            memory.closing.set()
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            with suppress(sqlite3.Error):  # what is owed stays owed, and is done at the next start
                await database.scrub()
    finally:
        await database.close()

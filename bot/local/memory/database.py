"""The database: one connection that writes, one that reads beside it, and erasure from the file.

Deleted words do not stay in the file: see `scrub`. What the file holds and who may open it: see `schema`.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from bot.local.memory import schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Answer = TypeVar("Answer")

_REST = 10
"""Between two scrubs that are not asked for at once, this many times as long as the last one took must pass."""


class _Lane:
    """A connection and the one thread that uses it."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"memory-{name}")
        self._connection: sqlite3.Connection | None = None

    async def open(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connection = await asyncio.get_running_loop().run_in_executor(self._thread, connect)

    async def run(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run work after all that was asked for before."""
        if self._connection is None:
            raise RuntimeError("The database is not open.")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, self._connection)

    async def close(self) -> None:
        """Wait for what is running and close."""
        if self._connection is not None:
            await self.run(sqlite3.Connection.close)
        self._thread.shutdown()


class Database:
    """The file at `path`, None for one in memory. Opened by `open`, closed by `close`.

    `scrub_every`: seconds between two scrubs at least, but for those that are asked for at once.
    """

    def __init__(self, path: Path | None, *, scrub_every: float = 3.0) -> None:
        """Prepare; nothing is touched before `open`."""
        self._path, self._every = path, scrub_every
        self._writer = _Lane("write")
        self._reader = self._writer if path is None else _Lane("read")
        self._scrubbing = asyncio.Lock()
        self._asked = self._done = 0
        self._not_before = 0.0

    async def open(self) -> None:
        """Make or open the file, readable by its owner alone.

        Raises:
            RuntimeError: a newer version made the file.
        """
        path = self._path
        await self._writer.open(lambda: schema.connect(path))
        if path is not None:
            await self._reader.open(lambda: schema.reader(path))

    async def close(self) -> None:
        """Wait for what is running and close."""
        for lane in {self._reader, self._writer}:
            await lane.close()

    async def read(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run reads that belong together; they all see one state. No writing holds them up."""
        return await self._reader.run(lambda connection: _within(connection, "BEGIN", work))

    async def write(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run one writing transaction, alone among all processes; an error undoes it."""
        return await self._writer.run(lambda connection: _within(connection, "BEGIN IMMEDIATE", work))

    async def scrub(self) -> None:
        """Remove what was deleted from the file and its log now, if owed. Callers at the same time share one run.

        `secure_delete` alone leaves copies where SQLite moved rows between pages, so the file is written anew.
        """
        self._asked += 1
        mine = self._asked
        async with self._scrubbing:
            if self._done < mine:
                covers = self._asked
                await self._writer.run(self._scrub)
                self._done = covers

    async def scrub_in_time(self) -> None:
        """Scrub if owed, unless it was done a moment ago: a large file takes long, and many deletions share one."""
        if time.monotonic() >= self._not_before:
            await self.scrub()

    def _scrub(self, connection: sqlite3.Connection) -> None:
        owed, done = connection.execute("SELECT owed, done FROM scrubs").fetchone()
        if owed <= done or self._path is None:
            return
        began = time.monotonic()
        try:
            _write_anew(connection)
        finally:
            ended = time.monotonic()
            self._not_before = ended + max(self._every, _REST * (ended - began))
        # Another process may have deleted since: only what was owed at the start is done.
        connection.execute("UPDATE scrubs SET done = MAX(done, ?)", (owed,))


def _write_anew(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")
    if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise sqlite3.OperationalError("The log could not be emptied while another process reads; it stays owed.")


def _within(connection: sqlite3.Connection, begin: str, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
    connection.execute(begin)
    try:
        answer = work(connection)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return answer

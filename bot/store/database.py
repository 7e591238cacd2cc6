"""Opens the database, brings its schema up to date under a lock, and hands out transactions.

Every writing transaction opens with BEGIN IMMEDIATE: SQLAlchemy would otherwise send no BEGIN before the first write,
and two read-then-write transactions at once would both read the old value.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from alembic import command
from alembic.config import Config
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from filelock import FileLock
from sqlalchemy import delete, event, make_url, select, text
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from bot.store.schema import keyring

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

BUSY_TIMEOUT = 700
"""Milliseconds for which one statement waits for another process's write. SQLite's waiting cannot be cancelled, so it
must be well below what a platform waits for an answer (3 s), and a turn that meets it is begun again."""
POOL = 8


class Keys:
    """Keyed hashes: what stands in lanes, logs and tombstones instead of an id."""

    def __init__(self, secret: bytes) -> None:
        """`secret` is KEEPSAKE_SECRET; whoever lacks it can tell nothing from a hash."""
        self._secret = secret

    def of(self, value: str) -> str:
        """Give 32 hex digits for a value, the same ones each time."""
        return hmac.new(self._secret, value.encode(), hashlib.sha256).hexdigest()[:32]

    def derive(self, purpose: str) -> bytes:
        """Give a key of 32 bytes for one purpose; nothing that any hash shows tells of it."""
        return HKDF(SHA256(), 32, salt=None, info=purpose.encode()).derive(self._secret)

    def turn_lane(self, thread: str, space: str) -> str:
        """Name the lane of one person's turns in one thread."""
        return f"turn.{self.of(thread)}.{self.of(space)}"

    def memory_lane(self, space: str) -> str:
        """Name the lane of one person's memory writes."""
        return f"memory.{self.of(space)}"


P = ParamSpec("P")
R = TypeVar("R")
_busy: ContextVar[list[str]] = ContextVar("_busy")
"""Holds a word once the transaction of this task has begun."""


def unbroken(method: Callable[P, Coroutine[None, None, R]]) -> Callable[P, Coroutine[None, None, R]]:
    """Let a transaction that has begun run to its end when whoever awaits it is cancelled.

    A statement that is cancelled half-way leaves its connection, and with it SQLite's lock, to the garbage collector:
    measured, every later write found the database locked for many seconds. One that waits its turn is just ended.
    """

    @wraps(method)
    async def whole(*args: P.args, **kwargs: P.kwargs) -> R:
        begun: list[str] = []
        context = copy_context()
        context.run(_busy.set, begun)
        task = asyncio.create_task(method(*args, **kwargs), context=context)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not begun:
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise

    return whole


class WrongSecret(Exception):  # noqa: N818 - a state of the set-up, told to the operator
    """The secret is not the one that the database's hashes were made with."""


class Database:
    """An open database: `read()` and `write()` give a connection inside one transaction."""

    def __init__(self, engine: AsyncEngine, broom: AsyncEngine, keys: Keys) -> None:
        """See `open_database`. `broom` has connections of its own that wait for nobody."""
        self._engine, self._broom = engine, broom
        self._writing = asyncio.Lock()
        self._written = True  # an earlier process may have left words in the write-ahead log
        self.keys = keys

    @unbroken
    async def check_secret(self) -> None:
        """Remember the secret's mark at the first start, and compare it at every other.

        Raises:
            WrongSecret: another secret was used before.
        """
        mark = self.keys.of("keepsake")
        async with self.write() as connection:
            await connection.execute(insert(keyring).on_conflict_do_nothing(), {"sample": mark})
            marks = (await connection.execute(select(keyring.c.sample))).scalars().all()
            if marks != [mark]:
                await connection.execute(delete(keyring).where(keyring.c.sample == mark))
        if marks != [mark]:
            raise WrongSecret(
                "KEEPSAKE_SECRET (or the file 'secret' in KEEPSAKE_HOME) is not the one that this database was made "
                "with: put the old one back, or people who asked to be forgotten would be remembered again."
            )

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection in a transaction that only reads."""
        _mark()
        async with self._engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection in a writing transaction, committed at the end.

        One at a time within this process, since SQLite's own waiting is unfair and slow.
        """
        async with self._writing:
            _mark()
            async with self._engine.connect() as connection:
                await connection.execution_options(writes=True)
                async with connection.begin():
                    yield connection
                self._written = True

    def drop_statements(self) -> None:
        """Drop SQLAlchemy's compiled statements: each holds the values of its first use, which may name somebody."""
        self._engine.sync_engine.clear_compiled_cache()

    @unbroken
    async def scrub(self) -> bool:
        """Leave nothing of deleted or overwritten words in the write-ahead log; True once that is so.

        `secure_delete` has overwritten them in the pages; the log keeps what the pages were until it is cut. A reader
        in another process can hold that up: call it again. It does nothing when nothing was written.
        """
        if self._written:
            async with self._writing:
                _mark()
                async with self._broom.connect() as connection:
                    (busy, *_) = (await connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))).one()
                    self._written = bool(busy)
        return not self._written


def _mark() -> None:
    _busy.get([]).append("begun")


def now() -> float:
    """Seconds since 1970, UTC."""
    return time.time()


def _prepare(engine: AsyncEngine) -> None:
    """Set what SQLite needs on each connection, and take over its BEGIN."""

    @event.listens_for(engine.sync_engine, "connect")
    def connected(connection: Any, _record: object) -> None:  # noqa: ANN401 - the driver's own object
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_TIMEOUT}", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def began(connection: Any) -> None:  # noqa: ANN401 - a synchronous facade over the driver
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def migrate(url: str) -> None:
    """Bring the schema up to date; two processes that start together take turns."""
    path = Path(make_url(url).database or "")
    config = Config()
    config.set_main_option("script_location", "bot:migrations")
    config.attributes["url"] = url
    with FileLock(f"{path}.lock"):
        path.touch(mode=0o600)  # SQLite's other files take their mode from this one
        command.upgrade(config, "head")


@asynccontextmanager
async def open_database(url: str, secret: bytes) -> AsyncIterator[Database]:
    """Open the database at an SQLAlchemy URL, migrated, and close it at the end."""
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)  # its debug lines hold every value that is written
    await asyncio.to_thread(migrate, url)
    engine = create_async_engine(url, pool_size=POOL, max_overflow=0, pool_timeout=2, hide_parameters=True)
    broom = create_async_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"timeout": 0})
    _prepare(engine)
    try:
        database = Database(engine, broom, Keys(secret))
        await database.check_secret()
        yield database
    finally:
        await engine.dispose()

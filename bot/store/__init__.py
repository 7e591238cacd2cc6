"""The one place where words rest, and what is owed for each of them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, or_, select

from bot.store.database import Database, Keys, now, open_database
from bot.store.fences import NEVER, REMEMBER, Fence, Fences
from bot.store.inbox import EDITABLE, Inbox, Woken
from bot.store.lanes import LEASE, LaneLost, Lanes, Lease, free
from bot.store.rows import Row, Stage, exchange
from bot.store.schema import exchanges, fences, lanes
from bot.store.work import OWES_MEMORY, OWES_TURN, Changed, Work

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = (
    "EDITABLE",
    "LEASE",
    "NEVER",
    "REMEMBER",
    "Changed",
    "Database",
    "Fence",
    "Keys",
    "LaneLost",
    "Lease",
    "Owed",
    "Row",
    "Stage",
    "Store",
    "Woken",
    "Work",
    "exchange",
    "now",
    "open_store",
)

_e = exchanges.c


@dataclass(frozen=True, slots=True)
class Owed:
    """A lane in which something is owed, and whose platform and install it is ("" when any process of it will do)."""

    lane: str
    platform: str
    install: str


class Store:
    """The parts of the store over one database."""

    def __init__(self, database: Database) -> None:
        """See `open_store`."""
        self._db = database
        self.keys = database.keys
        self.inbox = Inbox(database)
        self.lanes = Lanes(database)
        self.fences = Fences(database)

    def work(self, lease: Lease) -> Work:
        """Give the rows of a held lane."""
        return Work(self._db, lease)

    async def scrub(self) -> None:
        """Leave nothing of deleted words in the database's files."""
        await self._db.scrub()

    async def owed(self) -> tuple[Owed, ...]:
        """List the lanes in which something is due and that nobody holds."""
        turns = select(_e.turn_lane, _e.platform, _e.install).where(OWES_TURN, _e.due_at <= now())
        saves = select(_e.memory_lane, _e.platform, func.max("")).where(OWES_MEMORY, _e.due_at <= now())
        erase = select("memory." + fences.c.person, fences.c.platform, func.max(""))
        erase = erase.where(fences.c.erase_due_at <= now()).group_by(fences.c.person, fences.c.platform)
        due = turns.distinct().union_all(saves.group_by(_e.memory_lane, _e.platform), erase).subquery()
        name, platform, install = due.c
        held = select(lanes.c.name).where(~free())
        async with self._db.read() as connection:
            rows = await connection.execute(select(name, platform, install).where(name.not_in(held)))
            return tuple(Owed(*row) for row in rows)

    async def waiting(self, platform: str) -> int:
        """Count the turns and memory writes of a platform that can be done now: neither failed nor behind an erase."""
        erasing = select("memory." + fences.c.person).where(fences.c.erase_due_at.is_not(None))
        writes = and_(OWES_MEMORY, _e.memory_lane.not_in(erasing))
        rows = select(func.count()).where(_e.platform == platform, or_(OWES_TURN, writes), _e.tries == 0)
        async with self._db.read() as connection:
            return int((await connection.execute(rows)).scalar_one())


@asynccontextmanager
async def open_store(url: str, secret: bytes) -> AsyncIterator[Store]:
    """Open the store at an SQLAlchemy URL; `secret` keys every hash in it."""
    async with open_database(url, secret) as database:
        yield Store(database)

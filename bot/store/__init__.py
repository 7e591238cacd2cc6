"""The one place where words rest, and what is owed for each of them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, literal, or_, select, union, union_all

from bot.store.asked import AGAIN, Asked
from bot.store.database import Database, Keys, WrongSecret, now, open_database, unbroken
from bot.store.ends import Ends, Install
from bot.store.fences import NEVER, REMEMBER, Fence, Fences
from bot.store.inbox import EDITABLE, Inbox, Woken
from bot.store.installs import StoredInstalls, living
from bot.store.lanes import LEASE, LaneLost, Lanes, Lease, free
from bot.store.rows import Row, Stage, reply_of
from bot.store.schema import exchanges, fences, lanes
from bot.store.work import UNANSWERED, UNDELETED, UNKEPT, UNREMOVED, UNSAVED, Changed, Work

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy import ColumnElement

    from bot.chat import Installs

__all__ = (
    "AGAIN",
    "EDITABLE",
    "LEASE",
    "NEVER",
    "REMEMBER",
    "Changed",
    "Database",
    "Fence",
    "Install",
    "Keys",
    "LaneLost",
    "Lease",
    "Owed",
    "Row",
    "Stage",
    "Store",
    "Woken",
    "Work",
    "WrongSecret",
    "now",
    "open_store",
    "reply_of",
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
        self.asked = Asked(database, self.inbox)
        self.lanes = Lanes(database)
        self.fences = Fences(database)
        self.ends = Ends(database, self.fences)

    def work(self, lease: Lease) -> Work:
        """Give the rows of a held lane."""
        return Work(self._db, lease)

    def installs(self, platform: str) -> Installs:
        """Give what is kept for the installs of a platform; its texts rest sealed."""
        return StoredInstalls(self._db, platform)

    async def scrub(self) -> bool:
        """Leave nothing of deleted words in the database's files; True once that is so."""
        return await self._db.scrub()

    @unbroken
    async def owed(self) -> tuple[Owed, ...]:
        """List the lanes in which something is due and that nobody holds."""
        due = _e.due_at <= now()
        turns = [
            select(_e.turn_lane, _e.platform, _e.install).where(what, due, living()) for what in (UNANSWERED, UNREMOVED)
        ]
        writes = (UNSAVED, UNDELETED, UNKEPT)
        memory = [select(_e.memory_lane, _e.platform, literal("")).where(what, due, _free()) for what in writes]
        erases = select("memory." + fences.c.person, fences.c.platform, literal("")).where(
            fences.c.erase_due_at <= now()
        )
        every = union(*turns, *memory, erases).subquery()
        name, platform, install = every.c
        held = select(lanes.c.name).where(~free())
        async with self._db.read() as connection:
            rows = await connection.execute(select(name, platform, install).where(name.not_in(held)))
            return tuple(Owed(*row) for row in rows)

    @unbroken
    async def taking_back(self, space: str) -> bool:
        """Tell whether the memory still holds what this person deleted, edited away or had forgotten."""
        fence = await self.fences.of(space)
        rows = select(literal(1)).where(_e.space == space, or_(UNDELETED, UNKEPT)).limit(1)
        async with self._db.read() as connection:
            held = (await connection.execute(rows)).first() is not None
        return held or (fence.erase_due_at is not None and fence.erased_at is None)

    @unbroken
    async def waiting(self, platform: str) -> int:
        """Count what can be done now on a platform: owed, not failed before, not behind an erase."""
        fresh = (_e.platform == platform, _e.tries == 0)
        parts = [select(func.count()).where(what, *fresh, living()) for what in (UNANSWERED, UNREMOVED)]
        parts += [select(func.count()).where(what, *fresh, _free()) for what in (UNSAVED, UNDELETED, UNKEPT)]
        due = (fences.c.platform == platform, fences.c.erase_due_at <= now(), fences.c.tries == 0)
        parts.append(select(func.count()).select_from(fences).where(*due))
        async with self._db.read() as connection:
            counts = (await connection.execute(union_all(*parts))).scalars().all()
        return sum(counts)


def _free() -> ColumnElement[bool]:
    """Give the condition that no erase is owed on a row's person: nothing is written to a memory before that."""
    return _e.memory_lane.not_in(select("memory." + fences.c.person).where(fences.c.erase_due_at.is_not(None)))


@asynccontextmanager
async def open_store(url: str, secret: bytes) -> AsyncIterator[Store]:
    """Open the store at an SQLAlchemy URL; `secret` keys every hash in it."""
    async with open_database(url, secret) as database:
        yield Store(database)

"""Who may work a lane: claimed by a conditional update, kept by renewing a lease, lost when another takes over.

A lease is compared with the wall clock of one machine. A clock that was set back cannot lock a lane for longer than
ABSURD seconds.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import delete, exists, or_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import SQLAlchemyError

from bot.store.database import now, unbroken
from bot.store.schema import lanes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.database import Database

T = TypeVar("T")

LEASE = 6.0
"""Seconds until a lane whose holder died may be taken over."""
RENEW = 2.0
ABSURD = 60.0
HOUR = 3600.0


class LaneLost(Exception):  # noqa: N818 - a state, told to whoever still works there
    """Another worker holds the lane: nothing may be written or posted for it any more."""


def free() -> ColumnElement[bool]:
    """Give the condition under which a lane may be claimed."""
    column = lanes.c.lease_until
    return or_(lanes.c.holder.is_(None), column < now(), column > now() + ABSURD)


class Lease:
    """A claimed lane. `check` before every effect on the outside; `owned` inside every write."""

    def __init__(self, database: Database, name: str, holder: str) -> None:
        """See `hold`."""
        self._db = database
        self.name = name
        self._holder = holder
        self._renewed = time.monotonic()

    def mine(self) -> ColumnElement[bool]:
        """Give the condition under which this worker still holds the lane, for a statement that writes."""
        return exists().where(lanes.c.name == self.name, lanes.c.holder == self._holder)

    async def owned(self, connection: AsyncConnection) -> None:
        """Raise LaneLost unless this worker still holds the lane, inside the caller's transaction."""
        holder = await connection.scalar(select(lanes.c.holder).where(lanes.c.name == self.name))
        if holder != self._holder:
            raise LaneLost(self.name)

    @unbroken
    async def renew(self) -> None:
        """Extend the lease, or raise LaneLost."""
        mine = (lanes.c.name == self.name, lanes.c.holder == self._holder)
        async with self._db.write() as connection:
            done = await connection.execute(update(lanes).where(*mine).values(lease_until=now() + LEASE))
        if done.rowcount == 0:
            raise LaneLost(self.name)
        self._renewed = time.monotonic()

    async def check(self) -> None:
        """Make sure that the lane is still held, asking the database only when the last renewal is not recent."""
        if time.monotonic() - self._renewed > RENEW * 1.5:
            await self.renew()

    async def guard(self, work: Coroutine[object, object, T]) -> T:
        """Run work while renewing; cancel it and raise LaneLost when the lane is lost."""
        task = asyncio.ensure_future(work)
        renewing = asyncio.ensure_future(self._keep())
        try:
            await asyncio.wait({task, renewing}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await renewing
            return await task
        finally:
            for one in (task, renewing):
                one.cancel()
            await asyncio.gather(task, renewing, return_exceptions=True)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(RENEW)
            try:
                await self.renew()
            except SQLAlchemyError:  # a busy database: the lease outlives two renewals that fail
                if time.monotonic() - self._renewed > LEASE:
                    raise LaneLost(self.name) from None


class Lanes:
    """Claims lanes and remembers since when a conversation is fresh."""

    def __init__(self, database: Database) -> None:
        """Claim in this database."""
        self._db = database

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[Lease | None]:
        """Claim a lane for the time of the block; None when somebody else holds it."""
        holder = secrets.token_hex(8)
        try:
            yield Lease(self._db, name, holder) if await self._claim(name, holder) else None
        finally:
            with suppress(Exception):  # the lease runs out by itself
                await self._let_go(name, holder)

    @unbroken
    async def _claim(self, name: str, holder: str) -> bool:
        values = {"holder": holder, "lease_until": now() + LEASE}
        claim = upsert(lanes).values(name=name, **values)
        claim = claim.on_conflict_do_update(index_elements=["name"], set_=values, where=free())
        async with self._db.write() as connection:
            return (await connection.execute(claim.returning(lanes.c.name))).first() is not None

    @unbroken
    async def _let_go(self, name: str, holder: str) -> None:
        mine = (lanes.c.name == name, lanes.c.holder == holder)
        async with self._db.write() as connection:
            await connection.execute(update(lanes).where(*mine).values(holder=None, lease_until=now()))

    @unbroken
    async def refresh(self, name: str) -> None:
        """Begin the conversation of a turn lane anew: nothing said before is part of it."""
        claim = upsert(lanes).values(name=name, fresh_at=now())
        claim = claim.on_conflict_do_update(index_elements=["name"], set_={"fresh_at": now()})
        async with self._db.write() as connection:
            await connection.execute(claim)

    @unbroken
    async def clean(self) -> None:
        """Drop lanes that nobody has held for an hour and that remember nothing."""
        idle = (lanes.c.lease_until < now() - HOUR, lanes.c.fresh_at.is_(None))
        async with self._db.write() as connection:
            await connection.execute(delete(lanes).where(*idle))

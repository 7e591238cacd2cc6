"""What the end of an install or of an account owes, and when.

Whom it concerns is read from the rows. They keep the install and the space of every exchange that may be in a memory,
also after retention took its words, so nobody of whom something was saved is missed. Of somebody who has no row nothing
is remembered, and nothing is written here. Every step may be repeated, by any process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, case, delete, exists, func, literal, not_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from bot.store.database import now, unbroken
from bot.store.inbox import Woken, bury
from bot.store.rows import ANSWERING, Stage
from bot.store.schema import exchanges, fences, installs

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.database import Database
    from bot.store.fences import Fences
    from bot.store.rows import Row

LEAVE = 29 * 86400.0
"""Seconds from the end of an account to its erase: it is done and read back well within the 30 days promised."""

_e, _f, _i = exchanges.c, fences.c, installs.c
_GOING = and_(_e.delete_requested, _e.stage == Stage.REMOVED)
"""The row waits for nothing but its own retraction from the memory."""


_BEGUN = case((_e.attempts + _e.tries > 0, 1), else_=0)
"""The tries of a turn that is begun anew: one, if something of it may stand in the chat already."""


class Install(NamedTuple):
    """The name of an install."""

    platform: str
    install: str


class Ends:
    """Notes ends, and does the part of them that happens in the database."""

    def __init__(self, database: Database, fences: Fences) -> None:
        """Note them in this database; `fences` forgets people."""
        self._db, self._fences = database, fences

    # Installs.

    @unbroken
    async def installed(self, which: Install) -> Woken:
        """An install is there, or there again: it owes nothing, and what was said there is worked again."""
        async with self._db.write() as connection:
            await self._set(connection, which, {}, {"ended_at": None, "erase_due_at": None})
        return Woken()

    @unbroken
    async def removed(self, which: Install, grace: float) -> Woken:
        """End an install: its text goes, its turns stop, and its erase is owed after `grace` seconds.

        A second end moves nothing. Gives the lanes of turns that run.
        """
        due = {"ended_at": now(), "erase_due_at": now() + grace}
        kept = {name: func.coalesce(_i[name], value) for name, value in due.items()}
        async with self._db.write() as connection:
            first = not await connection.scalar(select(literal(1)).where(_named(which), _i.ended_at.is_not(None)))
            await self._set(connection, which, due, {"sealed": None, **kept})
            return await self._stop(connection, which) if first else Woken()

    async def _set(
        self, connection: AsyncConnection, which: Install, new: dict[str, Any], over: dict[str, Any]
    ) -> None:
        """Write the row of an install: `new` where there is none, else `over`."""
        statement = upsert(installs).values(**which._asdict(), **new)
        statement = statement.on_conflict_do_update(index_elements=["platform", "install"], set_=over)
        await connection.execute(statement)

    async def _stop(self, connection: AsyncConnection, which: Install) -> Woken:
        """Let what is being answered see that it is not wanted; if the install comes back it is begun anew."""
        running = (_of(which), _e.stage.in_(ANSWERING), ~_e.delete_requested)
        anew = {"revision": _e.revision + 1, "attempts": 0, "tries": _BEGUN, "due_at": now()}
        stopped = await connection.execute(update(exchanges).where(*running).values(anew).returning(_e.turn_lane))
        return Woken(tuple(dict.fromkeys(stopped.scalars())))

    @unbroken
    async def due(self) -> tuple[Install, ...]:
        """List the ended installs whose grace is over."""
        async with self._db.read() as connection:
            found = await connection.execute(select(_i.platform, _i.install).where(_i.erase_due_at <= now()))
            return tuple(Install(*row) for row in found)

    @unbroken
    async def people(self, which: Install, limit: int) -> tuple[str, ...]:
        """List the spaces of at most `limit` people with something left to take away in an install."""
        query = select(_e.space).where(_of(which), ~_GOING).distinct().limit(limit)
        async with self._db.read() as connection:
            return tuple((await connection.execute(query)).scalars())

    @unbroken
    async def forget_there(self, which: Install, space: str) -> Woken:
        """Take a person's memory of an ended install away.

        Whoever has no other install is forgotten whole. Of whoever has one, living or still within its grace, only what
        was said in the ended one goes; nothing is removed from its chats, where nobody can reach any more.
        """
        mine = (_of(which), _e.space == space)
        async with self._db.write() as connection:
            over = select(literal(1)).where(_named(which), _i.erase_due_at <= now())
            left = select(_e.memory_lane).where(*mine, ~_GOING).limit(1)
            lane = await connection.scalar(left)
            if lane is None or not await connection.scalar(over):
                return Woken()
            if await self._elsewhere(connection, which, space):
                await self._retract(connection, *mine)
            else:
                await self._fences.forget_in(connection, space, never=False)
            return Woken((lane,))

    async def _elsewhere(self, connection: AsyncConnection, which: Install, space: str) -> bool:
        over = exists().where(_i.platform == _e.platform, _i.install == _e.install, _i.erase_due_at <= now())
        others = select(literal(1)).where(_e.space == space, not_(_of(which)), ~over).limit(1)
        return (await connection.execute(others)).first() is not None

    async def _retract(self, connection: AsyncConnection, *mine: ColumnElement[bool]) -> None:
        """Delete rows; those that may be in the memory once they are taken back there."""
        outside = (*mine, ~_e.in_memory)
        keys = (await connection.execute(select(_e.key).where(*outside))).scalars()
        await bury(connection, [self._db.keys.of(key) for key in keys])
        await connection.execute(delete(exchanges).where(*outside))
        words: dict[str, Any] = {"message": None, "answer": None, "reply": None, "stop_requested": False}
        going = {"delete_requested": True, "stage": Stage.REMOVED, "due_at": now(), "attempts": 0, "tries": 0}
        await connection.execute(update(exchanges).where(*mine, ~_GOING).values(words | going))

    @unbroken
    async def close(self, which: Install) -> bool:
        """Delete the row of an ended install once all is erased and read back; True when that was so.

        Which erases are its own is written nowhere, so it waits until none of its platform is owed.
        """
        rows = exists().where(_of(which))
        owed = exists().where(_f.platform == which.platform, _f.erase_due_at.is_not(None))
        over = (_named(which), _i.erase_due_at <= now(), ~rows, ~owed)
        async with self._db.write() as connection:
            return (await connection.execute(delete(installs).where(*over))).rowcount > 0

    # Accounts.

    @unbroken
    async def left(self, space: str) -> Woken:
        """Owe a person's erase after LEAVE, if anything of them is known; a second end moves nothing."""
        async with self._db.write() as connection:
            fence = await self._fences.read(connection, self._db.keys.of(space))
            if fence.leave_due_at is None and await self._has_rows(connection, space):
                await self._fences.set(connection, space, space=space, leave_due_at=now() + LEAVE)
        return Woken()

    @unbroken
    async def left_at_once(self, space: str) -> tuple[Row, ...] | None:
        """Forget a person whose account ended now; None when nothing of them is known, or left to forget.

        Gives the rows of which something may stand in a chat.
        """
        async with self._db.write() as connection:
            fence = await self._fences.read(connection, self._db.keys.of(space))
            nothing = fence.forgotten_at is not None or not fence.told
            if nothing and not await self._has_rows(connection, space):
                return None
            return await self._fences.forget_in(connection, space, never=False)

    async def _has_rows(self, connection: AsyncConnection, space: str) -> bool:
        return (await connection.execute(select(_e.key).where(_e.space == space).limit(1))).first() is not None

    @unbroken
    async def returned(self, space: str) -> Woken:
        """A person's account is there again: an erase that has not begun is not owed any more.

        Platforms say so at every change of anybody's profile: nearly always nothing is to be written.
        """
        if (await self._fences.of(space)).leave_due_at is None:
            return Woken()
        async with self._db.write() as connection:
            await self._stay(connection, space)
        return Woken()

    async def _stay(self, connection: AsyncConnection, space: str) -> None:
        values = {"leave_due_at": None, "space": case((_f.erase_due_at.is_(None), None), else_=_f.space)}
        here = (_f.person == self._db.keys.of(space), _f.leave_due_at.is_not(None))
        await connection.execute(update(fences).where(*here).values(values))

    @unbroken
    async def leaving(self, limit: int) -> tuple[str, ...]:
        """List the spaces of at most `limit` people whose accounts ended and who are to be forgotten now."""
        query = select(_f.space).where(_f.leave_due_at <= now(), _f.space.is_not(None)).limit(limit)
        async with self._db.read() as connection:
            return tuple((await connection.execute(query)).scalars())

    @unbroken
    async def leave(self, space: str) -> tuple[Row, ...] | None:
        """Forget a person whose account ended LEAVE ago; None when it did not, or when they spoke since."""
        async with self._db.write() as connection:
            fence = await self._fences.read(connection, self._db.keys.of(space))
            if fence.leave_due_at is None or fence.leave_due_at > now():
                return None
            since = (_e.space == space, _e.sent_at > fence.leave_due_at - LEAVE)
            if (await connection.execute(select(_e.key).where(*since).limit(1))).first():
                await self._stay(connection, space)
                return None
            return await self._fences.forget_in(connection, space, never=False)


def _of(which: Install) -> ColumnElement[bool]:
    return and_(_e.platform == which.platform, _e.install == which.install)


def _named(which: Install) -> ColumnElement[bool]:
    return and_(_i.platform == which.platform, _i.install == which.install)

"""What the holder of a lane reads and writes: the oldest thing owed, and each stage as it is reached.

Every write is refused once the lane has another holder (LaneLost) or the row is no longer what the work began on
(Changed): edited, deleted, stopped or forgotten in between.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, delete, func, or_, select, update

from bot.store.database import now, unbroken
from bot.store.inbox import bury, find
from bot.store.installs import living
from bot.store.rows import OPEN, Row, Stage, exchange, message_json, read, reply_json
from bot.store.schema import exchanges, lanes

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.chat import Exchange, Message, Reply
    from bot.store.database import Database
    from bot.store.lanes import Lease

LONGEST_PAUSE = 600.0


class Changed(Exception):  # noqa: N818 - a state: read the row again
    """The row is not what this work began on."""


def pause(tries: int) -> float:
    """Seconds to wait after that many failures: 1, 2, 4 ... up to ten minutes."""
    return min(2.0**tries, LONGEST_PAUSE)


_e = exchanges.c
# Each alternative is one that an index answers; see the indexes of the table.
UNANSWERED = _e.stage.in_(OPEN)
UNREMOVED = and_(_e.delete_requested, _e.stage == Stage.FINISHED)
UNSAVED = and_(_e.saves, _e.saved_revision < _e.revision, _e.stage == Stage.FINISHED, ~_e.delete_requested)
UNDELETED = and_(_e.delete_requested, _e.in_memory)
UNKEPT = and_(_e.in_memory, ~_e.saves, _e.stage == Stage.FINISHED)
OWES_TURN = or_(UNANSWERED, UNREMOVED)
OWES_MEMORY = or_(UNSAVED, UNDELETED, UNKEPT)
PASSED_BY = 3
"""Failures after which a turn that waits for its next try no longer holds up what the person said after it."""


class Work:
    """The rows of one held lane."""

    def __init__(self, database: Database, lease: Lease) -> None:
        """Work on the rows of the lane that `lease` holds."""
        self._db = database
        self.lease = lease

    @unbroken
    async def next_turn(self) -> Row | None:
        """Read the oldest unanswered (or deleted) row of this turn lane; None when it is not due yet or none is owed.

        Only the oldest counts, so that a person is answered in the order in which they spoke; one that failed again
        and again lets the others pass.
        """
        async with self._db.read() as connection:
            waits = or_(_e.due_at <= now(), _e.tries < PASSED_BY)
            owed = (_e.turn_lane == self.lease.name, OWES_TURN, waits, living())
            query = select(exchanges).where(*owed).order_by(_e.sent_at, _e.accepted_at, _e.key).limit(1)
            found = (await connection.execute(query)).mappings().first()
        return read(found) if found and found["due_at"] <= now() else None

    @unbroken
    async def next_memory(self) -> Row | None:
        """Read the oldest due row of this memory lane; one that failed waits without holding the others."""
        async with self._db.read() as connection:
            owed = (_e.memory_lane == self.lease.name, OWES_MEMORY, _e.due_at <= now())
            query = select(exchanges).where(*owed).order_by(_e.sent_at, _e.key).limit(1)
            found = (await connection.execute(query)).mappings().first()
        return read(found) if found else None

    @unbroken
    async def look(self, row: Row) -> Row | None:
        """Read a row again; None when it is gone."""
        async with self._db.read() as connection:
            return await find(connection, row.key)

    @unbroken
    async def write(self, row: Row, **values: Any) -> Row:  # noqa: ANN401 - columns of the table
        """Write columns of a row that is still as `row` says, and give it as it is now."""
        same = (_e.key == row.key, _e.generation == row.generation, _e.revision == row.revision)
        wanted = (_e.delete_requested == row.delete_requested, _e.stop_requested == row.stop_requested)
        # Values are given beside the statement: one with its values inside stays in SQLAlchemy's cache, words and all.
        columns: dict[str, Any] = {name: bindparam(f"new_{name}") for name in values}
        statement = update(exchanges).where(*same, *wanted, self.lease.mine()).values(columns).returning(exchanges)
        async with self._db.write() as connection:
            given = {f"new_{name}": value for name, value in values.items()}
            found = (await connection.execute(statement, given)).mappings().first()
            if found is None:
                await self.lease.owned(connection)
                raise Changed
            fresh = read(found)
            if fresh.stage is Stage.REMOVED and not fresh.in_memory:  # nothing of a deleted message is left anywhere
                await bury(connection, [self._db.keys.of(row.key)])
                await connection.execute(delete(exchanges).where(_e.key == row.key))
            return fresh

    async def begun(self, row: Row) -> Row:
        """Count a start, before anything that may end the process."""
        return await self.write(row, attempts=row.attempts + 1)

    async def resolved(self, row: Row, message: Message) -> Row:
        """Keep what the platform said about the message."""
        return await self.write(row, message=message_json(message), audience=message.thread.audience)

    async def started(self, row: Row, reply: Reply) -> Row:
        """The sign of life is shown, or the reply has more messages than before."""
        return await self.write(row, reply=reply_json(reply), stage=Stage.STARTED)

    async def answered(self, row: Row, text: str, *, saves: bool, plain: bool, outcome: str) -> Row:
        """The text is known. `saves`: this exchange may enter the memory; `plain`: with the answer as it is."""
        values = {"answer": text, "saves": saves, "plain": plain, "outcome": outcome}
        return await self.write(row, stage=Stage.ANSWERED, tries=0, **values)

    async def finished(self, row: Row, reply: Reply | None, *, saves: bool, outcome: str | None = None) -> Row:
        """The whole text is with the person, or nothing more will be. What may not be saved loses its words now."""
        words: dict[str, str | None] = {} if saves else {"message": None, "answer": None}
        if saves and row.message is not None and row.message.quoted:  # others' words were for this answer alone
            words = {"message": message_json(replace(row.message, quoted=()))}
        values = {"reply": reply_json(reply) if reply else None, "stage": Stage.FINISHED, "saves": saves}
        end = {"stop_requested": False, "attempts": 0, "tries": 0, "due_at": now(), "outcome": outcome or row.outcome}
        return await self.write(row, **values, **words, **end)

    async def shown(self, row: Row, reply: Reply) -> Row:
        """The whole text is with the person, and something that may fail comes before the end of the turn."""
        return await self.write(row, reply=reply_json(reply))

    async def later(self, row: Row) -> None:
        """Put a step that failed off, in good order."""
        values = {"tries": row.tries + 1, "attempts": max(row.attempts - 1, 0), "due_at": now() + pause(row.tries)}
        await self.write(row, **values)

    async def saving(self, row: Row) -> Row:
        """A save is about to be sent: from here on something of it may be in the memory."""
        return await self.write(row, in_memory=True)

    async def saved(self, row: Row) -> None:
        """The memory holds this revision."""
        await self.write(row, saved_revision=row.revision, tries=0)

    async def refused(self, row: Row) -> None:
        """The memory will never take this: what it holds of an earlier revision has to go."""
        await self.write(row, saves=False, message=None, answer=None, tries=0, outcome="save refused")

    async def retracted(self, row: Row) -> None:
        """Nothing of it is in the memory; the row of a deleted message goes when its answer is gone from the chat."""
        await self.write(row, in_memory=False, saved_revision=0, tries=0)

    @unbroken
    async def replied(self, row: Row, reply: Reply) -> bool:
        """Keep a reply's ids in a row that changed meanwhile; False when the row is gone."""
        mine = (_e.key == row.key, self.lease.mine())
        async with self._db.write() as connection:
            await connection.execute(update(exchanges).where(*mine).values(reply=reply_json(reply)))
            return await find(connection, row.key) is not None

    async def removed(self, row: Row) -> None:
        """The answer to a deleted message is gone from the chat; the row goes when the memory followed too."""
        await self.write(row, stage=Stage.REMOVED, message=None, answer=None, tries=0)

    @unbroken
    async def drop(self, row: Row) -> None:
        """Delete a row; its hashed key stays for a while."""
        async with self._db.write() as connection:
            await self.lease.owned(connection)
            await bury(connection, [self._db.keys.of(row.key)])
            await connection.execute(delete(exchanges).where(_e.key == row.key, _e.revision == row.revision))

    @unbroken
    async def crowded_before(self, row: Row) -> bool:
        """Tell whether this thread was told already that several people talk in it."""
        told = (_e.thread == row.thread, _e.outcome == "crowded", _e.key != row.key)
        async with self._db.read() as connection:
            return (await connection.execute(select(_e.key).where(*told).limit(1))).first() is not None

    @unbroken
    async def spoke_last(self, row: Row) -> datetime | None:
        """Give when anybody last called us in this thread before this message; None when it is the first."""
        before = (_e.thread == row.thread, _e.sent_at < row.sent_at, _e.key != row.key, _e.outcome != "crowded")
        async with self._db.read() as connection:
            last = await connection.scalar(select(func.max(_e.sent_at)).where(*before))
        return datetime.fromtimestamp(last, UTC) if last is not None else None

    @unbroken
    async def history(self, row: Row, limit: int) -> tuple[tuple[Exchange, ...], bool]:
        """Read what was said before in this thread, oldest first: same audience, and since the person's last /new.

        The second value tells whether anything but this person's own words may be in it.
        """
        async with self._db.read() as connection:
            since = await self._fresh_at(connection, row)
            said = (_e.thread == row.thread, _e.sent_at < row.sent_at, _e.key != row.key, _e.audience == row.audience)
            kept = (_e.stage == Stage.FINISHED, _e.message.is_not(None), ~_e.delete_requested, _e.accepted_at > since)
            query = select(exchanges).where(*said, *kept).order_by(_e.sent_at.desc()).limit(limit)
            rows = (await connection.execute(query)).mappings().all()
        before = [read(found) for found in reversed(rows)]
        mixed = any(one.space != row.space or not one.plain for one in before)
        return tuple(one for found in before if (one := exchange(found))), mixed

    async def _fresh_at(self, connection: AsyncConnection, row: Row) -> float:
        query = select(func.coalesce(func.max(lanes.c.fresh_at), 0.0)).where(lanes.c.name == row.turn_lane)
        return float((await connection.execute(query)).scalar_one())

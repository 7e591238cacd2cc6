"""What a platform tells, written down before the platform is told that it was: messages, edits, deletions, stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import case, delete, func, literal, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from bot.store.database import now
from bot.store.rows import OPEN, RETRACTED, Row, Stage, message_json, read
from bot.store.schema import exchanges, fences, tombstones

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.chat import Message
    from bot.store.database import Database

TOMBSTONE = 48 * 3600.0
"""Seconds that a deleted message's key stays known: longer than any platform delivers again."""
EDITABLE = 300.0
"""Seconds after a message in which an edit is answered again, and in which it may first call the bot."""


@dataclass(frozen=True, slots=True)
class Woken:
    """The lanes in which something is owed now; empty when nothing changed."""

    lanes: tuple[str, ...] = ()


async def bury(connection: AsyncConnection, hashed: list[str]) -> None:
    """Keep the hashed keys of rows about to be deleted, so that a late delivery does not open them again."""
    until = now() + TOMBSTONE
    if hashed:
        rows = [{"message": name, "until": until} for name in hashed]
        await connection.execute(upsert(tombstones).on_conflict_do_nothing(), rows)


async def find(connection: AsyncConnection, key: str) -> Row | None:
    """Read one row."""
    found = (await connection.execute(select(exchanges).where(exchanges.c.key == key))).mappings().first()
    return read(found) if found else None


class Inbox:
    """Writes what a platform tells. Every call may come twice and then changes nothing."""

    def __init__(self, database: Database) -> None:
        """Write into this database."""
        self._db = database

    async def accept(self, message: Message) -> Woken:
        """Insert the row of a message, unless it is known or was deleted."""
        async with self._db.write() as connection:
            return await self._insert(connection, message)

    async def _insert(self, connection: AsyncConnection, message: Message) -> Woken:
        keys, thread, space = self._db.keys, message.thread, message.author.space
        dead = select(literal(1)).where(tombstones.c.message == keys.of(message.key))
        if (await connection.execute(dead)).first():
            return Woken()
        generation = select(func.coalesce(func.max(fences.c.generation), 0)).where(fences.c.person == keys.of(space))
        lanes = {"turn_lane": keys.turn_lane(thread.key, space), "memory_lane": keys.memory_lane(space)}
        values = {
            "key": message.key,
            "platform": thread.platform,
            "install": thread.install,
            "space": space,
            "thread": thread.key,
            "generation": generation.scalar_subquery(),
            "sent_at": message.sent_at.timestamp(),
            "accepted_at": now(),
            "stage": Stage.RECEIVED,
            "audience": thread.audience,
            "message": message_json(message),
            "due_at": now(),
        }
        done = await connection.execute(upsert(exchanges).values(**values, **lanes).on_conflict_do_nothing())
        return Woken((lanes["turn_lane"],) if done.rowcount else ())

    async def edit(self, message: Message, *, calls: bool) -> Woken:
        """Follow an edit: answer again while it is young and nobody spoke since, and save again what was saved."""
        async with self._db.write() as connection:
            row = await find(connection, message.key)
            if row is None:
                young = calls and now() - message.sent_at.timestamp() <= EDITABLE
                return await self._insert(connection, message) if young else Woken()
            if row.space != message.author.space or row.delete_requested or _unchanged(row, message):
                return Woken()
            again = row.stage in OPEN or await self._last_word(connection, row)
            values = {
                "message": message_json(_merged(row, message)),
                "revision": row.revision + 1,
                "due_at": now(),
                "tries": 0,
                "stop_requested": False,
            }
            if again:
                values["stage"] = Stage.RECEIVED if row.stage is Stage.RECEIVED else Stage.STARTED
            await connection.execute(update(exchanges).where(exchanges.c.key == row.key).values(**values))
            return Woken((row.turn_lane if again else row.memory_lane,))

    async def _last_word(self, connection: AsyncConnection, row: Row) -> bool:
        later = select(literal(1)).where(exchanges.c.thread == row.thread, exchanges.c.sent_at > row.sent_at).limit(1)
        return now() - row.sent_at <= EDITABLE and (await connection.execute(later)).first() is None

    async def request_delete(self, key: str) -> Woken:
        """Note that the person deleted a message; one that never arrived shall not be answered when it does."""
        async with self._db.write() as connection:
            row = await find(connection, key)
            if row is None:
                await bury(connection, [self._db.keys.of(key)])
                return Woken()
            kept = case((exchanges.c.saves, exchanges.c.saved_revision), else_=RETRACTED)
            values = {"delete_requested": True, "due_at": now(), "tries": 0, "saved_revision": kept}
            await connection.execute(update(exchanges).where(exchanges.c.key == key).values(**values))
            return Woken((row.turn_lane, row.memory_lane))

    async def request_stop(self, turn_lane: str) -> Woken:
        """Note that the person pressed stop: what is being answered in that lane ends where it is."""
        going = (exchanges.c.turn_lane == turn_lane, exchanges.c.stage.in_((Stage.RECEIVED, Stage.STARTED)))
        async with self._db.write() as connection:
            await connection.execute(update(exchanges).where(*going).values(stop_requested=True))
        return Woken((turn_lane,))

    async def unsave(self, key: str) -> bool:
        """Owe a save once more, after a late one may have overwritten it; False when the row is gone or taken back."""
        there = (exchanges.c.key == key, exchanges.c.saved_revision != RETRACTED, ~exchanges.c.delete_requested)
        async with self._db.write() as connection:
            done = await connection.execute(update(exchanges).where(*there).values(saved_revision=0, due_at=now()))
            return done.rowcount > 0

    async def clean(self, *, older_than: float) -> None:
        """Take the words out of finished rows sent before that time, and drop tombstones that are no longer needed.

        The key, space and reply ids stay, so that an edit or a deletion still reaches the memory.
        """
        old = (exchanges.c.sent_at < older_than, exchanges.c.stage == Stage.FINISHED, exchanges.c.message.is_not(None))
        owes = exchanges.c.saves & (exchanges.c.saved_revision < exchanges.c.revision)
        async with self._db.write() as connection:
            await connection.execute(update(exchanges).where(*old, ~owes).values(message=None, answer=None))
            await connection.execute(delete(tombstones).where(tombstones.c.until < now()))


def _unchanged(row: Row, message: Message) -> bool:
    old = row.message
    return old is not None and (old.text, old.attachments, old.quoted) == (
        message.text,
        message.attachments,
        message.quoted,
    )


def _merged(row: Row, message: Message) -> Message:
    """Keep what `resolve` found out about the old message; take the words of the new one."""
    if row.message is None:
        return replace(message, thread=replace(message.thread, audience=row.audience))
    return replace(row.message, text=message.text, attachments=message.attachments, quoted=message.quoted)

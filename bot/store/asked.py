"""What a person asks of exchanges of theirs: keep a message, rate an answer, answer again, find what to take back.

Every call names the person's space, and changes no row of anybody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, literal, or_, select, update

from bot.store.database import now, unbroken
from bot.store.inbox import Woken, find, put, told
from bot.store.rows import Stage, message_json, read
from bot.store.schema import exchanges, fences, tombstones

if TYPE_CHECKING:
    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.chat import Message
    from bot.store.database import Database
    from bot.store.inbox import Inbox
    from bot.store.rows import Row

_e = exchanges.c
AGAIN = "again"
"""The outcome of a row while its question is answered once more: its words did not change."""


class Asked:
    """Reads and writes rows for their own person."""

    def __init__(self, database: Database, inbox: Inbox) -> None:
        """Work on this database; new rows are made as `inbox` makes them."""
        self._db, self._inbox = database, inbox

    @unbroken
    async def keep(self, message: Message) -> Woken:
        """Make a row that is saved and not answered; nothing where the message is in the memory, or on its way."""
        kept = {"stage": Stage.EDITED, "saves": True}
        async with self._db.write() as connection:
            row = await find(connection, message.key)
            if row is None:
                # It is said now, by pointing at it: neither an earlier "forget me" nor a taking back is about it.
                name = self._db.keys.of(message.author.space)
                generation = await connection.scalar(select(fences.c.generation).where(fences.c.person == name))
                await connection.execute(
                    delete(tombstones).where(tombstones.c.message == self._db.keys.of(message.key))
                )
                return await self._inbox.insert(connection, message, **kept, generation=generation or 0)
            if (
                row.space != message.author.space
                or row.saves
                or row.delete_requested
                or row.stage is not Stage.FINISHED
            ):
                return Woken()
            words = {"message": message_json(message), "told": told(self._db.keys, message)}
            values = {**kept, **words, "revision": row.revision + 1, "due_at": now(), "attempts": 0, "tries": 0}
            await put(connection, row.key, values)
            return Woken((row.turn_lane,))

    @unbroken
    async def rate(self, key: str, space: str, verdict: str) -> bool:
        """Keep a verdict in the row it is about, for as long as that lives."""
        mine = (_e.key == key, _e.space == space)
        async with self._db.write() as connection:
            done = await connection.execute(update(exchanges).where(*mine).values(verdict=verdict))
            return done.rowcount > 0

    @unbroken
    async def again(self, key: str, space: str) -> Woken:
        """Owe the answer to a question anew, in the place of the one it has."""
        async with self._db.write() as connection:
            row = await find(connection, key)
            if row is None or row.space != space or row.message is None or row.delete_requested:
                return Woken()
            if row.stage is not Stage.FINISHED or row.answer is None or await self._said_since(connection, row):
                return Woken()
            begin = {"stage": Stage.RECEIVED, "revision": row.revision + 1, "answer": None, "plain": False}
            values = {**begin, "verdict": "", "outcome": AGAIN, "due_at": now(), "attempts": 0, "tries": 1}
            await connection.execute(update(exchanges).where(_e.key == key).values(**values))
            return Woken((row.turn_lane,))

    async def _said_since(self, connection: AsyncConnection, row: Row) -> bool:
        later = select(literal(1)).where(_e.thread == row.thread, _e.sent_at > row.sent_at).limit(1)
        return (await connection.execute(later)).first() is not None

    @unbroken
    async def exchange_of(self, message: Message, space: str) -> str | None:
        """Give the key of the person's exchange in which this message is the question or (part of) the answer."""
        place = (_e.space == space, _e.platform == message.thread.platform, _e.install == message.thread.install)
        # A cheap look for the id anywhere in the reply; what is found is read and compared.
        marked = or_(_e.key == message.key, _e.reply.contains(message.id, autoescape=True))
        async with self._db.read() as connection:
            found = (await connection.execute(select(exchanges).where(*place, marked))).mappings().all()
        return next((row["key"] for row in found if _holds(row, message)), None)


def _holds(found: RowMapping, message: Message) -> bool:
    row = read(found)
    if row.key == message.key:
        return True
    reply = row.reply
    return reply is not None and reply.thread.channel == message.thread.channel and message.id in reply.ids

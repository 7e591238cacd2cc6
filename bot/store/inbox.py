"""What a platform tells, written down before the platform is told that it was: messages, edits, deletions, stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, bindparam, case, delete, literal, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from bot.chat import Audience
from bot.store.database import now, unbroken
from bot.store.rows import ANSWERING, Row, Stage, message_json, read
from bot.store.schema import exchanges, fences, tombstones

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.chat import Message
    from bot.store.database import Database, Keys

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


async def unsay(connection: AsyncConnection, *which: ColumnElement[bool]) -> None:
    """Take out of rows what may repeat somebody's words that go: answers and quotes.

    What is being answered with these words in view is answered anew.
    """
    rows = (*which, exchanges.c.message.is_not(None))
    words: dict[str, Any] = {"answer": None, "plain": False}
    again = {"stage": Stage.RECEIVED, "revision": exchanges.c.revision + 1, "attempts": 0, "tries": _begun()}
    finished, going = exchanges.c.stage == Stage.FINISHED, exchanges.c.stage.in_((Stage.STARTED, Stage.ANSWERED))
    await connection.execute(update(exchanges).where(*rows, finished).values(words))
    await connection.execute(update(exchanges).where(*rows, going).values(words | again))
    found = await connection.execute(select(exchanges).where(*rows))
    for row in [read(one) for one in found.mappings()]:
        if row.message is not None and row.message.quoted:
            await put(connection, row.key, {"message": message_json(replace(row.message, quoted=()))})


async def put(connection: AsyncConnection, key: str, values: dict[str, Any]) -> None:
    """Write columns of one row, with the values beside the statement: inside they stay in SQLAlchemy's cache."""
    parts = {name: value for name, value in values.items() if isinstance(value, ColumnElement)}
    given = {f"new_{name}": value for name, value in values.items() if name not in parts}
    columns: dict[str, Any] = {name: bindparam(f"new_{name}") for name in values if name not in parts}
    statement = update(exchanges).where(exchanges.c.key == bindparam("the_key")).values(columns | parts)
    await connection.execute(statement, {**given, "the_key": key})


def _begun() -> ColumnElement[int]:
    """Give the number of tries for a turn that is begun anew: one, if something of it may stand in the chat already."""
    return case((exchanges.c.attempts + exchanges.c.tries > 0, 1), else_=0)


async def find(connection: AsyncConnection, key: str) -> Row | None:
    """Read one row."""
    found = (await connection.execute(select(exchanges).where(exchanges.c.key == key))).mappings().first()
    return read(found) if found else None


class Inbox:
    """Writes what a platform tells. Every call may come twice and then changes nothing."""

    def __init__(self, database: Database) -> None:
        """Write into this database."""
        self._db = database

    @unbroken
    async def accept(self, message: Message) -> Woken:
        """Insert the row of a message, unless it is known or was deleted; a follow-up only where it may be one."""
        if not message.called and not await self._answered_in(message.thread.key):
            return Woken()  # most of what people say to each other: it waits for no writer
        async with self._db.write() as connection:
            return await self.insert(connection, message)

    async def _answered_in(self, thread: str) -> bool:
        """Tell whether a message of this thread has called us and been taken."""
        async with self._db.read() as connection:
            begun = (exchanges.c.thread == thread, exchanges.c.stage != Stage.REMOVED, ~exchanges.c.delete_requested)
            return (await connection.execute(select(literal(1)).where(*begun).limit(1))).first() is not None

    async def insert(self, connection: AsyncConnection, message: Message, **more: Any) -> Woken:  # noqa: ANN401 - columns
        """Insert the row of a message, with `more` columns set, unless it is known or was deleted."""
        keys, thread, space = self._db.keys, message.thread, message.author.space
        dead = select(literal(1)).where(tombstones.c.message == keys.of(message.key))
        if (await connection.execute(dead)).first():
            return Woken()
        lanes = {"turn_lane": keys.turn_lane(thread.key, space), "memory_lane": keys.memory_lane(space)}
        values = {
            "key": message.key,
            "platform": thread.platform,
            "install": thread.install,
            "space": space,
            "thread": thread.key,
            "generation": await self._generation(connection, message),
            "sent_at": message.sent_at.timestamp(),
            "edited_at": _edited_at(message),
            "accepted_at": now(),
            "stage": Stage.RECEIVED,
            "audience": thread.audience,
            "message": message_json(message),
            "told": told(keys, message),
            "due_at": now(),
        }
        # Values are given beside the statement: one with its values inside stays in SQLAlchemy's cache, words and all.
        done = await connection.execute(upsert(exchanges).on_conflict_do_nothing(), values | lanes | more)
        return Woken((lanes["turn_lane"],) if done.rowcount else ())

    async def _generation(self, connection: AsyncConnection, message: Message) -> int:
        """Give the person's generation; for what was said before they were last forgotten, the one before."""
        person = self._person(message.author.space)
        query = select(fences.c.generation, fences.c.forgotten_at).where(fences.c.person == person)
        generation, forgotten_at = (await connection.execute(query)).first() or (0, None)
        late = forgotten_at is not None and message.sent_at.timestamp() < forgotten_at
        return int(generation - late)

    @unbroken
    async def edit(self, message: Message, *, calls: bool) -> Woken:
        """Follow an edit: answer again while it is young and nobody spoke since, and save again what was saved."""
        if not calls and not await self._known(message.key):
            return Woken()  # most edits that a platform tells of are nothing to us: they wait for no writer
        async with self._db.write() as connection:
            row = await find(connection, message.key)
            if row is None:
                young = calls and now() - message.sent_at.timestamp() <= EDITABLE
                return await self.insert(connection, message) if young else Woken()
            words = told(self._db.keys, message)
            stale = row.told == words or _edited_at(message) < row.edited_at
            if row.space != message.author.space or row.delete_requested or stale:
                return Woken()
            asked = calls or row.reply is not None  # else it was only pointed at, to be remembered
            again = row.stage in ANSWERING or (asked and await self._last_word(connection, row))
            if not again and not row.saves:  # it is in no memory, and its words rest nowhere: they stay away
                return Woken()
            values = {
                "message": message_json(message),
                "told": words,
                "edited_at": _edited_at(message),
                "stage": Stage.RECEIVED if again else Stage.EDITED,
                "revision": row.revision + 1,
                "stop_requested": False,
                "attempts": 0,
                "tries": _begun(),
                "outcome": "",
                "due_at": now(),
            }
            if not again:  # the answer that stays may repeat what was edited away
                values |= {"answer": None, "plain": False}
            await unsay(connection, exchanges.c.thread == row.thread, exchanges.c.sent_at > row.sent_at)
            await put(connection, row.key, values)
            return Woken((row.turn_lane,))

    async def _known(self, key: str) -> bool:
        async with self._db.read() as connection:
            return await find(connection, key) is not None

    async def _last_word(self, connection: AsyncConnection, row: Row) -> bool:
        later = select(literal(1)).where(exchanges.c.thread == row.thread, exchanges.c.sent_at > row.sent_at).limit(1)
        return now() - row.sent_at <= EDITABLE and (await connection.execute(later)).first() is None

    @unbroken
    async def request_delete(self, key: str) -> Woken:
        """Note that the person deleted a message; one that never arrived shall not be answered when it does."""
        async with self._db.write() as connection:
            row = await find(connection, key)
            if row is None:
                await bury(connection, [self._db.keys.of(key)])
                return Woken()
            values = {"delete_requested": True, "due_at": now(), "attempts": 0, "tries": 0}
            await unsay(connection, exchanges.c.thread == row.thread, exchanges.c.sent_at > row.sent_at)
            await connection.execute(update(exchanges).where(exchanges.c.key == key).values(**values))
            return Woken((row.turn_lane, row.memory_lane))

    @unbroken
    async def request_stop(self, turn_lane: str) -> Woken:
        """Note that the person pressed stop: what is being answered in that lane ends where it is, and only that."""
        begun = (exchanges.c.attempts > 0, exchanges.c.stage.in_((Stage.RECEIVED, Stage.STARTED)))
        going = (exchanges.c.turn_lane == turn_lane, *begun)
        async with self._db.write() as connection:
            await connection.execute(
                update(exchanges).where(*going).values(stop_requested=True, attempts=0, tries=_begun())
            )
        return Woken((turn_lane,))

    @unbroken
    async def unsave(self, key: str) -> bool:
        """Owe the memory once more what the row says, after a late save landed on it; False when the row is gone."""
        values = {"saved_revision": 0, "in_memory": True, "due_at": now()}
        async with self._db.write() as connection:
            done = await connection.execute(update(exchanges).where(exchanges.c.key == key).values(**values))
            return done.rowcount > 0

    @unbroken
    async def owe_retract(self, row: Row) -> None:
        """Owe the memory a retraction for a row that is gone, after a late save of it landed; no words come back."""
        bare = {"message": None, "answer": None, "reply": None, "stage": Stage.REMOVED, "audience": row.audience}
        names = ("key", "platform", "install", "space", "thread", "turn_lane", "memory_lane", "generation", "sent_at")
        kept = {name: getattr(row, name) for name in names}
        values = {**kept, **bare, "accepted_at": now(), "due_at": now(), "delete_requested": True, "in_memory": True}
        async with self._db.write() as connection:
            fence = await connection.scalar(
                select(fences.c.generation).where(fences.c.person == self._person(row.space))
            )
            if (fence or 0) == row.generation:  # else an erase is owed, and takes it all
                await connection.execute(upsert(exchanges).on_conflict_do_nothing(), values)

    def _person(self, space: str) -> str:
        return self._db.keys.of(space)

    @unbroken
    async def clean(self, *, older_than: float) -> None:
        """Take the words out of rows accepted before that time, also unfinished ones, and drop needless tombstones.

        The key, space and reply ids stay, so that an edit or a deletion still reaches the memory.
        """
        old = (exchanges.c.accepted_at < older_than, exchanges.c.message.is_not(None), ~exchanges.c.delete_requested)
        values = {"message": None, "answer": None, "stage": Stage.FINISHED, "saved_revision": exchanges.c.revision}
        async with self._db.write() as connection:
            await connection.execute(update(exchanges).where(*old).values(**values))
            await connection.execute(delete(tombstones).where(tombstones.c.until < now()))


def _edited_at(message: Message) -> float:
    return message.edited_at.timestamp() if message.edited_at else 0.0


def told(keys: Keys, message: Message) -> str:
    """Hash what the platform told of the words, before names in them are resolved: a second telling is no edit."""
    bare = replace(message, thread=replace(message.thread, audience=Audience.UNKNOWN), edited_at=None)
    return keys.of(message_json(bare))

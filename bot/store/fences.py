"""What stays of a person whatever else is forgotten: a keyed hash, a generation, and what they chose.

"Forget me" raises the generation and deletes the rows in one transaction; the erase in the memory is owed from then on
(`erase_due_at`) until it was done and read back twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, delete, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from bot.store.database import now, unbroken
from bot.store.inbox import bury, unsay
from bot.store.lanes import LEASE, RENEW
from bot.store.rows import ANSWERING, Row, read
from bot.store.schema import exchanges, fences, lanes
from bot.store.work import pause

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.database import Database
    from bot.store.lanes import Lease

SECOND_LOOK = LEASE + RENEW
"""Seconds from the first erase to the second: a save that a frozen worker had in flight has landed or ended by then."""

REMEMBER, NEVER = "remember", "never"


@dataclass(frozen=True, slots=True)
class Fence:
    """What is known about a person's wishes. `erased_at` is set once an erase was read back and found empty."""

    generation: int = 0
    choice: str | None = None
    told_at: float | None = None
    forgotten_at: float | None = None
    space: str | None = None
    erase_due_at: float | None = None
    erased_at: float | None = None
    leave_due_at: float | None = None
    tries: int = 0

    @property
    def told(self) -> bool:
        """The person was told what is kept, or has chosen."""
        return self.told_at is not None or self.choice is not None


class Fences:
    """Reads and writes fences."""

    def __init__(self, database: Database) -> None:
        """Keep them in this database."""
        self._db = database

    @unbroken
    async def of(self, space: str) -> Fence:
        """Read a person's fence; an empty one when there is none."""
        async with self._db.read() as connection:
            return await self.read(connection, self._db.keys.of(space))

    async def read(self, connection: AsyncConnection, person: str) -> Fence:
        """Read the fence of a person, named by the keyed hash of their space."""
        columns = [fences.c[name] for name in Fence.__slots__]
        found = (await connection.execute(select(*columns).where(fences.c.person == person))).mappings().first()
        return Fence(**found) if found else Fence()

    @unbroken
    async def told(self, space: str) -> None:
        """Note that the person was told what is kept."""
        async with self._db.write() as connection:
            await self.set(connection, space, told_at=now())

    @unbroken
    async def remember(self, space: str) -> None:
        """Note that the person wants to be remembered."""
        async with self._db.write() as connection:
            await self.set(connection, space, choice=REMEMBER)

    async def set(self, connection: AsyncConnection, who: str, **values: Any) -> None:  # noqa: ANN401 - columns
        """Write columns of the fence of the person with the space `who`, made if there is none."""
        row = {"person": self._db.keys.of(who), "platform": who.split(".", maxsplit=1)[0]}
        statement = upsert(fences).values(**row, **values)
        await connection.execute(statement.on_conflict_do_update(index_elements=["person"], set_=values))

    @unbroken
    async def forget(self, space: str, *, never: bool) -> tuple[Row, ...]:
        """Raise the generation, delete the person's rows and owe the erase, all at once.

        Whoever chose not to be remembered keeps that choice, until they choose to be. Gives the rows whose answers were
        still being written or had still to go, so that what stands of them in the chat can go.
        """
        async with self._db.write() as connection:
            half_written = await self.forget_in(connection, space, never=never)
        self._db.drop_statements()
        return half_written

    async def forget_in(self, connection: AsyncConnection, space: str, *, never: bool) -> tuple[Row, ...]:
        """Do what `forget` does, as a part of the caller's transaction."""
        keys, person = self._db.keys, self._db.keys.of(space)
        mine = exchanges.c.space == space
        fence = await self.read(connection, person)
        rows = [read(one) for one in (await connection.execute(select(exchanges).where(mine))).mappings()]
        await bury(connection, [keys.of(row.key) for row in rows])
        shared = select(exchanges.c.thread).where(mine)
        await unsay(connection, exchanges.c.thread.in_(shared), ~mine)
        await connection.execute(delete(exchanges).where(mine))
        await connection.execute(delete(lanes).where(lanes.c.name.like(f"turn.%.{person}")))
        choice = NEVER if never or fence.choice == NEVER else None
        values = {"generation": fence.generation + 1, "choice": choice, "told_at": None, "forgotten_at": now()}
        owed = {"space": space, "erase_due_at": now(), "erased_at": None, "leave_due_at": None, "tries": 0}
        await self.set(connection, space, **values, **owed)
        return tuple(row for row in rows if row.stage in ANSWERING or row.delete_requested)

    @unbroken
    async def owing(self, lease: Lease) -> Fence | None:
        """Read the erase that this memory lane owes; None when there is none."""
        person = lease.name.removeprefix("memory.")
        async with self._db.read() as connection:
            fence = await self.read(connection, person)
        return fence if fence.erase_due_at is not None else None

    async def erased(self, lease: Lease, fence: Fence) -> None:
        """Note an erase that was read back; after the second one nothing is owed and the space's name goes."""
        again = fence.erased_at is None
        kept = case((fences.c.leave_due_at.is_(None), None), else_=fences.c.space)  # one whose account ended since
        values: dict[str, Any] = {"erased_at": now(), "tries": 0, "erase_due_at": None, "space": kept}
        if again:
            values |= {"erase_due_at": now() + SECOND_LOOK, "space": fence.space}
        await self._owed(lease, fence, values)
        self._db.drop_statements()

    async def erase_later(self, lease: Lease, fence: Fence) -> None:
        """Put an erase that failed off."""
        await self._owed(lease, fence, {"tries": fence.tries + 1, "erase_due_at": now() + pause(fence.tries)})

    @unbroken
    async def _owed(self, lease: Lease, fence: Fence, values: dict[str, Any]) -> None:
        person = lease.name.removeprefix("memory.")
        same = (fences.c.person == person, fences.c.generation == fence.generation)
        async with self._db.write() as connection:
            await lease.owned(connection)
            await connection.execute(update(fences).where(*same).values(**values))

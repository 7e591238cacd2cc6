"""The memory lane of one person: an erase before everything else, then deletions and saves, oldest first."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.chat import Exchange
from bot.memory import MemoryDown, SaveRefused
from bot.service.sentences import REPEATED_ANSWER
from bot.store import NEVER, Changed, LaneLost, now, reply_of

if TYPE_CHECKING:
    from bot.chat import Message
    from bot.engine import Engine
    from bot.memory import Memories
    from bot.store import Fence, Lease, Row, Store, Work

log = logging.getLogger(__name__)


class Saves:
    """Works memory lanes."""

    def __init__(self, store: Store, engine: Engine, memories: Memories) -> None:
        """Write what the rows of this store owe into these memories."""
        self._store, self._engine, self._memories = store, engine, memories

    async def work(self, lane: str) -> None:
        """Do what is owed in this lane, unless somebody else holds it."""
        async with self._store.lanes.hold(lane) as lease:
            if lease is not None:
                with suppress(LaneLost):
                    await lease.guard(self._all(lease, self._store.work(lease)))

    async def _all(self, lease: Lease, work: Work) -> None:
        while not self._engine.draining:
            fence = await self._store.fences.owing(lease)
            if fence is not None:
                if (fence.erase_due_at or 0.0) > now():
                    return  # nothing may be saved that the erase would take away again
                await self._erase(lease, fence)
                continue
            row = await work.next_memory()
            if row is None:
                return
            with suppress(Changed):  # read it again
                await self._one(work, row)

    async def _erase(self, lease: Lease, fence: Fence) -> None:
        try:
            await self._memories.of(fence.space or "").forget()
        except MemoryDown as error:
            log.warning("An erase waits: %s lane=%s", error, lease.name)
            await self._store.fences.erase_later(lease, fence)
            return
        if not await self._store.scrub():
            log.warning("An erase waits for a reader of the database to end. lane=%s", lease.name)
            await self._store.fences.erase_later(lease, fence)
            return
        await self._store.fences.erased(lease, fence)

    async def _one(self, work: Work, row: Row) -> None:
        try:
            await (self._save if row.saves and not row.delete_requested else self._retract)(work, row)
        except (Changed, LaneLost):
            raise
        except Exception as error:  # noqa: BLE001 - one row's trouble must not stop what comes after it
            reason = error if isinstance(error, MemoryDown | SaveRefused) else type(error).__name__
            log.warning("A memory write waits: %s row=%s", reason, self._store.keys.of(row.key))
            await work.later(row)

    async def _retract(self, work: Work, row: Row) -> None:
        await work.lease.check()
        await self._memories.of(row.space).retract(row.key)
        await work.retracted(row)

    async def _save(self, work: Work, row: Row) -> None:
        fence = await self._store.fences.of(row.space)
        if fence.generation != row.generation or fence.choice == NEVER:
            await work.finished(row, row.reply, saves=False)
            return
        if row.message is None:  # retention took the words before the memory could be reached
            await work.saved(row)
            return
        text = row.answer if row.plain and row.answer else REPEATED_ANSWER
        row = await work.saving(row)
        try:
            await self._memories.of(row.space).save(Exchange(_said(row), reply_of(row), text))
        except SaveRefused as error:
            log.warning("A save was refused: %s row=%s", error, self._store.keys.of(row.key))
            await work.refused(row)
            return
        try:
            await work.saved(row)
        except (Changed, LaneLost):
            await self._settle(row)
            raise

    async def _settle(self, row: Row) -> None:
        """A save landed while its row changed hands: owe it again, or take it back if the row is no more."""
        if await self._store.inbox.unsave(row.key):
            await self._engine.wake(row.memory_lane)
            return
        try:
            await self._memories.of(row.space).retract(row.key)
        except MemoryDown:
            await self._store.inbox.owe_retract(row)


def _said(row: Row) -> Message:
    if row.message is None:
        raise Changed
    return row.message

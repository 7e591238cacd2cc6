"""What is owed when an install or an account ends: nothing more is read there, and what it left is erased in time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.store import Install, Woken, reply_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from bot.chat import Platform, User
    from bot.service.removals import Removals
    from bot.store import Row, Store

log = logging.getLogger(__name__)

BATCH = 50
"""People for whom one round of work begins an erase, so that all else that is owed is looked for between."""


class Endings:
    """Notes ends as a platform tells them, and works what they owe.

    What a platform waits for gives the lanes to wake; `wake` wakes those of the work itself.
    """

    def __init__(
        self,
        store: Store,
        platforms: Mapping[str, Platform],
        removals: Removals,
        wake: Callable[[Woken], Awaitable[None]],
        *,
        grace: float,
    ) -> None:
        """`grace`: seconds from the end of an install to its erase."""
        self._store, self._platforms, self._removals, self._wake = store, platforms, removals, wake
        self._grace = grace

    async def installed(self, platform: str, install: str) -> Woken:
        """See `chat.Bot.installed`."""
        return await self._store.ends.installed(Install(platform, install))

    async def removed(self, platform: str, install: str) -> Woken:
        """See `chat.Bot.removed`."""
        woken = await self._store.ends.removed(Install(platform, install), self._grace)
        await self._store.scrub()
        return woken

    async def left(self, user: User, *, at_once: bool) -> Woken:
        """See `chat.Bot.left`."""
        if not at_once:
            return await self._store.ends.left(user.space)
        woken = self._forgotten(user.space, await self._store.ends.left_at_once(user.space))
        await self._store.scrub()
        return woken

    async def returned(self, user: User) -> Woken:
        """See `chat.Bot.returned`."""
        return await self._store.ends.returned(user.space)

    async def work(self) -> None:
        """Begin the erases that are due now. The memory lanes carry them out and read them back."""
        for space in await self._store.ends.leaving(BATCH):
            await self._each(self._leave(space))
        for which in await self._store.ends.due():
            for space in await self._store.ends.people(which, BATCH):
                await self._each(self._store.ends.forget_there(which, space))
            if await self._store.ends.close(which):
                log.info("All that an ended install left is erased. install=%s", self._hashed(which))

    async def _each(self, step: Awaitable[Woken]) -> None:
        try:
            await self._wake(await step)
        except Exception as error:  # noqa: BLE001 - one person's trouble must not hold up the erase of others
            log.warning("An erase could not begin yet: %s", type(error).__name__)

    async def _leave(self, space: str) -> Woken:
        return self._forgotten(space, await self._store.ends.leave(space))

    def _forgotten(self, space: str, rows: Iterable[Row] | None) -> Woken:
        """Take what stands half-written out of the chats, and give the lanes of a person just forgotten."""
        if rows is None:
            return Woken()
        turns = []
        for row in rows:
            turns.append(row.turn_lane)
            platform = self._platforms.get(row.platform)
            if platform is not None and platform.serves(row.install) and (row.reply or row.message):
                self._removals.remove(platform, reply_of(row))
        return Woken((self._store.keys.memory_lane(space), *turns))

    def _hashed(self, which: Install) -> str:
        return self._store.keys.of(f"{which.platform}:{which.install}")[:8]

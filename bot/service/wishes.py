"""What a person asks of their own memory and of their own exchanges. Nothing here is ever done for somebody else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.memory import MemoryDown
from bot.store import Woken, now, reply_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.chat import Message, Platform, Thread, User
    from bot.memory import Memories
    from bot.recall import Known
    from bot.service.answers import Pokes
    from bot.service.removals import Removals
    from bot.store import Fence, Store


class Wishes:
    """Carries them out over the store and the memories."""

    def __init__(
        self,
        store: Store,
        memories: Memories,
        platforms: Mapping[str, Platform],
        removals: Removals,
        pokes: Pokes,
        wake: Callable[[Woken], Awaitable[None]],
        *,
        patience: float,
    ) -> None:
        """`patience`: seconds that a person waits for the erase they asked for, before they are told that it runs."""
        self._store, self._memories, self._platforms = store, memories, platforms
        self._removals, self._pokes, self._wake, self._patience = removals, pokes, wake, patience

    async def known(self, user: User, limit: int) -> tuple[Known, ...]:
        """List what the memory holds of a person, newest first.

        Raises:
            MemoryDown: it could not be read, or still holds what the person took back.
        """
        if await self._store.taking_back(user.space):
            raise MemoryDown("What this person took back is not gone yet.")
        return await self._memories.of(user.space).list(limit)

    async def fence(self, user: User) -> Fence:
        """Read what the person chose, and whether an erase is owed."""
        return await self._store.fences.of(user.space)

    async def remember(self, user: User) -> None:
        """The person wants to be remembered from now on."""
        await self._store.fences.remember(user.space)

    async def fresh(self, user: User, thread: Thread) -> None:
        """Begin the conversation of this person in this thread anew."""
        await self._store.lanes.refresh(self._store.keys.turn_lane(thread.key, user.space))

    async def keep(self, message: Message) -> bool:
        """Remember a message that its author points at, though it was not said to the bot; False: it is kept already.

        Only its words: nothing that came with them is the author's.
        """
        woken = await self._store.asked.keep(replace(message, quoted=(), attachments=(), about=None, called=False))
        await self._wake(woken)
        return bool(woken.lanes)

    async def rate(self, user: User, key: str, verdict: str) -> bool:
        """Keep what the person thinks of an answer to them; False when that exchange is not (or no longer) theirs."""
        return await self._store.asked.rate(key, user.space, verdict)

    async def again(self, user: User, key: str) -> bool:
        """Answer a question once more; False when it is not theirs, its words are gone, or more was said since."""
        woken = await self._store.asked.again(key, user.space)
        await self._wake(woken)
        return bool(woken.lanes)

    async def take_back(self, user: User, message: Message) -> bool:
        """Forget the exchange that a message (the person's own, or an answer to them) belongs to; False: it is none."""
        key = await self._store.asked.exchange_of(message, user.space)
        if key is None:
            return False
        await self._wake(await self._store.inbox.request_delete(key))
        return True

    async def forget(self, user: User, *, never: bool) -> Fence:
        """Forget a person, and wait a while for the erase to be read back (`erased_at` is set once it was)."""
        half_written = await self._store.fences.forget(user.space, never=never)
        self._pokes.poke_person(self._store.keys.of(user.space))
        for row in half_written:
            if row.platform in self._platforms and (row.reply or row.message):
                self._removals.remove(self._platforms[row.platform], reply_of(row))
        await self._wake(Woken((self._store.keys.memory_lane(user.space),)))
        await self._store.scrub()
        fence = await self._store.fences.of(user.space)
        deadline = now() + self._patience
        while fence.erased_at is None and now() < deadline:
            await asyncio.sleep(0.05)
            fence = await self._store.fences.of(user.space)
        return fence

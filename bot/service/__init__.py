"""The bot: what a platform tells it, and what is owed for it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from bot.chat import Ask, Command, NotAccepted, Panel, Quoted
from bot.memory import MemoryDown
from bot.memory.space import sendable
from bot.service.answers import Answers
from bot.service.removals import Removals
from bot.service.saves import Saves
from bot.service.turns import Turns
from bot.store import now, reply_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bot.agent import Agents
    from bot.chat import Message, Platform, Thread, User
    from bot.engine import Engine
    from bot.memory import Memories
    from bot.recall import Known
    from bot.store import Fence, Store, Woken

log = logging.getLogger(__name__)

ACCEPT = 1.5
"""Seconds after which a platform is told that a message could not be stored; the database may hold that up for the
time that one statement waits (0.7 s), and the platform gives up after 3 s."""
CLEAN_EVERY = 3600.0


class Service:
    """Implements `chat.Bot` over the store, the engine, the agents and the memories."""

    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        platforms: Sequence[Platform],
        agents: Agents,
        memories: Memories,
        notice: Callable[[], Panel],
        retention_days: int = 30,
        patience: float = 15.0,
    ) -> None:
        """`notice` makes the panel of the first contact. Set `commands` and `actions` before `run`.

        `patience`: seconds that a person waits for the erase they asked for, before they are told that it still runs.
        """
        self._store, self._engine, self._memories = store, engine, memories
        self._platforms: Mapping[str, Platform] = {platform.name: platform for platform in platforms}
        self._removals = Removals()
        self._answers = Answers(store, agents, memories, self._removals)
        self._turns = Turns(store, engine, self._platforms, self._answers, self._removals, notice)
        self._saves = Saves(store, engine, memories)
        self._retention = retention_days * 86400.0
        self._patience = patience
        self._cleaned_at = 0.0
        self.commands: tuple[Command, ...] = ()
        self.actions: tuple[Command, ...] = ()

    # What a platform tells.

    async def message(self, message: Message) -> None:
        """See `chat.Bot.message`."""
        if not message.called:
            return
        await self._wake(await _stored(self._store.inbox.accept(_whole(message))))

    async def edited(self, message: Message, *, calls: bool) -> None:
        """See `chat.Bot.edited`."""
        await self._wake(await _stored(self._store.inbox.edit(_whole(message), calls=calls)))

    async def deleted(self, key: str) -> None:
        """See `chat.Bot.deleted`."""
        await self._wake(await _stored(self._store.inbox.request_delete(key)))

    async def stopped(self, thread: Thread, user: User) -> None:
        """See `chat.Bot.stopped`."""
        lane = self._store.keys.turn_lane(thread.key, user.space)
        await self._wake(await _stored(self._store.inbox.request_stop(lane)))

    async def command(self, name: str, ask: Ask) -> Panel:
        """See `chat.Bot.command`."""
        for known in (*self.commands, *self.actions):
            if known.name == name:
                return await known.run(ask)
        return Panel(f"I do not know `/{name}`. `/help` lists what I can do.")

    async def installed(self, platform: str, install: str) -> None:
        """See `chat.Bot.installed`."""

    async def removed(self, platform: str, install: str) -> None:
        """See `chat.Bot.removed`."""

    async def left(self, user: User, *, at_once: bool) -> None:
        """See `chat.Bot.left`."""

    async def returned(self, user: User) -> None:
        """See `chat.Bot.returned`."""

    async def _wake(self, woken: Woken) -> None:
        self._answers.pokes.poke(woken.lanes)
        for lane in woken.lanes:
            await self._engine.wake(lane)

    # What commands ask for.

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

    async def forget(self, user: User, *, never: bool) -> Fence:
        """Forget a person, and wait a while for the erase to be read back (`erased_at` is set once it was)."""
        half_written = await self._store.fences.forget(user.space, never=never)
        self._answers.pokes.poke_person(self._store.keys.of(user.space))
        for row in half_written:
            if row.platform in self._platforms and (row.reply or row.message):
                self._removals.remove(self._platforms[row.platform], reply_of(row))
        await self._engine.wake(self._store.keys.memory_lane(user.space))
        await self._store.scrub()
        fence = await self._store.fences.of(user.space)
        deadline = now() + self._patience
        while fence.erased_at is None and now() < deadline:
            await asyncio.sleep(0.05)
            fence = await self._store.fences.of(user.space)
        return fence

    # What is owed.

    async def run(self, before_end: Callable[[], Awaitable[object]] | None = None) -> None:
        """Run the engine and every platform until one ends or this is cancelled; then drain.

        `before_end` is awaited when a platform has ended of itself, while the engine still works.
        """
        engine = asyncio.create_task(self._engine.run(self._work, self._sweep))
        listening = [asyncio.create_task(platform.run(self)) for platform in self._platforms.values()]
        try:
            done, _ = await asyncio.wait({engine, *listening}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            if before_end:
                await before_end()
        finally:  # platforms listen until the engine has drained: held turns still post, new messages are stored
            await _ended([engine])
            await self._removals.close()
            await _ended(listening)

    async def settled(self, platform: str, patience: float) -> bool:
        """Wait until nothing is owed on a platform, for at most `patience` seconds; tell whether that came true."""
        deadline = now() + patience
        while await self._store.waiting(platform):
            if now() > deadline:
                return False
            await asyncio.sleep(0.02)
        return True

    async def _work(self, lane: str) -> None:
        await (self._saves if lane.startswith("memory.") else self._turns).work(lane)

    async def _sweep(self) -> None:
        for owed in await self._store.owed():
            platform = self._platforms.get(owed.platform)
            if platform is not None and (not owed.install or platform.serves(owed.install)):
                await self._engine.wake(owed.lane)
        if now() - self._cleaned_at > CLEAN_EVERY:
            self._cleaned_at = now()
            await self._store.inbox.clean(older_than=now() - self._retention)
            await self._store.lanes.clean()
        await self._store.scrub()


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _whole(message: Message) -> Message:
    """Replace what no encoding can carry: half a character, as a platform may send it."""
    author = replace(message.author, name=sendable(message.author.name))
    quoted = tuple(Quoted(sendable(one.author), sendable(one.text)) for one in message.quoted)
    files = tuple(replace(one, name=sendable(one.name)) for one in message.attachments)
    return replace(message, text=sendable(message.text), author=author, quoted=quoted, attachments=files)


async def _stored(work: Awaitable[Woken]) -> Woken:
    """Await a write that a platform waits for, for ACCEPT seconds at most."""
    try:
        async with asyncio.timeout(ACCEPT):
            return await work
    except (SQLAlchemyError, TimeoutError, OSError) as error:
        log.warning("An event was not stored: %s", type(error).__name__)
        raise NotAccepted("The event could not be stored; it has to be sent again.") from error

"""The bot: what a platform tells it, and what is owed for it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from bot.chat import Ask, Command, NotAccepted, Panel, Quoted
from bot.memory.space import sendable
from bot.service.answers import Answers
from bot.service.arrivals import Arrivals
from bot.service.endings import Endings
from bot.service.removals import Removals
from bot.service.saves import Saves
from bot.service.turns import Turns
from bot.service.wishes import Wishes
from bot.service.words import Words
from bot.store import now

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bot.agent import Agents
    from bot.chat import Message, Platform, Thread, User
    from bot.engine import Engine
    from bot.memory import Memories
    from bot.store import Store, Woken

__all__ = ("Service", "Words")

log = logging.getLogger(__name__)

ACCEPT = 1.5
"""Seconds after which a platform is told that a message could not be stored; the database may hold that up for the
time that one statement waits (0.7 s), and the platform gives up after 3 s."""
CLEAN_EVERY = 3600.0


class Service:
    """Implements `chat.Bot` over the store, the engine, the agents and the memories."""

    def __init__(  # noqa: PLR0913 - the one place where all the parts come together, each by its name
        self,
        *,
        store: Store,
        engine: Engine,
        platforms: Sequence[Platform],
        agents: Agents,
        memories: Memories,
        words: Words,
        retention_days: int = 30,
        patience: float = 15.0,
        uninstall_grace: float = 72 * 3600.0,
    ) -> None:
        """`words` is what is shown beside answers. Set `commands` and `actions` before `run`.

        `patience`: seconds that a person waits for the erase they asked for, before they are told that it still runs.
        `uninstall_grace`: seconds from the end of an install to the erase of what its people said there.
        """
        self._store, self._engine, self._memories = store, engine, memories
        self._platforms: Mapping[str, Platform] = {platform.name: platform for platform in platforms}
        self._removals = Removals()
        self._answers = Answers(store, agents, memories, self._removals)
        arrivals = Arrivals(store, engine, lambda: self.commands, self.command)
        self._turns = Turns(store, engine, self._platforms, self._answers, self._removals, arrivals, words)
        self._saves = Saves(store, engine, memories)
        self._retention = retention_days * 86400.0
        self.wishes = Wishes(
            store, memories, self._platforms, self._removals, self._answers.pokes, self._wake, patience=patience
        )
        self._endings = Endings(store, self._platforms, self._removals, self._wake, grace=uninstall_grace)
        self._cleaned_at = 0.0
        self.commands: tuple[Command, ...] = ()
        self.actions: tuple[Command, ...] = ()

    # What a platform tells.

    async def message(self, message: Message) -> None:
        """See `chat.Bot.message`."""
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
        await self._wake(await _stored(self._endings.installed(platform, install)))

    async def removed(self, platform: str, install: str) -> None:
        """See `chat.Bot.removed`."""
        await self._wake(await _stored(self._endings.removed(platform, install)))

    async def left(self, user: User, *, at_once: bool) -> None:
        """See `chat.Bot.left`."""
        await self._wake(await _stored(self._endings.left(user, at_once=at_once)))

    async def returned(self, user: User) -> None:
        """See `chat.Bot.returned`."""
        await self._wake(await _stored(self._endings.returned(user)))

    async def _wake(self, woken: Woken) -> None:
        self._answers.pokes.poke(woken.lanes)
        for lane in woken.lanes:
            await self._engine.wake(lane)

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
        await self._endings.work()
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

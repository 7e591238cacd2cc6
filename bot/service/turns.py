"""The turn lane: the oldest unanswered message of one person in one thread, stage by stage, each safe to repeat."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from bot import recall
from bot.chat import Undeliverable
from bot.service import sentences
from bot.service.answers import Answers, Written
from bot.service.arrivals import CALL
from bot.store import AGAIN, Changed, LaneLost, Row, Stage, Work, reply_of

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from bot.chat import Message, Platform, Reply
    from bot.engine import Engine
    from bot.service.arrivals import Arrivals
    from bot.service.removals import Removals
    from bot.service.words import Words
    from bot.store import Store

log = logging.getLogger(__name__)

STARTS = 3
"""Starts that ended a process, after which a message gets one sentence instead of an answer; twice as many end it."""
TRIES = 12
"""Orderly failures of a platform (a bit over an hour with growing pauses) after which a turn is closed."""


class Turns:
    """Works turn lanes."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        platforms: Mapping[str, Platform],
        answers: Answers,
        removals: Removals,
        arrivals: Arrivals,
        words: Words,
    ) -> None:
        """Answer what arrives on these platforms, with what else `words` has to say."""
        self._store, self._engine, self._platforms = store, engine, platforms
        self._answers, self._removals, self._arrivals, self._words = answers, removals, arrivals, words
        # One notice for a person who writes in several threads at once; forgotten with the last turn that needs it.
        self._telling: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def work(self, lane: str) -> None:
        """Do what is owed in this lane, unless somebody else holds it."""
        async with self._store.lanes.hold(lane) as lease:
            if lease is not None:
                with suppress(LaneLost):
                    await lease.guard(self._all(self._store.work(lease)))

    async def _all(self, work: Work) -> None:
        while not self._engine.draining and (row := await work.next_turn()) is not None:
            with suppress(Changed):  # read it again
                await self._one(work, row)

    async def _one(self, work: Work, row: Row) -> None:
        platform = self._platforms[row.platform]
        row = await work.begun(row)
        try:
            await (self._remove if row.delete_requested else self._turn)(work, platform, row)
        except Undeliverable:
            await self._close(work, row, "undeliverable")
        except (Changed, LaneLost):
            raise
        except asyncio.CancelledError:
            with suppress(Exception):  # an announced end is no failure of the message's, but something may stand there
                await work.write(row, attempts=max(row.attempts - 1, 0), tries=max(row.tries, 1))
            raise
        except Exception as error:  # noqa: BLE001 - whatever a platform raises means: later
            log.warning("A turn is put off: %s row=%s", type(error).__name__, self._store.keys.of(row.key))
            await (self._close(work, row, "given up") if row.tries >= TRIES else work.later(row))

    async def _turn(self, work: Work, platform: Platform, row: Row) -> None:
        again = row.attempts > 1 or row.tries > 0
        if row.attempts > 2 * STARTS or row.message is None:
            await self._close(work, row, "poison")
            return
        if row.stage in (Stage.RECEIVED, Stage.EDITED):
            resolved = await self._arrivals.resolve(work, platform, row, row.message)
            if resolved is None:
                return
            row = resolved
        if row.stage is Stage.EDITED:
            saves = row.saves and recall.heard(_message(row).thread) is not None
            row = await work.finished(row, row.reply, saves=saves)
            await self._engine.wake(row.memory_lane)
            return
        if row.stage is not Stage.ANSWERED:
            row = await self._answer(work, platform, row, again=again)
            again = False
        await self._finish(work, platform, row, again=again)

    async def _answer(self, work: Work, platform: Platform, row: Row, *, again: bool) -> Row:
        message = _message(row)
        if row.reply and row.reply.ids:
            row = await work.started(row, row.reply)
        else:
            reply = await self._post(work, platform, row, platform.start_reply(message, again=again))
            row = await self._keep(work, platform, row, reply, work.started(row, reply))
        written = Written(sentences.POISON, outcome="poison")
        if row.stop_requested:
            written = Written(sentences.stopped(""), outcome="stopped")
        elif row.attempts <= STARTS:
            row, written = await self._answers.write(work, platform, row, message)
        # A repeat that came to nothing takes away nothing: what the question taught was learned before.
        kept = row.outcome == AGAIN and written.outcome != "answered"
        values = {"saves": written.saves or kept, "plain": written.plain}
        return await work.answered(row, written.text, **values, outcome=written.outcome)

    async def _finish(self, work: Work, platform: Platform, row: Row, *, again: bool) -> None:
        message = _message(row)
        repeatable = row.saves and not message.quoted  # what came with it is not kept
        foot = self._words.foot(row.key, again=repeatable) if row.outcome == "answered" else ()
        posting = platform.finish_reply(reply_of(row), row.answer or "", again=again, actions=foot)
        reply = await self._post(work, platform, row, posting)
        if await self._untold(message):
            row = await self._keep(work, platform, row, reply, work.shown(row, reply))
        saves = row.saves and await self._told(platform, message)
        row = await self._keep(work, platform, row, reply, work.finished(row, reply, saves=saves))
        await self._engine.wake(row.memory_lane)

    async def _post(self, work: Work, platform: Platform, row: Row, posting: Coroutine[None, None, Reply]) -> Reply:
        """Run a call that posts. What it posts is followed up, whatever happens to this turn meanwhile."""
        try:
            await work.lease.check()
        except BaseException:
            posting.close()
            raise
        task = asyncio.create_task(posting)
        try:
            async with asyncio.timeout(CALL):
                return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._removals.follow(task, platform, partial(self._gone, work, row))
            raise
        except TimeoutError:
            task.cancel()
            raise

    async def _gone(self, work: Work, row: Row) -> bool:
        return await work.look(row) is None

    async def _keep(
        self, work: Work, platform: Platform, row: Row, reply: Reply, writing: Coroutine[None, None, Row]
    ) -> Row:
        """Write what was posted into the row; if the row changed meanwhile its ids are kept, if it is gone they go."""
        try:
            return await writing
        except Changed:
            if not await work.replied(row, reply):
                self._removals.remove(platform, reply)
            raise
        except LaneLost:
            self._removals.mend(platform, reply, partial(work.look, row))
            raise

    async def _untold(self, message: Message) -> bool:
        """Tell whether the first-contact notice is owed to this person, where it can be followed by a save."""
        if recall.heard(message.thread) is None:
            return False
        return not (await self._store.fences.of(message.author.space)).told

    async def _told(self, platform: Platform, message: Message) -> bool:
        """Show the first-contact notice where it is still owed; False when it could not be shown."""
        async with self._telling.setdefault(message.author.space, asyncio.Lock()):
            if not await self._untold(message):
                return True
            try:
                async with asyncio.timeout(CALL):
                    await platform.tell(message.author, message.thread, self._words.notice())
            except Exception as error:  # noqa: BLE001 - the answer is out; only the saving depends on this
                log.warning("The first-contact notice was not shown: %s", type(error).__name__)
                return False
            await self._store.fences.told(message.author.space)
            return True

    async def _remove(self, work: Work, platform: Platform, row: Row) -> None:
        if row.reply is not None:
            await work.lease.check()
            with suppress(Undeliverable):
                async with asyncio.timeout(CALL):
                    await platform.remove_reply(row.reply)
        await work.removed(row)
        await self._engine.wake(row.memory_lane)

    async def _close(self, work: Work, row: Row, outcome: str) -> None:
        log.warning("A turn is closed: %s row=%s", outcome, self._store.keys.of(row.key))
        fresh = await work.look(row)
        if fresh is None or not row.same(fresh):
            raise Changed
        if fresh.delete_requested:
            await work.removed(fresh)
            return
        await work.finished(fresh, fresh.reply, saves=False, outcome=outcome)


def _message(row: Row) -> Message:
    if row.message is None:  # its words were taken away: nothing is left to answer
        raise Changed
    return row.message

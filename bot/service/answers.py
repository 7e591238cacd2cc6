"""Writes the answer of one turn: history, memory within the wall, a fresh agent, glimpses; stops when not wanted."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot import recall
from bot.agent import ModelFailed
from bot.memory.space import sendable
from bot.service import sentences
from bot.service.around import around
from bot.service.previews import Preview
from bot.store import NEVER, Changed, reply_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agent import Agents
    from bot.chat import Exchange, Message, Platform
    from bot.memory import Memories
    from bot.service.removals import Removals
    from bot.store import Row, Store, Work

log = logging.getLogger(__name__)

HISTORY = 40
"""Exchanges of the thread that the agent may see at most; it cuts further by characters."""
LOOK = 1.0
"""Seconds between two looks at a row that another process may have changed."""


@dataclass(frozen=True, slots=True)
class Written:
    """An answer, whether the exchange may be saved, and whether the answer itself may be (`plain`)."""

    text: str
    saves: bool = False
    plain: bool = False
    outcome: str = "answered"


class Pokes:
    """Tells the running turns of this process that their row may have changed."""

    def __init__(self) -> None:
        """Begin with no turn running."""
        self._turns: dict[str, asyncio.Event] = {}

    def watch(self, lane: str) -> asyncio.Event:
        """Give the event that is set when this lane's row may have changed."""
        return self._turns.setdefault(lane, asyncio.Event())

    def forget(self, lane: str) -> None:
        """The turn is over."""
        self._turns.pop(lane, None)

    def poke(self, lanes: Sequence[str]) -> None:
        """Say that rows of these lanes may have changed."""
        for lane in lanes:
            if lane in self._turns:
                self._turns[lane].set()

    def poke_person(self, person: str) -> None:
        """Say so for every turn of a person, given by the keyed hash that ends the lane's name."""
        self.poke([lane for lane in self._turns if lane.endswith(f".{person}")])


class Answers:
    """Writes answers. Holds no state of any person between two turns."""

    def __init__(self, store: Store, agents: Agents, memories: Memories, removals: Removals) -> None:
        """Answer with these agents and memories, from the rows of this store."""
        self._store, self._agents, self._memories, self._removals = store, agents, memories, removals
        self.pokes = Pokes()

    async def write(self, work: Work, platform: Platform, row: Row, message: Message) -> tuple[Row, Written]:
        """Write the answer to `row`, and give the row as it is then.

        Raises:
            Changed: the row was edited, deleted or forgotten meanwhile; the run is stopped.
        """
        if not (message.text.strip() or message.quoted or message.attachments):
            return row, Written(sentences.EMPTY)
        preview = Preview(work, platform, row, reply_of(row), self._removals)
        news = self.pokes.watch(work.lease.name)
        run = asyncio.create_task(self._run(work, platform, preview, message))
        watch = asyncio.create_task(_changed(work, row, news))
        try:
            await asyncio.wait({run, watch}, return_when=asyncio.FIRST_COMPLETED)
            if run.done():
                return preview.row, await run
            return await self._interrupted(platform, preview, run, watch)
        finally:
            await _end(run, watch)
            await preview.close()
            self.pokes.forget(work.lease.name)

    async def _interrupted(
        self, platform: Platform, preview: Preview, run: asyncio.Task[Written], watch: asyncio.Task[Row | None]
    ) -> tuple[Row, Written]:
        fresh = await watch
        await _end(run)
        await preview.close()
        if fresh is not None and fresh.stop_requested and not fresh.delete_requested:
            return fresh, Written(sentences.stopped(preview.text), outcome="stopped")
        if fresh is None:  # forgotten: nobody else knows the ids of what is half written
            self._removals.remove(platform, preview.reply)
        raise Changed

    async def _run(self, work: Work, platform: Platform, preview: Preview, said: Message) -> Written:
        read = await around(work, platform, preview.row, said, sees=self._agents.sees)
        if read.hopeless:
            return Written(" ".join(read.unread))
        message = read.message
        history, mixed = await work.history(preview.row, HISTORY)
        # What a person took back is not recalled while the memory has not followed yet: nothing is asked of it then.
        words = "" if await self._store.taking_back(preview.row.space) else message.text
        memory = self._memories.at(message.author, message.thread, words=words)
        try:
            text, keep = "", True
            async with aclosing(self._agents.answer(message, history, memory, files=read.files)) as drafts:
                async for draft in drafts:
                    text, keep = draft.text, draft.keep
                    if not draft.done:
                        preview.show(text)
        except ModelFailed as error:
            reference = self._store.keys.of(message.key)[:8]
            log.warning("The model did not answer: %s reference=%s", error, reference)
            return Written(sentences.apology(reference), outcome="apology")
        finally:
            await preview.close()
            await memory.close()
        lasting = keep and bool(message.text.strip()) and message.about is None
        saves = lasting and await self._may_save(preview.row, message)
        others = mixed or message.quoted or message.attachments
        plain = not others and not recall.repeats(text, (*memory.known, *_said_before(history)), message.text)
        return Written(sendable(read.ended(text)), saves=saves, plain=plain and not read.unread)

    async def _may_save(self, row: Row, message: Message) -> bool:
        fence = await self._store.fences.of(row.space)
        return recall.heard(message.thread) is not None and fence.choice != NEVER and fence.generation == row.generation


def _said_before(history: Sequence[Exchange]) -> list[recall.Known]:
    """Give the conversation as lines that an answer may repeat, for the same check as what was recalled."""
    return [recall.Known(0, text) for said in history for text in (said.message.text, said.text)]


async def _changed(work: Work, row: Row, news: asyncio.Event) -> Row | None:
    """Return once the row is no longer what the answer is written for; None when it is gone."""
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK):
                await news.wait()
        news.clear()
        fresh = await work.look(row)
        if not row.same(fresh):
            return fresh


async def _end(*tasks: asyncio.Task[object] | asyncio.Task[Written] | asyncio.Task[Row | None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

"""What becomes of a message before it is answered: whose it is and where, whether it is for us, or a typed command."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from bot.chat import Ask, Crowded, Undeliverable
from bot.service import sentences
from bot.store import Stage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from bot.chat import Command, Message, Panel, Platform
    from bot.engine import Engine
    from bot.store import Row, Store, Work

CALL = 90.0
"""Seconds that one call to a platform may take."""
_JOINTS = re.compile(r"[\s_-]+")


def typed(text: str, commands: Iterable[Command]) -> str | None:
    """Name the command that a message is, as a whole: "forget me", "/forget-me" and "!forget_me" are the same one.

    Slash commands do not work everywhere; the words do.
    """
    word = _JOINTS.sub("-", text.strip().removeprefix("/").removeprefix("!").rstrip(".!").strip().casefold())
    return next((command.name for command in commands if command.name == word and not command.on_message), None)


class Arrivals:
    """Reads what a platform says about a message, and ends the turns that need no answer of a model."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        commands: Callable[[], Iterable[Command]],
        run: Callable[[str, Ask], Awaitable[Panel]],
    ) -> None:
        """`commands` lists what can be typed, `run` runs it."""
        self._store, self._engine, self._commands, self._run = store, engine, commands, run
        # One line for a thread in which several people write at once; forgotten with the last turn that needs it.
        self._saying: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def resolve(self, work: Work, platform: Platform, row: Row, message: Message) -> Row | None:
        """Give the row with what the platform says about its message, perhaps with its answer; None: it is done with.

        Raises:
            Changed: the row was edited, deleted or forgotten meanwhile.
        """
        # It was for us before, or its author pointed at it: an edit changes its words, not that.
        if row.reply or row.in_memory or row.stage is Stage.EDITED:
            message = replace(message, called=True)
        try:
            async with asyncio.timeout(CALL):
                resolved = await platform.resolve(message)
        except Crowded:
            return await self._crowded(work, row, message)
        if resolved is None:
            await (work.write(row, delete_requested=True) if row.in_memory else work.drop(row))
            return None
        row = await work.resolved(row, resolved)
        return row if row.stage is Stage.EDITED else await self._unless_command(work, platform, row, resolved)

    async def _crowded(self, work: Work, row: Row, message: Message) -> Row | None:
        """Say once in a thread that from here on it takes a mention. Of what the other person said nothing is kept."""
        async with self._saying.setdefault(row.thread, asyncio.Lock()):
            if await work.crowded_before(row):
                await work.drop(row)
                return None
            row = await work.resolved(row, replace(message, text="", quoted=(), attachments=()))
            return await work.answered(row, sentences.CROWDED, saves=False, plain=False, outcome="crowded")

    async def _unless_command(self, work: Work, platform: Platform, row: Row, message: Message) -> Row | None:
        name = None if message.quoted or message.attachments else typed(message.text, self._commands())
        if name is None:
            return row
        panel = await self._run(name, Ask(message.author, message.thread))
        await work.lease.check()
        try:
            async with asyncio.timeout(CALL):
                await platform.tell(message.author, message.thread, panel)
        except Undeliverable:
            return await work.answered(row, sentences.PRIVATELY, saves=False, plain=False, outcome="command")
        if row.reply and row.reply.ids:  # an edited question: what it was before has its answer no more
            await platform.remove_reply(row.reply)
        row = await work.finished(row, row.reply, saves=False, outcome="command")
        await self._engine.wake(row.memory_lane)
        return None

"""Shows an answer while it is being written: the text so far, at most every `update_every` seconds, one call at a time.

A glimpse may be lost; the final text is not its business.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from bot.chat import Undeliverable
from bot.store import Changed, LaneLost

if TYPE_CHECKING:
    from bot.chat import Platform, Reply
    from bot.service.removals import Removals
    from bot.store import Row, Work

log = logging.getLogger(__name__)

LAST_CALL = 10.0
"""Seconds that a glimpse in flight may take before the final text is sent without it."""


class Preview:
    """One reply being written. `reply` names the messages it fills so far, `row` is the row as last written."""

    def __init__(self, work: Work, platform: Platform, row: Row, reply: Reply, removals: Removals) -> None:
        """Show glimpses of the answer to `row` in `reply`."""
        self.row, self.reply, self._removals = row, reply, removals
        self._work, self._platform = work, platform
        self.text = ""
        self._news = asyncio.Event()
        self._closed = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def show(self, text: str) -> None:
        """Show this text as soon as it may be."""
        if text.strip() and text != self.text:
            self.text = text
            self._news.set()

    async def close(self) -> None:
        """Show nothing more; wait for the glimpse in flight, so that its message is known."""
        self._closed.set()
        self._news.set()
        await asyncio.wait({self._task}, timeout=LAST_CALL)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            if self._closed.is_set():
                return
            self._news.clear()
            try:
                await self._glimpse()
            except (Changed, LaneLost, Undeliverable):
                return  # whoever runs the turn finds out for itself
            except Exception as error:  # noqa: BLE001 - a glimpse may be lost, whatever the platform raised
                log.info("A glimpse was lost: %s", type(error).__name__)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._platform.update_every):  # wait_for can lose a cancellation on 3.11
                    await self._closed.wait()

    async def _glimpse(self) -> None:
        await self._work.lease.check()
        reply = await self._platform.update_reply(self.reply, self.text)
        try:
            if reply.ids != self.reply.ids:
                self.row = await self._work.started(self.row, reply)
            else:
                await self._work.lease.check()
        except LaneLost:
            self._removals.mend(self._platform, reply, partial(self._work.look, self.row))
            raise
        self.reply = reply

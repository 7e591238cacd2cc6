"""Sets right what stands in a chat against its row: an answer whose row is gone, a late word of a frozen process.

What is left to do is known to this process only, so it is tried again for a while and logged when it fails.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat import Undeliverable
from bot.store import Stage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import Platform, Reply
    from bot.store import Row

log = logging.getLogger(__name__)

PAUSES = (0.0, 2.0, 10.0, 30.0)
"""Seconds before each try."""
GRACE = 5.0


class Removals:
    """Removals that go on beside the lanes, since their lane is gone too."""

    def __init__(self) -> None:
        """Begin with none."""
        self._going: set[asyncio.Task[None]] = set()

    def remove(self, platform: Platform, reply: Reply) -> None:
        """Delete the messages of a reply; where its ids are not known, the platform looks for them."""
        self._spawn(_remove(platform, reply))

    def follow(self, posting: asyncio.Task[Reply], platform: Platform, gone: Callable[[], Awaitable[bool]]) -> None:
        """See what a call that was left in flight posts, and delete it if its row is gone; else end the call."""
        self._spawn(_follow(posting, platform, gone))

    def mend(self, platform: Platform, posted: Reply, look: Callable[[], Awaitable[Row | None]]) -> None:
        """See that the chat ends as the row does, after a call that wrote to it while its lane went to somebody else.

        No check before a call can prevent that: this process may be frozen between the two.
        """
        self._spawn(_mend(platform, posted, look))

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def close(self) -> None:
        """Give what is going on a little time, and end it."""
        if self._going:
            _, late = await asyncio.wait(self._going, timeout=GRACE)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


async def _remove(platform: Platform, reply: Reply) -> None:
    for pause in PAUSES:
        await asyncio.sleep(pause)
        try:
            await platform.remove_reply(reply)
        except Undeliverable:
            return
        except Exception as error:  # noqa: BLE001 - whatever a platform raises means: later
            log.warning("An answer could not be taken out of the chat yet: %s", type(error).__name__)
        else:
            return
    log.error("An answer to a message that is gone still stands in the chat.")


async def _mend(platform: Platform, posted: Reply, look: Callable[[], Awaitable[Row | None]]) -> None:
    for pause in PAUSES:
        await asyncio.sleep(pause)
        row = await look()
        if row is None:
            await _remove(platform, posted)
            return
        if row.stage is Stage.FINISHED and row.reply and row.answer:
            reply = replace(row.reply, ids=tuple(dict.fromkeys((*row.reply.ids, *posted.ids))))
            try:
                await platform.finish_reply(reply, row.answer, again=True)
            except Exception as error:  # noqa: BLE001 - as above
                log.warning("A late word could not be taken out of the chat yet: %s", type(error).__name__)
            else:
                return
    log.warning("A late word may stand beside an answer: its row did not say in time what shall stand there.")


async def _follow(posting: asyncio.Task[Reply], platform: Platform, gone: Callable[[], Awaitable[bool]]) -> None:
    if not await gone():
        posting.cancel()  # its row lives on: whoever holds it looks for what landed
    result, *_ = await asyncio.gather(posting, return_exceptions=True)
    if not isinstance(result, BaseException) and await gone():
        await _remove(platform, result)

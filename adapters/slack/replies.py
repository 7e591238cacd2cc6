"""Answers in a thread: a sign of life, glimpses of the text so far, the whole text, and finding it after a crash.

A glimpse may be lost, an answer may not: it falls back from editing to posting, and from rendered to plain text.
What this process showed is kept by reply (ids, never words), so that a second attempt goes on where the first one
stopped, and so that an answer can be removed by those who never learned its ids.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.foot import Foot
from adapters.slack.history import PostedBefore
from adapters.slack.output import LONGEST_GLIMPSE, glimpse, pieces, rich_body
from adapters.slack.placing import PATIENCE, Posts
from adapters.slack.shown import Shown
from adapters.slack.status import Status
from adapters.slack.streams import Streams, recipient
from bot.chat import Reply, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.slack.calls import Calls
    from adapters.slack.identity import Own
    from bot.chat import Action, User

_log = logging.getLogger(__name__)
_MOST_KEPT = 10_000
_FIRST_GLIMPSE = 40  # characters: the phone shows the first post, so it has to say something


class Replies:
    """The replies of one installation."""

    def __init__(self, calls: Calls, own: Callable[[], Own], *, update_every: float) -> None:
        """Post through these calls, an edit at most every `update_every` seconds."""
        self._every = update_every
        self._before, self._status = PostedBefore(calls, own), Status(calls)
        self._streams, self._foot = Streams(calls), Foot()
        self._posts = Posts(calls, self._streams, self._foot)
        self._kept: OrderedDict[tuple[str, str], Shown] = OrderedDict()

    def _shown(self, reply: Reply) -> Shown:
        key = _key(reply)
        shown = self._kept.setdefault(key, Shown())
        self._kept.move_to_end(key)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        shown.merge(list(reply.ids))
        return shown

    async def start(self, reply: Reply, *, again: bool, author: User | None = None) -> Reply:
        """Show that an answer is being written, unless one stands there already. To its `author` it may be streamed."""
        shown = self._shown(reply)
        shown.recipient = recipient(reply.thread, author) if author else None
        await shown.landed()
        if again:
            shown.found(await self._before.find(reply))
        if not shown.ids:
            await self._status.show(reply.thread)
        return _filled(reply, shown)

    async def update(self, reply: Reply, text: str) -> Reply:
        """Show the text so far, at most once in a while; a failure is only a glimpse less."""
        shown = self._shown(reply)
        shown.learn()
        if time.monotonic() < shown.not_before or shown.doubtful or shown.posts or shown.stream.halted:
            return _filled(reply, shown)
        try:
            if self._streams.takes(shown):
                shown.wait_for(self._every)
                await self._streams.show(reply, shown, text)
            else:
                await self._edit(reply, shown, text)
        except CallError as failed:
            shown.glimpse = 0
            shown.wait_for(max(failed.waits, self._every))
            _log.debug("A glimpse was not shown: %s", failed.error)
        except Undeliverable:
            _log.debug("A glimpse could not be shown here.")
        return _filled(reply, shown)

    async def _edit(self, reply: Reply, shown: Shown, text: str) -> None:
        """Show a glimpse in the first message, unless a stream that ended shows more than that already."""
        visible, stream = glimpse(text), shown.stream
        shows_more = len(stream.starts) > 1 or stream.sent > LONGEST_GLIMPSE
        too_short = not shown.ids and len(visible) < _FIRST_GLIMPSE
        if hash(visible) == shown.glimpse or not visible or too_short or shows_more:
            return
        shown.wait_for(self._every)
        await self._posts.show(reply, shown, 0, rich_body(visible), hurry=True)
        shown.glimpse = hash(visible)

    async def finish(self, reply: Reply, text: str, *, again: bool, actions: tuple[Action, ...] = ()) -> Reply:
        """Show the whole text in as many messages as it takes, and remove what is too many.

        Raises:
            Undeliverable: there is nowhere left to reply.
            CallError: try again; what was posted so far is known.
        """
        shown = self._shown(reply)
        shown.whole = False
        try:
            await shown.landed()
            await self._write(reply, shown, text, actions, again=again)
            await self._posts.remove_surplus(reply.thread, shown, time.monotonic() + PATIENCE)
        finally:
            await self._status.clear(reply.thread, surely=again)
        shown.complete()
        return _filled(reply, shown)

    async def _write(self, reply: Reply, shown: Shown, text: str, actions: tuple[Action, ...], *, again: bool) -> None:
        foot, streamed = self._foot.blocks(actions), bool(shown.stream.starts)
        standing, rest, footed = await self._streams.end(reply, shown, text, foot)
        if not footed:
            self._foot.refused()
        if again or shown.doubtful:
            known = list(shown.ids)
            shown.found(await self._before.find(reply))
            if shown.ids[:standing] != known[:standing]:
                streamed = False
        texts = pieces(rest) if streamed else pieces(text)
        await self._posts.write(reply, shown, texts, standing if streamed else 0, foot)

    async def remove(self, reply: Reply) -> None:
        """Delete all messages of a reply, also those that only its mark in the thread tells of; gone ones are fine.

        Raises:
            Undeliverable: we can do nothing there any more.
            CallError: Slack could not be reached, or asks to wait, for about a minute; try again.
        """
        shown, deadline = self._shown(reply), time.monotonic() + PATIENCE
        try:
            await shown.landed()
            await self._streams.give_up(reply, shown)
            if not shown.whole or shown.doubtful:
                left = deadline - time.monotonic()
                shown.found(await self._before.find(reply, patience=left, surely=True))
            shown.give_up(0)
            await self._posts.remove_surplus(reply.thread, shown, deadline)
        finally:
            await self._status.clear(reply.thread, surely=False)
        self._kept.pop(_key(reply), None)


def _key(reply: Reply) -> tuple[str, str]:
    return reply.thread.key, reply.to


def _filled(reply: Reply, shown: Shown) -> Reply:
    return Reply(reply.thread, reply.to, tuple(shown.ids))

"""Answers in a thread: a sign of life, glimpses of the text so far, the whole text, and finding it after a crash.

A glimpse may be lost, an answer may not: it falls back from editing to posting, and from rendered to plain text.
What this process showed is kept by reply (ids, never words), so that a second attempt goes on where the first one
stopped, and so that an answer can be removed by those who never learned its ids.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from adapters.slack.calls import AS_LONG_AS_IT_TAKES, CallError
from adapters.slack.history import PostedBefore, post_metadata
from adapters.slack.output import glimpse, pieces, plain_body, plain_pieces, rich_body
from adapters.slack.shown import Shown
from adapters.slack.status import Status
from adapters.text import split
from bot.chat import Reply, Thread, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.slack.calls import Calls
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from bot.chat import Action

_log = logging.getLogger(__name__)
_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long"})
_CANNOT_EDIT = _REFUSED | {"cant_update_message", "edit_window_closed", "message_not_found", "is_inactive"}
_GONE = frozenset({"message_not_found", "cant_delete_message"})
_MOST_KEPT = 10_000
_FIRST_GLIMPSE = 40  # characters: the phone shows the first post, so it has to say something
_SMALLEST = 200
_PATIENCE, _GLIMPSE_PATIENCE = 60.0, 5.0


class Replies:
    """The replies of one installation."""

    def __init__(self, calls: Calls, own: Callable[[], Own], *, update_every: float) -> None:
        """Post through these calls, an edit at most every `update_every` seconds."""
        self._calls, self._every = calls, update_every
        self._before, self._status = PostedBefore(calls, own), Status(calls)
        self._kept: OrderedDict[tuple[str, str], Shown] = OrderedDict()

    def _shown(self, reply: Reply) -> Shown:
        key = _key(reply)
        shown = self._kept.setdefault(key, Shown())
        self._kept.move_to_end(key)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        shown.merge(list(reply.ids))
        return shown

    async def start(self, reply: Reply, *, again: bool) -> Reply:
        """Show that an answer is being written, unless one stands there already."""
        shown = self._shown(reply)
        await shown.landed()
        if again:
            shown.found(await self._before.find(reply))
        if not shown.ids:
            await self._status.show(reply.thread)
        return _filled(reply, shown)

    async def update(self, reply: Reply, text: str) -> Reply:
        """Show the text so far, at most once in a while; a failure is only a glimpse less."""
        shown, visible = self._shown(reply), glimpse(text)
        shown.learn()
        early = time.monotonic() < shown.not_before or shown.doubtful or shown.posts
        if early or hash(visible) == shown.glimpse or (not shown.ids and len(visible) < _FIRST_GLIMPSE):
            return _filled(reply, shown)
        shown.wait_for(self._every)
        try:
            await self._show(reply, shown, 0, rich_body(visible), hurry=True)
        except CallError as failed:
            shown.glimpse = 0
            shown.wait_for(max(failed.waits, self._every))
            _log.debug("A glimpse was not shown: %s", failed.error)
        except Undeliverable:
            _log.debug("A glimpse could not be shown here.")
        else:
            shown.glimpse = hash(visible)
        return _filled(reply, shown)

    async def finish(self, reply: Reply, text: str, *, again: bool, actions: tuple[Action, ...] = ()) -> Reply:
        """Show the whole text in as many messages as it takes, and remove what is too many.

        Raises:
            Undeliverable: there is nowhere left to reply.
            CallError: try again; what was posted so far is known.
        """
        del actions
        shown = self._shown(reply)
        shown.whole = False
        try:
            await shown.landed()
            if again or shown.doubtful:
                shown.found(await self._before.find(reply))
            await self._write_all(reply, shown, text)
            await self._remove_surplus(reply.thread, shown, time.monotonic() + _PATIENCE)
        finally:
            await self._status.clear(reply.thread, surely=again)
        shown.complete()
        return _filled(reply, shown)

    async def _write_all(self, reply: Reply, shown: Shown, text: str) -> None:
        waiting = deque((piece, True) for piece in pieces(text))
        slot = 0
        while waiting:
            piece, rich = waiting.popleft()
            if await self._write(reply, shown, slot, rich_body(piece) if rich else plain_body(piece)):
                slot += 1
            elif rich:
                waiting.extendleft((part, False) for part in reversed(plain_pieces(piece)))
            elif len(piece) > _SMALLEST:
                waiting.extendleft((part, False) for part in reversed(split(piece, len(piece) // 2)))
            else:
                raise CallError("chat.postMessage", "msg_too_long")
        shown.give_up(slot)

    async def _write(self, reply: Reply, shown: Shown, slot: int, body: Json) -> bool:
        """Put one message in its place, by an edit or a post; False: Slack does not take it in this form."""
        if slot < len(shown.ids):
            try:
                await self._show(reply, shown, slot, body)
            except CallError as failed:
                if failed.error not in _CANNOT_EDIT:
                    raise
                shown.give_up(slot)
            else:
                return True
        try:
            await self._show(reply, shown, slot, body)
        except CallError as failed:
            if failed.error not in _REFUSED:
                raise
            return False
        return True

    async def _show(self, reply: Reply, shown: Shown, slot: int, body: Json, *, hurry: bool = False) -> None:
        """Edit the message in this place, or post it when the place is empty."""
        common = {**body, "channel": reply.thread.channel, "metadata": post_metadata(reply, slot)}
        patience = _GLIMPSE_PATIENCE if hurry else _PATIENCE
        if slot < len(shown.ids):
            await self._calls("chat.update", {**common, "ts": shown.ids[slot]}, patience=patience, wait=not hurry)
            return
        shown.whole = False
        try:
            await self._calls(
                "chat.postMessage",
                _as_post(common, reply.thread),
                patience=patience,
                wait=not hurry,
                follow=shown.posts,
            )
        finally:
            shown.learn()

    async def remove(self, reply: Reply) -> None:
        """Delete all messages of a reply, also those that only its mark in the thread tells of; gone ones are fine.

        Raises:
            Undeliverable: we can do nothing there any more.
            CallError: Slack could not be reached, or asks to wait, for about a minute; try again.
        """
        shown, deadline = self._shown(reply), time.monotonic() + _PATIENCE
        try:
            await shown.landed()
            if not shown.whole or shown.doubtful:
                left = deadline - time.monotonic()
                shown.found(await self._before.find(reply, patience=left, surely=True))
            shown.give_up(0)
            await self._remove_surplus(reply.thread, shown, deadline)
        finally:
            await self._status.clear(reply.thread, surely=False)
        self._kept.pop(_key(reply), None)

    async def _remove_surplus(self, thread: Thread, shown: Shown, deadline: float) -> None:
        while shown.surplus:
            place: Json = {"channel": thread.channel, "ts": shown.surplus[-1]}
            left = deadline - time.monotonic()
            try:
                await self._calls("chat.delete", place, patience=left, tries=AS_LONG_AS_IT_TAKES)
            except CallError as failed:
                if failed.error not in _GONE:
                    raise
            shown.surplus.pop()


def _key(reply: Reply) -> tuple[str, str]:
    return reply.thread.key, reply.to


def _filled(reply: Reply, shown: Shown) -> Reply:
    return Reply(reply.thread, reply.to, tuple(shown.ids))


def _as_post(common: Json, thread: Thread) -> Json:
    post = {**common, "thread_ts": thread.root, "unfurl_links": False, "unfurl_media": False}
    return post if post.get("blocks") else {key: value for key, value in post.items() if key != "blocks"}

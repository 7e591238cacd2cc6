"""Puts the messages of a reply where they belong: by an edit or a post, rendered or plain, and takes away what is left.

An answer is never lost for its form: what Slack does not take rendered is sent plain, and ever shorter. Refuses only
what Slack takes in no form at all.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from adapters.slack.calls import AS_LONG_AS_IT_TAKES, CallError
from adapters.slack.history import post_metadata
from adapters.slack.output import halves, plain_body, plain_pieces, rich_body

if TYPE_CHECKING:
    from adapters.slack.calls import Calls
    from adapters.slack.foot import Foot
    from adapters.slack.payload import Json
    from adapters.slack.shown import Shown
    from adapters.slack.streams import Streams
    from bot.chat import Reply, Thread

_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long"})
_STREAMING = "streaming_state_conflict"
_CANNOT_EDIT = _REFUSED | {"cant_update_message", "edit_window_closed", "message_not_found", "is_inactive"}
_CANNOT_DELETE = "cant_delete_message"  # also said of a stream that is still open
_GONE = frozenset({"message_not_found", _CANNOT_DELETE})
_SMALLEST = 200
PATIENCE, _GLIMPSE_PATIENCE = 60.0, 5.0


class Posts:
    """The messages of one installation's replies."""

    def __init__(self, calls: Calls, streams: Streams, foot: Foot) -> None:
        """Write through these calls; `streams` ends one that stands in the way."""
        self._calls, self._streams, self._foot = calls, streams, foot

    async def write(self, reply: Reply, shown: Shown, texts: list[str], first: int, foot: list[Json]) -> None:
        """Write these texts as messages from place `first` on, the foot under the last; what is too many is given up.

        Raises:
            Undeliverable: there is nowhere left to reply.
            CallError: try again; what was posted so far is known.
        """
        waiting = deque((text, True) for text in texts)
        slot = first
        while waiting:
            piece, rich = waiting.popleft()
            bodies = [rich_body(piece)] if rich else [plain_body(piece)]
            if rich and foot and not waiting:
                bodies.insert(0, rich_body(piece, foot))
            form = await self._place(reply, shown, slot, bodies)
            if form is not None:
                slot += 1
                if form:  # it was taken without its foot
                    self._foot.refused()
            elif rich:
                waiting.extendleft((part, False) for part in reversed(plain_pieces(piece)))
            elif len(piece) > _SMALLEST:
                waiting.extendleft((part, False) for part in reversed(halves(piece)))
            else:
                raise CallError("chat.postMessage", "msg_too_long")
        shown.give_up(slot)

    async def _place(self, reply: Reply, shown: Shown, slot: int, bodies: list[Json]) -> int | None:
        """Put one message in its place, by an edit or a post: which form of it Slack took; None: it takes none."""
        if slot < len(shown.ids):
            form = await self._first_taken(reply, shown, slot, bodies, _CANNOT_EDIT)
            if form is not None:
                return form
            shown.give_up(slot)
        return await self._first_taken(reply, shown, slot, bodies, _REFUSED)

    async def _first_taken(
        self, reply: Reply, shown: Shown, slot: int, bodies: list[Json], refusals: frozenset[str]
    ) -> int | None:
        for form, body in enumerate(bodies):
            try:
                await self.show(reply, shown, slot, body)
            except CallError as failed:
                if failed.error not in refusals:
                    raise
                if failed.error not in _REFUSED:
                    return None
            else:
                return form
        return None

    async def show(self, reply: Reply, shown: Shown, slot: int, body: Json, *, hurry: bool = False) -> None:
        """Edit the message in this place, or post it when the place is empty; `hurry`: now or not at all.

        Raises:
            Undeliverable: there is nowhere left to reply.
            CallError: it was not shown, or it is not known whether it was.
        """
        common = {**body, "channel": reply.thread.channel, "metadata": post_metadata(reply, slot)}
        patience = _GLIMPSE_PATIENCE if hurry else PATIENCE
        if slot < len(shown.ids):
            await self._edit(reply.thread, {**common, "ts": shown.ids[slot]}, patience, hurry=hurry)
            return
        shown.whole = False
        post = _as_post(common, reply.thread)
        try:
            await self._calls("chat.postMessage", post, patience=patience, wait=not hurry, follow=shown.posts)
        finally:
            shown.learn()

    async def _edit(self, thread: Thread, message: Json, patience: float, *, hurry: bool) -> None:
        try:
            await self._calls("chat.update", message, patience=patience, wait=not hurry)
        except CallError as failed:
            if failed.error != _STREAMING:
                raise
            await self._streams.close(thread, str(message["ts"]), hurry=hurry)
            await self._calls("chat.update", message, patience=patience, wait=not hurry)

    async def remove_surplus(self, thread: Thread, shown: Shown, deadline: float) -> None:
        """Delete what no longer belongs to a reply, until a moment of the monotonic clock; gone ones are fine.

        Raises:
            Undeliverable: we can do nothing there any more.
            CallError: Slack could not be reached in time; try again.
        """
        while shown.surplus:
            try:
                await self._delete(thread, shown.surplus[-1], deadline - time.monotonic())
            except CallError as failed:
                if failed.error not in _GONE:
                    raise
            shown.surplus.pop()

    async def _delete(self, thread: Thread, ts: str, patience: float) -> None:
        place: Json = {"channel": thread.channel, "ts": ts}
        try:
            await self._calls("chat.delete", place, patience=patience, tries=AS_LONG_AS_IT_TAKES)
        except CallError as failed:
            if failed.error != _CANNOT_DELETE:
                raise
            await self._streams.close(thread, ts)
            await self._calls("chat.delete", place, patience=patience, tries=AS_LONG_AS_IT_TAKES)


def _as_post(common: Json, thread: Thread) -> Json:
    post = {**common, "thread_ts": thread.root, "unfurl_links": False, "unfurl_media": False}
    return post if post.get("blocks") else {key: value for key, value in post.items() if key != "blocks"}

"""Answers as native streams: in direct messages only, to the person who asked, and only for as long as Slack keeps one.

A stream can only grow. Whatever does not go on from what was sent, or of which it is not known whether it was, ends it,
and the answer is then shown by edits and posts: an answer never depends on its stream.
"""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.cuts import next_cut, opening, room
from adapters.slack.history import post_metadata
from adapters.slack.identity import slack_ids
from adapters.slack.output import steady, whole
from adapters.slack.payload import text_at
from bot.chat import Audience, Undeliverable

if TYPE_CHECKING:
    from adapters.slack.calls import Calls
    from adapters.slack.cuts import Cut
    from adapters.slack.payload import Json
    from adapters.slack.shown import Shown
    from bot.chat import Reply, Thread, User

_log = logging.getLogger(__name__)
_ENDED = frozenset({"message_not_in_streaming_state", "stopped_by_user", "message_not_found"})
_NOT_SENT = frozenset({"busy", "ratelimited"})
_LASTS = 240.0  # seconds: Slack ends a stream after about five minutes
_REFUSED_FOR = 600.0
_PATIENCE, _GLIMPSE_PATIENCE = 60.0, 5.0
_FIRST = 40  # characters, as for posts: the phone shows them


def recipient(thread: Thread, author: User) -> tuple[str, str] | None:
    """Whom an answer in this thread may be streamed to: the person's own team and id, never ours; None: nobody.

    In a Grid a person's home is the organisation, and which of its workspaces is theirs is not known.
    """
    team, user = slack_ids(author)
    direct = thread.audience is Audience.DM and thread.channel.startswith("D")
    return (team, user) if direct and team.startswith("T") and user else None


class Streams:
    """The streams of one installation."""

    def __init__(self, calls: Calls) -> None:
        """Stream through these calls."""
        self._calls = calls
        self._not_before, self.lasts = 0.0, _LASTS
        self._sessions = True

    def takes(self, shown: Shown) -> bool:
        """Whether the next glimpse of this reply goes into a stream."""
        stream = shown.stream
        if stream.over or stream.starts:
            return not stream.over
        return bool(shown.recipient) and not shown.ids and time.monotonic() >= self._not_before

    async def show(self, reply: Reply, shown: Shown, text: str) -> None:
        """Let the stream grow by what is new and settled in the text so far.

        Raises:
            CallError: this glimpse is lost.
            Undeliverable: this glimpse is lost, and the answer may be.
        """
        stream, so_far, settled = shown.stream, whole(text), steady(text)
        expired = stream.open and time.monotonic() - stream.since > self.lasts
        if expired or not stream.agrees(so_far):
            await self.give_up(reply, shown, hurry=True)
            return
        first = not stream.starts
        if not so_far.startswith(settled) or len(settled) <= stream.sent or (first and len(settled) < _FIRST):
            return
        stream.starts = stream.starts or [0]
        cut = next_cut(settled, stream.starts[-1], stream.sent)
        try:
            await self._grow(reply, shown, settled, cut)
        except (CallError, Undeliverable) as failed:
            if first and not stream.open:
                stream.starts = []
            await self._failed(reply, shown, failed)
            raise

    async def _grow(self, reply: Reply, shown: Shown, text: str, cut: Cut | None) -> None:
        stream = shown.stream
        end = cut.end if cut else len(text)
        if not stream.open:  # a cut is made the next time, when it is ended
            await self._start(reply, shown, opening(text, stream.starts[-1]) + text[stream.sent : end].rstrip())
            stream.advance(text, end)
        elif cut:
            await self._send("chat.stopStream", shown, _marked(reply, shown) | _rest(text, stream.sent, cut))
            stream.next_message(text, cut.start)
        else:
            await self._send("chat.appendStream", shown, _place(reply, shown) | _rest(text, stream.sent, None))
            stream.advance(text, end)

    async def _start(self, reply: Reply, shown: Shown, text: str) -> None:
        team, user = shown.recipient or ("", "")
        place: Json = {"channel": reply.thread.channel, "thread_ts": reply.thread.root}
        place |= {"recipient_team_id": team, "recipient_user_id": user, "markdown_text": text}
        shown.stream.since = time.monotonic()
        shown.whole = False
        before = len(shown.ids)
        try:
            await self._send("chat.startStream", shown, place, follow=True)
        finally:
            shown.learn()
        shown.stream.open = len(shown.ids) > before

    async def _send(self, method: str, shown: Shown, arguments: Json, *, follow: bool = False) -> None:
        """Send now or never; until it is known what came of it, nothing more is sent."""
        shown.stream.unsure = True
        posts = shown.posts if follow else None
        try:
            await self._calls(method, arguments, patience=_GLIMPSE_PATIENCE, wait=False, follow=posts)
        except CallError as failed:
            shown.stream.unsure = failed.error not in _NOT_SENT
            raise
        shown.stream.unsure = False

    async def _failed(self, reply: Reply, shown: Shown, failed: Exception) -> None:
        """Decide what becomes of a stream of which a glimpse was lost."""
        if isinstance(failed, CallError) and failed.error in _NOT_SENT:
            return
        stream = shown.stream
        error = failed.error if isinstance(failed, CallError) else type(failed).__name__
        _log.info("An answer is not streamed any further: %s", error)
        stream.halted = error == "stopped_by_user"
        if error in _ENDED:
            stream.open = False
        elif not stream.starts and not (isinstance(failed, CallError) and failed.lost):
            self._not_before = time.monotonic() + _REFUSED_FOR
        await self.give_up(reply, shown, hurry=True)

    async def give_up(self, reply: Reply, shown: Shown, *, hurry: bool = False) -> None:
        """End the stream as it is, that its message can be edited or deleted.

        Raises:
            Undeliverable: we can do nothing there any more.
        """
        stream = shown.stream
        stream.over = True
        if stream.open:
            stream.open = False
            with contextlib.suppress(CallError):  # whoever edits or deletes it ends it first, if it is open still
                await self.close(reply.thread, text_at(_place(reply, shown), "ts"), hurry=hurry)

    async def close(self, thread: Thread, ts: str, *, hurry: bool = False) -> None:
        """End a stream whose text is not what it shall be; one that has ended is fine.

        Raises:
            Undeliverable: we can do nothing there any more.
            CallError: it may be open still.
        """
        place: Json = {"channel": thread.channel, "ts": ts}
        patience = _GLIMPSE_PATIENCE if hurry else _PATIENCE
        try:
            await self._calls("chat.stopStream", place, patience=patience, wait=not hurry)
        except CallError as failed:
            if failed.error not in _ENDED:
                raise

    async def end(self, reply: Reply, shown: Shown, text: str, foot: list[Json]) -> tuple[int, str, bool]:
        """End the stream with the whole text.

        Gives how many messages of it stand, what has still to be written after them, and False when Slack took the end
        only without its foot.

        Raises:
            Undeliverable: there is nowhere left to reply.
        """
        stream, text = shown.stream, whole(text)
        if not stream.starts:
            return 0, text, True
        fresh = time.monotonic() - stream.since <= self.lasts
        if stream.open and not stream.over and fresh and stream.agrees(text):
            taken = await self._complete(reply, shown, text, foot)
            if taken is not None:
                stream.over = True
                return len(stream.starts), "", taken
        await self.give_up(reply, shown, hurry=False)
        start = stream.starts[-1]
        if hash(text[:start]) != stream.settled and start:
            return 0, text, True
        return len(stream.starts) - 1, opening(text, start) + text[start:], True

    async def _complete(self, reply: Reply, shown: Shown, text: str, foot: list[Json]) -> bool | None:
        """Stop the stream with the rest of its text; None when that was not the whole rest, or did not go well."""
        stream = shown.stream
        fits = len(text) - stream.starts[-1] <= room(text, stream.starts[-1])
        cut = None if fits else next_cut(text, stream.starts[-1], stream.sent)
        plain = _marked(reply, shown) | _rest(text, stream.sent, cut)
        under: Json = {"blocks": foot} if foot and not cut else {}
        status: Json = {"session_status": "active"} if self._sessions and not cut else {}
        taken = await self._stop(shown, [plain | under | status, plain | under, plain])
        if taken is None:
            return None
        if "session_status" not in taken and taken.keys() >= under.keys():
            self._sessions = False  # it took everything else: this app has no sessions
        if cut:
            stream.next_message(text, cut.start)
            return None
        stream.advance(text, len(text))
        return not under or "blocks" in taken

    async def _stop(self, shown: Shown, forms: list[Json]) -> Json | None:
        """End the stream in the first form that Slack takes; None: in none of them."""
        for form in [form for number, form in enumerate(forms) if form not in forms[:number]]:
            try:
                await self._calls("chat.stopStream", form, patience=_PATIENCE)
            except Undeliverable:
                if form == forms[-1]:
                    raise
            except CallError as failed:
                _log.info("A stream did not take its end: %s", failed.error)
                if failed.waits or failed.error in _ENDED:
                    shown.stream.open = shown.stream.open and failed.error not in _ENDED
                    return None
            else:
                shown.stream.open = False
                return form
        return None


def _rest(text: str, sent: int, cut: Cut | None) -> Json:
    """What is new, up to a cut; nothing when there is nothing new."""
    new = text[sent : cut.end].rstrip() + cut.closing if cut else text[sent:]
    return {"markdown_text": new} if new else {}


def _place(reply: Reply, shown: Shown) -> Json:
    return {"channel": reply.thread.channel, "ts": shown.ids[len(shown.stream.starts) - 1]}


def _marked(reply: Reply, shown: Shown) -> Json:
    return {**_place(reply, shown), "metadata": post_metadata(reply, len(shown.stream.starts) - 1)}

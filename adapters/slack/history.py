"""Finds what an earlier attempt posted, by the mark that every post carries. Refuses posts that are not our own.

The mark says which message was answered and which piece this is: no words and nobody's id. Other apps can read it and
could forge it, so it never says who anybody is.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.payload import dict_at, dicts_at, text_at
from bot.chat import Undeliverable

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.slack.calls import Calls
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from bot.chat import Reply

_log = logging.getLogger(__name__)
_MARK, _PANEL_MARK = "keepsake_reply", "keepsake_panel"
_PAGE, _MOST_PAGES = 100, 3
_PATIENCE = 10.0


def post_metadata(reply: Reply, piece: int) -> Json:
    """The mark of one post."""
    return {"event_type": _MARK, "event_payload": {"to": reply.to, "piece": piece}}


def panel_metadata() -> Json:
    """The mark of a panel or a notice that stands in a thread: it is no part of any answer."""
    return {"event_type": _PANEL_MARK, "event_payload": {}}


class PostedBefore:
    """Looks for earlier posts, where scopes and limits let us read the thread."""

    def __init__(self, calls: Calls, own: Callable[[], Own]) -> None:
        """Read through these calls; `own` tells who we are."""
        self._calls, self._own = calls, own

    async def find(self, reply: Reply, *, patience: float = _PATIENCE, surely: bool = False) -> list[str]:
        """The ids of our posts that answer the same message; none when we may not read the thread.

        `surely`: a rate limit longer than our patience is no reason to do without.

        Raises:
            CallError: Slack could not be reached; try again.
        """
        posts: list[Json] = []
        cursor = ""
        for _ in range(_MOST_PAGES):
            try:
                page = await self._page(reply, cursor, patience)
            except (CallError, Undeliverable) as error:
                if isinstance(error, CallError) and (error.lost or (surely and error.waits)):
                    raise  # the network, not a rule: later it can be read, and nothing is posted twice until then
                _log.info("Earlier posts could not be looked for: %s", type(error).__name__)
                break
            posts += dicts_at(page, "messages")
            cursor = text_at(page, "response_metadata", "next_cursor")
            if not cursor:
                break
        return self._ours(posts, reply)

    async def _page(self, reply: Reply, cursor: str, patience: float) -> Json:
        arguments: Json = {
            "channel": reply.thread.channel,
            "ts": reply.thread.root,
            "oldest": reply.to,
            "limit": _PAGE,
            "include_all_metadata": "true",
        }
        if cursor:
            arguments["cursor"] = cursor
        return await self._calls("conversations.replies", arguments, patience=patience)

    def _ours(self, posts: list[Json], reply: Reply) -> list[str]:
        """The posts with our mark for this reply, and the stream that was begun right after its question.

        A stream gets its mark when it ends: one without is what a crash left. Behind the next question it may be the
        answer to that one, and is left alone.
        """
        found, begun = [], reply.thread.channel.startswith("D")
        for post in posts:
            ts, mark = text_at(post, "ts"), dict_at(post, "metadata")
            if not ts or ts == reply.to:
                continue
            if not self._by_us(post):
                begun = begun and ts <= reply.to
            elif not mark:
                found += [ts] if begun and text_at(post, "streaming_state") and ts > reply.to else []
            elif text_at(mark, "event_type") == _MARK and text_at(mark, "event_payload", "to") == reply.to:
                found.append(ts)
        return found

    def _by_us(self, post: Json) -> bool:
        own = self._own()
        return bool(
            (own.user and text_at(post, "user") == own.user) or (own.bot and text_at(post, "bot_id") == own.bot)
        )

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
        found: list[str] = []
        cursor = ""
        for _ in range(_MOST_PAGES):
            try:
                page = await self._page(reply, cursor, patience)
            except (CallError, Undeliverable) as error:
                if isinstance(error, CallError) and (error.lost or (surely and error.waits)):
                    raise  # the network, not a rule: later it can be read, and nothing is posted twice until then
                _log.info("Earlier posts could not be looked for: %s", type(error).__name__)
                break
            found += [text_at(post, "ts") for post in dicts_at(page, "messages") if self._is_ours(post, reply)]
            cursor = text_at(page, "response_metadata", "next_cursor")
            if not cursor:
                break
        return found

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

    def _is_ours(self, post: Json, reply: Reply) -> bool:
        own = self._own()
        by_us = (own.user and text_at(post, "user") == own.user) or (own.bot and text_at(post, "bot_id") == own.bot)
        mark = dict_at(post, "metadata")
        return (
            bool(by_us)
            and text_at(mark, "event_type") == _MARK
            and text_at(mark, "event_payload", "to") == reply.to
            and bool(text_at(post, "ts"))
        )

"""What Slack gives of a conversation, page by page: a thread from the oldest on, a channel from the newest back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.slack import FakeSlack

Json = dict[str, Any]


def say(slack: FakeSlack, channel: str, ts: str, user: str, text: str, **more: Any) -> str:  # noqa: ANN401 - any field of a message
    """Let somebody have written this; gives its id."""
    who = {"user": user} if user else {}
    slack.messages[channel, ts] = {"type": "message", "channel": channel, "ts": ts, "text": text, **who, **more}
    return ts


def replies(messages: Mapping[tuple[str, str], Json], asked: Json, most: int) -> Json:
    """A thread: its root always, and what is newer than `oldest` and older than `latest`."""
    thread = [
        message
        for (channel, ts), message in sorted(messages.items())
        if channel == asked["channel"] and asked["ts"] in {message.get("thread_ts"), ts}
    ]
    return _page([one for one in thread if one["ts"] == asked["ts"] or _within(one, asked)], asked, most)


def history(messages: Mapping[tuple[str, str], Json], asked: Json, most: int) -> Json:
    """A channel: what stands in it, without the replies in its threads."""
    found = [
        message
        for (channel, ts), message in sorted(messages.items(), reverse=True)
        if channel == asked["channel"]
        and (message.get("thread_ts", ts) == ts or message.get("subtype") == "thread_broadcast")
        and _within(message, asked)
    ]
    return _page(found, asked, most)


def _within(message: Json, asked: Json) -> bool:
    ts, oldest, latest = float(message["ts"]), float(asked.get("oldest") or 0), float(asked.get("latest") or 1e11)
    return oldest < ts < latest


def _page(found: list[Json], asked: Json, most: int) -> Json:
    start, size = int(asked.get("cursor") or 0), min(int(asked.get("limit") or 100), most)
    more = start + size < len(found)
    cursor = str(start + size) if more else ""
    return {
        "messages": found[start : start + size],
        "has_more": more,
        "response_metadata": {"next_cursor": cursor},
    }

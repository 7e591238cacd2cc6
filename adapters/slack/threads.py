"""What others said in a thread or a channel, read from Slack within its limits. Nothing of it is kept.

What is kept for a minute is who talks in a thread: ids, no words. Refused: what the asker cannot be known to read.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError, Closed
from adapters.slack.directory import tokens_in, with_names
from adapters.slack.identity import slack_ids
from adapters.slack.messages import is_private_root, is_ts
from adapters.slack.payload import dicts_at, text_at
from adapters.slack.spoken import human, post_of
from bot.chat import Audience, Quoted, Unreadable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable
    from datetime import datetime

    from adapters.slack.calls import Calls
    from adapters.slack.directory import Directory
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from adapters.slack.spoken import Post
    from bot.chat import Message, Thread

_PAGE, _MOST_PAGES = 200, 10
_PATIENCE = 6.0  # for one page: a limit that lasts longer is told instead of waited out
_READ_WITHIN = 20.0  # for all pages: somebody waits for an answer
_NAMES_WITHIN = 5.0
_KNOWN_FOR = 60.0  # another process may see what we do not
_MOST_KNOWN = 5_000
_SCOPE = "I have not been given the right to read this conversation's history"
_NOT_NOW = "Slack could not be read just now"
_NOT_IN = "I am not a member there: invite me first (/invite)"
_REASONS = {
    "missing_scope": _SCOPE,
    "not_allowed_token_type": _SCOPE,
    "channel_not_found": _NOT_IN,
    "not_in_channel": _NOT_IN,
    "ratelimited": "Slack lets me read too seldom just now",
    "thread_not_found": "the thread is not there any more",
}


@dataclass(slots=True)
class _Talk:
    """Who talks in a thread, as far as `newest`."""

    people: set[str] = field(default_factory=set)
    newest: str = ""
    until: float = 0.0


class Threads:
    """The conversations of one installation."""

    def __init__(self, calls: Calls, directory: Directory, own: Callable[[], Own]) -> None:
        """Read through these calls; name people as `directory` does."""
        self._calls, self._directory, self._own = calls, directory, own
        self._talks: OrderedDict[tuple[str, str], _Talk] = OrderedDict()

    def spoke(self, thread: Thread, user: str) -> None:
        """Remember that this person wrote in a thread, if its people are known."""
        if talk := self._talks.get((thread.channel, thread.root)):
            talk.people.add(user)

    async def humans(self, thread: Thread, user: str) -> set[str]:
        """The ids of the people in a thread, `user` among them; of more than two, perhaps only two.

        Raises:
            Closed: this token cannot read it.
            CallError: it could not be read (`lost` or `waits`: now).
        """
        talk = self._talk(thread)
        talk.people.add(user)
        if len(talk.people) > 1 or time.monotonic() < talk.until:
            return set(talk.people)
        async for posts in self._replies(thread, oldest=talk.newest):
            talk.people.update(filter(None, (human(post, self._own()) for post in posts)))
            talk.newest = max([talk.newest, *(ts for post in posts if is_ts(ts := text_at(post, "ts")))], key=_as_time)
            if len(talk.people) > 1:
                break
        talk.until = time.monotonic() + _KNOWN_FOR
        return set(talk.people)

    def _talk(self, thread: Thread) -> _Talk:
        key = (thread.channel, thread.root)
        talk = self._talks[key] = self._talks.pop(key, _Talk())
        if len(self._talks) > _MOST_KNOWN:
            self._talks.popitem(last=False)
        return talk

    async def earlier(self, message: Message, since: datetime | None, limit: int) -> tuple[Quoted, ...]:
        """See `bot.chat.Platform.earlier`."""
        thread = message.thread
        alone = thread.root == message.id or thread.channel.startswith("D") or is_private_root(thread.root)
        if limit < 1 or (alone and not message.about):
            return ()
        try:
            async with asyncio.timeout(_READ_WITHIN):
                if message.about:
                    found = await self._about(message, message.about, limit)
                else:
                    found = await self._before(message, since)
        except TimeoutError:
            raise Unreadable(_NOT_NOW) from None
        except (Closed, CallError) as failed:
            raise Unreadable(_REASONS.get(failed.error, _NOT_NOW)) from None
        return await self._named(found[-limit:])

    async def _before(self, message: Message, since: datetime | None) -> list[Post]:
        """The words of a thread before a message."""
        oldest = f"{since.timestamp():.6f}" if since else ""
        pages = self._replies(message.thread, oldest=oldest, latest=message.id, whole=True)
        found = await self._posts(message, pages)
        return [post for post in found if post.at < message.sent_at and (since is None or post.at > since)]

    async def _about(self, message: Message, about: Thread, limit: int) -> list[Post]:
        """The last words of a conversation that its asker stands in, as the signed request said."""
        if message.thread.audience is not Audience.DM:
            raise Unreadable("I read a conversation only for people of this workspace, who alone see the answer")
        if about.install != message.thread.install:
            raise Unreadable(_NOT_IN)
        pages = self._replies(about, whole=True) if about.root else self._history(about, limit)
        return await self._posts(message, pages)

    async def _posts(self, message: Message, pages: AsyncIterator[list[Json]]) -> list[Post]:
        _, asker = slack_ids(message.author)
        kept: dict[str, Post] = {}
        async for posts in pages:
            found = {text_at(post, "ts"): post_of(post, self._own(), asker) for post in posts}
            kept |= {ts: post for ts, post in found.items() if post}
        return sorted(kept.values(), key=lambda post: post.at)

    async def _history(self, channel: Thread, limit: int) -> AsyncGenerator[list[Json]]:
        """The last messages of a channel page by page, from the newest back; what it was too soon for is left out."""
        arguments: Json = {"channel": channel.channel, "limit": min(limit, _PAGE)}
        for read in range(_MOST_PAGES):
            try:
                page = await self._calls("conversations.history", arguments, patience=_PATIENCE)
            except CallError:
                if not read:
                    raise
                return
            yield (posts := dicts_at(page, "messages"))
            limit -= len(posts)
            arguments["cursor"] = text_at(page, "response_metadata", "next_cursor")
            if not arguments["cursor"] or limit <= 0:
                return

    async def _replies(
        self, thread: Thread, *, oldest: str = "", latest: str = "", whole: bool = False
    ) -> AsyncGenerator[list[Json]]:
        """A thread page by page, from the oldest on; of a very long one the beginning, or nothing (`whole`)."""
        arguments: Json = {"channel": thread.channel, "ts": thread.root, "limit": _PAGE}
        arguments |= {key: ts for key, ts in (("oldest", oldest), ("latest", latest)) if ts}
        for _ in range(_MOST_PAGES):
            page = await self._calls("conversations.replies", arguments, patience=_PATIENCE)
            yield dicts_at(page, "messages")
            arguments["cursor"] = text_at(page, "response_metadata", "next_cursor")
            if not arguments["cursor"]:
                return
        if whole:  # its end is what matters, and that was not reached
            raise Unreadable("the thread is too long for me to read")

    async def _named(self, posts: list[Post]) -> tuple[Quoted, ...]:
        """Posts with names where they can be had in time."""
        tokens = [post.token for post in posts if post.token] + [
            token for post in posts for token in tokens_in(post.text)
        ]
        names = await self._directory.names(tokens, _NAMES_WITHIN)
        return tuple(
            Quoted(names.get(post.token) or post.name or "somebody", with_names(post.text, names)) for post in posts
        )


def _as_time(ts: str) -> float:
    return float(ts or 0)

"""Slack's agent view: what to ask, what a conversation is called. Best effort: nothing waits for it or fails by it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.payload import text_at
from bot.chat import Audience, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from adapters.slack.clerk import Visitor
    from adapters.slack.payload import Json
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Message

_log = logging.getLogger(__name__)
_PROMPTS = (
    ("What you know about me", "What do you know about me?"),
    ("What you can do", "What can you do for me?"),
    ("How you handle what I say", "What do you keep of what I tell you, and who can see it?"),
    ("Make you forget", "How can I make you forget something?"),
)
_AGAIN_AFTER = 24 * 3600.0
_MOST_KEPT = 10_000
_PATIENCE = 5.0


class AgentView:
    """The agent views of all installations."""

    def __init__(self, workspaces: Workspaces) -> None:
        """Set them through these workspaces."""
        self._workspaces = workspaces
        self._prompted: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._running: set[asyncio.Task[None]] = set()

    async def opened(self, body: Json, who: Visitor) -> None:
        """Suggest what to ask in the chat that was opened; to one person once a day, not at every opening."""
        key, channel = (who.install, who.user.id), text_at(body, "event", "channel")
        if not channel or time.monotonic() < self._prompted.get(key, 0.0):
            return
        self._prompted[key] = time.monotonic() + _AGAIN_AFTER
        if len(self._prompted) > _MOST_KEPT:
            self._prompted.popitem(last=False)
        prompts = [{"title": title, "message": message} for title, message in _PROMPTS]
        if not await self._call(
            who.install, "assistant.threads.setSuggestedPrompts", channel_id=channel, prompts=prompts
        ):
            self._prompted.pop(key, None)

    def titled(self, message: Message) -> None:
        """Name the conversation that this first message of a direct message begins, without keeping anybody waiting.

        By its day: words of a person's in a title would outlive their deleting the message, and their being forgotten.
        """
        thread, day = message.thread, message.sent_at
        title = f"Conversation of {day.day} {day:%B}, {day:%H:%M} ({day.tzname()})"
        if thread.audience is Audience.DM and thread.root == message.id:
            self._spawn(self._title(thread.install, channel_id=thread.channel, thread_ts=thread.root, title=title))

    async def _title(self, install: str, **arguments: object) -> None:
        if not await self._call(install, "agents.sessions.rename", **arguments):
            await self._call(install, "assistant.threads.setTitle", **arguments)

    async def _call(self, install: str, method: str, **arguments: object) -> bool:
        try:
            await (await self._workspaces.of(install)).calls(method, arguments, patience=_PATIENCE, wait=False)
        except CallError as failed:
            _log.debug("The agent view was not set: %s", failed.error)
            return False
        except Undeliverable:
            return False
        return True

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """End what is still under way."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

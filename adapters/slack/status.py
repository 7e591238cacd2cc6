"""The working status of a thread ("is thinking…") and its agent session: best effort, and always cleared again.

Only apps that are set up as agents may use it; that it fails never touches the answer.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from bot.chat import Thread, Undeliverable

if TYPE_CHECKING:
    from adapters.slack.calls import Calls
    from adapters.slack.payload import Json

_log = logging.getLogger(__name__)
_PATIENCE = 3.0
_MOST_KEPT = 10_000


class Status:
    """Which threads show that we are working."""

    def __init__(self, calls: Calls) -> None:
        """Set it through these calls."""
        self._calls = calls
        self._set: dict[str, None] = {}

    async def show(self, thread: Thread) -> None:
        """Show it. It fades by itself after two minutes, and when a message is posted."""
        self._set[thread.key] = None
        if len(self._set) > _MOST_KEPT:
            self._set.pop(next(iter(self._set)))
        if not await self._send(thread, "is thinking…"):
            self._set.pop(thread.key, None)

    async def clear(self, thread: Thread, *, surely: bool) -> None:
        """Clear it where it may show; `surely`: also where an earlier process may have left it."""
        if surely or thread.key in self._set:
            self._set.pop(thread.key, None)
            await self._send(thread, "")

    async def _send(self, thread: Thread, status: str) -> bool:
        """Whether it may have been set: True also when we cannot tell."""
        try:
            arguments: Json = {"channel_id": thread.channel, "thread_ts": thread.root, "status": status}
            await self._calls("assistant.threads.setStatus", arguments, patience=_PATIENCE, wait=False)
        except CallError as failed:
            _log.debug("The status was not set: %s", failed.error)
            return failed.lost
        except Undeliverable:
            _log.debug("The status cannot be set here.")
            return False
        return True


class Sessions:
    """Slack's agent sessions, as far as we have to do with them: it leaves it to us to end one that was stopped."""

    def __init__(self, calls: Calls) -> None:
        """Set them through these calls."""
        self._calls = calls
        self._running: set[asyncio.Task[None]] = set()

    def stopped(self, thread: Thread) -> None:
        """Set the session of a thread back to active, without keeping anybody waiting for it."""
        task = asyncio.ensure_future(self._activate(thread))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _activate(self, thread: Thread) -> None:
        arguments: Json = {"channel_id": thread.channel, "thread_ts": thread.root, "status": "active"}
        try:
            await self._calls("agents.sessions.setStatus", arguments, patience=_PATIENCE)
        except (CallError, Undeliverable) as failed:
            _log.debug("A stopped session stays as it is: %s", type(failed).__name__)

    async def close(self) -> None:
        """Wait for what is running, which is a few seconds at most."""
        if self._running:
            await asyncio.wait(self._running)

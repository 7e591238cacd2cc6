"""The working status of a thread ("is thinking…"): best effort, per thread, and always cleared again.

Only apps that are set up as agents may use it; that it fails never touches the answer.
"""

from __future__ import annotations

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

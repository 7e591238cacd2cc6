"""What others said in a thread or a channel, read from Slack within its limits. Nothing of it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from adapters.slack.calls import Calls
    from adapters.slack.directory import Directory
    from adapters.slack.identity import Own
    from bot.chat import Message, Quoted


class Threads:
    """The conversations of one installation."""

    def __init__(self, calls: Calls, directory: Directory, own: Callable[[], Own]) -> None:
        """Read through these calls; name people as `directory` does."""
        self._calls, self._directory, self._own = calls, directory, own

    async def earlier(self, message: Message, since: datetime | None, limit: int) -> tuple[Quoted, ...]:
        """See `bot.chat.Platform.earlier`."""
        del message, since, limit
        return ()

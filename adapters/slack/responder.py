"""Answers through the address that Slack gives with each press and command. Refuses addresses that are not Slack's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.slack.payload import text_at
from adapters.slack.quiet import sdk_logger

if TYPE_CHECKING:
    from adapters.slack.payload import Json

_SLACKS = ("https", "hooks.slack.com")
_TAKEN = 200
_CODE = re.compile(r"[a-z_]{3,60}")


class Responder:
    """Posts to `response_url`, which is good for five posts within half an hour."""

    def __init__(self, session: aiohttp.ClientSession | None, api_url: str) -> None:
        """Post in this session. The host of `api_url` is Slack's as well, for a proxy or a stand-in."""
        self._session, self._allowed = session, {_SLACKS, _origin(api_url)}

    async def __call__(self, body: Json, content: Json) -> bool:
        """Answer the request with this body, to that person only; False when it could not be shown this way."""
        return not await self.post(body, content)

    async def post(self, body: Json, content: Json) -> str:
        """Answer the request with this body, to that person only; Slack's code (or ours) for why not, "" when taken."""
        address = text_at(body, "response_url")
        if _origin(address) not in self._allowed:
            return "no_address"
        client = AsyncWebhookClient(address, session=self._session, logger=sdk_logger(), retry_handlers=[])
        try:
            answer = await client.send_dict({"response_type": "ephemeral", **content})
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            return "not_reached"
        if answer.status_code == _TAKEN:
            return ""
        code = _CODE.search(answer.body or "")
        return code[0] if code else "not_taken"


def _origin(address: str) -> tuple[str, str]:
    """The scheme and the host of an address, with any name or port in it; a host must be named exactly."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.lower()

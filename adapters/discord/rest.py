"""discord.py's HTTP client with an address that can be set, and the few calls that replies need, in plain values.

The address belongs to the instance: two clients in one process may talk to different servers. Refuses to hammer: after
a ban by Cloudflare (a 429 that is not Discord's) every call fails at once until the pause is over.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import discord
from discord.http import HTTPClient, Route, handle_message_parameters
from discord.utils import MISSING
from discord.webhook.async_ import AsyncWebhookAdapter, async_context
from yarl import URL

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable, Sequence

    from discord.types.gateway import SessionStartLimit
    from discord.ui import LayoutView, View

    from adapters.discord.events import Payload

_HARD_CODED_GATEWAY = "gateway.discord.gg"
_BAN = 60.0  # seconds, at least; the ban itself is said to last up to an hour


@dataclass(frozen=True, slots=True)
class Posted:
    """A message as the server has it."""

    id: str
    author: str
    content: str
    answers: str
    """The id of the message it replies to, "" for none."""
    files: int

    @classmethod
    def read(cls, data: Payload) -> Posted:
        """Read a message payload."""
        answers = (data.get("message_reference") or {}).get("message_id") or ""
        files = len(data.get("attachments", ()))
        return cls(data["id"], data["author"]["id"], data.get("content") or "", answers, files)


class Rest(HTTPClient):
    """The HTTP client of one connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop, api_url: str, *, patience: float, ban: float = _BAN) -> None:
        """Talk to `api_url` (ends in /api/v10); a rate limit longer than `patience` seconds raises `RateLimited`."""
        super().__init__(loop, max_ratelimit_timeout=patience)
        self._api_url = api_url.rstrip("/")
        self.me = ""
        self._gateway = URL("wss://gateway.discord.gg/")
        self._ban = ban
        self._banned_until = 0.0

    async def request(
        self,
        route: Route,
        *,
        files: Sequence[discord.File] | None = None,
        form: Iterable[dict[str, Any]] | None = None,
        **kwargs: object,
    ) -> object:
        """Send one request to our address; see `discord.http.HTTPClient.request`."""
        route.url = moved(route, self._api_url)
        left = self._banned_until - time.monotonic()
        if left > 0:
            raise discord.RateLimited(left)
        try:
            return await super().request(route, files=files, form=form, **kwargs)
        except discord.HTTPException as error:
            if error.status == 429:  # noqa: PLR2004 - HTTP's own number
                raise self._refused(error) from None
            raise

    def _refused(self, error: discord.HTTPException) -> discord.RateLimited:
        # discord.py waits out Discord's own limits; what comes through here is Cloudflare's, or a proxy's.
        headers = error.response.headers
        if "json" in headers.get("Content-Type", ""):
            return discord.RateLimited(float(headers.get("Retry-After", 1)))
        pause = self._ban * random.uniform(1.0, 1.5)  # noqa: S311 - spreads load, guards nothing
        self._banned_until = time.monotonic() + pause
        return discord.RateLimited(pause)

    async def get_bot_gateway(self) -> tuple[int, str, SessionStartLimit]:
        """Ask for the gateway, and remember it for where discord.py has it hard-coded."""
        shards, url, limits = await super().get_bot_gateway()
        self._gateway = URL(url)
        return shards, url, limits

    async def ws_connect(self, url: str, *, compress: int = 0) -> Any:  # noqa: ANN401 - as in discord.py
        """Connect to a gateway; after an invalid session discord.py would go to the hard-coded one."""
        wanted = URL(url)
        if wanted.host == _HARD_CODED_GATEWAY:
            wanted = self._gateway.with_query(wanted.query)
        return await super().ws_connect(str(wanted), compress=compress)

    async def post(
        self,
        channel: str,
        content: str,
        *,
        nonce: str,
        answers: str = "",
        file: str = "",
        view: View | LayoutView | None = None,
        silent: bool = False,
    ) -> Posted:
        """Post a message that pings nobody and shows no previews. The same nonce within minutes posts nothing new."""
        flags = discord.MessageFlags(suppress_embeds=True, suppress_notifications=silent)
        reference: Any = {"message_id": answers, "channel_id": channel, "fail_if_not_exists": False}
        with handle_message_parameters(
            content=content or MISSING,
            nonce=nonce,
            flags=flags,
            message_reference=reference if answers else MISSING,
            allowed_mentions=discord.AllowedMentions.none(),
            mention_author=False if answers else None,
            file=_markdown(file) if file else MISSING,
            view=view or MISSING,
        ) as params:
            return Posted.read(await self.send_message(channel, params=params))

    async def edit(self, channel: str, message: str, content: str, *, file: str = "") -> Posted:
        """Replace the text and files of a message of ours; previews stay suppressed."""
        with handle_message_parameters(
            content=content,
            flags=discord.MessageFlags(suppress_embeds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            attachments=[_markdown(file)] if file else [],
        ) as params:
            return Posted.read(await self.edit_message(channel, message, params=params))

    async def read(self, channel: str, message: str) -> Posted:
        """Fetch one message."""
        return Posted.read(await self.get_message(channel, message))

    async def after(self, channel: str, message: str) -> list[Posted]:
        """Fetch up to 100 messages that came next after a message, oldest first."""
        found = await self.logs_from(channel, 100, after=message)
        return sorted((Posted.read(data) for data in found), key=lambda posted: int(posted.id))


def _markdown(text: str) -> discord.File:
    return discord.File(BytesIO(text.encode()), filename="answer.md")


def moved(route: Route, api_url: str) -> str:
    """Return a route's address under our own base address, however often it is asked."""
    return api_url + route.url.removeprefix(api_url).removeprefix(Route.BASE)


class _Interactions(AsyncWebhookAdapter):
    """Answers to interactions go another way through discord.py: the same address for them."""

    def __init__(self, api_url: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._api_url = api_url.rstrip("/")

    async def request(self, route: Route, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as in discord.py
        route.url = moved(route, self._api_url)
        return await super().request(route, *args, **kwargs)


def use_for_interactions(api_url: str) -> None:
    """Send the answers to interactions to this address, from this task and those that it starts."""
    async_context.set(_Interactions(api_url))

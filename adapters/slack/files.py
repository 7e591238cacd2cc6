"""Fetches files from Slack's own hosts. Refuses every other host, what is too big, and what is kept elsewhere.

A file is looked up by its id at each fetch: no address rests anywhere. The token goes to no other host, as no redirect
is followed. Whoever may see no file gets Slack's page for signing in, with status 200: that is no file, either.
"""

from __future__ import annotations

import asyncio
import re
from ipaddress import ip_address
from typing import TYPE_CHECKING

import aiohttp
from yarl import URL

from adapters.slack.calls import CallError, Closed
from adapters.slack.payload import Json, dict_at, is_true, number_at, text_at
from bot.chat import Undeliverable, Unreadable

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.calls import Calls
    from bot.chat import Attachment

LARGEST = 10_000_000
"""Bytes of a file that are fetched at most."""
HOSTS = frozenset({"files.slack.com", "slack-files.com"})

_SECONDS = 20.0
_TRIES, _PAUSE = 2, 0.2
_PIECE = 65_536
_ID = re.compile(r"[A-Z0-9]{2,40}")
# What one parser may read otherwise than the next, and a user's name before the host: not looked at at all.
_ODD = re.compile(r"[\s\\\x00-\x20\x7f]|\A[^/?#]*//[^/?#]*@")
_PAGE = "text/html"
_OK, _TOO_OFTEN, _REDIRECTS, _BROKEN = 200, 429, range(300, 400), 500

_TOO_BIG = f"it is bigger than {LARGEST // 1_000_000} MB"
_GONE = "it is no longer in Slack"
_NO_SIGHT = "Slack does not let me see it"
_NOT_NOW = "it could not be fetched just now"
_NO_RIGHT = "I have no right to read files in this Slack: the app lacks the scope files:read"
_ELSEWHERE = "it is kept outside Slack, where I cannot look"
_WHY = {
    "missing_scope": _NO_RIGHT,
    "no_permission": _NO_RIGHT,
    "file_not_found": _GONE,
    "file_deleted": _GONE,
}
_MODES = {
    "external": _ELSEWHERE,
    "tombstone": _GONE,
    "hidden_by_limit": "Slack no longer shows it: it is older than what this workspace's plan keeps",
}
_VISIBLE = frozenset({"", "visible"})


class Files:
    """The files that one installation can read."""

    def __init__(
        self, calls: Calls, client: AsyncWebClient, files_url: str | None, *, seconds: float = _SECONDS
    ) -> None:
        """Look files up through `calls`, fetch them with the client's token; `files_url` is a stand-in's address.

        `seconds` are for one file in all.
        """
        self._calls, self._client, self._seconds = calls, client, seconds
        self._stand_in = _origin(files_url) if files_url else None

    async def fetch(self, attachment: Attachment) -> bytes:
        """See `bot.chat.Platform.fetch`."""
        try:
            async with asyncio.timeout(self._seconds):
                file = await self._look_up(attachment.id)
                return await self._content(self._address(file), file)
        except (TimeoutError, aiohttp.ClientError, OSError):
            raise Unreadable(_NOT_NOW) from None

    async def _look_up(self, file_id: str) -> Json:
        if not _ID.fullmatch(file_id):
            raise Unreadable(_GONE)
        try:
            answer = await self._calls("files.info", {"file": file_id}, patience=self._seconds)
        except (Closed, CallError) as failed:
            raise Unreadable(_WHY.get(failed.error, _NO_SIGHT if isinstance(failed, Closed) else _NOT_NOW)) from None
        except Undeliverable:
            raise Unreadable(_NO_SIGHT) from None
        file = dict_at(answer, "file")
        if why := _refusal(file, file_id):
            raise Unreadable(why)
        return file

    def _address(self, file: Json) -> URL:
        for key in ("url_private_download", "url_private"):
            if (text := text_at(file, key)) and (address := self._allowed(text)):
                return address
        raise Unreadable(_ELSEWHERE)

    def _allowed(self, text: str) -> URL | None:
        """The address to ask, the very object that is checked; None when it is not one of Slack's own."""
        if _ODD.search(text):
            return None
        try:
            address = URL(text)
            port = address.port
        except ValueError:
            return None
        if self._stand_in and (address.scheme, address.raw_host, port) == self._stand_in:
            return address
        return address if address.scheme == "https" and address.raw_host in HOSTS and port == 443 else None  # noqa: PLR2004 - HTTPS's own port

    async def _content(self, address: URL, file: Json) -> bytes:
        for tried in range(1, _TRIES + 1):
            try:
                return await self._request(address, file)
            except (aiohttp.ClientError, OSError):
                if tried == _TRIES:
                    raise
                await asyncio.sleep(_PAUSE)
        raise Unreadable(_NOT_NOW)

    async def _request(self, address: URL, file: Json) -> bytes:
        session = self._client.session
        if session is None:
            raise RuntimeError("The client of Slack has no open session.")
        headers = {"Authorization": f"Bearer {self._client.token}", "Accept-Encoding": "identity"}
        async with session.get(
            address, headers=headers, allow_redirects=False, proxy=self._client.proxy, ssl=self._client.ssl or True
        ) as answer:
            _check(answer)
            data = await _whole(answer)
        if answer.content_type == _PAGE and not _is_page(file, data):
            raise Unreadable(_NO_SIGHT)
        return data


def _origin(files_url: str) -> tuple[str, str | None, int | None] | None:
    """The one origin of a stand-in: HTTPS, or HTTP on this machine; None for any other."""
    url = URL(files_url)
    return (url.scheme, url.raw_host, url.port) if url.scheme == "https" or _is_here(url) else None


def _is_here(url: URL) -> bool:
    try:
        return url.scheme == "http" and (url.host == "localhost" or ip_address(url.host or "").is_loopback)
    except ValueError:
        return False


def _refusal(file: Json, file_id: str) -> str:
    """Why this file is not fetched, in a few words; "" when it may be."""
    mode = text_at(file, "mode")
    if is_true(file, "is_external") or text_at(file, "external_type"):
        return _ELSEWHERE
    if mode in _MODES:
        return _MODES[mode]
    if text_at(file, "id") != file_id or text_at(file, "file_access") not in _VISIBLE:
        return _NO_SIGHT
    return _TOO_BIG if number_at(file, "size") > LARGEST else ""


def _is_page(file: Json, data: bytes) -> bool:
    """Whether the file itself is a web page, this one: else it is Slack's page for signing in."""
    return text_at(file, "mimetype") == _PAGE and number_at(file, "size") in {0, len(data)}


def _check(answer: aiohttp.ClientResponse) -> None:
    """Look at status and headers, before a byte of it is read.

    Raises:
        Unreadable: this is not the file.
        OSError: Slack failed; it may work the next time.
    """
    if answer.status in {404, 410}:
        raise Unreadable(_GONE)
    if answer.status >= _BROKEN or answer.status == _TOO_OFTEN:
        raise OSError(answer.status)
    if answer.status != _OK:  # a redirect is to the page for signing in, or to a host that is not Slack's
        raise Unreadable(_NO_SIGHT)
    if (answer.content_length or 0) > LARGEST:
        raise Unreadable(_TOO_BIG)


async def _whole(answer: aiohttp.ClientResponse) -> bytes:
    """All of it, counted as it comes: a length may be missing or a lie."""
    data = bytearray()
    async for piece in answer.content.iter_chunked(_PIECE):
        data += piece
        if len(data) > LARGEST:
            raise Unreadable(_TOO_BIG)
    return bytes(data)

"""Reads requests that Slack signed within five minutes. Refuses all others before their bodies are held in memory.

The headers are looked at first, the body is read within bounds of size and time, and what must not run twice runs once
for each signature.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from slack_sdk.signature import SignatureVerifier

if TYPE_CHECKING:
    from starlette.requests import Request

_LARGEST = 512 * 1024  # bytes; Slack's own bodies are far smaller
_READ_WITHIN = 5.0
_FRESH = 300.0
_KEPT_FOR = 2 * _FRESH  # its clock may be ahead of ours
_MOST_KEPT = 10_000
_TIMESTAMP, _SIGNATURE = re.compile(r"[0-9]{1,12}"), re.compile(r"v0=[0-9a-f]{64}")
UNSIGNED, TOO_SLOW, TOO_LARGE = 401, 408, 413


class Signed(NamedTuple):
    """What Slack sent, and its signature."""

    text: str
    signature: str


class Reader:
    """Reads one request after the other, also several at once."""

    def __init__(self, signing_secret: str, *, read_within: float = _READ_WITHIN) -> None:
        """Check with this secret; `read_within` are seconds for a whole body."""
        self._verifier = SignatureVerifier(signing_secret)
        self._within = read_within
        self._seen: OrderedDict[str, float] = OrderedDict()

    async def read(self, request: Request) -> Signed | int:
        """What was sent, or the HTTP status that refuses it."""
        stamp = request.headers.get("x-slack-request-timestamp", "")
        signature = request.headers.get("x-slack-signature", "")
        if not _SIGNATURE.fullmatch(signature) or not _TIMESTAMP.fullmatch(stamp):
            return UNSIGNED
        if abs(time.time() - int(stamp)) > _FRESH:
            return UNSIGNED
        try:
            async with asyncio.timeout(self._within):
                raw = await _body(request)
        except TimeoutError:
            return TOO_SLOW
        if raw is None:
            return TOO_LARGE
        with contextlib.suppress(ValueError):  # a body that is no text: not signed by Slack
            if self._verifier.is_valid(raw, stamp, signature):
                return Signed(raw.decode(), signature)
        return UNSIGNED

    def is_first(self, signed: Signed) -> bool:
        """Whether this was not asked before; Slack signs each request anew, so a repeat is somebody else's."""
        now = time.monotonic()
        while self._seen and (len(self._seen) >= _MOST_KEPT or next(iter(self._seen.values())) < now):
            self._seen.popitem(last=False)
        if signed.signature in self._seen:
            return False
        self._seen[signed.signature] = now + _KEPT_FOR
        return True


async def _body(request: Request) -> bytes | None:
    """The body, None when it is too large."""
    told = request.headers.get("content-length", "0")
    if not told.isdecimal() or int(told[:12]) > _LARGEST:
        return None
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > _LARGEST:
            return None
    return bytes(raw)

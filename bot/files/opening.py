"""Opens what is attached to a message: fetches each file, reads it, and keeps all of it together within its caps.

It never fails for a bad file: whatever cannot be read is a sentence that says why.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat import Unreadable
from bot.files.kinds import known, never_opened, unopened
from bot.files.pdfs import pdf
from bot.files.pictures import picture
from bot.files.texts import text
from bot.files.words import Content, Opened, Picture, Text, Unread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from bot.chat import Attachment

log = logging.getLogger(__name__)

MOST_FILES = 10
MOST_PICTURES = 4
MOST_BYTES = 20_000_000
"""Bytes of all pictures of a message together."""
MOST_CHARACTERS = 60_000
"""Characters of all texts of a message together."""
LARGEST = 10_000_000
"""Bytes of one file."""
TOO_BIG = f"it is bigger than {LARGEST // 1_000_000} MB"

_AT_ONCE = 3
_SECONDS = 40.0
_NOT_NOW = "it could not be fetched just now"


async def read(attachment: Attachment, data: bytes) -> Picture | Text:
    """Read a file by what its bytes are; the type that is claimed for it and its name decide nothing.

    Raises:
        Unreadable: it cannot be; the text says why in a few words.
    """
    if not data:
        raise Unreadable("it is empty")
    if len(data) > LARGEST:
        raise Unreadable(TOO_BIG)
    if seen := picture(data):
        return seen
    if b"%PDF-" in data[:1024]:
        return await pdf(data)
    if what := known(data):
        raise Unreadable(unopened(what))
    if attachment.media_type == "application/pdf":
        raise Unreadable("the PDF is broken")
    return await asyncio.to_thread(text, data)


async def open_all(
    attachments: Sequence[Attachment],
    fetch: Callable[[Attachment], Awaitable[bytes]],
    *,
    seconds: float = _SECONDS,
) -> tuple[Opened, ...]:
    """Fetch and read each attachment, a few at once and all within `seconds`; the result has them in their order.

    Never raises for what goes wrong with a file; cancelling ends all of it.
    """
    turns = asyncio.Semaphore(_AT_ONCE)
    until = asyncio.get_running_loop().time() + seconds

    async def one(attachment: Attachment) -> Opened:
        try:
            async with asyncio.timeout_at(until), turns:
                return Opened(attachment, await _content(attachment, fetch))
        except TimeoutError:
            return Opened(attachment, Unread("it took too long"))

    opened = list(await asyncio.gather(*map(one, attachments[:MOST_FILES])))
    rest = [Opened(one, Unread(f"only the first {MOST_FILES} files are read")) for one in attachments[MOST_FILES:]]
    return within_caps([*opened, *rest])


async def _content(attachment: Attachment, fetch: Callable[[Attachment], Awaitable[bytes]]) -> Content:
    if what := never_opened(attachment.media_type):
        return Unread(unopened(what))
    if attachment.size > LARGEST:
        return Unread(TOO_BIG)
    try:
        return await read(attachment, await fetch(attachment))
    except Unreadable as refused:
        return Unread(str(refused).strip().rstrip(".") or _NOT_NOW)
    except Exception as error:  # noqa: BLE001 - any platform's client; the answer goes on without this file
        log.warning("A file could not be had: %s", type(error).__name__)
        return Unread(_NOT_NOW)


def within_caps(opened: Iterable[Opened]) -> tuple[Opened, ...]:
    """Keep what fits into one answer, the first first."""
    kept: list[Opened] = []
    pictures, room, characters = MOST_PICTURES, MOST_BYTES, MOST_CHARACTERS
    for one in opened:
        content: Content = one.content
        if isinstance(content, Picture):
            if not pictures:
                content = Unread(f"only {MOST_PICTURES} pictures are looked at at once")
            elif len(content.data) > room:
                content = Unread("the pictures together are too big")
            else:
                pictures, room = pictures - 1, room - len(content.data)
        elif isinstance(content, Text):
            content = _fitting(content, characters)
            characters -= len(content.text) if isinstance(content, Text) else 0
        kept.append(replace(one, content=content))
    return tuple(kept)


def _fitting(content: Text, room: int) -> Text | Unread:
    if len(content.text) <= room:
        return content
    if not room:
        return Unread("the files before it are as much as I can read at once")
    return Text(content.text[:room], f"only the first {room:,} characters")

"""Reads the words of a text file: by its byte order mark, as UTF-8, else as Western. Pure; refuses binary."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.chat import Unreadable
from bot.files.kinds import unopened
from bot.files.words import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 30_000
"""Characters of one file that are read at most."""

_MARKS = (  # the longer first: the mark of UTF-32 begins as that of UTF-16 does
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters that no text holds; those that one may: tab, line ends, form feed, backspace, escape.
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\r\f\b\x0b\x1b")) + b"\x7f"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 65_536
_TOO_MANY = 0.05


def text(data: bytes, limit: int = LIMIT) -> Text:
    """Read a text; at most `limit` characters of it.

    Raises:
        Unreadable: it is empty, or no text.
    """
    whole = decoded(data)
    # Only what may be kept is looked at closely: the end of a line takes two characters at most.
    kept = _CONTROL.sub("", whole[: 2 * limit].replace("\r\n", "\n").replace("\r", "\n"))
    if not kept.strip():
        raise Unreadable("it is empty")
    if len(kept) <= limit and len(whole) <= 2 * limit:
        return Text(kept)
    return Text(kept[:limit], f"the first {limit:,} of {len(whole):,} characters")


def decoded(data: bytes) -> str:
    """Make characters of bytes.

    Raises:
        Unreadable: these bytes are no text.
    """
    for encoding in _encodings(data):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise Unreadable("it is damaged: its characters cannot be read")


def _encodings(data: bytes) -> Sequence[str]:
    """What to try, one after the other."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return (encoding,)
    sample = data[:_SAMPLE]
    if 0 in sample:
        return (_wide(sample),)
    if len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) * _TOO_MANY:
        raise _no_text()
    return ("utf-8", "cp1252", "latin-1")  # the last takes any byte


def _wide(sample: bytes) -> str:
    """UTF-16 without a mark: every other byte of a mostly Western text is zero, and the ones between never are."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > len(sample) // 5 and not even:
        return "utf-16-le"
    if even > len(sample) // 5 and not odd:
        return "utf-16-be"
    raise _no_text()


def _no_text() -> Unreadable:
    return Unreadable(unopened("not text"))

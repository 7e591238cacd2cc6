"""Tells a picture by its first bytes and reads its sides there. Pure; nothing is decoded, no claimed type is believed.

Refused: what is broken, endlessly large, or of a format that models do not take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Unreadable
from bot.files.words import Picture

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_SIDE = 16_000
MOST_PIXELS = 80_000_000

# The markers of a JPEG that begin a frame (ITU-T T.81, B.1.1.3), and those that stand alone, without a length.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
_NO_PART, _SCAN = 0xFF, 0xDA
_MOST_PARTS = 5_000  # a picture has some dozens before its frame; what has more is made to be walked for ever


def picture(data: bytes) -> Picture | None:
    """Read the header of a picture; None when this is none of PNG, JPEG, GIF and WebP.

    Raises:
        Unreadable: it is one, but broken or too large to look at.
    """
    for media_type, begins, sides in _FORMATS:
        if begins(data):
            width, height = sides(data)
            if not width or not height:
                raise Unreadable("the picture is broken")
            if max(width, height) > LONGEST_SIDE or width * height > MOST_PIXELS:
                raise Unreadable(f"the picture is too large ({width} by {height} pixels)")
            return Picture(data, media_type, width, height)
    return None


def _png(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR" or len(data) < 33:  # noqa: PLR2004 - where the first chunk ends
        return 0, 0
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _gif(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")


def _webp(data: bytes) -> tuple[int, int]:
    kind, body = data[12:16], data[20:30]
    if kind == b"VP8X" and len(body) == 10:  # noqa: PLR2004 - the length of that header
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if kind == b"VP8L" and body[:1] == b"\x2f":
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and body[3:6] == b"\x9d\x01\x2a":
        return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF
    return 0, 0


def _jpeg(data: bytes) -> tuple[int, int]:
    """Walk from marker to marker up to the frame: each part says how long it is."""
    at = 2
    for _ in range(_MOST_PARTS):
        if at + 9 > len(data) or data[at] != _NO_PART:
            break
        marker = data[at + 1]
        if marker == _NO_PART:  # padding
            at += 1
        elif marker in _ALONE:
            at += 2
        elif marker in _FRAMES:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        elif marker == _SCAN:
            break
        else:
            at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return 0, 0


_FORMATS: tuple[tuple[str, Callable[[bytes], bool], Callable[[bytes], tuple[int, int]]], ...] = (
    ("image/png", lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    ("image/jpeg", lambda data: data.startswith(b"\xff\xd8\xff"), _jpeg),
    ("image/gif", lambda data: data.startswith((b"GIF87a", b"GIF89a")), _gif),
    ("image/webp", lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP", _webp),
)

"""Says what a file is that we do not open, by its first bytes or its type, in words that a person understands. Pure."""

from __future__ import annotations

_OPENS = "I can read text files, PDFs and PNG, JPEG, GIF or WebP pictures"

_BRANDS = {b"heic": "a HEIC picture", b"heix": "a HEIC picture", b"mif1": "a HEIC picture", b"avif": "an AVIF picture"}
_BEGINNINGS = (
    (b"PK\x03\x04", "a packed file or an Office document"),
    (b"PK\x05\x06", "a packed file"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x1f\x8b", "a packed file"),
    (b"BZh", "a packed file"),
    (b"7z\xbc\xaf\x27\x1c", "a packed file"),
    (b"Rar!\x1a\x07", "a packed file"),
    (b"\xfd7zXZ\x00", "a packed file"),
    (b"\x28\xb5\x2f\xfd", "a packed file"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"OggS", "a sound or video"),
    (b"ID3", "a sound"),
    (b"fLaC", "a sound"),
    (b"\x1a\x45\xdf\xa3", "a video"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database"),
)
_TYPES = (
    ("audio/", "a sound"),
    ("video/", "a video"),
    ("font/", "a font"),
    ("application/vnd.slack-docs", "a Slack canvas"),
)


def unopened(what: str) -> str:
    """Make the words that say why such a file is not read."""
    return f"it is {what}; {_OPENS}"


def never_opened(media_type: str) -> str:
    """Name a kind that is not even worth fetching, by the type that the platform gives it; "" for any other."""
    return next((what for beginning, what in _TYPES if media_type.casefold().startswith(beginning)), "")


def known(data: bytes) -> str:
    """Name a kind that we do not open, by its first bytes; "" when they do not say."""
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "a video or sound")
    if data.startswith(b"RIFF") and data[8:12] in {b"WAVE", b"AVI "}:
        return "a sound or video"
    return next((what for beginning, what in _BEGINNINGS if data.startswith(beginning)), "")

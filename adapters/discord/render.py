"""How an answer looks on Discord: its pieces, its preview while it grows, and the names that keep a retry single.

Pure. Refuses to make an empty message: an answer with nothing in it becomes one honest line.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from adapters.discord.tables import readable
from adapters.text import split

LIMIT = 2000  # characters in one message
_PREVIEW = 1900
_FILE_BEGINS = 1500
_MOST = 5  # more messages than this would flood a channel: the answer goes into a file
_NOTHING = "I have no answer to that. Please try asking in other words."
_IN_FILE = "-# The answer is long: all of it is in the file."
BLOCKED = "This server's own rules (AutoMod) did not let my answer through."


@dataclass(frozen=True, slots=True)
class Answer:
    """The messages of an answer, and the text of the file behind the first one ("" for none)."""

    pieces: tuple[str, ...]
    file: str = ""


def empty(text: str) -> bool:
    """Tell whether nothing in a text would be seen: white space, invisible characters, bare code fences."""
    return not any(c.isprintable() and not c.isspace() and c not in "`~" for c in text)


def answer(text: str) -> Answer:
    """Lay out a whole answer."""
    if empty(text):
        return Answer((_NOTHING,))
    pieces = in_messages(text)
    if len(pieces.pieces) <= _MOST:
        return pieces
    return Answer((f"{split(readable(text), _FILE_BEGINS)[0]}\n\n{_IN_FILE}",), file=text)


def in_messages(text: str) -> Answer:
    """Lay out a whole answer without a file, however many messages it takes."""
    return Answer(tuple(piece for piece in split(readable(text), LIMIT) if not empty(piece)) or (_NOTHING,))


def preview(text: str) -> str:
    """Show the beginning of an answer that is being written, in one message; "" when there is nothing to show yet."""
    if empty(text):
        return ""
    pieces = split(text, _PREVIEW)
    return pieces[0] if len(pieces) == 1 else f"{pieces[0]}\n…"


def mark(text: str) -> str:
    """Name a text, so that a message can be known again by it without its words being kept."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def nonce(*parts: str) -> str:
    """Name a post for Discord: the same parts within minutes post once. 24 of the 25 characters allowed."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]

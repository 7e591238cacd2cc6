"""Where a message that is being streamed ends and the next one begins, when the text grows longer than one. Pure.

Unlike a text that is whole, what was streamed cannot be taken back: a cut falls behind it, at the best place in reach.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from adapters.slack.output import LONGEST_RICH, inert

# From which length on a message is ended at which sign. A paragraph is not worth a message that is much shorter.
_WORTH = ((10_500, "\n\n"), (11_000, "\n"), (11_400, " "))
_REACH = 300
_FENCE = re.compile(r"[ \t]*+(`{3,40}+|~{3,40}+)[ \t]*+([^\s`]{0,40})[^`\n]*+")


class Cut(NamedTuple):
    """The message ends before `end`, with `closing` after it; the next one begins at `start`, with `opening` first."""

    end: int
    start: int
    closing: str = ""


def opening(text: str, start: int) -> str:
    """What has to stand before the part of a text that begins here: the line that opens its code fence again."""
    fence = _open_fence(text[:start])
    return f"{fence[0]}{fence[1]}\n" if fence else ""


def room(text: str, start: int) -> int:
    """How many characters of a text fit into the message that begins here, a code fence closed again."""
    return LONGEST_RICH - 2 * len(opening(text, start)) - 50


def next_cut(text: str, start: int, sent: int) -> Cut | None:
    """The cut that ends the message which begins at `start`, of which `sent` stands already; None: it may go on."""
    most = start + room(text, start)
    for length, sign in _WORTH:
        at = text.rfind(sign, max(sent, start + length), most)
        if at >= 0 and not (sign == "\n\n" and _open_fence(text[:at])):
            return _cut(text, at)
    return _cut(text, _harmless(text, start, sent, most)) if len(text) > most else None


def _harmless(text: str, start: int, sent: int, most: int) -> int:
    """The last place at which neither side of a cut becomes a mention that the whole was not."""
    for at in range(most, max(sent, most - _REACH), -1):
        before, after = text[max(start, at - _REACH) : at], text[at : at + _REACH]
        if inert(before) == before and inert(after) == after:
            return at
    return max(sent, most - _REACH)


def _cut(text: str, at: int) -> Cut:
    fence = _open_fence(text[:at])
    rest = text[at:]
    white = len(rest) - len(rest.lstrip("\n" if "\n" in rest[:1] else " "))
    return Cut(at, at + white, f"\n{fence[0]}" if fence else "")


def _open_fence(text: str) -> tuple[str, str] | None:
    """The marker and the language of the code fence that is open at the end of a text."""
    fence: tuple[str, str] | None = None
    for line in text.split("\n"):
        if fence is None:
            opened = _FENCE.fullmatch(line)
            fence = (opened[1], opened[2]) if opened else None
        elif (run := line.strip()).startswith(fence[0]) and not run.strip(fence[0][0]):
            fence = None
    return fence

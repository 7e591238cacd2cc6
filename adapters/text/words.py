"""Whose words a text holds: a person's own, what they quote, and names that others chose. Pure; refuses no text."""

from __future__ import annotations

import re
import unicodedata

_FENCE = "```"  # the one fence that chat platforms draw; it may stand anywhere in a line, and counts once it is closed
_QUOTE = re.compile(r" {0,3}(>>>|&gt;&gt;&gt;|>|&gt;)(.*)")
_TO_THE_END = frozenset({">>>", "&gt;&gt;&gt;"})
_LONGEST_NAME = 30
# Not after one or two letters: "Dr. Ada B. Lovelace" is a name.
_SENTENCE_END = re.compile(r"(?<=\w{3})[.!?\u2026:;]+(?=\s)|[\n\r\u2028\u2029\u3002\uff01\uff1f]")


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced (nothing takes them) and two halves of one character joined."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plain_name(name: str) -> str:
    """A name as it may stand within a person's own words: letters and digits of any script, `-`, `_`, single spaces.

    People choose their names, and may choose sentences: a name ends with its first, holds no sentence marks and has 30
    characters at most. It is "" when nothing of it may stand.
    """
    return next(filter(None, map(_plain, _SENTENCE_END.split(name))), "")


def _plain(name: str) -> str:
    shown = "".join(letter if _of_a_name(letter) else " " for letter in name)
    return " ".join(shown.split())[:_LONGEST_NAME].rstrip()


def _of_a_name(letter: str) -> bool:
    # Marks belong to letters in many scripts; those that enclose a letter are decoration.
    return letter in "-_" or unicodedata.category(letter) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"}


def own_words(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without its quote blocks, and these blocks, each without its marks.

    A line that begins with `>` (or `&gt;`) is quoted, and after `>>>` all that follows; not so within a code fence that
    is closed, which stays as it is.
    """
    own: list[str] = []
    blocks: list[list[str]] = []
    lines = text.split("\n")
    fences = _Fences(lines)
    after = False  # a quoted line came right before
    for number, line in enumerate(lines):
        quote = None if fences.inside(number) else _QUOTE.fullmatch(line)
        if quote is None:
            own.append(line)
            fences.read(number)
        elif quote[1] in _TO_THE_END:
            blocks.append([quote[2], *lines[number + 1 :]])
            break
        elif after:
            blocks[-1].append(quote[2])
        else:
            blocks.append([quote[2]])
        after = quote is not None
    quoted = ("\n".join(part.strip() for part in block).strip() for block in blocks)
    return "\n".join(own).strip("\n") if blocks else text, tuple(block for block in quoted if block)


class _Fences:
    """Which lines begin within a code fence, read from the top; linear in the text."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._last = max((number for number, line in enumerate(lines) if _FENCE in line), default=-1)
        self._open = False

    def inside(self, number: int) -> bool:
        """Whether this line begins within a fence that is closed in it or below."""
        return self._open and number <= self._last

    def read(self, number: int) -> None:
        """Go on past a line that is no quote."""
        if self._lines[number].count(_FENCE) % 2:
            self._open = not self._open

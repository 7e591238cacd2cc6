"""Splits a Markdown text into messages that a platform accepts, code fences kept whole. Pure; refuses a limit below 1.

Every message must stand on its own: a fence that has to be cut is closed and opened again with its language.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from adapters.text.words import well_formed

# Possessive throughout: these never go back, so that no line takes longer than its length.
_OPENS = re.compile(r"([ \t]*+)(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`\n]*+")
_SENTENCE = re.compile(r"[.!?…][\"')\]*_]*+(?=\s)|[。\uff01\uff1f]")
_LOOK_BACK = 64  # the longest sequence of joined characters worth keeping whole


class _Fence(NamedTuple):
    """A code fence: how to open and close it again, and where it starts and stops in the text."""

    opening: str
    closing: str
    start: int
    stop: int


def split(text: str, limit: int) -> list[str]:
    """Split a Markdown text into pieces of at most `limit` characters, none of them empty.

    Cuts fall, in this order of liking, between paragraphs, lines, sentences and words; a code fence that fits into
    one piece is not cut at all. Only white space at the cuts is lost, and never the indentation of a line.

    Raises:
        ValueError: the limit is below 1.
    """
    if limit < 1:
        raise ValueError("A piece needs room for one character at least: give a limit of 1 or more.")
    return _Splitter(well_formed(text), limit).pieces()


def _fence_opened(line: str, limit: int) -> tuple[str, str] | None:
    """The lines that reopen and close the fence that this line opens; None when it opens none that could be kept."""
    match = _OPENS.fullmatch(line)
    if not match:
        return None
    indent, marker, language = match.groups()
    opening, closing = indent + marker + language, indent + marker
    # A fence whose own lines would fill most of a piece is treated as plain text: the pieces stay legal.
    return (opening, closing) if max(len(line), len(opening) + len(closing) + 2) <= limit // 2 else None


def _closes(line: str, closing: str) -> bool:
    marker, run = closing.strip(), line.strip()
    return len(run) >= len(marker) and not run.strip(marker[0])


def _joined(text: str, at: int, start: int) -> bool:
    """Whether a cut at `at` would tear apart what is read as one character (accents, emoji, flags)."""
    here, before = text[at], text[at - 1]
    if unicodedata.category(here).startswith("M") or "\u200d" in (here, before) or "\U0001f3fb" <= here <= "\U0001f3ff":
        return True
    flags = 0
    while at - flags > start and "\U0001f1e6" <= text[at - flags - 1] <= "\U0001f1ff":
        flags += 1
    return flags % 2 == 1 and "\U0001f1e6" <= here <= "\U0001f1ff"


class _Splitter:
    """One text on its way into pieces. Positions are offsets into the text."""

    def __init__(self, text: str, limit: int) -> None:
        self._text, self._limit = text, limit
        self._end = len(text.rstrip())
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines[:-1])]
        self._fences = self._read_fences()

    def _read_fences(self) -> list[_Fence | None]:
        """For each line, the fence that is open before it."""
        before: list[_Fence | None] = []
        opened, first = None, 0
        for number, line in enumerate(self._lines):
            if opened is None:
                before.append(None)
                opened, first = _fence_opened(line, self._limit), number
            elif _closes(line, opened[1]):
                self._fill(before, opened, first, self._starts[number] + len(line))
                opened = None
        if opened is not None:
            self._fill(before, opened, first, len(self._text))
        before.extend([None] * (len(self._lines) - len(before)))
        return before

    def _fill(self, before: list[_Fence | None], opened: tuple[str, str], first: int, stop: int) -> None:
        last = bisect_right(self._starts, stop)
        before.extend([_Fence(*opened, self._starts[first], stop)] * (last - len(before)))

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _fence(self, at: int) -> _Fence | None:
        return self._fences[self._line(at)]

    def pieces(self) -> list[str]:
        found: list[str] = []
        at = self._skip(0)
        while at < self._end:
            piece, at = self._take(at)
            if piece.strip():
                found.append(piece)
        return found

    def _take(self, at: int) -> tuple[str, int]:
        """The piece that starts here, and where the next one starts."""
        fence = self._fence(at)
        head = f"{fence.opening}\n" if fence else ""
        room = self._limit - len(head)
        if self._end - at <= room:
            return head + self._text[at : self._end], self._end
        cut, inside = self._fitting_cut(at, room)
        body = self._text[at:cut]
        if inside:
            return f"{head}{body.removesuffix(chr(10))}\n{inside.closing}", cut
        return head + body.rstrip(), self._skip(cut)

    def _fitting_cut(self, at: int, room: int) -> tuple[int, _Fence | None]:
        """The best cut that leaves room to close the fence it falls into, and that fence."""
        kept = 0
        while True:
            cut = self._cut(at, at + room - kept)
            inside = self._fence(cut)
            needed = len(inside.closing) + 1 if inside else 0
            if needed <= kept:
                return cut, inside
            kept = needed

    def _skip(self, at: int) -> int:
        """Past the white space at a cut, but never past the indentation of a line that says something."""
        line = self._line(at)
        if at > self._starts[line]:
            rest = self._text[at : self._starts[line] + len(self._lines[line])]
            if rest.strip():
                return at + len(rest) - len(rest.lstrip())
            line += 1
        while line < len(self._lines) and not self._lines[line].strip():
            line += 1
        return self._starts[line] if line < len(self._lines) else len(self._text)

    def _cut(self, at: int, end: int) -> int:
        """The best place to cut in `(at, end]`; a line may end one further, as its line end is dropped."""
        fence = self._fence(min(end, len(self._text)))
        if fence and fence.start > at and fence.stop - fence.start <= self._limit:
            return fence.start
        end = self._off_fence_line(at, end)
        for low in (at + (end - at) // 2, at):
            cut = self._line_cut(low, end) or self._inner_cut(max(low, at + 1), end)
            if cut:
                return cut
        return self._hard_cut(at, end)

    def _off_fence_line(self, at: int, end: int) -> int:
        """A line that opens or closes a fence is never cut within: step back to its start."""
        line = self._line(end)
        start = self._starts[line]
        borders = line + 1 < len(self._lines) and self._fences[line] != self._fences[line + 1]
        return start if borders and at < start else end

    def _line_cut(self, low: int, end: int) -> int | None:
        best: tuple[int, int] | None = None
        for number in range(self._line(end + 1), 0, -1):
            start = self._starts[number]
            if start <= low:
                break
            in_code = self._fences[number] is not None
            if in_code and self._fences[number - 1] != self._fences[number]:
                continue  # right after an opening line: the piece would end with an empty block
            rank = 2 * in_code + bool(self._lines[number - 1].strip())
            if best is None or rank < best[0]:
                best = (rank, start)
            if rank == 0:
                break
        return best[1] if best else None

    def _inner_cut(self, low: int, end: int) -> int | None:
        """The last end of a sentence, else the last space, in `[low, end]`."""
        if self._fence(end) is None:
            ends = [match.end() for match in _SENTENCE.finditer(self._text, low, end + 1) if match.end() <= end]
            if ends:
                return ends[-1]
        space = self._text.rfind(" ", low, end + 1)
        while space >= 0 and not self._harmless(space):
            space = self._text.rfind(" ", low, space)
        return space if space >= 0 else None

    def _harmless(self, at: int) -> bool:
        """Whether what follows would not be read as a fence at the start of a line."""
        return not self._text[at : at + 8].lstrip(" ").startswith(("`", "~"))

    def _hard_cut(self, at: int, end: int) -> int:
        for cut in range(end, max(at, end - _LOOK_BACK), -1):
            if self._harmless(cut) and not _joined(self._text, cut, at):
                return cut
        return end

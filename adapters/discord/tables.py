"""Markdown tables, which Discord does not draw, made readable: an aligned code block where it fits, else bullets.

Pure. Refuses to touch code fences, and anything that is not clearly a table.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import zip_longest

_WIDEST = 56  # columns that a phone shows in a code block without wrapping
_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BAR = re.compile(r"(?<!\\)\|")


def readable(text: str) -> str:
    """Return the text with its tables redrawn; unchanged when it has none."""
    if "|" not in text:
        return text
    lines, out, fence = text.split("\n"), [], ""
    at = 0
    while at < len(lines):
        fence = _fence_after(lines[at], fence)
        rows = 0 if fence else _table_rows(lines, at)
        out += _drawn(lines[at : at + rows]) if rows else [lines[at]]
        at += rows or 1
    return "\n".join(out)


def _fence_after(line: str, fence: str) -> str:
    """Return the marker of the fence that is open after this line, "" for none."""
    match = _FENCE.match(line)
    if not match:
        return fence
    marker = match[1]
    if not fence:
        return marker
    closes = marker[0] == fence[0] and len(marker) >= len(fence) and not line.strip().strip(marker[0])
    return "" if closes else fence


def _table_rows(lines: list[str], at: int) -> int:
    """Count the lines of a table that starts here: a heading, a rule with as many cells, and rows with a bar."""
    head, rule = lines[at], lines[at + 1].strip() if at + 1 < len(lines) else ""
    if "|" not in head or "|" not in rule or not _RULE.fullmatch(rule) or len(_cells(head)) != len(_cells(rule)):
        return 0
    end = at + 2
    while end < len(lines) and _BAR.search(lines[end]):
        end += 1
    return end - at


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def _drawn(lines: list[str]) -> list[str]:
    head, *body = [_cells(line) for index, line in enumerate(lines) if index != 1]
    body = [row[: len(head)] for row in body]
    widths = [max(map(_width, column)) for column in zip_longest(head, *body, fillvalue="")]
    fits = sum(widths) + 2 * (len(widths) - 1) <= _WIDEST
    return _block(head, body, widths) if fits and "```" not in "\n".join(lines) else _bullets(head, body)


def _block(head: list[str], body: list[list[str]], widths: list[int]) -> list[str]:
    rule = ["-" * width for width in widths]
    return ["```", *(_padded(row, widths) for row in (head, rule, *body)), "```"]


def _padded(row: list[str], widths: list[int]) -> str:
    full = row + [""] * (len(widths) - len(row))
    cells = (cell + " " * (width - _width(cell)) for cell, width in zip(full, widths, strict=True))
    return "  ".join(cells).rstrip()


def _bullets(head: list[str], body: list[list[str]]) -> list[str]:
    return ["- " + "; ".join(_named(name, cell) for name, cell in zip(head, row, strict=False) if cell) for row in body]


def _named(name: str, cell: str) -> str:
    return f"**{name}:** {cell}" if name else cell


def _width(text: str) -> int:
    """Count columns: an East Asian wide character fills two, a combining one none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)

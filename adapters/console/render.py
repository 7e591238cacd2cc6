"""Shows Markdown in a terminal: bold stays bold or loses its marks. Pure; control characters never reach the screen.

A text that is still growing is shown only as far as what comes next cannot change it any more.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.chat import Action, Panel

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CODE = r"(?<!`)`(?P<code>[^`\n]+)`(?!`)"
_BOLD = r"(?<![\w*])\*\*(?=[^\s*])(?P<bold>[^\n]*?[^\s*])\*\*(?![\w*])"
_SPAN = re.compile(f"{_CODE}|{_BOLD}")
_MARK = re.compile(r"`|\*\*|\*$")
_FENCE = "```"


def clean(text: str) -> str:
    """Take out the characters that would move the cursor, colour the screen or ring the bell."""
    return _CONTROL.sub("", text)


def render(text: str, *, bold: bool, growing: bool = False) -> str:
    """Turn `**x**` and `` `x` `` into bold, or into plain text; code blocks stay as they are.

    With `growing` the end is held back from the first mark that may yet turn out either way, so that each longer text
    begins with what a shorter one gave.
    """
    return "\n".join(_lines(clean(text), bold=bold, growing=growing))


def panel_text(panel: Panel, actions: Sequence[Action], *, bold: bool) -> str:
    """Write a panel as lines, its actions numbered from 1."""
    shown = [render(panel.text, bold=bold)]
    shown += [f"  - {clean(item.text)}" + (f"  [{clean(item.note)}]" if item.note else "") for item in panel.items]
    shown += [f"  /{number}  {clean(action.label)}" for number, action in enumerate(actions, 1)]
    return "\n".join(shown) + "\n"


def _lines(text: str, *, bold: bool, growing: bool) -> Iterator[str]:
    *whole, last = text.split("\n")
    fenced = False
    for line in whole:
        fence = line.lstrip().startswith(_FENCE)
        yield line if fence or fenced else _spans(line, bold=bold)
        fenced ^= fence
    if not fenced and not last.lstrip().startswith(_FENCE):
        last = _spans(last[: _certain(last)] if growing else last, bold=bold)
    yield last


def _spans(line: str, *, bold: bool) -> str:
    return _SPAN.sub(partial(_shown, bold=bold), line)


def _shown(span: re.Match[str], *, bold: bool) -> str:
    inner = span["code"] or re.sub(_CODE, r"\g<code>", span["bold"])
    return f"\x1b[1m{inner}\x1b[0m" if bold else inner


def _certain(line: str) -> int:
    """Tell up to where an unfinished line is certain: to the first mark that has no end yet."""
    at = 0
    while mark := _MARK.search(line, at):
        span = _SPAN.match(line, mark.start())
        if span is None or span.end() == len(line):
            return mark.start()
        at = span.end()
    return len(line)

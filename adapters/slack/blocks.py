"""Reads what the blocks of a Slack message say. Pure; the escaped form of a text, so that one reader serves both."""

from __future__ import annotations

from itertools import count, repeat
from typing import TYPE_CHECKING

from adapters.slack.payload import dicts_at, number_at, text_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.slack.payload import Json

_DEEPEST = 8


def from_blocks(blocks: list[Json]) -> str:
    """What blocks say, in the escaped form that a message's text has."""
    return "\n".join(part for part in map(_block, blocks) if part.strip())


def _block(block: Json) -> str:
    match block.get("type"):
        case "rich_text":
            return "\n".join(_rich(element) for element in dicts_at(block, "elements"))
        case "table":
            return "\n".join(_row(row) for row in _rows(block))
        case "context":
            return " ".join(text_at(element, "text") for element in dicts_at(block, "elements"))
        case "image":
            return _escaped(text_at(block, "title", "text") or text_at(block, "alt_text"))
        case "markdown":
            return _escaped(text_at(block, "text"))
        case _:
            fields = [text_at(field, "text") for field in dicts_at(block, "fields")]
            return "\n".join(part for part in [text_at(block, "text", "text"), *fields] if part)


def _rich(element: Json) -> str:
    parts = dicts_at(element, "elements")
    match element.get("type"):
        case "rich_text_list":
            lines = "\n".join(f"{mark} {_rich(part)}" for mark, part in zip(_marks(element), parts, strict=False))
            return _as_quote(lines) if element.get("border") == 1 else lines  # a list within a quotation
        case "rich_text_preformatted":
            return f"```\n{_inline(parts)}\n```"
        case "rich_text_quote":
            return _as_quote(_inline(parts))
        case _:
            return _inline(parts)


def _marks(element: Json) -> Iterator[str]:
    """What stands before each line of a list: lists within lists come one after the other, each with its depth."""
    indent = "    " * min(number_at(element, "indent"), _DEEPEST)
    if element.get("style") != "ordered":
        return repeat(f"{indent}-")
    return (f"{indent}{number}." for number in count(number_at(element, "offset") + 1))


def _as_quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _inline(parts: list[Json]) -> str:
    return "".join(map(_run, parts))


def _run(part: Json) -> str:
    """One run of rich text, in the escaped form that `text` would have, so that one reader serves both."""
    form = _RUNS.get(text_at(part, "type"))
    return form(part) if form else _escaped(text_at(part, "text"))


def _link_run(part: Json) -> str:
    label = text_at(part, "text")
    return f"<{_escaped(text_at(part, 'url'))}{'|' if label else ''}{_escaped(label)}>"


_RUNS: dict[str, Callable[[Json], str]] = {
    "user": lambda part: f"<@{text_at(part, 'user_id')}>",
    "channel": lambda part: f"<#{text_at(part, 'channel_id')}>",
    "broadcast": lambda part: f"<!{text_at(part, 'range')}>",
    "usergroup": lambda part: f"<!subteam^{text_at(part, 'usergroup_id')}|@group>",
    "link": _link_run,
    "emoji": lambda part: f":{text_at(part, 'name')}:",
    "color": lambda part: _escaped(text_at(part, "value")),
    "date": lambda part: _escaped(text_at(part, "fallback")),
}


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _rows(table: Json) -> Iterator[list[Json]]:
    rows = table.get("rows")
    for row in rows if isinstance(rows, list) else []:
        yield [cell for cell in row if isinstance(cell, dict)] if isinstance(row, list) else []


def _row(cells: list[Json]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(cell: Json) -> str:
    if cell.get("type") == "rich_text":
        return _block(cell).replace("\n", " ")
    value = cell.get("value")  # of a number, which may come without a text
    shown = text_at(cell, "text") or (str(value) if isinstance(value, int | float) else "")
    return _escaped(shown).replace("\n", " ")


def tables(blocks: list[Json]) -> list[Json]:
    """The tables among blocks."""
    return [block for block in blocks if block.get("type") == "table"]

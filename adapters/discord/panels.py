"""Draws a panel in Discord's components, and reads back which of its buttons was pressed.

A button carries its command and argument in its id, so it works after a restart. Refuses an action whose id would not
fit into Discord's 100 characters.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, TypeVar

import discord
from discord import ui

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.chat import Action, Item, Panel

ViewT = TypeVar("ViewT", ui.View, ui.LayoutView)
_PREFIX = "keepsake"
_BLANK = "\u200b"  # Discord refuses an empty text
_ID_LIMIT = 100
_LABEL_LIMIT = 80
_ROW = 5  # buttons in one row
_CHARACTERS = 3900  # of the 4,000 that all texts of one message may have together
_COMPONENTS = 36  # of 40; the rest is for the line that says how many items are not shown
_NOTICE = "-# I am an AI and can be wrong, and I remember what you tell me. What that means, and your choices:"
_NOTICE_BUTTON = "About my memory"
NOTICE_COMMAND = "notice"


def layout(panel: Panel) -> ui.LayoutView:
    """Draw a panel as one message."""
    numbers = count()
    rows = _rows(panel.actions, numbers)
    box: ui.Container[ui.LayoutView] = ui.Container(ui.TextDisplay(_cut(panel.text or _BLANK, _CHARACTERS)))
    view = _unwatched(ui.LayoutView(timeout=None))
    characters = len(panel.text)
    used = 2 + sum(1 + len(row.children) for row in rows)
    for shown, item in enumerate(panel.items):
        text = _item_text(item)
        characters, used = characters + len(text), used + 2 + len(item.actions)
        if characters > _CHARACTERS or used > _COMPONENTS:
            box.add_item(ui.TextDisplay(f"-# … and {len(panel.items) - shown} more."))
            break
        for part in _item(text, item.actions, numbers):
            box.add_item(part)
    for row in rows:
        box.add_item(row)
    view.add_item(box)
    return view


def notice() -> tuple[str, ui.View]:
    """Return the small public line and its button, which opens the first-contact panel for who presses it alone."""
    view = _unwatched(ui.View(timeout=None))
    view.add_item(_button(0, _NOTICE_BUTTON, NOTICE_COMMAND, "", discord.ButtonStyle.secondary))
    return _NOTICE, view


def custom_id(number: int, command: str, argument: str) -> str:
    """Name a button; the number keeps two alike apart in one message.

    Raises:
        ValueError: the argument is too long.
    """
    name = f"{_PREFIX}:{number}:{command}:{argument}"
    if len(name) > _ID_LIMIT:
        raise ValueError(
            f"A button of /{command} has too long an argument: its id must fit into {_ID_LIMIT} characters."
        )
    return name


def pressed(name: str) -> tuple[str, str] | None:
    """Read a button's id: its command and argument, or None when it is not one of ours."""
    prefix, _, rest = name.partition(":")
    _, _, rest = rest.partition(":")
    command, found, argument = rest.partition(":")
    return (command, argument) if prefix == _PREFIX and found and command else None


def _unwatched(view: ViewT) -> ViewT:
    view.stop()  # presses come as plain events: discord.py need not keep it
    return view


def _item(text: str, actions: Sequence[Action], numbers: Iterator[int]) -> Iterator[ui.Item[ui.LayoutView]]:
    if len(actions) == 1:
        yield ui.Section(ui.TextDisplay(text), accessory=_action(actions[0], numbers))
        return
    yield ui.TextDisplay(text)
    yield from _rows(actions, numbers)


def _rows(actions: Sequence[Action], numbers: Iterator[int]) -> list[ui.ActionRow[ui.LayoutView]]:
    groups = (actions[start : start + _ROW] for start in range(0, len(actions), _ROW))
    return [ui.ActionRow(*(_action(action, numbers) for action in group)) for group in groups]


def _action(action: Action, numbers: Iterator[int]) -> ui.Button[ui.LayoutView]:
    style = discord.ButtonStyle.danger if action.danger else discord.ButtonStyle.secondary
    return _button(next(numbers), action.label, action.command, action.argument, style)


def _button(
    number: int, label: str, command: str, argument: str, style: discord.ButtonStyle
) -> ui.Button[ui.LayoutView]:
    return ui.Button(label=_cut(label, _LABEL_LIMIT), style=style, custom_id=custom_id(number, command, argument))


def _item_text(item: Item) -> str:
    return _cut(f"{item.text}\n-# {item.note}" if item.note else item.text or _BLANK, _CHARACTERS)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"

"""What a command is, and what it answers to one person only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat.words import Thread, User


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can press. It comes back as that command with that argument, from whoever pressed it."""

    label: str
    command: str
    argument: str = ""
    danger: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a panel, a quiet note behind it (where and when), and what can be done with it."""

    text: str
    note: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """What a command answers, to that person only: each platform draws it its own way. `text` is Markdown."""

    text: str
    items: tuple[Item, ...] = ()
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One use of a command: by whom, where, with which argument ("" for none)."""

    user: User
    thread: Thread
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A platform-neutral command. `name` has no slash; `run` needs no model and never raises for odd arguments."""

    name: str
    description: str
    run: Callable[[Ask], Awaitable[Panel]] = field(repr=False)

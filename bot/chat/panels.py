"""What a command is, and what it answers to one person only."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat.words import Message, Thread, User


class Role(StrEnum):
    """What an action is for, where a platform has a way of its own to draw it."""

    PLAIN = ""
    GOOD = "good"
    BAD = "bad"
    AGAIN = "again"


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can press. It comes back as that command with that argument, from whoever pressed it."""

    label: str
    command: str
    argument: str = ""
    danger: bool = False
    role: Role = Role.PLAIN


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
    """One use of a command: by whom, where, with which argument ("" for none).

    `message` is the message it was used on, if it was one, whoever wrote it; `message.author` is then who did, as the
    platform says (the bot itself for an answer of ours).
    """

    user: User
    thread: Thread
    argument: str = ""
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A platform-neutral command. `name` has no slash; `run` needs no model and never raises for odd arguments.

    `window`: its answer belongs in a window of its own, where a platform has one. `on_message`: it is used on a message
    (`Ask.message`), by a shortcut, and not by its name; `description` is then the shortcut's label.
    """

    name: str
    description: str
    run: Callable[[Ask], Awaitable[Panel]] = field(repr=False)
    window: bool = False
    on_message: bool = False

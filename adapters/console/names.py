"""Reads a command as people type it: in any case, with or without its dash, with a slip of a letter. Pure."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from adapters.console.render import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import Action

ENDS = frozenset({"/quit", "/exit"})
_ALIKE = 0.75


def _bare(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter not in "-_ ")


def meant(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Give the name and the argument of "/name argument"; `/Forget me` means `/forget-me`.

    A name that is none of these comes back in lower case.
    """
    known = {_bare(name): name for name in names}
    words = text[1:].split()
    for count in (2, 1):
        if found := known.get(_bare(" ".join(words[:count]))):
            return found, " ".join(words[count:])
    return "".join(words[:1]).lower(), " ".join(words[1:])


def alike(name: str, names: Sequence[str]) -> str | None:
    """Give the one of these names that a name was probably meant to be; None for one of them, or for no such one."""
    close = get_close_matches(name, names, n=1, cutoff=_ALIKE)
    return close[0] if close and name not in names else None


def asked(text: str, names: Sequence[str], actions: Sequence[Action]) -> tuple[str, str]:
    """Give the command and the argument that a line asks for: `/1` presses the first of these actions.

    Raises:
        LookupError: there is none such; the text is what to tell the person.
    """
    name, argument = meant(text, names)
    if name.isdecimal():
        if not 0 < int(name) <= len(actions):
            raise LookupError(f"There is nothing to choose with /{name} now.")
        action = actions[int(name) - 1]
        return action.command, action.argument
    if near := alike(name, names):
        raise LookupError(f"I do not know /{clean(name)}. Did you mean /{near}?")
    return name, argument

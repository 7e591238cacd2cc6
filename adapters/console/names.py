"""Reads a command as people type it: in any case, with or without its dash, with a slip of a letter. Pure."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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

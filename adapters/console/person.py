"""Who talks in the terminal. Refuses a name that cannot be made an id of a person, rather than guess at one."""

from __future__ import annotations

import re
import unicodedata

from bot.chat import User

NAME = "console"
LONGEST = 100
"""Characters of a name at most; a memory space's name has room for a few more."""
_ID = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


def person(name: str) -> User:
    """Make the user that a name stands for. Case and accents make no difference: José, jose and JOSE are one person.

    Raises:
        ValueError: what is left has other letters than a-z, or none, or too many.
    """
    plain = unicodedata.normalize("NFKD", name.strip().casefold())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    if len(plain) > LONGEST or not _ID.fullmatch(plain):
        raise ValueError(
            f"A name has letters a-z (accents do not matter), digits, '-' and '_', or dots between them, {LONGEST} "
            "characters at most."
        )
    return User(NAME, plain, name.strip())

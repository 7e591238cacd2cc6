"""The numbers and sentences of the contract, and what had to be guessed, in one place.

The contract is what the public client, its tests and its documentation say. It refuses nothing by itself; `parse` does.
"""

from __future__ import annotations

import re

NOTHING_STORED = "There is nothing stored about this yet. Say so rather than guessing."
KINDS = ("people", "plan", "pref", "detail")

MESSAGES_A_CALL = 500
BATCH_ITEMS = 100
LABELS_A_SOURCE = 20
SOURCES_A_LABEL_DELETE = 100
LONGEST_HOLD = 30.0
"""Seconds that `?wait=` may hold an answer back."""
TURN_CHARACTERS = 50_000
"""What is kept of one turn of a conversation; the rest is cut, as the client's sister packages do."""
BUDGET_CHARACTERS = (500, 40_000)
CUE_CHARACTERS = 4_000
SPACE_NAME = re.compile(r"(?!\.+$)[A-Za-z0-9._-]{1,128}")
"""The service's rule, without names of dots only: a client's URL handling swallows those."""

# Everything below is a guess: nothing public says it. If the service turns out to differ, change it here.
NOTE_CHARACTERS = 200_000
CORRECTION_CHARACTERS = 4_000
FACTS_A_SOURCE = 5_000
"""Facts learned from one source; they are written in one transaction, and others wait for it."""
CONVERSATION_CHARACTERS = 1_000_000
BODY_BYTES = 8_000_000
EXTERNAL_ID_CHARACTERS = 512
LABEL_CHARACTERS = 256
TITLE_CHARACTERS = 300
LARGEST_PAGE = 200
"""A larger `limit` is read as this one."""
BAD_SPACE = (422, "bad_space")
INVALID = (422, "invalid_request")
TOO_LONG = (413, "too_long")
TOO_MANY_MESSAGES = (422, "invalid")
NOT_ALLOWED = (405, "method_not_allowed")
NOT_FOUND = (404, "not_found")
BAD_KEY = (401, "bad_key")
INTERNAL = (500, "internal")
UNAVAILABLE = (503, "memory_unavailable")
# Guessed behaviour, with where it lives:
# - A header or an item that names a blank space is refused, never read as the key owner's own memory (parse.py).
# - Space names are case-sensitive; an unknown one reads empty, and forgetting it removes nothing with 200 (spaces.py).
# - A delete without any filter, with a blank external_id or a blank id is refused (parse.py).
# - An unknown external_id in a delete is 404 (sources.py).
# - Turns sent twice in a session are not recognised, beyond equal facts becoming one (learning.py).
# - A deleted memory is not taught again by the same source, whatever is resent under it (memories.py).
# - A correction takes over the labels that all sources of the old memory share (memories.py).
# - A line of a context shows when something was said (memories.py).


class Refused(Exception):  # noqa: N818 - an answer with a status, not a fault of the program
    """A call that is answered with an error: its status, its code, and a sentence for people."""

    def __init__(self, answer: tuple[int, str], message: str) -> None:
        """Keep the three parts; `message` holds no words of the caller."""
        super().__init__(message)
        self.status, self.code = answer
        self.message = message

    @property
    def body(self) -> dict[str, object]:
        """The `error` object as the service words it."""
        return {"code": self.code, "message": self.message}

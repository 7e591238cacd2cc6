"""What the local model says: a quotation of what it was given, or that it does not know.

Pure. It refuses to make anything up, and to sound like a model: its first answer in a conversation says what it is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from bot.local.model import kinds
from bot.local.model.given import Line, sentences
from bot.local.model.match import bearing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.local.model.given import Given

NO_MODEL = "(No model is configured, so I can only repeat what you told me. To change that, set OPENAI_API_KEY.)"
PRIVACY = (
    "Use /memory to see what I remember about you, and /forget-me to erase all of it. "
    "Delete a message of yours, and I forget what it said."
)
FORGET_ONE = (
    "I cannot pick out one thing to forget. Delete the message in which you told me, and I forget what it said; "
    "/forget-me erases everything."
)
NOT_TOLD = (
    'I am not sure what to make of that. Tell me something in a sentence, such as "I live in Oslo", '
    "or ask me about what you told me."
)
NO_TASKS = "I cannot do that without a model. Tell me something, or ask me about what you told me."

_WORD = re.compile(r"[^\W_]+")
_FIXED = (
    (kinds.greets, "Hello! Tell me something to remember, or ask me about what you told me."),
    (kinds.thanks, "You are welcome."),
    (kinds.asks_privacy, PRIVACY),
    (kinds.asks_to_forget, FORGET_ONE),
)
_NOT_KNOWN = "I do not know: nothing that you told me answers that."
_NO_ANSWER = {
    "unread": "I cannot say: what you told me earlier could not be read just now.",
    "withheld": "Others can read this, and nothing of what I remember about you may be shown here. "
    "Ask me in a direct message.",
}
_NO_LIST = _NO_ANSWER | {
    "known": "I know nothing about you yet.",
    "nothing": "I know nothing about you yet.",
    "": "I was given nothing about you.",
}


def write(given: Given) -> str:
    """Answer what was asked or said."""
    text = _answer(given)
    return f"{text}\n\n{NO_MODEL}" if given.first else text


def _answer(given: Given) -> str:
    words = given.words
    if fixed := next((text for fits, text in _FIXED if fits(words)), None):
        return fixed
    if kinds.asks_about_me(words):
        return _all_known(given)
    said = sentences(words)
    asked = [sentence for sentence in said if kinds.is_question(sentence)]
    return _found(given, " ".join(asked)) if asked else _told_something(said)


def _told_something(said: Sequence[str]) -> str:
    """Say "Noted." only to what looks told: whether it is remembered is for the memory to say."""
    if any(kinds.tells(sentence) for sentence in said):
        return "Noted."
    return NO_TASKS if any(kinds.is_task(sentence) for sentence in said) else NOT_TOLD


def _anew(lines: Iterable[Line], known: Sequence[Line]) -> list[Line]:
    """Leave out what only asks or greets, what is among the known lines, and what was said twice."""
    have = " ".join(_bare(line.text) for line in known)
    found = {_bare(line.text): line for line in lines if kinds.tells(line.text) and _bare(line.text) not in have}
    return list(found.values())


def _bare(text: str) -> str:
    return f" {' '.join(_WORD.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def _all_known(given: Given) -> str:
    """List the block whole, then what this person said in this conversation."""
    here = _anew([line for line in given.earlier if line.note == "you"], given.known)
    parts = [_listed("You told me:", given.known) if given.known else _NO_LIST.get(given.state, _NOT_KNOWN)]
    if here:
        parts.append(_listed("In this conversation you said:", [Line(line.text) for line in reversed(here)]))
    return "\n\n".join(parts)


def _found(given: Given, question: str) -> str:
    """Quote what bears on the question, from memory first, then from this conversation."""
    known = bearing(question, given.known)
    now = [Line(one, "you") for one in sentences(given.words)]
    here = bearing(question, _anew([*now, *given.earlier], known))
    if not known and not here:
        return _NO_ANSWER.get(given.state, _NOT_KNOWN)
    parts = []
    if known:
        parts.append(_listed("You told me:", known) if len(known) > 1 else _told(known[0]))
    if here:
        parts.append("\n".join(f"{'You' if line.note == 'you' else line.note} said here: {line.text}" for line in here))
    return "\n\n".join(parts)


def _told(line: Line) -> str:
    return f"You told me {line.note}: {line.text}" if line.note else f"You told me: {line.text}"


def _listed(title: str, lines: Sequence[Line]) -> str:
    return "\n".join([title, *(f"- {line.text} ({line.note})" if line.note else f"- {line.text}" for line in lines)])

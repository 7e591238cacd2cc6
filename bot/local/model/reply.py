"""What the local model says: a quotation of what it was given, or that it does not know.

Pure. It refuses to make anything up, and to sound like a model: its first answer in a conversation says what it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.local.model.given import Line, sentences
from bot.local.model.match import bearing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.local.model.given import Given

NO_MODEL = "(No model is configured, so I can only repeat what you told me. To change that, set OPENAI_API_KEY.)"
PRIVACY = "Use /memory to see and delete what I remember about you, and /forget-me to erase all of it."

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

_ABOUT_ME = re.compile(
    r"\b(know|remember|learn(ed|t)?|recall|have) about me\b|\bremember me\b|\bwho am i\b|\bhave i told you\b"
    r"|\bdid i tell you\b(?!.*\babout\b)|\bdo you remember\W*$"
    r"|\bwei(ß|ss)t du\b.*\b(über mich|von mir)\b|\bwer bin ich\b|\bsais\b.*\b(de|sur) moi\b|\bqui suis-je\b"
    r"|\bsabes? (de|sobre) (mí|mi|mim)\b|\bquién soy\b|\bsai di me\b|\bweet je (over|van) mij\b",
    re.IGNORECASE,
)
_PRIVACY = re.compile(r"\bprivacy\b|\bforget (about )?me\b|^(please )?(forget|delete|erase)\b", re.IGNORECASE)
_GREETING = re.compile(
    r"(hi|hello|hey|good (morning|afternoon|evening)|hallo|guten (morgen|tag|abend)|moin|servus|bonjour|salut|hola"
    r"|buenos d[ií]as|ciao|ol[aá]|hoi|こんにちは|你好|안녕하세요|مرحبا|привет)( there)?[\s.!,]*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(many )?(thanks?( you)?|danke|merci|gracias|grazie|obrigad[oa])( (a lot|so much|very much))?[\s.!]*",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(what|what's|whats|who|who's|when|where|why|how|which|whose|do|does|did|is|are|am|was|were|can|could|would"
    r"|tell me|remind me|wie|wann|wo|wer|warum|welche[rsn]?|où|quand|comment|qui|quel(le)?|qué|cuándo|dónde|quién|cómo"
    r")\b",
    re.IGNORECASE,
)
_MARKS = ("?", "\uff1f", "\u061f", "\u037e")


def write(given: Given) -> str:
    """Answer what was asked or said."""
    text = _answer(given)
    return f"{text}\n\n{NO_MODEL}" if given.first else text


def _answer(given: Given) -> str:
    words = given.words
    if not words or _GREETING.fullmatch(words):
        return "Hello! Tell me something to remember, or ask me about what you told me."
    if _THANKS.fullmatch(words):
        return "You are welcome."
    if _PRIVACY.search(words):
        return PRIVACY
    if _ABOUT_ME.search(words):
        return _all_known(given)
    asked = [sentence for sentence in sentences(words) if is_question(sentence)]
    return _found(given, " ".join(asked)) if asked else "Noted."


def is_question(sentence: str) -> bool:
    """Tell a question by its mark, or by how it begins."""
    return sentence.rstrip().endswith(_MARKS) or _ASKING.match(sentence) is not None


def _all_known(given: Given) -> str:
    """List the block whole, then what this person said in this conversation."""
    here = [line for line in given.earlier if line.note == "you" and not is_question(line.text)]
    parts = [_listed("You told me:", given.known) if given.known else _NO_LIST.get(given.state, _NOT_KNOWN)]
    if here:
        parts.append(_listed("In this conversation you said:", [Line(line.text) for line in reversed(here)]))
    return "\n\n".join(parts)


def _found(given: Given, question: str) -> str:
    """Quote what bears on the question, from memory first, then from this conversation."""
    known = bearing(question, given.known)
    told = {line.text.casefold() for line in known}
    now = [Line(one, "you") for one in sentences(given.words) if not is_question(one)]
    before = [
        line for line in (*now, *given.earlier) if not is_question(line.text) and line.text.casefold() not in told
    ]
    here = bearing(question, before)
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

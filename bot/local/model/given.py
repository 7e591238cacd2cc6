"""What the local model was given: the memory block, the person's last words, and what was said before.

Pure. Only a system message can hold the block; quoted words and file names are nobody's statement and are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from autogen_core.models import AssistantMessage, SystemMessage, UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autogen_core.models import LLMMessage

_BLOCK = re.compile(r'^<memory-([0-9a-f]{8}) state="([a-z]+)">\n(.*?)^</memory-\1>$', re.DOTALL | re.MULTILINE)
_MEMORY = re.compile(r"^- (.+?)(?:  \[([^\]\n]*)\])?$", re.MULTILINE)

# How the prompt sets apart what is not the person's own words.
_SPEAKER = re.compile(r"\AFrom ([^\n:]+):\n")
_QUOTES = re.compile(r"^\[quoted from [^\n\]]*\]\n(?:>[^\n]*\n?)*", re.MULTILINE)
_ATTACHED = re.compile(r"^\[attached: [^\n]*\]$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026\u061f])\s+|(?<=[\u3002\uff01\uff1f])|\n+")


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was said, and a note: where and when, or by whom."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """All that an answer may come from. `state` is the memory block's own word, or "" when there was no block."""

    words: str
    state: str = ""
    known: tuple[Line, ...] = ()
    earlier: tuple[Line, ...] = ()
    first: bool = True


def read(messages: Sequence[LLMMessage]) -> Given:
    """Sort out what was given; the last user message is what is to be answered."""
    system = "\n".join(message.content for message in messages if isinstance(message, SystemMessage))
    turns = [message for message in messages if isinstance(message, UserMessage)]
    block = _BLOCK.search(system)
    return Given(
        words=own_words(turns[-1]) if turns else "",
        state=block[2] if block else "",
        known=tuple(_memories(block[3])) if block else (),
        earlier=tuple(_said_before(turns)),
        first=not any(isinstance(message, AssistantMessage) for message in messages),
    )


def own_words(turn: UserMessage) -> str:
    """Leave only what the person said themselves."""
    text = turn.content if isinstance(turn.content, str) else "\n".join(p for p in turn.content if isinstance(p, str))
    return _ATTACHED.sub("", _QUOTES.sub("", _SPEAKER.sub("", text))).strip()


def sentences(text: str) -> list[str]:
    """Cut a text into its sentences, end marks kept and list marks left out."""
    return [sentence for found in _SENTENCE_END.split(text) if (sentence := found.strip().lstrip("-*\u2022 "))]


def _memories(block: str) -> Iterator[Line]:
    """Read the block's lines; its writer escaped them, and what is shown to a person is not escaped."""
    for text, note in _MEMORY.findall(block):
        yield Line(unescape(text.strip()), note)


def _said_before(turns: Sequence[UserMessage]) -> Iterator[Line]:
    """Give what was said earlier in this conversation, newest first, by "you" or by name."""
    for turn in reversed(turns[:-1]):
        speaker = _SPEAKER.match(str(turn.content))
        who = speaker[1] if speaker and turn.source != turns[-1].source else "you"
        for sentence in sentences(own_words(turn)):
            yield Line(sentence, who)

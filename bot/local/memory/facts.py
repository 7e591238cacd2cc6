"""Splits what a person wrote into facts that can each be understood alone.

Questions, greetings and tasks teach nothing and are left out.
"""
# ruff: noqa: RUF001 - words of other scripts are the point here

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.local.memory import persons, speech
from bot.local.memory.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 600
"""Characters of one fact; a longer sentence is cut at a space."""
_TOGETHER = 240
"""Characters of a fact of several sentences."""
_CARRIED = 160
_ITEM_CHARACTERS = 80
"""A line below a heading that is longer than this is no item of its list, unless it has a bullet."""
_END = re.compile(
    r"(?<=[.!?\u2026\u061f\u0964\u06d4])(?:\s+|[\"'\u201d\u2019)\]]+\s+(?![a-z]))(?![\u2013\u2014-]\s)"
    r"|(?<=[\u3002\uff01\uff1f])[\u300d\u300f\u201d]?"
)
"""The end of a sentence; not before what goes on in small letters after a quotation, nor before who said it."""
_ABBREVIATED = re.compile(
    r"(?:^|[\s(.])(?:[^\W\d_]|dr|mr|mrs|ms|prof|st|no|nr|vs|etc|e\.g|i\.e|z\.b|bzw|ca|approx|dept|inc|ltd|jr|sr"
    r"|sra|hr|fr)\.$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*+\u2022\u2013\u25e6\u30fb]|\d{1,3}[.)]|\[[ xX]\])\s+(?=\S)")
_LEANS = re.compile(
    r"^(?:and |but |so |also,? |or |then )*(?:it|it's|its|he|he's|she|she's|they|they're|this|that|that's"
    r"|these|those|his|her|hers|"
    r"their|theirs|him|them|there|both|one|same|either|because|which|er|sie|es|das|dies\w*|sein\w*|ihr\w*|elle"
    r"|il|ils|elles|c'est|"
    r"cela|ca|ella|el|ellos|eso|esto|su|lui|lei|loro|ele|ela|eles|isso|hij|zij|het|dat|он|она|оно|они|это|его|ее|их|"
    r"هو|هي|هم)\b|^(?:[它他她这那這]|それ|彼|これ)"
)
_FEW_WORDS = 2
_LOOK_BACK = 12
"""Characters before a point that tell whether it ends an abbreviation."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence worth keeping, and the exact words it came from."""

    text: str = field(repr=False)
    quote: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str = field(repr=False)
    heading: str = field(default="", repr=False)
    item: bool = False


def split(text: str, *, chat: bool) -> list[Fact]:
    """Read the facts in a text. In a chat a lone word teaches nothing: what it answers is not known."""
    found: list[Fact] = []
    for sentence in _sentences(html.unescape(text)):
        said = speech.stated(sentence.text) if speech.asks(sentence.text) else sentence.text
        if not said or speech.greets(said) or speech.orders(said):
            continue
        if sentence.item:
            found.append(Fact(f"{sentence.heading} {said}".strip(), said))
        elif found and _leans(said):
            _lean(found, said)
        elif not chat or _says_enough(said):
            found.append(Fact(said, said))
    return found


def _says_enough(said: str) -> bool:
    return speech.tells(said) or persons.named(said) or len(words(said)) >= _FEW_WORDS


def _leans(said: str) -> bool:
    """Tell whether a sentence needs the one before to be understood."""
    return bool(_LEANS.search(speech.plain(said))) or not _says_enough(said)


def _lean(found: list[Fact], said: str) -> None:
    """Put a sentence to the fact it leans on; where that would grow too long, carry its end along instead."""
    before = found[-1]
    if len(before.text) + len(said) < _TOGETHER:
        found[-1] = Fact(f"{before.text} {said}", f"{before.quote} {said}")
    else:
        found.append(Fact(f"{before.text[-_CARRIED:]} {said}"[-LONGEST:], said))


def asks(text: str) -> bool:
    """Tell whether anything is asked in a text."""
    return any(speech.asks(sentence.text) for sentence in _sentences(html.unescape(text)))


def question(text: str) -> str:
    """Reduce a message to what it asks: what is said about the answer's form, and greetings, are left out."""
    sentences = [one.text for one in _sentences(html.unescape(text)) if not speech.greets(one.text)]
    if any(speech.asks(sentence) for sentence in sentences):
        sentences = [sentence for sentence in sentences if not speech.orders(sentence)]
    return "\n".join(sentences) or text


def _sentences(text: str) -> Iterator[_Sentence]:
    heading = ""
    for line in text.splitlines():
        bullet = _ITEM.match(line)
        plain = line[bullet.end() :].strip() if bullet else line.strip()
        if plain.endswith((":", "\uff1a")) and not bullet:
            heading = plain
            continue
        if not plain or not (bullet or len(plain) <= _ITEM_CHARACTERS):
            heading = ""
        for sentence in _cut(plain):
            yield _Sentence(sentence, heading, item=bool(bullet or heading))


def _cut(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        if not _ABBREVIATED.search(line[max(start, end.start() - _LOOK_BACK) : end.start()]):
            yield from _short(line[start : end.end()])
            start = end.end()
    yield from _short(line[start:])


def _short(sentence: str) -> Iterator[str]:
    rest = sentence.strip()
    while len(rest) > LONGEST:
        space = rest.rfind(" ", LONGEST // 2, LONGEST)
        cut = space if space > 0 else LONGEST
        yield rest[:cut].strip()
        rest = rest[cut:].strip()
    if rest:
        yield rest

"""Turns text into the terms of the index: stems for scripts with spaces, pairs of characters for those without.

It keeps no text: what the database holds of a term is a keyed number.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING

import snowballstemmer  # type: ignore[import-untyped]

from bot.local.memory import lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MARKS = re.compile("[\u0300-\u036f\u0640\u064b-\u065f\u0670]")
"""Accents, and the vowel signs of Arabic: written or not, a word is the same."""
_PAIRED = ((0x3005, 0x3005), (0x3041, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF),
           (0x20000, 0x2FA1F))  # fmt: skip
_TRIPLED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
_SCRIPT_STEMS = ((0x0400, 0x04FF, "russian"), (0x0600, 0x06FF, "arabic"), (0x0370, 0x03FF, "greek"),
                 (0x0900, 0x097F, "hindi"), (0x0B80, 0x0BFF, "tamil"), (0x0530, 0x058F, "armenian"))  # fmt: skip
_LATIN = tuple(language for language in lexicon.STOP if language not in {"russian", "arabic"})
_LONG_NUMBER = 2
_STRETCHED = re.compile(r"(.)\1{2,}")
_stemming = threading.Lock()
_stems: ContextVar[dict[tuple[str, str], str] | None] = ContextVar("stems", default=None)


@contextmanager
def one_job() -> Iterator[None]:
    """Stem each word only once within the block; what was stemmed is gone with it, as nobody's words stay in memory."""
    token = _stems.set({})
    try:
        yield
    finally:
        _stems.reset(token)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: the forms it is found by, what it means about, and whether it can make a match alone.

    `asks` are the meanings it finds others by: a sister is a sibling, but to ask for a brother does not find her.
    """

    forms: frozenset[str] = field(repr=False)
    meanings: frozenset[str] = field(default=frozenset(), repr=False)
    asks: frozenset[str] = field(default=frozenset(), repr=False)
    strong: bool = True

    @property
    def families(self) -> Iterator[str]:
        """The names of the families it belongs to (see `lexicon.FAMILIES`)."""
        return (form.removeprefix("=") for form in self.forms if form.startswith("="))


def fold(text: str) -> str:
    """Make letters comparable: no case, no accents, no width."""
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed))


def words(text: str) -> list[Word]:
    """Read the words of a text that carry something, in order, each once."""
    found: dict[frozenset[str], Word] = {}
    pieces = list(_pieces(text))
    language = _language(tuple(piece for kind, piece in pieces if kind == "word"))
    for kind, piece in pieces:
        for word in _spaced(piece, language) if kind == "word" else _unspaced(piece, 2 if kind == "paired" else 3):
            found.setdefault(word.forms, word)
    return list(found.values())


def terms(found: Iterable[Word]) -> set[str]:
    """Everything that words are found by."""
    return {term for word in found for term in word.forms | word.meanings}


def number(term: str, salt: bytes) -> int:
    """Stand for a term in the database: no stem of anyone's words rests there, and each space numbers its own."""
    return int.from_bytes(blake2b(term.encode(), key=salt, digest_size=8).digest(), "big", signed=True)


def _script(character: str) -> str:
    code = ord(character)
    if any(first <= code <= last for first, last in _PAIRED):
        return "paired"
    if any(first <= code <= last for first, last in _TRIPLED):
        return "tripled"
    return "word" if unicodedata.category(character)[0] in "LNM" else ""


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    normal = unicodedata.normalize("NFKC", text).casefold()
    for kind, run in groupby(normal, _script):
        if kind:
            yield kind, "".join(run)


@cache
def _stop(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in lexicon.STOP[language].split())


def _language(pieces: tuple[str, ...]) -> str:
    """Guess the language of a text in Latin letters by its small words; English when in doubt."""
    seen = {fold(piece) for piece in pieces}
    return max(_LATIN, key=lambda language: (len(seen & _stop(language)), language == "english"))


def _spaced(piece: str, language: str) -> Iterator[Word]:
    folded = fold(piece)
    by_script = _by_script(piece)
    stops = _stop(by_script if by_script in lexicon.STOP else language)
    if folded in stops or (len(folded) == 1 and not folded.isdigit()):
        return
    forms = frozenset(
        {_STRETCHED.sub(r"\1\1", folded), *(_stem(name, piece) for name in (by_script or language, "english"))}
    )
    forms |= {family for form in forms if (family := _families().get(form))}
    short_number = folded.isdigit() and len(folded) < _LONG_NUMBER
    strong = not short_number and not forms & _weak()
    yield Word(forms, _meanings(forms, _concepts()), _meanings(forms, _asked_concepts()), strong=strong)


def _stem(language: str, word: str) -> str:
    """Cut a word to its stem."""
    known = _stems.get()
    if known is None:
        return _cut(language, word)
    if (language, word) not in known:
        known[language, word] = _cut(language, word)
    return known[language, word]


def _cut(language: str, word: str) -> str:
    """Ask the stemmer. It holds state, so one thread at a time uses it, and it is left with no word in it."""
    stemmer = _stemmer(language)
    with _stemming:
        stem = fold(stemmer.stemWord(_STRETCHED.sub(r"\1\1", word)))
        stemmer.stemWord("")
    return lexicon.SPELLINGS.get(stem, stem)


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    stemmer = snowballstemmer.stemmer(language)
    stemmer.maxCacheSize = 0  # where PyStemmer is installed it stands in, and keeps words by itself
    return stemmer


@cache
def _weak() -> frozenset[str]:
    return frozenset(form for word in lexicon.WEAK.split() for form in (fold(word), _stem("english", word)))


@cache
def _families() -> dict[str, str]:
    """Map each form of a word of a family to the term of that family."""
    return {
        form: f"={family}"
        for family, members in lexicon.FAMILIES.items()
        for word in members.split()
        for form in (fold(word), _script_stem(word))
    }


def _script_stem(word: str) -> str:
    language = _by_script(word)
    return _stem(language, word) if language else fold(word)


def _by_script(word: str) -> str:
    return next((name for low, high, name in _SCRIPT_STEMS if low <= ord(word[0]) <= high), "")


@cache
def _unspaced_families() -> tuple[tuple[str, str], ...]:
    return tuple((word, family) for word, family in _families().items() if _script(word[0]) in {"paired", "tripled"})


def _family_of_group(group: str) -> frozenset[str]:
    """Find the family of a group of characters that begins with a word of it, or that begins a longer one."""
    return frozenset(
        family
        for word, family in _unspaced_families()
        if group.startswith(word) or (len(group) > 1 and word.startswith(group))
    )


Concepts = dict[str, frozenset[str]]


def _grouped(groups: Iterable[str]) -> Concepts:
    found: dict[str, set[str]] = {}
    for members in filter(None, map(str.split, groups)):
        for word in members:
            for form in (fold(word), _stem("english", word)):
                found.setdefault(form, set()).add(f"#{members[0]}")
    return {form: frozenset(meanings) for form, meanings in found.items()}


@cache
def _concepts() -> Concepts:
    return _grouped(group.replace(">", " ") for group in lexicon.CONCEPTS.splitlines())


@cache
def _asked_concepts() -> Concepts:
    return _grouped(group.partition(">")[0] for group in lexicon.CONCEPTS.splitlines())


def _meanings(forms: frozenset[str], concepts: Concepts) -> frozenset[str]:
    return frozenset().union(*(concepts.get(form, frozenset()) for form in forms))


@cache
def _breaks() -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFKC", lexicon.CJK_BREAKS))


def _unspaced(piece: str, size: int) -> Iterator[Word]:
    """Cut a run without spaces into overlapping groups; a lone character counts, and each one supports a match."""
    for run in _breaks().split(piece):
        if len(run) == 1 and run in lexicon.LONE:
            continue
        for start in range(max(len(run) - size + 1, 1 if run else 0)):
            group = run[start : start + size]
            yield Word(frozenset({group}) | _family_of_group(group), strong=group not in _weak())
        if size == 2 < len(run):  # noqa: PLR2004 - pairs
            yield from (
                Word(frozenset({character}), strong=False) for character in run if character not in lexicon.LONE
            )

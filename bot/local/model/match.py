"""Which lines bear on a question: by words and families of words, or pairs of characters where words are not spaced.

Pure, and in any language as good as that is; it refuses to guess by meaning.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import takewhile
from typing import TYPE_CHECKING

from bot.local.model import families

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.local.model.given import Line

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
# Thai to Khmer, kana, Chinese characters, Hangul: no spaces, or endings that are written onto the word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_HIRAGANA = re.compile("[\u3040-\u309f]+")  # in pairs these are mostly grammar
_STEM = 4
_ENDING = 3
_MOST = 5
_OTHERS = 0.4  # too little to stand beside a line of their own that bears on it as much
_NAMELY = 0.4  # "What is my dog called?" is about the dog
_MINE = re.compile(
    r"\b(i|i'\w+|we|we'\w+|ich|wir|je|j'\w+|nous|yo|vivo|trabajo|soy|io|abito|lavoro|sono|eu|moro|ik|wij|jag"
    r"|я|мы|أنا)\b"
    r"|[我私僕俺](?!的|の|姐|妹|哥|弟|妈|爸)|(나는|내가|저는|제가)"
    r"|\b(my|our|mein|meine|mon|ma|mi|mio|mia|meu|minha|mijn|min|меня|мой|моя|اسمي)\b(?! (sister|brother|mother|father"
    r"|mom|mum|dad|wife|husband|partner|son|daughter|friend|boss|aunt|uncle|cousin|schwester|bruder|mutter|vater|frau|mann"
    r"|soeur|sœur|frère|mère|père|hermana|hermano|madre|padre|sorella|fratello)\b)"
)
_ELSE = re.compile(r"\b(who|he|she|they|er|sie|elle|ella|lei|lui|она|он)\b")

# Words that two sentences share without being about the same thing: en, de, fr, es, it, pt, nl.
_SMALL = """
a about am an and any anything are as at be been but by can could did do does for from had has have he her him
his how i i'm if in into is it it's its know let me mine my name's no not of on or our please remember
remind said say she should so some tell than that the their them there they this to told too us was we were what
what's when where which who who's whose why will with would yes you your
aber als am auch auf aus bei bin bist da das dass dein dem den der des dich die dir du ein eine einen er es für
hat habe hast ich ihr im ist ja kann mein meine meinem meinen meiner mich mir mit nein nicht noch oder sein sich
sie sind und uns von war warum was wann weiß weisst welche wer wie wir wo zu
au aux avec ce ces cet cette dans de des du elle en est et il ils je la le les leur ma mais me mes moi mon ne
nous ou où pas pour qu quand que quel quelle qui sa sais se ses son suis sur ta te tes toi ton tu un une vous
al cómo como con cuál cuándo cuando de del dónde el ella en eres es esta este ha he la las lo los me mi mí mis
no nos o para pero por que qué quien quién se ser si sin soy su sus te tu tus un una y yo
che chi come cosa di dove gli ho il io la le mia mie mio nel per quale quando sei si sono sua suo ti tuo un una
a ao as com da das de do dos e é ela ele em eu foi isso meu minha não na no o onde os ou para que quem sou um
uma
dat de dit een en er het hoe ik in is jij jouw maar met mij mijn niet of op te van waar wat wie zijn
"""
_COMMON = frozenset(_SMALL.casefold().split())


def bearing(question: str, lines: Iterable[Line]) -> list[Line]:
    """Pick the lines that share most with the question, best first, at most five; the same text only once.

    Of lines that share as much the first given comes first; asked about the person, theirs before those about others.
    """
    wanted, mine = _pieces(question), _speaks_of_self(question)
    scored: dict[str, tuple[float, Line]] = {}
    for line in reversed(list(lines)):
        part = _OTHERS if mine and not _speaks_of_self(line.text) else 1.0
        scored[line.text.casefold()] = (part * _shared(wanted, line.text), line)
    best = max((score for score, _ in scored.values()), default=0.0)
    near = [(score, line) for score, line in reversed(scored.values()) if score and 2 * score >= best]
    return [line for _, line in sorted(near, key=lambda pair: -pair[0])][:_MOST]


def _pieces(text: str) -> set[str]:
    """Take a text apart into what it may share with another: its telling words, or pairs of characters."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'"))
    pieces: set[str] = set()
    for word in words:
        if _UNSPACED.search(word):
            pieces |= _pairs(word)
        elif word not in _COMMON:
            bare = word.removesuffix("'s")
            pieces.add(families.of(bare) or bare)
    return pieces


def _pairs(run: str) -> set[str]:
    """Cut a run into pairs of characters; words of a family count as their family instead."""
    found = families.within(run)
    pairs = {run[at : at + 2] for at in range(max(1, len(run) - 1))}
    telling = {pair for pair in pairs if not _HIRAGANA.fullmatch(pair) and not any(_in(pair, word) for word in found)}
    return telling | set(found.values())


def _in(pair: str, word: str) -> bool:
    return word in pair or pair in word


def _speaks_of_self(text: str) -> bool:
    """Tell whether a text speaks of the person themselves; of two clauses about two people it does not."""
    said = text.casefold().replace("\u2019", "'")
    return _MINE.search(said) is not None and _ELSE.search(said.removeprefix("who")) is None


def _shared(wanted: set[str], text: str) -> float:
    pieces = _pieces(text)
    found = [one for one in wanted if any(_same(one, other) for other in pieces)]
    return sum(_NAMELY if one == "=name" and len(wanted) > 1 else 1.0 for one in found)


def _same(one: str, other: str) -> bool:
    """Take two words as one when only their endings differ: live and lives, study and studies, Hund and Hunde."""
    if one == other:
        return True
    if _UNSPACED.search(one):
        return len(one) == 1 and one in other
    stem = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    short, long = sorted((len(one), len(other)))
    return stem >= _STEM and short - stem <= 1 and long - stem <= _ENDING

"""Words for one circumstance of a life: asked in one, told in another ("Where do I live?", "I moved to Bergen"). Pure.

A list of this stand-in's own: it shares no code with the other one, the local memory.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FAMILIES = {
    "live": """live lives lived living move moved moving relocated relocate reside resides home wohne wohnst wohnt lebe
        lebst gezogen umgezogen habite habites vis vivre déménagé vivo vives vive mudé abito abiti abita trasferito
        trasferita moro moras mora mudei woon woont verhuisd bor flyttade mieszkam mieszkasz живу живешь живёшь
        переехал переехала أعيش أسكن انتقلت 住 搬到 搬家 搬去 引っ越 引越 暮ら 살아 살고 이사 อาศัย ย้าย""",
    "work": """work works worked working job jobs employed employer hired occupation profession arbeite arbeitest
        arbeitet arbeit beruf angestellt arbeitgeber travaille travailles emploi employeur embauché embauchée
        trabajo trabajas empleo contrataron lavoro lavori assunto assunta trabalho trabalha emprego contratado werk
        werkt baan werkgever jobb jobbar arbetar pracuję praca работаю работаешь работа أعمل وظيفة 工作 上班 入职
        働 勤め 仕事 就職 일하 근무 직장 취직 ทำงาน""",
    "name": """name named names called nickname heiße heißt heisse nennt nom prénom appelle appelles nombre llamo llamas
        llama nome chiamo chiami chiama chamo chama naam heet namn heter imię nazywam зовут имя اسم اسمي 叫 名字 名前
        이름 ชื่อ""",
    "spouse": """wife husband spouse partner married marry fiancé fiancée engaged ehefrau ehemann verheiratet geheiratet
        femme mari épouse époux marié mariée esposa esposo marido casado casada moglie marito sposato sposata echtgenoot
        getrouwd żona mąż жена муж женат замужем زوجتي زوجي متزوج 妻 丈夫 老婆 老公 结婚 結婚 아내 남편 결혼 ภรรยา
        สามี แต่งงาน""",
}
_SPACED = 0x0E00
"""From here on come the scripts whose words are not spaced: a word of a family may stand anywhere in a run."""


def _read() -> Iterator[tuple[str, str]]:
    for family, members in _FAMILIES.items():
        for word in members.split():
            yield unicodedata.normalize("NFKC", word).casefold(), f"={family}"


_WORDS = dict(_read())
_PARTS = {word: family for word, family in _WORDS.items() if ord(word[0]) >= _SPACED}


def of(word: str) -> str | None:
    """Name the family of a word, in small letters and normal form."""
    return _WORDS.get(word)


def within(run: str) -> dict[str, str]:
    """Find the words of families in a run of characters without spaces, with the family of each."""
    return {word: family for word, family in _PARTS.items() if word in run}

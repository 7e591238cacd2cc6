"""Tells whose circumstances a sentence speaks of: the person's own, or those of somebody they know. Pure.

By simple rules in the larger languages; in doubt a sentence is nobody's in particular, and is only ranked behind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.local.memory.speech import plain
from bot.local.memory.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

OWN = "@me"
"""The term of what speaks of the person; `@live` and so on: of where they live."""

_RELATIONS = re.compile(
    r"\b(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiance\w*|sister|brother|mother|father|mom|mum|dad"
    r"|parents?|son|daughter|kids?|child|children|aunt|uncle|cousin|grand\w+|niece|nephew|friend\w*|boss"
    r"|colleague|coworker|neighbou?r|team ?mate|manager"
    r"|frau|mann|schwester|bruder|mutter|vater|tochter|sohn|freund\w*|chef\w*|femme|mari|soeur|frere|mere|pere"
    r"|fille|fils|amie?|esposa|marido|hermana|hermano|madre|padre|hija|hijo|amig\w+|moglie|marito|sorella|fratello"
    r"|figli\w+|irma|irmao|filh\w+|zus|broer|vriend\w*|жена|муж|сестра|брат|мама|папа|друг|اخي|اختي|امي|ابي"
    r"|زوجتي|زوجي)\b|妻|丈夫|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|姐|妹|兄|弟|朋友|母|父|友達|친구|언니|누나|동생|오빠|형"
)
_SUBJECT = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|ich|wir|je|nous|yo|nosotros|io|noi|eu|ik|wij|jag|я|мы|انا|نحن|मैं"
    # where the pronoun is left out, the verb tells
    r"|vivo|vivimos|abito|moro|trabajo|lavoro|trabalho|soy|sono|sou|tengo|tenho|llamo|chiamo|chamo|mude|mudei"
    r"|nazywam|mieszkam|pracuje|jestem|oturuyorum|yasiyorum|calisiyorum|tasindim|живу|работаю|переехала?"
    r"|اعيش|اسكن|اعمل|انتقلت)\b|\bj'"
    r"|我(?!的|们的|們的|姐|妹|哥|弟|妈|爸|妻|丈|朋|老)|(?:私|僕|俺|わたし|ぼく)(?!の|たちの)|나는|내가|저는|제가"
    r"|(?<!ของ)(?:ฉัน|ผม)"
)
_MINE = re.compile(
    r"\b(?:my|our|me|us|mein\w*|unser\w*|mich|mir|mon|ma|mes|notre|moi|mi|mis|nuestr\w+|mio|mia|miei|mie|meu|minha"
    r"|meus|minhas|mijn|mig|min|mitt|mina|moj\w*|mnie|benim|мо[йяеи]|меня|мне|اسمي)\b"
    r"|我的|(?:私|僕|俺)の|\b(?:내|제)\b|ของ(?:ฉัน|ผม)"
)
_CLAUSES = re.compile(
    r"[.;,!?\u3002\uff0c\uff1b\u3001]|\b(?:who|whose|which|he|she|they|er|sie|der|die|das|qui|elle|il|ils|quien|ella"
    r"|che|lui|lei|quem|ele|ela|die|hij|zij|которая|который|он|она|они)\b|[他她]"
)


_SAYS_NAME = re.compile(
    r"\b(?:my (?:\w+ ?)?name|i(?:'m| am) called|am i called|call(?:ing)? me"
    r"|ich heisse|heisse ich|mein (?:vor|nach)?name"
    r"|m'appelle|mon (?:pre)?nom|me llamo|mi nombre|mi chiamo|mi[oa]? (?:cog)?nome|me chamo|meu nome|ik heet|heet ik"
    r"|mijn naam|jag heter|heter jag|mitt namn|nazywam sie|mam na imie|adim|ismim|меня зовут|мое имя|اسمي)\b"
    r"|我叫|我的名字|(?:私|僕|俺)の名前|[제내] 이름|(?:ฉัน|ผม)ชื่อ|ชื่อ(?:ของ)?(?:ฉัน|ผม)"
)
_IS_CALLED = re.compile(
    r"^(?:[A-Za-z]+[,!]\s+)?(?:I'm|I am|[Tt]his is|[Ii]ch bin|[Jj]e suis|[Yy]o soy|[Ss]oy|[Ss]ono|[Ee]u sou|[Ss]ou"
    r"|[Ii]k ben|[Jj]ag är|[Jj]estem|Я|أنا|انا)(?:\s+[^\W\d_a-z]\w*){1,2}\W*$"
    r"|^我是[^\W\d_]{1,4}\W*$|^(?:私|僕|俺|わたし)は[^\W\d_]{1,8}(?:です|と申します|といいます)\W*$"
    r"|^(?:저는|제가|나는)\s*\w{1,5}(?:입니다|이에요|예요)\W*$"
)
_PLACES = frozenset({"live", "work"})


def named(sentence: str) -> bool:
    """Tell whether a sentence is about what the person is called ("I'm Li", "我叫李雷", "What is my name?")."""
    return bool(_IS_CALLED.search(sentence.replace("\u2019", "'")) or _SAYS_NAME.search(plain(sentence)))


def own(sentence: str) -> bool:
    """Tell whether a sentence speaks of the person themselves."""
    return _own(plain(sentence))


def _own(said: str) -> bool:
    return bool(_SUBJECT.search(said) or (_MINE.search(said) and not _RELATIONS.search(said)))


def terms(fact: str) -> set[str]:
    """Give the terms of what a fact says of the person, clause by clause: a sister who lives in Rome is not they."""
    clauses = [clause for clause in _CLAUSES.split(plain(fact)) if _own(clause)]
    found = _families(clauses) & _PLACES | ({"name"} if named(fact) else set())
    return {OWN, *(f"@{family}" for family in found)} if clauses or found else set()


def _families(texts: Iterable[str]) -> set[str]:
    return {family for text in texts for word in words(text) for family in word.families}


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose circumstances a question is about: memories with one of these terms come first, or else last."""

    terms: frozenset[str] = frozenset()
    mine: bool = True


def whose(question: str) -> Whose:
    """Read whether a question is about the person ("Where do I live?") or another ("Where does my sister live?")."""
    families, mine = _families([question]), own(question)
    if "spouse" in families:  # theirs too, whoever is spoken of
        return Whose()
    if "name" in families | ({"name"} if named(question) else set()) and not families & _PLACES:
        return Whose(frozenset({"@name"}), named(question))
    if families & _PLACES:
        return Whose(frozenset(f"@{family}" for family in families & _PLACES), mine)
    return Whose(frozenset({OWN})) if mine else Whose()

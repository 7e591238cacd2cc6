"""Reads from a fact what kind it is, what it is about, and whether saying it twice counts twice.

By simple rules; where they do not clearly apply a fact is a `detail`.
"""

from __future__ import annotations

import re

from bot.local.memory import persons
from bot.local.memory.speech import plain

_PREF = re.compile(
    r"\b(?:like|likes|love|loves|hate|hates|dislike|prefer|prefers|favou?rite|enjoy|enjoys|allerg\w+"
    r"|vegetarian|vegan|can't stand|"
    r"fan of|rather|mag|liebe|hasse|lieblings\w*|bevorzuge|aime|adore|deteste|prefere\w*|gusta|encanta|odio"
    r"|favorit\w+|piace|"
    r"preferit\w+|gosto|adoro|leuk|hou van|люблю|нравится|ненавижу|أحب|احب|أكره)\b|喜欢|喜歡|讨厌|爱吃|好き"
    r"|嫌い|좋아|싫어|ชอบ"
)
_PLAN = re.compile(
    r"\b(?:tomorrow|tonight|next (?:week|month|year|\w+day)|going to|will|plan\w*|remind|appointment|meeting"
    r"|deadline|due|need to|"
    r"have to|must|todo|buy|list|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|morgen|termin|werde|muss|demain"
    r"|rendez-vous|vais|"
    r"manana|cita|voy a|domani|appuntamento|devo|amanha|vou|завтра|встреча|غدا|موعد)\b|明天|计划|明日|予定"
    r"|내일|พรุ่งนี้"
)
_PEOPLE = re.compile(
    r"\b(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiance\w*|sister|brother|mother|father|mom|mum|dad"
    r"|parents?|son|daughter|"
    r"kids?|child|children|aunt|uncle|cousin|grand\w+|niece|nephew|friend\w*|boss|colleague|coworker"
    r"|neighbou?r|team ?mate|manager|"
    r"frau|mann|schwester|bruder|mutter|vater|tochter|sohn|freund\w*|chef\w*|femme|mari|soeur|frere|mere|pere"
    r"|fille|fils|ami\w?|"
    r"esposa|marido|hermana|hermano|madre|padre|hija|hijo|amig\w+|moglie|marito|sorella|fratello|figli\w+|irma"
    r"|irmao|filh\w+|"
    r"жена|муж|сестра|брат|мама|папа|друг|أخي|أختي|أمي|أبي|زوجتي|زوجي)\b|妻子|丈夫|妈妈|爸爸|姐姐|妹妹|哥哥"
    r"|弟弟|朋友|妻|夫|母|父|友達|친구"
)
_ADDS = re.compile(
    r"\b(?:add|another|more|extra|remove|minus|plus|buy|bought|order|ordered|need|require|want|get|got|put"
    r"|take|took|spent|paid|ran|drank"
    r"|ate|noch|weitere\w*|kaufe\w*|ajoute\w*|encore|anade|otr[oa]|mas|aggiungi|altr[oa]|adiciona|outr[oa])\b"
)
_COUNT = re.compile(
    r"\d|\b(?:another|one|two|three|four|five|six|seven|eight|nine|ten|more|noch|encore|otr[oa]|altr[oa]|outr[oa])\b"
)


def kind(fact: str) -> str:
    """Sort a fact: about people, a plan, a preference, or a detail."""
    said = plain(fact)
    found = (
        (name, rule) for name, rule in (("pref", _PREF), ("people", _PEOPLE), ("plan", _PLAN)) if rule.search(said)
    )
    return next(found, ("detail", None))[0]


def adds_up(fact: str) -> bool:
    """Tell whether a fact changes a quantity, so that saying it twice means it twice ("another leek")."""
    said = plain(fact)
    return bool(_ADDS.search(said) and _COUNT.search(said))


_HINTS = (
    (re.compile(r"^(?:i am|i'm|we are|we're) (?:now )?based in\b"), "live"),
    (re.compile(r"\b(?:i am|i'm) (?:now )?\d{1,3}\b|\d (?:years? old|jahre? alt|ans|anos|anni)\b"), "age"),
)


def hints(fact: str) -> str:
    """Name what a fact is about in words that it lacks but a question will have ("I'm Ana", "What's my name?")."""
    said = plain(fact)
    found = [word for rule, word in _HINTS if rule.search(said)]
    return " ".join([*found, "name"] if persons.named(fact) else found)


def same(fact: str) -> str:
    """Reduce a fact to what makes two of them equal: its letters and digits."""
    return " ".join(re.findall(r"\w+", plain(fact)))

"""Reads from a fact what kind it is, which value of the person's it sets, and whether saying it twice counts twice.

By simple rules; where they do not clearly apply a fact is a `detail` and replaces nothing.
"""

from __future__ import annotations

import re

from bot.local.memory.speech import plain
from bot.local.memory.words import words

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
_MINE = (
    r"(?:my|our|mein(?:e|en|er)?|unser(?:e)?|mon|ma|notre|mi|nuestr[oa]|(?:il mio|la mia|i miei)|(?:o "
    r"|a )?(?:meu|minha)|mijn|"
    r"min|mitt|benim|мой|моя|мое)"
)
_IS = (
    r"(?:is|is now|has changed to|changed to|ist|ist jetzt|lautet|est|est maintenant|es|es ahora|e|e ora|agora e|ar"
    r"|[-\u2013\u2014])"
)
_SET = re.compile(
    rf"^(?:(?:actually|now|well|by the way|btw|hi|hello|hey|please|remember|note|ok|okay|and|so|but|that"
    rf"|from now on)[,:]?\s+)*"
    rf"(?:(?:the )?(?:name|value) of )?{_MINE}\s+(?P<what>[^,.;:!?]{{2,40}}?)(?:\s+(?:actually"
    rf"|now))?\s+{_IS}\s+(?P<value>[^?]+)$"
)
_SET_REVERSED = re.compile(
    rf"^(?P<value>[\w' -]{{1,40}}?)\s+(?:is|ist|est|es|e)\s+{_MINE}\s+(?P<what>[^,.;:!?]{{2,40}}?)\W*$"
)
_SET_UNSPACED = (
    re.compile(r"^我的(?P<what>.{1,12}?)(?:现在)?(?:是|叫)(?P<value>.+)$"),
    re.compile(r"^我(?P<what>最(?:喜欢|喜歡|爱)的.{1,10}?)(?:现在)?是(?P<value>.+)$"),
    re.compile(r"^(?:私|僕|俺)の(?P<what>.{1,14}?)は(?P<value>.+)$"),
)
_NOT_ONE = re.compile(
    r"^(?:not|no longer|also|too|either|one of|among|in the|on the|kein\w*|nicht|auch|pas|aussi|no|tambien|non"
    r"|anche)\b|也|\btoo\W*$"
)
_FAVOURITE = re.compile(
    r"^(?:\w+ )?(?:favou?rite|preferred|current|lieblings\w*|aktuelle\w*|actuel\w*"
    r"|favori\w*|prefere\w*|actual"
    r"|preferit\w+|attuale|atual|favoriete|huidige|любим\w+)\b|"
    r"\b(?:favori\w*|prefere\w*|preferid[oa]|preferit[oa]|actuel\w*|actual|attuale|atual)$|^最|好きな"
)
_ONE_OF_EACH = re.compile(
    r"\b(?:name|surname|nickname|age|birthday|birth ?date|address|phone(?: number)?|email(?: address)?|job title"
    r"|employer"
    r"|time ?zone|nationality|height|weight|shoe size|blood type"
    r"|vorname|nachname|alter|geburtstag|adresse|telefonnummer"
    r"|nom|prenom|anniversaire|nombre|apellido|edad|cumpleanos|direccion|telefono|nome|cognome|eta|compleanno|indirizzo"
    r"|idade|aniversario|endereco|naam|leeftijd|verjaardag|adres|имя|возраст|адрес)$"
    r"|^(?:名字|生日|电话|地址|年龄|名前|誕生日|住所)$"
)
_SAID = {
    "name": r"(?:i am called|my name is|i'm called|(?:please )?(?:start )?call(?:ing)? me(?: by my name)?"
    r"|\S+ is what i am called|ich heisse|je m'appelle|me llamo|mi chiamo|(?:eu )?me chamo|ik heet|меня зовут|我叫)",
    "home": r"(?:i (?:now |currently )?live in|i (?:have |just )?moved to|i am based in"
    r"|i'm based in"
    r"|ich (?:wohne|lebe)(?: jetzt)? in|j'habite|(?:yo )?vivo en|(?:abito|vivo) a|(?:eu )?moro em|ik woon in"
    r"|я живу в|我住在)",
    "employer": r"(?:i (?:now |currently )?work (?:at|for)|ich arbeite (?:jetzt )?bei|je travaille chez|trabajo en"
    r"|lavoro (?:per|presso)|trabalho na|ik werk bij)",
    "age": r"(?:i am|i'm|ich bin|j'ai|tengo|ho|tenho)\s+(?:now |jetzt )?\d{1,3}\s+"
    r"(?:years? old|jahre? alt|ans|anos|anni)",
}
_SAYS = tuple(
    (name, re.compile(rf"^(?:(?:actually|now|hi|hello|hey|well|so|but|please)[,:]?\s+)*{rule}(?!\w)"))
    for name, rule in _SAID.items()
)
_NAMES = frozenset({"name", "first name", "vorname", "nom", "prenom", "nombre", "nome", "naam", "имя", "名字", "名前"})


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


def subject(fact: str) -> str | None:
    """Name the one value of the person that a fact sets, such as their favourite colour; None when in doubt.

    A later fact of the same subject is the newer value, and the earlier one its history.
    """
    said = plain(fact)
    for name, rule in _SAYS:
        if rule.search(said):
            return name
    rules = (_SET, _SET_REVERSED, *_SET_UNSPACED)
    found = next((match for rule in rules if (match := rule.search(said))), None)
    if found is None or _NOT_ONE.search(found["value"]):
        return None
    return _canonical(found["what"].strip())


_HINTS = {"name": "name", "home": "live home", "employer": "work", "age": "age old"}
_NAMED = re.compile(
    r"^(?:[A-Za-z]+[,!]\s+)?(?:I'm|I am|[Tt]his is|[Ii]ch bin|[Jj]e suis|[Yy]o soy|[Ss]oy|[Ss]ono|[Ee]u sou|[Ii]k ben)"
    r"(?:\s+[^\W\d_a-z]\w+){1,2}\W*$"
)


def hints(fact: str) -> str:
    """Name what a fact is about in words that it lacks but a question will have ("I'm Ana", "What's my name?")."""
    named = "name" if _NAMED.search(fact.replace("\u2019", "'")) else None
    return _HINTS.get(subject(fact) or named or "", "")


def _canonical(what: str) -> str | None:
    if what in _NAMES:
        return "name"
    if not (_FAVOURITE.search(what) or _ONE_OF_EACH.search(what)):
        return None
    return " ".join(sorted(min(word.forms) for word in words(what))) or None


def same(fact: str) -> str:
    """Reduce a fact to what makes two of them equal: its letters and digits."""
    return " ".join(re.findall(r"\w+", plain(fact)))

"""Reads which one value of the person's a fact sets, so that a newer value can take the place of the older.

It refuses whatever is in doubt: only what the person has one of at a time, said plainly, with a value of its own kind
(a colour, a number, a date, an address of mail), has a subject. All else stays beside what was said before.
"""

from __future__ import annotations

import re

from bot.local.memory.speech import plain
from bot.local.memory.words import words

_MINE = (
    r"(?:my|our|mein(?:e|en|er)?|unser(?:e)?|mon|ma|notre|mi|nuestr[oa]|(?:il mio|la mia|i miei)"
    r"|(?:o |a )?(?:meu|minha)|mijn|min|mitt|benim|мой|моя|мое)"
)
_IS = r"(?:is|is now|has changed to|changed to|ist|ist jetzt|lautet|est|est maintenant|es|es ahora|e|e ora|agora e|ar)"
_SET = re.compile(
    rf"^(?:(?:actually|now|well|by the way|btw|hi|hello|hey|please|remember|note|ok|okay|and|so|but|that|from now on)"
    rf"[,:]?\s+)*(?:the )?{_MINE}\s+(?P<what>[^,.;:!?]{{2,40}}?)(?:\s+(?:actually|now))?\s+"
    rf"(?:{_IS}|[-\u2013\u2014])\s+(?P<value>[^?]+)$"
)
_SET_REVERSED = re.compile(
    rf"^(?P<value>[\w' -]{{1,40}}?)\s+(?:is|ist|est|es|e)\s+{_MINE}\s+(?P<what>[^,.;:!?]{{2,40}}?)\W*$"
)
_SET_NAMELESS = re.compile(rf"^{_MINE}\s+(?P<what>любимый цвет)\s+(?P<value>\w+)\W*$")
_SET_UNSPACED = (
    re.compile(r"^我(?:的|(?=最))(?P<what>.{1,12}?)(?:现在)?是(?P<value>.+)$"),
    re.compile(r"^(?:私|僕|俺)の(?P<what>.{1,14}?)は(?:今)?(?P<value>.+)$"),
)
_RULES = (_SET, _SET_REVERSED, _SET_NAMELESS, *_SET_UNSPACED)
_AGED = re.compile(
    r"^(?:(?:hi|hello|well|so|now)[,:]?\s+)*(?:i am|i'm|ich bin|j'ai|tengo|ho|tenho|ik ben)\s+(?:now |jetzt |ahora )?"
    r"\d{1,3}\s+(?:years? old|jahre? alt|ans|anos|anni|jaar(?: oud)?)(?: now)?\W*$"
)

_COLOURS = """red blue green yellow orange purple violet pink brown black white grey gray beige turquoise teal navy
    maroon magenta cyan indigo gold golden silver lime olive crimson scarlet lavender mauve rot blau grun gelb lila
    violett
    rosa braun schwarz weiss grau turkis rouge bleu vert jaune rose marron noir blanc gris rojo azul verde amarillo
    naranja morado violeta negro blanco turquesa rosso blu azzurro giallo arancione viola marrone nero bianco grigio
    vermelho amarelo laranja roxo castanho preto branco cinza rood blauw groen geel oranje paars roze bruin zwart wit
    grijs rod bla gron gul brun svart vit gra красный синий голубой зеленый желтый оранжевый фиолетовый розовый
    коричневый черный белый серый"""
_BESIDE = "dark light bright deep pale now jetzt maintenant ahora adesso agora nu the le la el il o das"
_COLOUR_UNSPACED = r"[深浅淡]?(?:[红紅蓝藍绿綠黄黃橙紫粉棕褐黑白灰金银銀青赤緑茶水]色?|ピンク|オレンジ)(?:です|だ)?"
_COLOUR = (
    rf"(?:(?:{'|'.join(_BESIDE.split())}|l')\s*)*(?:{'|'.join(_COLOURS.split())})(?:\s+(?:{'|'.join(_BESIDE.split())}))*"
    rf"|{_COLOUR_UNSPACED}"
)
_MONTHS = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|juin|juil|aou|okt|dez|mrz|ene|abr|ago|dic|gen|mag|giu|lug"
    r"|set|ott|fev|out|maj|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек)\w*"
)
_DATE = (
    rf"(?:(?:on|the|of|am|le|el|il|em|de|op|now)\s+)*(?:\d{{1,4}}[\d./-]*(?:st|nd|rd|th|\.|日)?"
    rf"(?:\s+(?:of\s+|de\s+)?{_MONTHS}(?:,?\s+\d{{4}})?)?|{_MONTHS}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?"
    rf"|\d{{1,2}}月\d{{1,2}}[日号](?:です)?)"
)
_FAVOURITE = (
    r"^(?:\w+ )?(?:favou?rite|preferred|current|favori\w*|prefere\w*|preferid\w+|favoriete|любимый)"
    r" (?:colou?r|farbe|couleur|colore|cor|kleur|farg|цвет)$|lieblingsfarbe$|lievelingskleur$|favoritfarg$"
    r"|^(?:colou?r|couleur|colore|cor) (?:favori\w*|prefere\w*|preferid\w+|preferit\w+)$"
    r"|^最.{1,4}的(?:颜色|顏色)$|^好きな色$"
)
_SIZE = r"\d{1,3}(?:[.,']\d{1,2})?\s*(?:years?(?: old)?|cm|m|kg|kilos?|lbs?|pounds|stone|ft|feet|eu|us|uk)?"
_KINDS = tuple(
    (re.compile(what), re.compile(rf"(?:now )?(?:{value})(?: now)?\W*"))
    for what, value in (
        (
            _FAVOURITE,
            _COLOUR,
        ),
        (r"\b(?:phone|telephone|mobile)(?: number)?$|telefonnummer$|\btelefon[oe]$|^电话", r"[\d\s()+./-]{4,}\d"),
        (r"\be-?mail(?: address)?$", r"[^\s@]+@[^\s@]+"),
        (
            r"\b(?:birthday|birth ?date|geburtstag|anniversaire|cumpleanos|compleanno|verjaardag)$|^(?:生日|誕生日)$",
            _DATE,
        ),
        (r"\b(?:age|alter|edad|eta|idade|leeftijd|возраст|height|weight|shoe size)$|^年龄$", _SIZE),
    )
)


def subject(fact: str) -> str | None:
    """Name the one value of the person that a fact sets, such as their favourite colour; None when in doubt.

    A later fact of the same subject is the newer value, and the earlier one its history.
    """
    said = plain(fact)
    if _AGED.search(said):
        return "age"
    for rule in _RULES:
        found = rule.search(said)
        if found and any(what.search(found["what"]) and kind.fullmatch(found["value"]) for what, kind in _KINDS):
            return " ".join(sorted(min(word.forms) for word in words(found["what"]))) or None
    return None

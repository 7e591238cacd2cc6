"""Reads what kind of answer a question needs: everything about the person, many things, or what was so before. Pure."""
# ruff: noqa: RUF001 - words of other scripts are the point here

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bot.local.memory import facts, persons, words
from bot.local.memory.speech import plain

_ABOUT_ME = re.compile(
    r"\b(?:know|remember|learn(?:ed|t)?|recall|stored?|saved?|have|noted?|think|memor\w+)\b.{0,30}\b(?:about"
    r"|of|on|from) (?:me|myself)\b"
    r"|\btell me (?:something |everything |all |more |what you know )*about (?:me|myself)\b|\bwho am i\b"
    r"|\bdescribe me\b"
    r"|\bwhat (?:have i|did i|i have|i've) (?:told|said|shared|shown)\b|\bwhat do you (?:remember|know)\W*$"
    r"|\bdo you (?:know|remember) me\b"
    r"|\b(?:my|your) memor(?:y|ies)(?: of me)?\W*$"
    r"|\b(?:weisst|erinnerst|gemerkt|kennst|merkst)\b.{0,30}\b(?:uber mich|von mir|an mich|mich)\b|\bwer bin ich\b"
    r"|\b(?:sais|connais|souviens|retenu)\b.{0,30}\b(?:sur|de|a propos de) moi\b|\bqui suis-je\b|\bqui je suis\b"
    r"|\b(?:sabes|recuerdas|conoces)\b.{0,30}\b(?:de|sobre) mi\b|\bquien soy\b"
    r"|\b(?:sai|ricordi|conosci)\b.{0,30}\b(?:di|su) me\b|\bchi sono\b"
    r"|\b(?:sabe|sabes|lembra|conhece)\b.{0,30}\b(?:sobre|de) mim\b|\bquem sou eu\b"
    r"|\b(?:weet|onthouden|herinner)\b.{0,30}\b(?:over|van) mij\b|\bwie ben ik\b|\bvet du om mig\b|\bvem ar jag\b"
    r"|\bwiesz o mnie\b|\bkim jestem\b|\bhakkımda ne\b|\bben kimim\b|(?:знаешь|помнишь)\b.{0,30}\b(?:обо мне"
    r"|о себе)|\bкто я\b"
    r"|(?:تعرف|تتذكر)\w*.{0,30}\bعني\b|\bمن انا\b|\bमेरे बारे में\b|\bमैं कौन\b"
    r"|(?:知道|记得|了解|認識|认识|记住).{0,12}我|关于我|關於我|我是谁|我是誰|(?:私|僕|俺)(?:について|のこと)"
    r"|(?:私|僕|俺)は誰"
    r"|(?:나|저|내)(?:에 대해|에 관해|를 기억)|나는 누구|내가 누구|รู้.{0,12}(?:ฉัน|ผม)|(?:ฉัน|ผม)เป็นใคร"
)
_MANY = re.compile(
    r"\b(?:list|lists|all|every|everything|which|items|how many|how much|total|sum|count|complete|whole|entire"
    r"|summar\w+|overview|recap"
    r"|alle|liste|welche|wie viele|toutes?|tous|combien|quels|quelles|todos?|todas?|lista|cuantos?|cuantas?"
    r"|cuales|tutt[ie]|elenco|quant[iea]"
    r"|quais|quantos?|alles|lijst|hoeveel|welke|все|список|сколько|какие|كل|قائمة|كم)\b|所有|全部|清单|清單"
    r"|列表|几个|多少|すべて|全て|リスト|一覧|목록|모두|전부"
)
_BEFORE = re.compile(
    r"\b(?:all|ever|before|previous|previously|earlier|formerly|former|used to|history|past|have been|has been"
    r"|had|changed|old|older|first|"
    r"were|was|fruher\w*|vorher\w*|bisher\w*|alle|alte[rsn]?|avant|auparavant|ancien\w*|precedent\w*|tous"
    r"|toutes|antes|anterior\w*|todos|"
    r"todas|prima|precedent[ei]|tutt[ie]|раньше|прежде|все|قبل|سابق\w*)\b|以前|之前|曾经|过去|所有|前の|昔"
    r"|かつて|이전|예전"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the recall needs it."""

    words: tuple[words.Word, ...] = field(repr=False)
    question: bool = True
    about_me: bool = False
    many: bool = False
    before: bool = False
    whose: persons.Whose = field(default_factory=persons.Whose)


def read(text: str) -> Asked:
    """Read a question, or any message that memories may bear on."""
    asked = facts.question(text)
    said = plain(asked)
    about_me = bool(_ABOUT_ME.search(said))
    return Asked(
        words=tuple(words.words(_ABOUT_ME.sub(" ", said) if about_me else asked)),
        question=facts.asks(text),
        about_me=about_me,
        many=bool(_MANY.search(said)),
        before=bool(_BEFORE.search(said)),
        whose=persons.whose(asked),
    )

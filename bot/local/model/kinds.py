"""What a message does: greet, thank, ask, ask to forget, give a task, or tell something. Pure.

By simple rules in the larger languages. It refuses to call something told that only may be: who is asked to say it in
a sentence loses nothing.
"""

# ruff: noqa: RUF001 - words of other scripts are the point here

from __future__ import annotations

import re

_GREETING = re.compile(
    r"((hi|hello|hey|good (morning|afternoon|evening|night)|(good)?bye|see you( later| soon| tomorrow)?|hallo"
    r"|guten (morgen|tag|abend)|gute nacht|moin|servus|tschüss|bonjour|bonsoir|salut|au revoir|hola|buenos d[ií]as"
    r"|buenas (tardes|noches)|adiós|ciao|buongiorno|ol[aá]|bom dia|hoi|hej|cześć|привет|здравствуйте|пока|مرحبا)"
    r"( there| all| everyone)?|你好|您好|大家好|早上好|早安|晚上好|晚安|嗨|再见"
    r"|こんにちは|こんばんは|おはよう(ございます)?"
    r"|おやすみ(なさい)?|さようなら"
    r"|はじめまして|よろしく(お願いします)?|안녕(하세요|히 가세요)?|반갑습니다|สวัสดี(ครับ|ค่ะ)?)"
    r"[\s.!,\u3002\uff01\uff0c]*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"((ok(ay)?|no|great|cool|good)[,\s]+)?((many )?(thanks|thank you|thx|cheers)|danke( schön| dir)?|vielen dank"
    r"|merci( beaucoup)?|(muchas )?gracias|grazie( mille)?|(muito )?obrigad[oa]|dank (je|u)( wel)?|tack( så mycket)?"
    r"|dziękuję|спасибо( большое)?|شكرا( جزيلا)?"
    r"|(多|谢)谢(你|您)?(的帮助|了)?|謝謝(你|您)?|感谢(你|您)?"
    r"|(どうも)?ありがとう(ございます|ございました)?|감사합니다|고마워요?|고맙습니다|ขอบคุณ(มาก)?(ครับ|ค่ะ|คะ)?)"
    r"( (a lot|so much|very much|again|for (your|the|all your) help))?[\s.!\u3002\uff01]*",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(what|what's|whats|who|who's|when|where|why|how|which|whose|do|does|did|is|are|am|was|were|can|could|would"
    r"|tell me|remind me (?:what|who|when|where|which|how)|wie|wann|wo|wer|warum|welche[rsn]?|où|quand|comment|qui"
    r"|quel(le)?|qué|cuándo|dónde|quién|cómo|где|кто|как|когда|что ты|почему)\b",
    re.IGNORECASE,
)
_ASKING_UNSPACED = re.compile(
    r"(吗|嗎|呢|什么|什麼|什么名字|谁|誰|哪[里裡儿个]|多少|ですか|ますか|何|どこ|いつ"
    r"|나요|까요|인가요|뭐야|ไหม|อะไร|ที่ไหน|ใคร)[\s.!\u3002]*$"
)
_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
_ABOUT_ME = re.compile(
    r"\b(know|remember|learn(ed|t)?|recall|have) about me\b|\bremember me\b|\bwho am i\b|\bhave i told you\b"
    r"|\bdid i tell you\b(?!.*\babout\b)|\bdo you remember\W*$"
    r"|\bwei(ß|ss)t du\b.*\b(über mich|von mir)\b|\bwer bin ich\b|\bsais\b.*\b(de|sur) moi\b|\bqui suis-je\b"
    r"|\bsabes? (de|sobre) (mí|mi|mim)\b|\bquién soy\b|\bsai di me\b|\bweet je (over|van) mij\b"
    r"|(знаешь|помнишь) обо мне|(知道|记得|了解).{0,6}我|关于我|我是谁|私について|私のこと|나에 대해",
    re.IGNORECASE,
)
_EVERYTHING = (
    r"(me|about me|everything|all|it all|all of it|my (data|memor\w+)|everything (about me|you know)"
    r"|mich|alles|moi|tout"
    r"|todo|tutto|tudo|alles over mij|меня|все)"
)
_PRIVACY = re.compile(
    rf"\bprivacy\b|^what do you keep\b|^how can i make you forget\b|\bdatenschutz\b|\bforget (about )?me\b(?! not)"
    rf"|^(please )?(forget|delete|erase) {_EVERYTHING}\W*$"
    r"|\bvergiss (mich|alles)\b|\boublie[- ](moi|tout)\b|\bolv[ií]da(me| todo)\b|\bdimentica(mi| tutto)\b"
    r"|\bvergeet mij\b"
    r"|\bзабудь (меня|все|всё)\b|^(请)?(忘记|忘了)(我|一切|所有)?[\s。!]*$|(私を|全部|すべて)忘れて",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"^(?:(?:please|and|so|ok|okay|now|hey|bitte|can you|could you|would you|will you|you can|you should|just)[,\s]+)*"
    r"((please )?(forget|erase|unlearn)(?![-\w])|stop remembering\b"
    r"|(delete|remove) (that|what|everything|all|it|this)\b"
    r"|vergiss\b|vergessen sie\b|lösche\b|oublie[zr]?\b|olvid(a|e|ar)\b|dimentica\b"
    r"|esque(ce|ça)\b|vergeet\b|забудь\b|انس\b)"
    r"|^(请|請|把)?(忘记|忘了|忘掉|忘記|删除)|忘れて(ください|ほしい)?[\s。!]*$|잊어(\s?(줘|주세요))?[\s.!]*$",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"^(please |now |then )*(write|translate|generate|draft|rewrite|calculate|compute|convert|search|google"
    r"|suggest|list|recommend|explain|summari[sz]e|sing|draw|describe|catch me up"
    r"|schreib\w*|übersetz\w*|écris"
    r"|traduis|escribe|traduce|scrivi|traduci"
    r"|напиши|переведи)\b|^(请)?(写|翻译|解释)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FIRST = re.compile(
    r"\b(i|i['\u2019]\w+|my|we|our|call me|ich|mein\w*|wir|je|j['\u2019]\w+|mon|ma|mes|soy|yo|mi|me llamo|sono|io|mio"
    r"|mia|sou|eu|meu|minha|ik|mijn|jag|mitt|min|jestem|я|мой|моя|меня|мне|أنا|اسمي)\b",
    re.IGNORECASE,
)
_EMPTY_WORDS = """
a am and are be been bye can cool day did do done fine for good got great have haha hmm i i'll i'm it later lol me much
my nice night no not now of oh ok okay one please quit exit right see so soon sorry stop sure thank thanks thats that's
the then this to too very we well will wow yeah yep yes you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_FEW, _FEW_CHARACTERS = 3, 4


def greets(text: str) -> bool:
    """Tell whether a message is a greeting and no more, or nothing at all."""
    return not text or _GREETING.fullmatch(text) is not None


def thanks(text: str) -> bool:
    """Tell whether a message gives thanks and no more."""
    return _THANKS.fullmatch(text) is not None


def asks_about_me(text: str) -> bool:
    """Tell whether all that is known is asked for."""
    return _ABOUT_ME.search(text) is not None


def asks_privacy(text: str) -> bool:
    """Tell whether it is about privacy, or about forgetting everything."""
    return _PRIVACY.search(text) is not None


def asks_to_forget(text: str) -> bool:
    """Tell whether one thing is to be forgotten."""
    return _FORGET.search(text) is not None


def is_task(text: str) -> bool:
    """Tell whether it needs a model."""
    return _TASK.search(text) is not None


def is_question(sentence: str) -> bool:
    """Tell a question by its mark, by how it begins, or where words are not spaced by how it ends."""
    said = sentence.strip()
    return said.endswith(_MARKS) or bool(_ASKING.match(said) or _ASKING_UNSPACED.search(said))


def tells(sentence: str) -> bool:
    """Tell whether a sentence looks like something told: long enough, and not only small talk."""
    if is_question(sentence) or greets(sentence) or thanks(sentence) or asks_to_forget(sentence) or is_task(sentence):
        return False
    words = _WORD.findall(sentence.casefold().replace("\u2019", "'"))
    if _UNSPACED.search(sentence):
        return sum(map(len, words)) >= _FEW_CHARACTERS
    telling = [word for word in words if word not in _EMPTY]
    return bool(telling) and (len(words) >= _FEW or (len(words) > 1 and _FIRST.search(sentence) is not None))

"""Tells what a sentence does: ask, greet, give an order about the answer, or say something worth keeping.

By simple rules in the larger languages. In doubt a sentence counts as said, since a lost fact is worse than a kept one.
"""

from __future__ import annotations

import re

from bot.local.memory.words import fold

_MARK = re.compile(r"[?\uff1f\u061f\u037e]['\"\u201d\u2019)\]*_\s]*$")
_ASKS = re.compile(
    r"^(?:(?:and|so|but|well|hey|ok|okay|please|now|then|hi|hello)[,\s]+)*(?:"
    r"(?:what|which|whose|how)\s+(?!(?:i|you|we|he|she|it|they|my)\b)(?:\w+\s+){0,2}?(?:is|are|am|was|were|do|does|did|can"
    r"|could|will|would|should|have|has|had|many|much|old|long|far|often|about)\b"
    r"|(?:who|whom|where|when|why|how)(?:'s|'re)?\s+(?:is|are|am|was|were|do|does|did|can|could|will|would|should|have|has"
    r"|had)\b"
    r"|what's\b|who's\b|where's\b|how's\b"
    r"|(?:do|does|did|is|are|am|was|were|have|has|will|would|should|can|could)\s+"
    r"(?:i|you|we|my|our|he|she|it|they|there|the|this|that|any)\b"
    r"|(?:was|wer|wo|wann|wie|warum|welche[rsn]?)\s+(?:ist|sind|bin|war|hast|habe|weisst|heisst|heisse|magst"
    r"|mag|kennst)\b"
    r"|(?:que|qu'est-ce que|quel(?:le)?s?|qui|ou|quand|comment|pourquoi)\s+(?:est|sont|sais|suis|connais|ai|as)\b"
    r"|(?:que|cual(?:es)?|quien|donde|cuando|como|cuanto)\s+(?:es|son|sabes|soy|tengo|recuerdas|esta)\b"
    r"|(?:cosa|che cosa|qual|quale|chi|dove|quando)\s+(?:e|sono|sai|ricordi)\b"
    r"|(?:что|кто|где|когда|как|почему|сколько)\s+(?:ты|я|мой|моя|мое|меня|такое)\b"
    r"|(?:هل|ماذا|ما هو|ما هي|متى|اين|كيف|لماذا|من هو)\b)"
)
_ASKS_WITHOUT_SPACES = re.compile(
    r"(?:吗|嗎|呢|什么|什麼|谁|誰|哪[里裡儿个]|多少|怎么样|为什么|ですか|ますか|でしょうか|ですかね|何|誰|どこ|いつ"
    r"|뭐야|무엇인가요|인가요|나요|까요|ไหม|อะไร|ที่ไหน|ใคร|เมื่อไหร่)[。.!\s]*$"
)
_WANTS_TELLING = re.compile(
    r"^(?:(?:please|now|so|then|ok|okay|hey|and|can you|could you|would you|will you)[,\s]+)*"
    r"(?:(?:tell|show|give|send|read)\s+(?:me|us)\b(?! a (?:call|ring|break))|(?:list|summari[sz]e|recap"
    r"|repeat|explain|describe)\b"
    r"|remind me\s+(?:what|who|where|when|which|why|how|of (?:what|my|the|all))\b)"
    r"|\b(?:tell|remind|show) me\b.*\b(?:what|when|where|who|how|which|why|if|whether|everything|all)\b"
    r"|^(?:sag|erzahl|nenn|zeig)e?\s+mir\b|^(?:dis|raconte|montre|donne)[- ]moi\b|^(?:dime|dame|cuentame|muestrame)\b"
    r"|^(?:dimmi|mostrami|fammi)\b|^(?:me diga|diga-me|me conte|conte-me)\b|^(?:vertel|zeg)\s+me\b|^(?:скажи"
    r"|расскажи)\b"
    r"|^(?:请)?告诉我|教えて(?:ください)?[。!\s]*$|알려\s?(?:줘|주세요)[.!\s]*$"
)
_TASK = re.compile(
    r"^(?:(?:please|now|then|can you|could you|would you|and)[,\s]+)*(?:write|translate|generate|draft|rewrite"
    r"|rephrase|calculate|"
    r"compute|convert|compare|search|google|suggest|recommend|answer|sing|continue|sort|format|express"
    r"|consolidate|proofread|"
    r"output|respond|reply|print|think|try again|be (?:brief|short|concise)|keep it (?:short|brief)|go on|help me)\b"
)
_KEEP = re.compile(
    r"^(?:(?:please|and|so|ok|okay|hey|hi|hello)[,\s]+)*(?:can|could|would"
    r"|will)\s+you\s+(?:please\s+)?(?:\w+\s+)?(?:add|put|"
    r"remember|note|save|keep|remind|write down|mark|remove|delete|drop|cancel|buy|order|book|schedule|set"
    r"|call|start|stop|"
    r"change|update)\b(?!\s+(?:me\s+)?(?:what|who|where|when|which|why|how|anything|everything|if)\b)"
)
_CLAUSE = re.compile(
    r"[,;:\u2013\u2014-]+\s+(?=(?:so |and |but )?(?:what|how|who|when|where|why|which|can|could|do|does|did|is"
    r"|are|will|would|should"
    r"|any|have|was|were|kannst|was|wie|wo|wer|que|qu'|quel|comment|como|donde|puedes|cosa)\b)", re.IGNORECASE,
)  # fmt: skip
_TAG = re.compile(
    r"^(?:right|correct|no|yes|isn't it|is it|don't you|do you|remember|oder|nicht wahr|non|vero|verdad)\W*$"
)
_FIRST = re.compile(
    r"\b(?:i|i'm|my|we|our|mine|me|ich|mein\w*|wir|je|j'|mon|ma|mes|nous|yo|mi|mis|io|mio|mia|eu|meu|minha|ik"
    r"|mijn|я|мой|моя|мне)\b"
)
_NOT_SAID = re.compile(r"^(?:given|if|based on|according to|considering|from|between|of all|among)\b")
_POLITE_WORDS = """hi hello hey yo hiya howdy greetings good morning afternoon evening night day bye goodbye cheers
    later see you soon there everyone all thanks thank you thx ty so much very a lot many for your the
    help again ok okay k kk yes yeah yep no nope sure fine great cool nice perfect awesome wonderful
    excellent brilliant got it alright right lol haha please welcome you're sorry oops wow hmm well
    understood indeed done hallo guten tag morgen abend moin servus danke schon dir vielen dank bitte
    tschuss ja nein gut super genau bonjour bonsoir salut merci beaucoup au revoir oui non d'accord
    parfait hola buenos dias buenas tardes noches gracias muchas adios si vale perfecto ciao
    buongiorno buonasera grazie mille arrivederci va bene ola bom dia boa tarde noite obrigado
    obrigada tchau sim nao hoi dag dank je wel bedankt doei goed hej tack czesc dzieki merhaba
    tesekkurler evet привет здравствуйте спасибо большое пока да нет хорошо ок مرحبا شكرا جزيلا اهلا
    السلام عليكم نعم 你好 您好 谢谢 谢谢你 多谢 再见 好的 嗨 こんにちは こんばんは おはよう
    おはようございます ありがとう ありがとうございます はい いいえ 안녕 안녕하세요 감사합니다 고마워
    네 아니요 สวัสดี สวัสดีครับ สวัสดีค่ะ ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ"""
_POLITE = frozenset(fold(word) for word in _POLITE_WORDS.split())
_PLAIN = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'"})


def plain(sentence: str) -> str:
    """Fold a sentence for the rules of this module, with one kind of apostrophe."""
    return fold(sentence.translate(_PLAIN)).strip().lstrip("\"'\u201c*_>- ")


_ASKS_ANYWHERE = re.compile(r"(?<!没)(?:什么|甚麼|什麼)(?!都|的)|谁|誰|哪[里裡儿个些]|多少|几[岁点个]|怎么样|为什么")


def asks(sentence: str) -> bool:
    """Tell whether a sentence only wants something told, by its mark, its first words or its last ones."""
    said = plain(sentence)
    if _KEEP.search(said):
        return False
    return bool(
        _MARK.search(said)
        or _ASKS.search(said)
        or _ASKS_WITHOUT_SPACES.search(said)
        or _ASKS_ANYWHERE.search(said)
        or _WANTS_TELLING.search(said)
    )


def greets(sentence: str) -> bool:
    """Tell whether a sentence holds nothing but greetings, thanks, and the like."""
    said = re.findall(r"[\w'-]+", plain(sentence))
    return all(word in _POLITE for word in said)


def personal(sentence: str) -> bool:
    """Tell whether a sentence speaks in the first person."""
    return bool(_FIRST.search(plain(sentence)))


def orders(sentence: str) -> bool:
    """Tell whether a sentence is a task or a wish about the answer, with nothing about the person in it."""
    said = plain(sentence)
    return bool(_TASK.search(said)) and not _FIRST.search(said.replace("help me", "").replace("give me", ""))


def stated(sentence: str) -> str:
    """Return what a question states on its way ("I have two cats, what do they eat?"), or nothing."""
    *_, clause = [None, *_CLAUSE.finditer(sentence)]
    if clause is None:
        return ""
    said, rest = sentence[: clause.start()].strip(), plain(sentence[clause.end() :])
    told = plain(said)
    if _TAG.search(rest) or _NOT_SAID.search(told) or not _FIRST.search(told) or asks(said) or greets(said):
        return ""
    return said

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
    r"|mijn|soy|sono|sou|vivo|tengo|tenho|jag|mitt|jestem|nazywam|benim|adim|я|мой|моя|мне|меня|мы|انا|اسمي|मैं|मेरा)\b"
    r"|\bj'|我|私|僕|俺|わたし|나는|내가|저는|제가|제 |내 |ฉัน|ผม"
    r"|(?:です|と申します|といいます|입니다|이에요|예요)[。.!\s]*$"
)
_LITTLE_WORDS = """i am m ve d ll do did does don didn t have had will would can could be been was were not no yes yeah
    so too me my mine we are re ich ja nein auch je oui moi si yo tambien anche io sim eu ik wel"""
_LITTLE = frozenset(_LITTLE_WORDS.split())
_FORGETS = re.compile(
    r"^(?:(?:please|and|so|ok|okay|now|hey|bitte|can you|could you|would you|will you|you can|i want you to"
    r"|you should|you may|just)[,\s]+)*"
    r"(?:(?:please\s+)?(?:forget|erase|unlearn)(?![-\w])|stop remembering\b"
    r"|(?:delete|remove)\s+(?:that|what|everything|all|it|this|my (?:data|memor\w+))\b"
    r"|(?:vergiss|vergessen sie|losche)\b|oublie[zr]?\b|(?:olvida\w*|borra) (?:que|lo|todo|mi|mis)\b|olvidate\b"
    r"|dimentica\w*\b|esquec[ea]\b|apaga\b|vergeet\b|glom\b|zapomnij\b|unut\b|забудь\w*|сотри\b|انس\b|انسي\b)"
    r"|^(?:请|請|把)?(?:忘记|忘了|忘掉|忘記|删除|刪除)|忘れて(?:ください|ほしい|くれ)?[。.!\s]*$"
    r"|잊어(?:\s?(?:줘|주세요|버려))?[.!\s]*$|^(?:ช่วย|โปรด)?ลืม"
)
"""What asks to forget is not something to remember."""
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
_POLITE_UNSPACED = re.compile(
    r"(?:你好|您好|大家好|哈[啰喽]|早上好|早安|早|下午好|晚上好|晚安|谢谢|謝謝|多谢|多謝|感谢|感謝|再见|再見|拜拜|明天见"
    r"|回头见|辛苦|不客气|不用谢|没关系|沒關係|没事|对不起|對不起|抱歉|好的|好|是的|对|嗯|嗨|喂|哈|呵|帮助|幫助|帮忙|幫忙|太|真|很"
    r"|非常|十分|你|您|们|們|的|了|呀|啊|吧|呢|哦|哟|都|棒|こんにちは|こんばんは|おはよう|ございます|ございました|ありがとう"
    r"|ありがと|どうも|すみません|ごめん|なさい|はじめまして|初めまして|よろしく|お願いします|お願いいたします|さようなら|またね"
    r"|また明日|じゃあ|おやすみ|はい|いいえ|うん|ううん|そうです|了解|です|しました|大丈夫|元気|ね|よ|か|お疲れ様|でした"
    r"|안녕|하세요|히|가세요|계세요|감사|합니다|고마워|고맙습니다|반갑습니다|반가워|만나서|네|아니요|아니|요|좋아"
    r"|สวัสดี|ขอบคุณ|ครับ|ค่ะ|คะ|มาก|ลาก่อน|ใช่|ไม่)+"
)
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
    said = re.findall(r"[\w\u0e31-\u0e4e'-]+", plain(sentence))
    return all(word in _POLITE or _POLITE_UNSPACED.fullmatch(word) for word in said)


def personal(sentence: str) -> bool:
    """Tell whether a sentence speaks in the first person."""
    return bool(_FIRST.search(plain(sentence)))


def tells(sentence: str) -> bool:
    """Tell whether a sentence in the first person says more than "I do" or "me too", if only a name."""
    return personal(sentence) and any(
        word not in _LITTLE for word in re.findall(r"[^\W_]+", plain(sentence).removeprefix("yes "))
    )


def orders(sentence: str) -> bool:
    """Tell whether a sentence asks to forget, or is a task or wish about the answer and says nothing of the person."""
    said = plain(sentence)
    if _FORGETS.search(said):
        return True
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

"""What comes back for a question, and what does not."""
# ruff: noqa: RUF001 - words of other scripts are the point here

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.local_memory.kit import known, note, recalled, say

if TYPE_CHECKING:
    from geniffy import AsyncGeniffy

NOTHING = "There is nothing stored about this yet. Say so rather than guessing."
LIFE = """Hi! I'm Ana. I live in Lyon with my husband Marc.
My sister Clara works at Siemens in Munich. She has two kids.
I'm allergic to peanuts.
My favourite food is ramen.
I have a dog called Rex. He is four years old.
I play tennis on Thursdays.
Remind me to call the dentist next Tuesday.
We are planning a trip to Lisbon in May.
My boss Peter prefers short emails.
My birthday is 4 March.
I studied physics in Heidelberg.
Can you remember that my locker code is 4711?
My mom's name is Ingrid."""


@pytest.fixture
async def alive(ana: AsyncGeniffy) -> AsyncGeniffy:
    await say(ana, *LIFE.splitlines())
    return ana


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What's my name?", "Ana"),
        ("Hey Keepsake, what is my name?", "Ana"),
        ("Where do I live?", "Lyon"),
        ("Where does my sister work?", "Siemens"),
        ("Does Clara have children?", "two kids"),
        ("how old is rex", "four"),
        ("Can you suggest a dinner for me?", "ramen"),
        ("What should I avoid eating?", "peanuts"),
        ("Where are we going in May?", "Lisbon"),
        ("Any plans for holidays?", "Lisbon"),
        ("When was I born?", "4 March"),
        ("What sport do I do?", "tennis"),
        ("What is my mother called?", "Ingrid"),
        ("locker code?", "4711"),
        ("How does my boss like his mails?", "short"),
        ("What pets do I have?", "Rex"),
        ("What did I study?", "physics"),
    ],
)
async def test_a_question_finds_what_answers_it(alive: AsyncGeniffy, question: str, answer: str) -> None:
    assert any(answer in text for text in await recalled(alive, question))


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Mongolia?",
        "Write a poem about autumn leaves.",
        "What is my shoe size?",
        "ok thanks",
        "How do I sort a list in Python?",
        "What is my favourite colour?",
        "Who won the world cup in 1998?",
        "?",
        "🙂",
        "Do I have a brother?",
        "the of and",
    ],
)
async def test_a_question_on_which_nothing_bears_gets_nothing(alive: AsyncGeniffy, question: str) -> None:
    found = await alive.context_full(question)
    assert (found["context"], found["used"], found["empty"], found["memories"]) == (NOTHING, 0, True, [])


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about me?",
        "Tell me everything you know about me.",
        "who am i",
        "What have I told you?",
        "Was weißt du über mich?",
        "Que sais-tu de moi ?",
        "¿Qué sabes de mí?",
        "Cosa sai di me?",
        "O que você sabe sobre mim?",
        "Wat weet je over mij?",
        "Что ты знаешь обо мне?",
        "你知道我什么？",
        "私について何を知っていますか？",
        "나에 대해 뭐 알아?",
        "ماذا تعرف عني؟",
    ],
)
async def test_a_question_about_the_person_gets_the_newest_facts(alive: AsyncGeniffy, question: str) -> None:
    found = await recalled(alive, question)
    assert found == (await known(alive))[:12]


LANGUAGES = [
    ("Meine Schwester heißt Anja. Ich trinke gern Tee. Ich wohne in Köln.", "Wie heißt meine Schwester?", "Anja"),
    ("J'ai deux enfants, Léa et Paul. Ma couleur préférée est le bleu.", "Comment s'appellent mes enfants ?", "Léa"),
    ("Mi perro se llama Toby. No puedo comer gluten.", "¿Cómo se llama mi perro?", "Toby"),
    ("У меня аллергия на арахис. Мой любимый цвет зелёный.", "Какого цвета мой любимый цвет?", "зелёный"),
    ("لدي قطة اسمها مشمش. لوني المفضل هو الأخضر.", "ما هو لوني المفضل؟", "الأخضر"),
    ("我最喜欢的颜色是绿色。我的猫叫咪咪。我对花生过敏。", "我的猫叫什么名字？", "咪咪"),
    ("私の犬の名前はポチです。私は東京に住んでいます。", "私はどこに住んでいますか？", "東京"),
    ("저는 서울에 살아요. 땅콩 알레르기가 있어요.", "알레르기가 있나요?", "땅콩"),
    ("สุนัขของฉันชื่อโพจิ\nฉันชอบกินก๋วยเตี๋ยว", "สุนัขของฉันชื่ออะไร", "โพจิ"),
    ("I study at the Café Étoile école.", "CAFE ETOILE?", "Café"),
    ("Das Straßenfest ist am Samstag.", "Wann ist das STRASSENFEST?", "Samstag"),
    ("My kids were running in the cities.", "Did a kid run in a city?", "running"),
]


@pytest.mark.parametrize(("said", "question", "answer"), LANGUAGES)
async def test_any_script_is_remembered_and_found(ana: AsyncGeniffy, said: str, question: str, answer: str) -> None:
    await say(ana, said)
    found = await recalled(ana, question)
    assert answer in found[0]
    assert len(found) == 1


async def test_a_list_is_found_whole_however_its_items_were_said(ana: AsyncGeniffy) -> None:
    said = ["Put 3 lamps on the packing list please.", "I need 2 ropes, add them to the list.", "We'll pack 1 tent.",
            "Take 1 tent off again.", "Pack another 2 lamps."]  # fmt: skip
    await say(ana, "I love opera.", *said, "My aunt is called Zoe.")
    found = await recalled(ana, "What is on my packing list? Answer as a table with two columns.")
    assert set(found) == set(said)


async def test_a_chain_of_facts_is_followed(ana: AsyncGeniffy) -> None:
    said = [
        "The mill lies behind the bakery.",
        "The harbour lies behind the mill.",
        "The castle lies behind the harbour.",
    ]
    await say(ana, *said, "I like tea.", "My cousin is a pilot.")
    assert set(await recalled(ana, "How do I get from the bakery to the castle?")) == set(said)


async def test_a_simple_question_does_not_drag_in_what_shares_words_with_its_answer(ana: AsyncGeniffy) -> None:
    await say(ana, "My favourite colour is green.", "The green door at work is locked.")
    assert await recalled(ana, "What is my favourite colour?") == ["My favourite colour is green."]


async def test_a_rule_is_found_also_after_the_same_was_said_before(ana: AsyncGeniffy) -> None:
    rule = "Whenever I crave chocolate, say: 'drink water first'"
    await say(ana, rule, "I am craving some chocolate.")
    assert rule in await recalled(ana, "I am craving some chocolate.")


async def test_the_newest_comes_first_among_equals(ana: AsyncGeniffy) -> None:
    for day in (3, 1, 2):
        await say(ana, f"My train{day} leaves from platform {day}.", key=str(day), said_at=f"2026-10-0{day}")
    assert [text[-2] for text in await recalled(ana, "Which platform?")] == ["3", "2", "1"]


async def test_limit_is_kept(ana: AsyncGeniffy) -> None:
    await note(ana, "\n".join(f"Train {n} leaves at {n}." for n in range(30)))
    assert len(await recalled(ana, "Which trains?")) == 12
    assert (await ana.context_full("Which trains?", limit=3))["used"] == 3


async def test_search_ranks_and_never_judges(alive: AsyncGeniffy) -> None:
    found = await alive.search("peanuts", limit=5)
    assert (len(found), found[0].text) == (5, "I'm allergic to peanuts.")
    assert len(await alive.search("Mongolia", limit=3)) == 3
    full = await alive.search_full("peanuts")
    assert (full["lessons"], full["episodes"], full["intentions"]) == ([], [], [])


async def test_ask_does_not_make_answers_up(alive: AsyncGeniffy) -> None:
    answer = await alive.ask("Where does my sister work?")
    assert answer.answer is None
    assert answer.message
    assert "Siemens" in answer.memories[0].text
    assert (await alive.ask("Capital of Mongolia?")).message == NOTHING


async def test_a_briefing_puts_what_bears_on_the_cue_first_and_keeps_its_budget(alive: AsyncGeniffy) -> None:
    briefing = await alive.briefing(cue="I ate peanuts")
    assert briefing.splitlines()[0] == "What is known (facts):"
    assert briefing.splitlines()[1].endswith("] I'm allergic to peanuts.")
    assert len(briefing.splitlines()) == 1 + len(await known(alive))
    short = await alive.briefing_full(budget_chars=500)
    assert len(short["briefing"]) <= 500
    assert len(short["memories"]) == len(short["briefing"].splitlines()) - 1


async def test_a_memory_says_where_and_when(ana: AsyncGeniffy) -> None:
    source = await say(ana, "I like tea.", key="1", labels={"heard": "dm"}, said_at="2026-10-01")
    (memory,) = (await ana.context_full("tea"))["memories"]
    assert memory["source"] == {"id": source.id, "kind": "note", "title": "", "labels": {"heard": "dm"}}
    assert memory["said_at"] == "2026-10-01T00:00:00.000000+00:00"
    assert memory["learned_at"][:4].isdigit()
    assert memory["status"] == "current"
    assert (await ana.memories.get(memory["id"])).memory.quote == "I like tea."

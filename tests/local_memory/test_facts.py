"""How what a person wrote becomes facts."""
# ruff: noqa: RUF001 - words of other scripts are the point here

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.local.memory import asking, facts, meaning, persons, values, words


def texts(text: str, *, chat: bool = True) -> list[str]:
    return [fact.text for fact in facts.split(text, chat=chat)]


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about me?",
        "what's my name",
        "Do you remember my birthday?",
        "Tell me what I like",
        "hello",
        "Hi there!",
        "Thanks a lot",
        "ok",
        "Good morning!",
        "👍",
        "...",
        "",
        "   ",
        "Tell me about my sister.",
        "List my hobbies.",
        "Was weißt du über mich?",
        "Danke schön!",
        "¿Qué sabes de mí?",
        "Merci beaucoup",
        "你好",
        "我叫什么名字？",
        "我最喜欢什么颜色",
        "ありがとう",
        "私の名前は何ですか",
        "Спасибо!",
        "Как меня зовут?",
        "شكرا",
        "ما هو اسمي؟",
        "Write a poem about spring.",
        "Translate 'good morning' to French.",
        "Is it going to rain?",
        "how old am i",
        "Remind me what my name is",
        "Blue.",
        "Yes, I do.",
        "Could you tell me where I live?",
        "I live in Rome, right?",
        "Me too.",
        "I will.",
        "谢谢你的帮助",
        "早上好！",
        "好的，谢谢",
        "はじめまして。よろしくお願いします。",
        "ありがとうございました！",
        "はい、そうです。",
        "만나서 반갑습니다",
        "감사합니다!",
        "สวัสดีครับ",
        "ขอบคุณมากค่ะ",
    ],
)
def test_questions_greetings_and_tasks_teach_nothing(text: str) -> None:
    assert texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Please add 2 leeks to my shopping list",
        "Remember that my locker code is 4711.",
        "I require 1 more leek",
        "Can you remember that I am vegan?",
        "Could you please add milk to the list?",
        "Call me Liam.",
        "Remove 1 Chicken.",
        "Whenever I sneeze, say bless you.",
        "When I was ten I moved to Rome.",
        "What I like most is tea.",
        "i love rome",
        "Remind me to call the dentist.",
        "Ich wohne in Köln.",
        "我住在上海。",
        "私は東京に住んでいます。",
        "Bring a rope to the meeting.",
        "Do not call me before ten.",
        "I forget names easily.",
        "Forget-me-nots are my favourite flowers.",
        "Don't forget that I am vegan.",
    ],
)
def test_statements_and_requests_to_remember_are_learned(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    "text",
    ["I'm Li", "I'm Will.", "I ski.", "Call me O.", "Soy Li", "Sono Li.", "Ich bin Li", "Je suis Li", "Jag är Li",
     "Я Ли", "أنا لي", "我叫李雷", "我是李雷。", "请叫我小李", "私は田中です", "田中です。",
     "저는 민수입니다", "ฉันชื่ออานา"],
)  # fmt: skip
def test_what_is_said_of_oneself_is_learned_however_short(text: str) -> None:
    assert texts(text) == [text]
    assert texts(f"I like tea. {text}") == ["I like tea.", text]


@pytest.mark.parametrize(
    "text",
    [
        "Forget that I hate mondays",
        "Please forget my address.",
        "Can you forget that I live in Rome?",
        "Erase my birthday.",
        "Delete what I said about Rome.",
        "Vergiss, dass ich Montage hasse.",
        "Oublie que je déteste le lundi.",
        "Olvida que odio los lunes.",
        "Забудь, что я живу в Москве.",
        "忘记我讨厌星期一",
        "月曜日が嫌いなことを忘れてください",
    ],
)
def test_what_is_to_be_forgotten_is_not_learned(text: str) -> None:
    assert texts(text) == []


def test_each_sentence_is_a_fact() -> None:
    assert texts("I like tea. I live in Rome! My cat is grey… I work at 3.5 Inc.") == [
        "I like tea.", "I live in Rome!", "My cat is grey…", "I work at 3.5 Inc.",
    ]  # fmt: skip
    assert texts("I am 42. I like tea.") == ["I am 42.", "I like tea."]
    assert texts("Mein Geburtstag ist am 4. März.") == ["Mein Geburtstag ist am 4. März."]
    assert texts("我住在上海。我喜欢喝茶。") == ["我住在上海。", "我喜欢喝茶。"]


def test_a_sentence_that_leans_on_the_one_before_keeps_it() -> None:
    assert texts("My sister lives in Oslo. She has two cats. I like tea.") == [
        "My sister lives in Oslo. She has two cats.", "I like tea.",
    ]  # fmt: skip
    assert texts("I bought a boat. It's blue. It is fast.") == ["I bought a boat. It's blue. It is fast."]
    long = f"My boat {'is big and ' * 20}is old."
    first, second = facts.split(f"{long} It is called Zora.", chat=True)
    assert (first.text, second.quote) == (long, "It is called Zora.")
    assert second.text.endswith("is old. It is called Zora.")


@pytest.mark.parametrize(
    "text",
    [
        "I met Dr. Kelvey at 3 p.m. in St. Ives.",
        "He said 'stop!' then left for my house.",
        "'Be kind.' - My grandmother Ada",
        "Meine Praxis ist z.B. montags zu.",
    ],
)
def test_a_point_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert texts(text) == [text]


def test_an_item_of_a_list_keeps_its_heading() -> None:
    listed = ["My shopping list: milk", "My shopping list: two eggs"]
    assert texts("My shopping list:\n- milk\n- two eggs\n\nI like tea.") == [*listed, "I like tea."]
    assert texts("My shopping list:\nmilk\ntwo eggs") == listed
    assert texts("1. milk\n2) eggs\n* [ ] salt") == ["milk", "eggs", "[ ] salt"]


def test_what_a_question_states_on_its_way_is_kept() -> None:
    assert texts("I have two cats, what should they eat?") == ["I have two cats"]
    assert texts("I bought a laptop - can you help me set it up?") == ["I bought a laptop"]
    assert texts("Given what I have told you, how would I travel to Rome?") == []


def test_a_note_may_be_one_word() -> None:
    assert texts("Vegetarian.", chat=False) == ["Vegetarian."]


def test_a_very_long_text_is_cut_into_bearable_facts() -> None:
    cut = texts(" ".join(f"word{n}" for n in range(400)))
    assert len(cut) > 3
    assert max(map(len, cut)) <= facts.LONGEST
    assert texts("x" * 2000, chat=False)[0] == "x" * facts.LONGEST


@pytest.mark.parametrize(
    "part", ["a. ", "a b. ", "- x\n", "It is. ", "what, ", "?! ", "a:\n", "\u4ec0\u4e48", "'! ", "tell me "]
)
def test_no_text_takes_long(part: str) -> None:
    began = time.perf_counter()
    texts(part * (30_000 // len(part)))
    asking.read(part * (4_000 // len(part)))
    assert time.perf_counter() - began < 5


@given(st.text(max_size=400), st.booleans())
def test_no_text_is_too_odd(text: str, chat: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    for fact in facts.split(text, chat=chat):
        assert fact.text.strip()
        meaning.kind(fact.text)
        values.subject(fact.text)
        meaning.hints(fact.text)
        persons.terms(fact.text)
        words.terms(words.words(fact.text))
    asking.read(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I love sushi.", "pref"),
        ("My sister is Mia.", "people"),
        ("I have a meeting tomorrow.", "plan"),
        ("The code is 12.", "detail"),
        ("Ich mag Tee.", "pref"),
        ("我喜欢茶。", "pref"),
        ("Мой брат живёт в Москве.", "people"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert meaning.kind(text) == kind


def test_words_of_the_same_stem_meet_and_small_words_do_not() -> None:
    assert words.terms(words.words("The running cities")) & words.terms(words.words("a city runs"))
    assert words.words("the and of what is my") == []
    assert words.terms(words.words("der die das ist mein Haus")) == {"haus"}

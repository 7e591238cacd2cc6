"""What the offline model finds that was told in other words, in which order, and that it says nothing twice."""

from __future__ import annotations

import pytest
from autogen_core.models import UserMessage

from tests.test_local_model import PETS, answer, remembered


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("Where do I live?", ["I moved to Bergen last week.", "I live in Oslo."]),
        ("Where do I live?", ["I moved from Oslo to Bergen"]),
        ("Where is my home?", ["I relocated to Bergen.", "I live in Oslo."]),
        ("Where do I work?", ["I got a new job at Apex.", "I was hired by Acme."]),
        ("Who is my partner?", ["I married Eva."]),
        ("What's my wife's name?", ["My wife is Eva."]),
        ("Wo wohne ich?", ["Ich bin nach Bonn gezogen.", "Ich wohne in Köln."]),
        ("我住在哪里", ["我搬到了卑尔根", "我住在奥斯陆"]),
        ("What is my name?", ["I am called Jo."]),
    ],
)
async def test_what_was_told_in_other_words_answers_the_newest_first(question: str, lines: list[str]) -> None:
    text = await answer(question, remembered(*lines, "Zzz qqq.", "My hat is red."))
    assert [line for line in lines if line in text] == lines
    assert [text.index(line) for line in lines] == sorted(text.index(line) for line in lines)
    assert "Zzz" not in text
    assert "hat is" not in text


@pytest.mark.parametrize(
    ("question", "mine", "theirs"),
    [
        ("Where do I live?", "I moved to Bergen.", "My sister lives in Rome."),
        ("Where do I live?", "I live in Oslo.", "I have a sister who lives in Rome."),
        ("Wo wohne ich?", "Ich wohne in Köln.", "Meine Schwester wohnt in Rom."),
        ("我住在哪里", "我住在奥斯陆", "我妹妹住在罗马"),
    ],
)
async def test_asked_about_the_person_their_own_comes_first(question: str, mine: str, theirs: str) -> None:
    for text in (
        await answer(question, remembered(theirs, mine)),
        await answer(question, "", [UserMessage(content=f"{mine}\n{theirs}", source="person_1")]),
    ):
        assert mine in text
        assert text.find(theirs) in {-1, *range(text.index(mine), len(text))}


async def test_the_same_is_not_listed_twice() -> None:
    before = [
        UserMessage(content="rex is my dog", source="person_1"),
        UserMessage(content="I ski. I ski!", source="person_1"),
        UserMessage(content="exit", source="person_1"),
    ]
    text = await answer("What do you know about me?", PETS, before)
    assert text.casefold().count("rex is my dog") == 1
    assert text.count("I ski") == 1
    assert "exit" not in text
    assert (await answer("Who is Rex?", PETS, before)).casefold().count("rex is my dog") == 1


async def test_broken_characters_do_no_harm() -> None:
    assert await answer("I like \ud800 tea.", PETS) == "Noted."
    assert "Rex" in await answer("Who is \udfff Rex?", PETS)

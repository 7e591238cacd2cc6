"""What was told in one word is found by another of its family, the newest first and the person's own before others'."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.local_memory.kit import recalled, say

if TYPE_CHECKING:
    from geniffy import AsyncGeniffy

MOVES = [
    ("I live in Oslo.", "I moved to Bergen last week.", "Where do I live?"),
    ("I live in Oslo.", "I moved from Oslo to Bergen.", "Which city do I live in?"),
    ("I live in Oslo.", "I relocated to Bergen.", "Where do I reside?"),
    ("I live in Oslo.", "I moved to Bergen.", "Where is my home?"),
    ("I work at Acme.", "I was hired by Apex.", "Where do I work?"),
    ("I work at Acme.", "I got a new job at Apex.", "Who is my employer?"),
    ("My name is Jo.", "Call me Al.", "What is my name?"),
    ("My wife is Eva.", "I got married in June.", "Who is my partner?"),
    ("Ich wohne in Köln.", "Ich bin nach Bonn gezogen.", "Wo wohne ich?"),
    ("J'habite à Lyon.", "J'ai déménagé à Paris.", "Où est-ce que j'habite ?"),
    ("Vivo en Sevilla.", "Me mudé a Madrid.", "¿Dónde vivo?"),
    ("Abito a Roma.", "Mi sono trasferita a Milano.", "Dove abito?"),
    ("Я живу в Москве.", "Я переехал в Казань.", "Где я живу?"),
    ("我住在奥斯陆", "我搬到了卑尔根", "我住在哪里"),
]


@pytest.mark.parametrize(("older", "newer", "question"), MOVES)
async def test_what_was_told_in_other_words_is_found_and_the_newest_comes_first(
    ana: AsyncGeniffy, older: str, newer: str, question: str
) -> None:
    await say(ana, older, key="1", said_at="2026-10-01")
    await say(ana, newer, key="2", said_at="2026-10-02")
    assert await recalled(ana, question) == [newer, older]


OTHERS = [
    ("I live in Oslo.", "My sister lives in Rome.", "Where do I live?"),
    ("I moved to Bergen.", "I have a sister who lives in Rome.", "Where do I live?"),
    ("I moved to Bergen.", "Tom lives in Rome.", "Where is my home?"),
    ("I was hired by Apex.", "My wife works at Acme.", "Where do I work?"),
    ("I'm Jo.", "My dog is called Rex.", "What's my name?"),
    ("Ich bin nach Bonn gezogen.", "Meine Schwester wohnt in Rom.", "Wo wohne ich?"),
    ("Vivo en Sevilla.", "Mi hermana vive en Roma.", "¿Dónde vivo?"),
    ("我搬到了卑尔根", "我妹妹住在罗马", "我住在哪里"),
    ("私は東京に住んでいます", "私の妹はローマに住んでいます", "私はどこに住んでいますか"),
    ("我叫李雷", "我的猫叫咪咪", "我叫什么名字"),
]


@pytest.mark.parametrize(("mine", "theirs", "question"), OTHERS)
async def test_asked_about_the_person_their_own_comes_before_what_was_told_of_others(
    ana: AsyncGeniffy, mine: str, theirs: str, question: str
) -> None:
    await say(ana, mine, key="1", said_at="2026-10-01")
    await say(ana, theirs, key="2", said_at="2026-10-02")
    assert (await recalled(ana, question))[0] == mine


@pytest.mark.parametrize(
    ("mine", "theirs", "question"),
    [
        ("I live in Oslo.", "My sister lives in Rome.", "Where does my sister live?"),
        ("I was hired by Apex.", "My wife works at Acme.", "Where does my wife work?"),
        ("Ich heiße Jo.", "Meine Schwester heißt Anja.", "Wie heißt meine Schwester?"),
        ("我叫李雷", "我的猫叫咪咪", "我的猫叫什么名字"),
    ],
)
async def test_asked_about_another_what_was_told_of_them_comes_first(
    ana: AsyncGeniffy, mine: str, theirs: str, question: str
) -> None:
    await say(ana, theirs, key="1", said_at="2026-10-01")
    await say(ana, mine, key="2", said_at="2026-10-02")
    assert (await recalled(ana, question))[0] == theirs

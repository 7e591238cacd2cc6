"""Corrections, newer values, and the history of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from geniffy import BadRequestError, NotFoundError

from tests.local_memory.kit import House, known, note, recalled, say, until

if TYPE_CHECKING:
    from geniffy import AsyncGeniffy


async def fix(person: AsyncGeniffy, wrong: str, right: str) -> int:
    (memory,) = [memory for memory in (await person.memories.list()).memories if memory.text == wrong]
    answer = await person.memories.correct(memory.id, right)
    assert (answer["id"], answer["corrected"]) == (memory.id, True)
    await person.sources.wait(answer["source"]["id"])
    return memory.id


async def test_a_correction_takes_the_place_of_the_wrong_memory(ana: AsyncGeniffy) -> None:
    await say(ana, "My sister works at Acme.", labels={"heard": "dm", "day": "1"}, key="1")
    old = await fix(ana, "My sister works at Acme.", "My sister works at Apex. Since May?")
    (memory,) = (await ana.memories.list()).memories
    assert memory.text == "My sister works at Apex. Since May?"
    assert memory.source is not None
    assert memory.source.labels == {"heard": "dm", "day": "1"}
    detail = await ana.memories.get(memory.id)
    assert detail.memory.quote == memory.text
    assert [(one.id, one.text, one.status) for one in detail.history] == [
        (old, "My sister works at Acme.", "corrected")
    ]
    assert await recalled(ana, "Acme?") == []
    for call in (ana.memories.get(old), ana.memories.correct(old, "No.")):
        with pytest.raises(NotFoundError):
            await call


async def test_a_wrong_memory_is_not_used_even_before_the_right_one_is_learned(home: House, ana: AsyncGeniffy) -> None:
    await note(ana, "My sister works at Acme.")
    home.memory.learning_delay = 60
    memory = (await ana.memories.list()).memories[0]
    await ana.memories.correct(memory.id, "My sister works at Apex.")
    assert await known(ana) == []
    assert await recalled(ana, "Where does my sister work?") == []


async def test_a_corrected_memory_does_not_come_back_with_its_message(ana: AsyncGeniffy) -> None:
    await say(ana, "My sister works at Acme.", key="1")
    await fix(ana, "My sister works at Acme.", "My sister works at Apex.")
    await say(ana, "My sister works at Acme. I like tea.", key="1")
    assert set(await known(ana)) == {"My sister works at Apex.", "I like tea."}


async def test_a_correction_keeps_only_labels_that_all_sources_share(ana: AsyncGeniffy) -> None:
    await say(ana, "I like tea.", key="1", labels={"heard": "dm", "app": "k"})
    await say(ana, "I like tea.", key="2", labels={"heard": "public.T1", "app": "k"})
    await fix(ana, "I like tea.", "I like coffee.")
    memory = (await ana.memories.list()).memories[0]
    assert memory.source is not None
    assert memory.source.labels == {"app": "k"}


async def test_a_correction_is_a_text(ana: AsyncGeniffy) -> None:
    await note(ana, "I like tea.")
    memory = (await ana.memories.list()).memories[0]
    with pytest.raises(BadRequestError):
        await ana.memories.correct(memory.id, "  ")
    assert await known(ana) == ["I like tea."]


SUCCESSIONS = [
    ("My favourite colour is blue.", "Actually, my favorite color is green now!"),
    ("I am 41 years old.", "I'm 42 years old now."),
    ("My email address is ana@example.com.", "My email address is now ana@example.org."),
    ("My birthday is on 3 May.", "My birthday is May 4th, 1990."),
    ("My phone number is 555 1234.", "My phone number is 555 9876."),
    ("Meine Lieblingsfarbe ist Blau.", "Meine Lieblingsfarbe ist jetzt Grün."),
    ("Ma couleur préférée est le bleu.", "Ma couleur préférée est le vert."),
    ("Mi color favorito es el azul.", "Mi color favorito es el verde."),
    ("我最喜欢的颜色是蓝色。", "我最喜欢的颜色现在是绿色。"),
    ("私の好きな色は青です。", "私の好きな色は緑です。"),
]


@pytest.mark.parametrize(("older", "newer"), SUCCESSIONS)
async def test_a_newer_value_replaces_the_older_and_keeps_it_as_history(
    ana: AsyncGeniffy, older: str, newer: str
) -> None:
    await say(ana, older, key="1", said_at="2026-10-01")
    await say(ana, newer, key="2", said_at="2026-10-02")
    assert await known(ana) == [newer]
    memory = (await ana.memories.list()).memories[0]
    history = (await ana.memories.get(memory.id)).history
    assert [(one.text, one.status) for one in history] == [(older, "superseded")]


async def test_what_was_said_later_counts_whatever_was_learned_later(ana: AsyncGeniffy) -> None:
    await say(ana, "My favourite colour is green.", key="2", said_at="2026-10-02")
    await say(ana, "My favourite colour is blue.", key="1", said_at="2026-10-01")
    assert await known(ana) == ["My favourite colour is green."]


async def test_going_back_to_an_old_value_makes_it_the_newest(ana: AsyncGeniffy) -> None:
    for day, colour in enumerate(("blue", "green", "blue"), 1):
        await say(ana, f"My favourite colour is {colour}.", key=str(day), said_at=f"2026-10-0{day}")
    assert await known(ana) == ["My favourite colour is blue."]


async def test_older_values_are_found_when_asked_for(ana: AsyncGeniffy) -> None:
    for day, colour in enumerate(("red", "green", "blue"), 1):
        await say(ana, f"My favourite colour is {colour}.", key=str(day), said_at=f"2026-10-0{day}")
    assert await recalled(ana, "What is my favourite colour?") == ["My favourite colour is blue."]
    everything = ["My favourite colour is blue.", "My favourite colour is green.", "My favourite colour is red."]
    assert await recalled(ana, "What were all the favourite colours I had before?") == everything


KEPT = [
    ("Please add 1 leek to my list.", "Please add another leek to my list."),
    ("My sister is a doctor.", "My sister is in Paris."),
    ("My favourite colour is blue.", "My favourite food is ramen."),
    ("My favourite colour is blue.", "My favourite colour is also green."),
    ("My sister's name is Mia.", "My brother's name is Tom."),
    ("I like tea.", "I like coffee."),
    ("I am tired.", "I am vegetarian."),
    ("I live in Oslo.", "I live in fear of spiders."),
    ("I live in Oslo.", "I live in hope."),
    ("I live in Oslo.", "I live in Norway."),
    ("I live in Oslo.", "I moved to tears at the end."),
    ("I live in Rome.", "I just moved to Paris."),
    ("I work at Acme.", "I work at night."),
    ("I work at Acme.", "I now work for Apex."),
    ("Call me Al.", "My name is Jo."),
    ("My name is Ana.", "My name is Schmidt."),
    ("My name is Ana.", "My name is hard to spell."),
    ("My favourite food is ramen.", "My favourite food is expensive."),
    ("My favourite band is Abba.", "My favourite band is now on tour."),
    ("My favourite colour is blue.", "My favourite colour is the one of the sea."),
    ("My favourite colour is blue.", "My favourite colour is red in winter."),
    ("My favourite colour is blue.", "My least favourite colour is red."),
    ("My birthday is on 3 May.", "My birthday is a sad day."),
    ("My age is 41.", "My age is a secret."),
    ("My address is 12 Elm Street.", "My address is hard to find."),
    ("My phone number is 555 1234.", "My phone number is new."),
    ("My phone number is 555 1234.", "My work phone number is 555 9876."),
    ("My phone number is 555 1234.", "My sister's phone number is 555 9876."),
    ("I am 41 years old.", "I am 10 years older than my wife."),
    ("Ich wohne in Köln.", "Ich wohne in einem alten Haus."),
    ("Meine Lieblingsfarbe ist Blau.", "Meine Lieblingsfarbe ist schwer zu finden."),
    ("Me llamo Sofía.", "Me llamo así por mi abuela."),
    ("我住在奥斯陆。", "我住在恐惧中。"),
    ("我叫李雷。", "我叫他回家。"),
    ("我最喜欢的食物是拉面。", "我最喜欢的食物是贵的。"),
    ("私の名前は田中です。", "私の名前は珍しいです。"),
    ("私の好きな色は青です。", "私の好きな色は秘密です。"),
]


@pytest.mark.parametrize(("one", "other"), KEPT)
async def test_in_doubt_both_are_kept_newest_first(ana: AsyncGeniffy, one: str, other: str) -> None:
    await say(ana, one, key="1")
    await say(ana, other, key="2")
    assert await known(ana) == [other, one]


async def test_a_value_said_in_private_hides_no_older_one_in_public(ana: AsyncGeniffy) -> None:
    public: dict[str, str | list[str]] = {"heard": ["public.T1", "shared"]}
    await say(ana, "My favourite colour is blue.", key="1", labels={"heard": "public.T1"})
    await say(ana, "My favourite colour is green.", key="2", labels={"heard": "dm"})
    question = "What is my favourite colour?"
    assert await recalled(ana, question) == ["My favourite colour is green."]
    assert await recalled(ana, question, public) == ["My favourite colour is blue."]
    assert await known(ana, public) == ["My favourite colour is blue."]


async def test_correcting_while_old_memories_are_read(home: House, ana: AsyncGeniffy) -> None:
    await note(ana, "I live in Rome.")
    home.memory.learning_delay = 0.1
    memory = (await ana.memories.list()).memories[0]
    await ana.memories.correct(memory.id, "I live in Paris.")

    async def learned() -> bool:
        return await known(ana) == ["I live in Paris."]

    await until(learned)


async def test_a_person_can_take_a_copy_of_everything(ana: AsyncGeniffy) -> None:
    await say(ana, "My favourite colour is blue.", key="1", said_at="2026-01-01")
    await say(ana, "My favourite colour is green.", key="2", said_at="2026-01-02")
    wrong = await say(ana, "I live in Rome.", key="3")
    memory = next(m for m in (await ana.memories.list()).memories if m.text == "I live in Rome.")
    await ana.memories.correct(memory.id, "I live in Paris.")

    async def learned() -> bool:
        return bool(await recalled(ana, "Where do I live?"))

    await until(learned)
    copy = await ana.export()
    held = {(memory["text"], memory["status"]) for memory in copy["memories"]}
    assert held == {
        ("My favourite colour is blue.", "superseded"), ("My favourite colour is green.", "current"),
        ("I live in Rome.", "corrected"), ("I live in Paris.", "current"),
    }  # fmt: skip
    assert all(memory["quote"] for memory in copy["memories"])
    assert wrong.id in {source["id"] for source in copy["sources"]}
    assert {"files", "episodes", "lessons", "intentions", "now", "exported_at", "stored_in"} < set(copy)

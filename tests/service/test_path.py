"""The one path: said, answered with what is remembered, saved; and what is not saved."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.chat import Ask, Attachment, NotAccepted, Quoted, User
from bot.service import sentences
from tests.fakes.openai import Answer
from tests.fakes.platform import ANA, BEN, refuse, said
from tests.fakes.poll import until

if TYPE_CHECKING:
    from tests.service.conftest import House


async def test_what_you_tell_it_it_remembers_in_the_next_conversation(house: House) -> None:
    house.openai.say("Nice to meet Rex!", when="Rex")
    assert await house.say(said("My dog is called Rex.")) == "Nice to meet Rex!"
    await house.say(said("What is the name of my dog?", root="2"))
    assert "- My dog is called Rex.  [in a direct message, " in house.openai.requests[-1].system


async def test_when_nothing_is_known_the_block_says_so(house: House) -> None:
    await house.say(said("What is the name of my dog?"))
    assert 'state="nothing"' in house.openai.requests[-1].system


async def test_an_exchange_is_saved_once_with_its_date_and_place(house: House) -> None:
    house.openai.say("Noted.")
    message = said("I moved to Bergen.", where="public")
    for _ in range(3):
        await house.service.message(message)
    await house.say(message)
    (saved,) = house.wire.saved()
    assert saved["external_id"] == message.key
    assert saved["labels"] == {"heard": "public.home"}
    assert [(one["role"], one["content"]) for one in saved["messages"]] == [
        ("user", "I moved to Bergen."),
        ("assistant", "Noted."),
    ]
    assert house.platform.posts[message.id] == 1


async def test_the_first_contact_is_told_before_anything_is_saved_and_only_once(house: House) -> None:
    saved_before_told = []

    async def look() -> None:
        saved_before_told.extend(house.wire.saved())

    house.platform.before["tell"] = look
    await house.say(said("I moved to Bergen."))
    await house.say(said("I like it here."))
    assert saved_before_told == []
    assert [user for user, _ in house.platform.told] == [ANA]
    assert "AI" in house.platform.told[0][1].text
    assert len(house.wire.saved()) == 2


async def test_nothing_is_saved_where_the_notice_could_not_be_delivered(house: House) -> None:
    house.platform.before["tell"] = refuse
    message = said("I moved to Bergen.")
    await house.say(message)
    assert house.wire.saved() == []
    del house.platform.before["tell"]
    await house.say(said("I like it here."))
    assert len(house.wire.saved()) == 1, "told now: only what is said from here on is saved"


@pytest.mark.parametrize("where", ["external", "unknown"])
async def test_where_strangers_read_nothing_is_recalled_and_nothing_saved(house: House, where: str) -> None:
    await house.say(said("My dog is called Rex."))
    reads, saves = len(house.wire.recalls()), len(house.wire.saved())
    await house.say(said("I live in Oslo. What is the name of my dog?", where=where))
    assert len(house.wire.recalls()) == reads, "the memory was not even asked"
    assert len(house.wire.saved()) == saves
    assert "Rex" not in house.asked()


async def test_what_is_not_saved_loses_its_words_and_its_place_in_the_history(house: House) -> None:
    await house.say(said("The code is zanzibar.", where="external"))
    await house.say(said("What was the code?", where="external"))
    assert "zanzibar" not in house.asked()


async def test_a_conversation_has_its_history_and_new_begins_afresh(house: House) -> None:
    first = said("I am thinking of a number: 42.")
    await house.say(first)
    await house.say(said("Which number was it?"))
    assert "thinking of a number: 42" in str(house.openai.requests[-1].texts("user"))
    await house.service.command("new", Ask(ANA, first.thread))
    await house.say(said("And again?"))
    assert "thinking of a number: 42" not in str(house.openai.requests[-1].texts("user"))


async def test_others_words_reach_the_model_as_quotes_and_never_the_memory(house: House) -> None:
    house.openai.say("Ben says that he is ill.")
    message = said("What did Ben say?", quoted=(Quoted("Ben", "I have diabetes"),))
    await house.say(message)
    assert "diabetes" in house.asked()
    (saved,) = house.wire.saved()
    assert "diabetes" not in str(saved)
    assert "ill" not in str(saved)
    assert saved["messages"][1]["content"] == sentences.REPEATED_ANSWER


async def test_an_answer_in_a_thread_of_several_people_is_not_saved_as_it_is(house: House) -> None:
    await house.say(said("I am allergic to nuts.", by=BEN, where="public"))
    house.openai.say("Ben is allergic to nuts.")
    await house.say(said("I bring the cake. Who is allergic?", where="public"))
    mine = house.wire.saved()[-1]
    assert "nuts" not in str(mine)


async def test_an_answer_that_only_repeats_what_was_recalled_is_not_saved_again(house: House) -> None:
    await house.say(said("My dog is called Rex."))
    house.openai.say("Your dog is called Rex.")
    await house.say(said("What is the name of my dog?", root="2"))
    assert house.wire.saved()[-1]["messages"][1]["content"] == sentences.REPEATED_ANSWER


async def test_ten_turns_of_what_do_you_know_grow_nothing(house: House) -> None:
    await house.say(said("My dog is called Rex."))
    before = await house.service.wishes.known(ANA, 100)
    for turn in range(10):
        house.openai.say("You told me that your dog is called Rex.")
        await house.say(said("What do you know about me?", root=f"q{turn}"))
    assert await house.service.wishes.known(ANA, 100) == before


async def test_only_a_mention_or_only_a_file_gets_one_honest_line_and_no_model(house: House) -> None:
    assert await house.say(said("")) == sentences.EMPTY
    photo = Attachment("F1", "cat.png", "image/png", 1000)
    house.platform.files["F1"] = b"\x89PNG\r\n\x1a\n"
    assert await house.say(said("", attachments=(photo,))) == "I could not read cat.png: the picture is broken."
    assert house.openai.requests == []
    assert house.wire.saved() == []


async def test_what_was_not_for_the_bot_leaves_no_row(house: House) -> None:
    house.platform.ours = lambda message: "bot" in message.text
    await house.service.message(said("we two talk about zanzibar"))
    await house.settle()
    assert house.openai.requests == []
    assert await house.store.owed() == ()


async def test_a_refused_an_empty_and_a_cut_answer_are_told_honestly(house: House) -> None:
    house.openai.say(Answer("", finish="stop"))
    assert (await house.say(said("I live in Oslo.", root="a"))).strip()
    assert house.wire.saved() == []
    house.openai.say(Answer("I think that", finish="length"))
    cut = await house.say(said("I live in Bergen.", root="b"))
    assert cut.startswith("I think that")
    assert len(cut) > len("I think that")
    assert len(house.wire.saved()) == 1


async def test_two_people_at_once_never_meet(house: House) -> None:
    house.openai.say("Noted.", when="called")
    await house.say(said("My dog is called Rex."))
    await house.say(said("My cat is called Tom.", by=BEN))
    questions = [said("What is my pet called?", by=who, root=f"{n}") for n in range(6) for who in (ANA, BEN)]
    await asyncio.gather(*(house.say(message, settle=False) for message in questions))
    for request in house.openai.requests[2:]:
        assert not ("Rex" in request.system and "Tom" in request.system)
    for space, _, _, body in house.wire.seen:
        assert not (space == ANA.space and "Tom" in str(body))
        assert not (space == BEN.space and "Rex" in str(body))


async def test_one_persons_turns_come_in_order_and_anothers_do_not_wait(house: House) -> None:
    house.openai.say(Answer("Slow.", delay=0.6), when="slow")
    slow, next_, other = said("slow one", root="t"), said("next one", root="t"), said("other", by=BEN, root="t")
    for message in (slow, next_, other):
        await house.service.message(message)
    await until(lambda: len(house.platform.finals) == 3)
    assert house.platform.finals == [other.id, slow.id, next_.id]


async def test_a_message_that_comes_late_is_answered_next_and_sees_only_what_was_said_before_it(house: House) -> None:
    early, late = said("I said this first.", root="t"), said("I said this second.", root="t")
    await house.say(late)
    await house.say(early)
    assert house.platform.finals == [late.id, early.id]
    assert "second" not in str(house.openai.requests[-1].texts("user"))


async def test_a_person_without_a_proper_id_is_refused(house: House) -> None:
    for broken in ("", "..", "a b", "a\n", "ä", "x" * 200):
        with pytest.raises(ValueError, match="memory space"):
            await house.service.message(said("hello", by=User("test", broken)))


async def test_a_database_that_is_locked_is_told_to_the_platform_in_time(house: House) -> None:
    async with house.store.inbox._db.write():
        began = asyncio.get_running_loop().time()
        with pytest.raises(NotAccepted):
            await house.service.message(said("hello"))
        assert asyncio.get_running_loop().time() - began < 3
    assert await house.say(replace(said("hello again"))) == "You said: hello again"


async def test_a_command_that_nobody_knows_gets_a_sentence(house: House) -> None:
    panel = await house.service.command("deploy", Ask(ANA, said("").thread))
    assert "/help" in panel.text

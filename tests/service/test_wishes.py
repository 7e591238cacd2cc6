"""What a person asks of exchanges of theirs: keep this, forget that, rate it, answer again; and typed commands."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.chat import Ask, Panel, Quoted, Role
from bot.service import sentences
from bot.store.inbox import find
from tests.fakes.openai import Answer, fail
from tests.fakes.platform import ANA, BEN, refuse, said
from tests.fakes.poll import until
from tests.service.test_follow import facts
from tests.service.test_forget import files_with

if TYPE_CHECKING:
    from bot.chat import Message, User
    from tests.service.conftest import House


async def use(house: House, name: str, message: Message, by: User = ANA) -> Panel:
    thread = (await house.platform.resolve(message) or message).thread
    return await house.service.command(name, Ask(by, thread, message=message))


async def told(house: House) -> None:
    await house.say(said("Hello."))
    house.wire.seen.clear()


@pytest.mark.parametrize("words", ["forget me", "/forget-me", " !Forget_Me. ", "FORGET ME!"])
@pytest.mark.parametrize("where", ["dm", "public"])
async def test_a_typed_command_is_run_and_shown_to_that_person_only(house: House, words: str, where: str) -> None:
    message = said(words, where=where)
    await house.service.message(message)
    await until(lambda: house.platform.told)
    await house.settle()
    ((user, panel),) = house.platform.told
    assert user == ANA
    assert "deletes everything" in panel.text
    assert message.id not in house.platform.answers
    assert house.openai.requests == []
    assert house.wire.saved() == []


async def test_a_typed_command_that_cannot_be_shown_there_says_where_it_can(house: House) -> None:
    house.platform.before["tell"] = refuse
    assert await house.say(said("memory", where="public")) == sentences.PRIVATELY


async def test_words_around_a_command_are_a_question(house: House) -> None:
    assert await house.say(said("How do I make you forget me?")) == "You said: How do I make you forget me?"


async def test_remember_this_keeps_a_message_that_was_not_said_to_the_bot_and_follows_it(house: House) -> None:
    await told(house)
    house.platform.crowded.add("public")  # what a person points at is theirs to keep, whoever talks there
    mine = said("My flat has number 12.", where="public", root="elsewhere")
    assert "remember that now" in (await use(house, "keep", mine)).text
    await house.settle()
    assert "My flat has number 12." in await facts(house)
    assert house.wire.saved()[0]["labels"] == {"heard": "public.home"}
    assert mine.id not in house.platform.answers
    assert "already" in (await use(house, "keep", mine)).text
    await house.service.edited(replace(mine, text="My flat has number 14."), calls=False)
    await house.settle()
    assert "My flat has number 14." in await facts(house)
    await house.service.deleted(mine.key)
    await house.settle()
    assert await facts(house) == []


@pytest.mark.parametrize("kind", ["another's", "wordless", "external"])
async def test_what_is_not_the_persons_own_or_others_can_read_is_not_kept(house: House, kind: str) -> None:
    await told(house)
    message = said("", where="public") if kind == "wordless" else said("A secret.", where="public")
    message = replace(message, author=BEN) if kind == "another's" else message
    message = said("A secret.", where="external") if kind == "external" else message
    panel = await use(house, "keep", message)
    await house.settle()
    assert "remember that now" not in panel.text
    assert house.wire.saved() == []


async def test_a_kept_message_that_is_edited_is_followed_and_never_answered(house: House) -> None:
    await told(house)
    mine = said("My flat has number 12.", where="public", root="elsewhere")
    await use(house, "keep", mine)
    await house.settle()
    await house.service.edited(replace(mine, text="My flat has number 14."), calls=False)
    await house.settle()
    assert await facts(house) == ["My flat has number 14."]
    assert mine.id not in house.platform.answers


async def test_what_is_pointed_at_after_it_was_forgotten_or_taken_back_is_kept_all_the_same(house: House) -> None:
    message = said("My flat has number 12.")
    await house.say(message)
    await use(house, "forget-exchange", message)
    await until(lambda: house.platform.shown == {})
    await house.settle()
    assert "remember that now" in (await use(house, "keep", message)).text
    await house.settle()
    assert await facts(house) == ["My flat has number 12."]
    await house.service.command("forget-me", Ask(ANA, message.thread, "fresh"))
    await house.store.fences.told(ANA.space)
    assert "remember that now" in (await use(house, "keep", message)).text
    async with house.store.inbox._db.read() as connection:
        row = await find(connection, message.key)
    assert row is not None
    assert row.generation == (await house.store.fences.of(ANA.space)).generation, "so the save is not dropped"


@pytest.mark.parametrize("end", ["model down", "stop"])
async def test_a_repeat_that_comes_to_nothing_takes_nothing_away(house: House, end: str) -> None:
    message = said("My flat has number 12.")
    await house.say(message)
    stopped = Answer(chunks=("One ", "two "), hold=asyncio.Event())
    house.openai.say(*([stopped] if end == "stop" else [fail(500)] * 3))
    asked = len(house.openai.requests)
    await house.service.command("again", Ask(ANA, message.thread, message.key))
    await until(lambda: len(house.openai.requests) > asked)
    if end == "stop":
        await until(lambda: house.openai.open)
        await house.service.stopped(message.thread, ANA)
    await until(lambda: house.platform.answers[message.id] != "You said: My flat has number 12.")
    await house.settle()
    assert await facts(house) == ["My flat has number 12."]


async def test_no_statement_in_memory_holds_words_or_whom_they_were_about(house: House) -> None:
    message = said("The word is zebraone.")
    await house.say(message)
    await house.service.edited(replace(message, text="The word is zebratwo."), calls=False)
    await use(house, "keep", said("The word is zebrathree.", where="public"))
    await house.settle()
    await house.service.command("forget-me", Ask(ANA, message.thread, "fresh"))
    compiled = house.store.inbox._db._engine.sync_engine._compiled_cache
    assert compiled is not None
    values = [
        str([bind.value for bind in one.binds.values()]) for one in list(compiled.values()) if hasattr(one, "binds")
    ]
    assert not [found for found in values if "zebra" in found]


async def test_others_words_that_came_with_a_question_do_not_rest_after_its_answer(house: House) -> None:
    message = said("What is that?", quoted=(Quoted("Ben", "A zebra from Bern."),))
    house.openai.say("An animal.")
    await house.say(message)
    await house.store.scrub()
    assert files_with(house.path, ("from Bern",)) == []
    assert [one.role for one in house.platform.offered[message.id]] == [Role.GOOD, Role.BAD]


async def test_nothing_is_kept_before_the_person_was_told(house: House) -> None:
    panel = await use(house, "keep", said("A fact.", where="public"))
    await house.settle()
    assert "I am an AI" in panel.text
    assert house.wire.saved() == []


@pytest.mark.parametrize("point", ["question", "answer"])
async def test_forget_this_exchange_takes_back_what_it_taught_and_its_answer(house: House, point: str) -> None:
    message = said("My PIN is 4711.", where="public")
    await house.say(message)
    pointed = message if point == "question" else replace(message, id=f"r-{message.id}", author=BEN, text="x")
    assert "I take back" in (await use(house, "forget-exchange", pointed)).text
    await house.settle()
    assert await facts(house) == []
    assert house.platform.shown == {}


async def test_nobody_takes_back_the_exchange_of_another(house: House) -> None:
    message = said("My PIN is 4711.", where="public")
    await house.say(message)
    for pointed in (message, replace(message, id=f"r-{message.id}")):
        panel = await use(house, "forget-exchange", pointed, by=BEN)
        assert "no exchange of yours" in panel.text
    assert await facts(house) == ["My PIN is 4711."]


async def test_under_an_answer_stands_what_can_be_done_with_it_by_a_key_alone(house: House) -> None:
    message = said("My PIN is 4711.")
    await house.say(message)
    offered = house.platform.offered[message.id]
    assert [one.role for one in offered] == [Role.GOOD, Role.BAD, Role.AGAIN]
    assert {one.argument for one in offered} == {message.key}
    house.openai.say(fail(500), fail(500), fail(500))
    sorry = said("Hello?")
    await house.say(sorry)
    assert house.platform.offered[sorry.id] == (), "an apology is not rated"


async def test_an_answer_is_written_again_in_its_place_for_who_asked_only(house: House) -> None:
    message = said("My dog is called Rex.")
    await house.say(message)
    house.openai.say("Rex, noted.")
    stranger = await house.service.command("again", Ask(BEN, message.thread, message.key))
    assert "not yours" in stranger.text
    assert (await house.service.command("again", Ask(ANA, message.thread, message.key))).text == ""
    await until(lambda: house.platform.answers[message.id] == "Rex, noted.")
    await house.settle()
    assert house.platform.posts[message.id] == 1
    assert await facts(house) == ["My dog is called Rex."]
    assert (await house.geniffy.space(ANA.space).sources.list()).total == 1
    await house.say(said("And Tom my cat."))
    late = await house.service.command("again", Ask(ANA, message.thread, message.key))
    assert "more was said since" in late.text


async def test_a_verdict_is_kept_with_the_exchange_and_goes_with_it(house: House) -> None:
    message = said("My dog is called Rex.")
    await house.say(message)
    assert "Thank you" in (await house.service.command("good", Ask(ANA, message.thread, message.key))).text
    assert "Only the person" in (await house.service.command("bad", Ask(BEN, message.thread, message.key))).text
    await house.service.deleted(message.key)
    await house.settle()
    assert "Only the person" in (await house.service.command("bad", Ask(ANA, message.thread, message.key))).text


async def test_the_home_page_tells_first_and_then_lists(house: House) -> None:
    home = await house.service.command("home", Ask(ANA, said("x").thread))
    assert "I am an AI" in home.text
    await house.say(said("My dog is called Rex."))
    home = await house.service.command("home", Ask(ANA, said("x").thread))
    assert "I am an AI" not in home.text
    assert [item.text for item in home.items] == ["My dog is called Rex."]

"""Edits and deletions of a person's message: what was learned follows, and so does the answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.fakes.openai import Answer
from tests.fakes.platform import ANA, BEN, said
from tests.fakes.poll import until
from tests.service.test_forget import files_with

if TYPE_CHECKING:
    import httpx

    from bot.chat import Message
    from tests.service.conftest import House


async def facts(house: House) -> list[str]:
    await house.learned()
    return [one.text async for one in house.geniffy.space(ANA.space).memories.iter()]


async def test_what_you_delete_it_forgets_and_the_answer_goes_too(house: House) -> None:
    message = said("My dog is called Rex.")
    await house.say(message)
    assert await facts(house) == ["My dog is called Rex."]
    await house.service.deleted(message.key)
    await house.settle()
    assert await facts(house) == []
    assert house.platform.shown == {}
    await house.say(said("What is the name of my dog?"))
    assert "Rex" not in house.asked()


async def test_a_question_deleted_before_its_answer_is_not_answered(house: House) -> None:
    going = asyncio.Event()
    house.openai.say(Answer(chunks=("Rex ", "is "), hold=going), when="Rex")
    message = said("My dog is called Rex.")
    await house.service.message(message)
    await until(lambda: house.openai.open == 1)
    await house.service.deleted(message.key)
    await house.settle()
    await until(lambda: house.openai.open == 0)
    assert house.platform.finals == []
    assert house.platform.shown == {}
    assert house.wire.saved() == []


async def test_a_message_deleted_while_its_save_is_on_the_way_is_taken_back(house: House) -> None:
    message = said("My dog is called Rex.")

    async def delete_first(request: httpx.Request) -> None:
        if (request.method, request.url.path) == ("POST", "/v1/memories"):
            house.wire.before = None
            await house.service.deleted(message.key)

    house.wire.before = delete_first
    await house.say(message)
    assert await facts(house) == []
    assert (await house.geniffy.space(ANA.space).sources.list()).total == 0


async def test_a_message_deleted_while_its_save_waits_is_never_saved(house: House) -> None:
    house.wire.down = True
    message = said("My dog is called Rex.")
    await house.say(message, settle=False)
    await until(lambda: house.wire.turned_away == 2)  # the recall, and the save
    await house.service.deleted(message.key)
    house.wire.down = False
    await house.settle()
    assert house.wire.saved() == []
    assert await facts(house) == []


async def test_an_edit_within_five_minutes_is_answered_again_in_the_same_message(house: House) -> None:
    house.openai.say("A fine name.", when="Rex")
    house.openai.say("Max it is.", when="Max")
    message = said("My dog is called Rex.")
    await house.say(message)
    del house.platform.answers[message.id]
    await house.service.edited(replace(message, text="My dog is called Max."), calls=True)
    await until(lambda: message.id in house.platform.answers)
    await house.settle()
    assert house.platform.shown == {f"r-{message.id}": "Max it is."}
    assert house.platform.posts[message.id] == 1
    assert await facts(house) == ["My dog is called Max."]


async def test_an_edit_after_somebody_spoke_changes_only_the_memory(house: House) -> None:
    message = said("My dog is called Rex.", where="public")
    await house.say(message)
    await house.say(said("Hello you two.", by=BEN, where="public"))
    house.platform.answers.clear()
    await house.service.edited(replace(message, text="My dog is called Max."), calls=True)
    await house.settle()
    assert await facts(house) == ["My dog is called Max."]
    assert house.platform.answers == {}


async def test_an_edit_while_the_answer_is_written_is_what_gets_answered(house: House) -> None:
    house.openai.say(Answer(chunks=("Rex ", "is "), hold=asyncio.Event()), when="Rex")
    house.openai.say("Max it is.", when="Max")
    message = said("My dog is called Rex.")
    await house.service.message(message)
    await until(lambda: house.openai.open == 1)
    await house.service.edited(replace(message, text="My dog is called Max."), calls=True)
    await until(lambda: message.id in house.platform.answers)
    await house.settle()
    assert house.platform.shown == {f"r-{message.id}": "Max it is."}
    assert house.platform.posts[message.id] == 1
    assert len(house.wire.saved()) == 1
    assert await facts(house) == ["My dog is called Max."]


async def test_an_edit_while_the_save_is_on_the_way_ends_in_the_newer_words(house: House) -> None:
    message = said("My dog is called Rex.", where="public")
    await house.service.message(message)

    async def edit_first(request: httpx.Request) -> None:
        if (request.method, request.url.path) == ("POST", "/v1/memories"):
            house.wire.before = None
            await house.service.edited(replace(message, text="My dog is called Max."), calls=True)

    house.wire.before = edit_first
    await until(lambda: _saved_twice(house))
    await house.settle()
    assert await facts(house) == ["My dog is called Max."]


def _saved_twice(house: House) -> bool:
    return len(house.wire.saved()) >= 2


async def test_stop_ends_the_run_keeps_what_is_there_and_saves_nothing(house: House) -> None:
    house.openai.say(Answer(chunks=("Once upon ", "a time "), hold=asyncio.Event()))
    message: Message = said("Tell me a story about my dog Rex.")
    await house.service.message(message)
    await until(lambda: "Once" in house.platform.shown.get(f"r-{message.id}", ""))
    await house.service.stopped(message.thread, ANA)
    await until(lambda: message.id in house.platform.answers)
    await house.settle()
    assert house.platform.answers[message.id] == "Once upon\n\n(stopped)"
    assert house.openai.open == 0
    assert house.wire.saved() == []


async def test_only_the_turns_owner_stops_it(house: House) -> None:
    held = asyncio.Event()
    house.openai.say(Answer(chunks=("Once upon ", "a time."), hold=held))
    message = said("Tell me a story.", where="public")
    await house.service.message(message)
    await until(lambda: "Once" in house.platform.shown.get(f"r-{message.id}", ""))
    await house.service.stopped(message.thread, BEN)
    await asyncio.sleep(0.05)
    held.set()
    await until(lambda: message.id in house.platform.answers)
    assert house.platform.answers[message.id] == "Once upon a time."


async def test_deleted_and_overwritten_words_leave_the_files_within_seconds(house: House) -> None:
    kept, gone = said("My dog is called Rexington.", root="a"), said("My cat is called Tomington.", root="b")
    for message in (kept, gone):
        await house.say(message)
    house.platform.answers.clear()
    await house.service.edited(replace(kept, text="My dog is called Max."), calls=True)
    await house.service.deleted(gone.key)
    await house.settle()
    await until(lambda: files_with(house.path, ("Rexington", "Tomington")) == [])

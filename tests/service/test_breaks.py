"""What breakers found: each of these once ended with words that stayed, an answer that stood, or a person ignored."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.chat import Ask, Audience, NotAccepted, Quoted
from bot.service import sentences
from bot.store import now
from tests.fakes.openai import Answer, fail
from tests.fakes.platform import ANA, BEN, fails, refuse, said
from tests.fakes.poll import until
from tests.service.test_follow import facts
from tests.service.test_forget import files_with, forget

if TYPE_CHECKING:
    from tests.service.conftest import House

OLD = timedelta(minutes=6)


@pytest.mark.parametrize("end", ["model down", "empty", "stop", "undeliverable"])
async def test_an_edit_that_ends_without_an_answer_takes_the_old_words_back(house: House, end: str) -> None:
    message = said("My PIN is 4711.")
    await house.say(message)
    assert await facts(house) == ["My PIN is 4711."]
    if end == "model down":
        house.openai.say(fail(500), fail(500), fail(500))
    if end == "undeliverable":
        house.platform.before["finish_reply"] = refuse
    if end == "stop":
        house.openai.say(Answer(chunks=("a ", "b "), hold=asyncio.Event()), when="tea")
    await house.service.edited(replace(message, text="" if end == "empty" else "I like tea."), calls=True)
    if end == "stop":
        await until(lambda: house.openai.open)
        await house.service.stopped(message.thread, ANA)
    await until(lambda: _forgot_all(house))
    await house.service.deleted(message.key)
    await house.settle()
    assert (await house.geniffy.space(ANA.space).sources.list()).total == 0


async def test_after_retention_an_edit_and_a_deletion_still_reach_the_memory(house: House) -> None:
    message = said("My PIN is 4711.", sent_at=datetime.now(UTC) - OLD)
    await house.say(message)
    await house.store.inbox.clean(older_than=now() + 10)
    await house.service.edited(replace(message, text="I like tea."), calls=True)
    await house.settle()
    assert await facts(house) == ["I like tea."]
    await house.service.deleted(message.key)
    await house.settle()
    assert await facts(house) == []


async def test_an_edit_where_strangers_read_by_now_takes_the_words_back(house: House) -> None:
    message = said("My PIN is 4711.", where="public", sent_at=datetime.now(UTC) - OLD)
    await house.say(message)
    house.platform.places["public"] = Audience.EXTERNAL
    await house.service.edited(replace(message, text="My PIN is 4712."), calls=True)
    await house.settle()
    assert await facts(house) == []


async def test_a_late_edit_does_not_save_the_old_answer_that_repeats_what_was_edited_away(house: House) -> None:
    message = said("My PIN is 4711.", sent_at=datetime.now(UTC) - OLD)
    await house.say(message)
    await house.service.edited(replace(message, text="I like tea."), calls=True)
    await house.settle()
    assert "4711" not in str(house.wire.saved()[-1])
    await house.say(said("What was it?"))
    assert "4711" not in house.asked()


@pytest.mark.parametrize("by", ["deletion", "forget me"])
async def test_words_that_go_leave_other_peoples_rows_and_prompts_too(house: House, by: str) -> None:
    house.openai.say("Noted.", when="zanzibar")
    mine = said("My word is zanzibar.", where="public")
    await house.say(mine)
    house.openai.say("Ana said zanzibar.", when="What did Ana say")
    await house.say(said("What did Ana say?", by=BEN, where="public", quoted=(Quoted("Ana", "zanzibar!"),)))
    if by == "deletion":
        await house.service.deleted(mine.key)
        await house.settle()
    else:
        await forget(house)
    await until(lambda: files_with(house.path, ("zanzibar",)) == [])
    await house.say(said("Say it again?", by=BEN, where="public"), settle=False)
    assert "zanzibar" not in house.asked()


async def test_an_answer_that_repeats_a_mixed_one_is_not_saved_as_it_is(house: House) -> None:
    house.openai.say("Ana said zanzibar.", when="What did Ana say")
    await house.say(said("What did Ana say?", by=BEN, quoted=(Quoted("Ana", "zanzibar!"),)))
    house.openai.say("As told: zanzibar.", when="Say it again")
    await house.say(said("Say it again, I like how it sounds.", by=BEN))
    assert "zanzibar" not in str(house.wire.saved()[-1])


@pytest.mark.parametrize("when", ["finish_reply", "finish_reply_returns"])
@pytest.mark.parametrize("by", ["deletion", "forget me"])
async def test_an_answer_that_is_being_posted_does_not_stay_behind(house: House, by: str, when: str) -> None:
    posted, go = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        posted.set()
        await go.wait()

    house.platform.before[when] = hold  # before it stands in the chat, or before we know that it does
    message = said("My word is zanzibar.")
    await house.service.message(message)
    await posted.wait()
    if by == "deletion":
        await house.service.deleted(message.key)
    else:
        await forget(house)
    go.set()
    await asyncio.sleep(0.2)
    await until(lambda: house.platform.shown == {})
    await house.service.settled("test", 5)
    assert house.platform.shown == {}


async def test_a_half_written_answer_goes_even_when_the_platform_is_down_at_first(house: House) -> None:
    house.openai.say(Answer(chunks=("Your word ", "is "), hold=asyncio.Event()))
    house.platform.before["remove_reply"] = fails(1)
    message = said("My word is zanzibar.")
    await house.service.message(message)
    await until(lambda: house.platform.shown)
    await forget(house)
    await until(lambda: house.platform.shown == {})


async def test_what_was_said_before_a_forget_and_arrives_after_it_is_answered_and_not_saved(house: House) -> None:
    late = said("My word is zanzibar.")
    await forget(house)
    await house.say(late, settle=False)
    await house.service.settled("test", 5)
    assert house.wire.saved() == []


async def test_a_start_fresh_on_an_old_panel_does_not_undo_never(house: House) -> None:
    await forget(house, "never")
    await forget(house, "fresh")
    assert (await house.store.fences.of(ANA.space)).choice == "never"


async def test_three_quick_edits_are_no_poison(house: House) -> None:
    held = asyncio.Event()
    house.openai.say(Answer(chunks=("one ", "two"), hold=held), when="draft")
    message = said("draft 0")
    await house.service.message(message)
    for number in range(1, 5):
        await until(lambda: house.openai.open == 1)
        await house.service.edited(replace(message, text=f"draft {number}"), calls=True)
        await asyncio.sleep(0.05)
    await house.service.edited(replace(message, text="done"), calls=True)
    await until(lambda: message.id in house.platform.answers)
    assert house.platform.answers[message.id] == "You said: done"


@pytest.mark.parametrize("status", [400, 422, 503])
async def test_a_deletion_that_the_memory_refuses_is_not_asked_again_and_again(house: House, status: int) -> None:
    message = said("My word is zanzibar.")
    await house.say(message)
    house.wire.deletes_refused = status
    await house.service.deleted(message.key)
    await asyncio.sleep(1.2)
    assert 1 <= sum(method == "DELETE" for _, method, _, _ in house.wire.seen) <= 3
    house.wire.deletes_refused = 0
    await until(lambda: _forgot_all(house))


async def _forgot_all(house: House) -> bool:
    return await facts(house) == []


async def test_stop_ends_what_is_being_answered_and_not_what_waits_behind_it(house: House) -> None:
    house.openai.say(Answer(chunks=("Once upon ", "a time "), hold=asyncio.Event()), when="story")
    story, question = said("Tell me a story."), said("And who are you?")
    await house.service.message(story)
    await until(lambda: house.openai.open)
    await house.service.message(question)
    await house.service.stopped(story.thread, ANA)
    await until(lambda: question.id in house.platform.answers)
    assert house.platform.answers[story.id].endswith(sentences.STOPPED)
    assert house.platform.answers[question.id] == "You said: And who are you?"


async def test_a_new_person_in_two_threads_at_once_is_told_once(house: House) -> None:
    await asyncio.gather(*(house.say(said(f"Hello {n}", root=f"{n}")) for n in range(4)))
    assert len(house.platform.told) == 1


async def test_half_a_character_neither_loses_a_message_nor_stops_the_bot(house: House) -> None:
    assert await house.say(said("My dog is called R\ud800x.")) == "You said: My dog is called R?x."
    assert await facts(house) == ["My dog is called R?x."]


async def test_a_message_that_cannot_be_answered_lets_the_next_one_pass_after_a_while(house: House) -> None:
    broken = said("broken")

    async def down() -> None:
        if "broken" in str(house.openai.requests[-1].last):
            raise OSError

    house.platform.before["finish_reply"] = down
    await house.service.message(broken)
    await until(lambda: house.openai.requests)
    async with house.store.inbox._db.write() as connection:
        await connection.exec_driver_sql("UPDATE exchanges SET tries = 5, due_at = due_at + 600")
    await house.say(said("whole"), settle=False)
    assert broken.id not in house.platform.answers


async def test_one_strange_row_does_not_stop_what_comes_after_it_in_the_memory_lane(house: House) -> None:
    house.wire.down = True
    strange, fine = said("I live in Oslo."), said("I like tea.")
    await house.say(strange, settle=False)
    await house.say(fine, settle=False)
    async with house.store.inbox._db.write() as connection:
        broken = "UPDATE exchanges SET message = replace(message, '\"dm\"', '\"external\"'), due_at = 0 WHERE key = ?"
        await connection.exec_driver_sql(broken, (strange.key,))
        await connection.exec_driver_sql("UPDATE exchanges SET due_at = 0")
    house.wire.down = False
    await until(lambda: _knows(house, "I like tea."))


async def _knows(house: House, text: str) -> bool:
    return text in [one.text for one in await house.service.wishes.known(ANA, 9)]


async def test_a_lock_of_another_process_holds_an_accept_up_for_less_than_slack_waits(
    house: House,
) -> None:
    other = sqlite3.connect(house.path / "keepsake.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = asyncio.get_running_loop().time()
    with pytest.raises(NotAccepted):
        await house.service.message(said("hello"))
    assert asyncio.get_running_loop().time() - began < 2.5
    other.rollback()
    other.close()
    assert await house.say(said("hello again")) == "You said: hello again"


async def test_a_reader_of_the_database_holds_up_the_receipt_and_nobodys_messages(house: House) -> None:
    await house.say(said("My word is zanzibar."))
    reader = sqlite3.connect(house.path / "keepsake.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM exchanges").fetchone()
    panel = await forget(house)
    assert "found nothing" not in panel.text
    assert await house.say(said("Hello.", by=BEN), settle=False) == "You said: Hello."
    reader.rollback()
    reader.close()
    await until(lambda: _erased(house), 20)
    assert files_with(house.path, ("zanzibar",)) == []


async def _erased(house: House) -> bool:
    return (await house.store.fences.of(ANA.space)).erased_at is not None


async def test_a_person_in_sixty_threads_does_not_keep_the_others_waiting(house: House) -> None:
    house.openai.say(Answer(chunks=("slow ", "one"), hold=asyncio.Event()), when="flood")
    for number in range(70):
        await house.service.message(said("flood", root=f"{number}"))
    assert await house.say(said("Hello?", by=BEN), settle=False) == "You said: Hello?"
    panel = await house.service.command("forget-me", Ask(BEN, said("").thread, "fresh"))
    assert "found nothing" in panel.text


@pytest.mark.parametrize("by", ["deletion", "forget me"])
async def test_what_the_memory_could_not_forget_yet_is_not_recalled_either(house: House, by: str) -> None:
    message = said("My word is zanzibar.")
    await house.say(message)
    house.wire.down = True
    if by == "deletion":
        await house.service.deleted(message.key)
        await until(lambda: house.platform.shown == {})
    else:
        await forget(house)
    await asyncio.sleep(1.5)
    house.wire.down = False
    await house.say(said("What is my word?", root="2"), settle=False)
    assert "zanzibar" not in house.asked()


@pytest.mark.parametrize("by", ["deletion", "forget me", "edit"])
async def test_an_answer_in_the_making_that_has_words_in_view_which_go_is_made_anew(house: House, by: str) -> None:
    house.openai.say("Noted.", when="zanzibar")
    mine = said("My word is zanzibar.", where="public")
    await house.say(mine)
    held = asyncio.Event()
    house.openai.say(Answer(chunks=("Ana said ", "zanzibar."), hold=held), when="What did Ana say")
    question = said("What did Ana say?", by=BEN, where="public")
    await house.service.message(question)
    await until(lambda: house.openai.open)
    house.openai.say("She took it back.", when="What did Ana say")
    if by == "deletion":
        await house.service.deleted(mine.key)
    elif by == "edit":
        await house.service.edited(replace(mine, text="My word is tea."), calls=True)
    else:
        await forget(house)
    held.set()
    await until(lambda: question.id in house.platform.answers)
    await until(lambda: files_with(house.path, ("zanzibar",)) == [])
    assert house.platform.posts[question.id] == 1


async def test_delete_and_then_forget_leaves_no_answer_behind(house: House) -> None:
    message = said("My word is zanzibar.")
    await house.say(message)
    house.platform.before["remove_reply"] = fails(1)
    await house.service.deleted(message.key)
    await forget(house)
    await until(lambda: house.platform.shown == {})


@pytest.mark.parametrize("then", ["nothing", "edit"])
async def test_a_stop_of_the_process_while_an_answer_is_posted_does_not_double_it(world: House, then: str) -> None:
    message, go = said("Hello."), asyncio.Event()
    world.platform.before["finish_reply_returns"] = go.wait  # type: ignore[assignment]
    async with world.open() as house:
        await house.service.message(message)
        await until(lambda: house.platform.shown)
    go.set()
    del world.platform.before["finish_reply_returns"]
    async with world.open() as house:
        if then == "edit":
            await house.service.edited(replace(message, text="Hello there."), calls=True)
        await until(lambda: len(house.platform.finals) >= 2)
        await asyncio.sleep(0.1)
        assert house.platform.posts[message.id] == 1
        assert len(house.platform.shown) == 1


async def test_a_cancelled_accept_leaves_the_database_free(house: House) -> None:
    for number in range(120):
        task = asyncio.create_task(house.service.message(said("hello", root=f"{number}", where="external")))
        await asyncio.sleep(0.0002 * (number % 40))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await house.say(said("And now?", by=BEN), settle=False) == "You said: And now?"
    await until(house.store.scrub)

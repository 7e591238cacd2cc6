"""What a platform tells is written once, whatever comes twice or late."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import sqlite

from bot.store import Stage, WrongSecret, now, open_store
from bot.store.schema import exchanges
from bot.store.work import UNANSWERED, UNDELETED, UNKEPT, UNREMOVED, UNSAVED
from tests.fakes.platform import ANA, BEN, said

if TYPE_CHECKING:
    from bot.chat import Message
    from bot.store import Row, Store


async def row_of(store: Store, message: Message) -> Row | None:
    lane = store.keys.turn_lane(message.thread.key, message.author.space)
    async with store.lanes.hold(lane) as lease:
        assert lease is not None
        return await store.work(lease).next_turn()


async def finish(store: Store, message: Message, *, saves: bool = True) -> None:
    lane = store.keys.turn_lane(message.thread.key, message.author.space)
    async with store.lanes.hold(lane) as lease:
        assert lease is not None
        work = store.work(lease)
        row = await work.next_turn()
        assert row is not None
        row = await work.answered(row, "Fine.", saves=saves, plain=True, outcome="answered")
        await work.finished(row, None, saves=saves)


async def stage_after(store: Store, edited: Message) -> Stage | None:
    assert (await store.inbox.edit(edited, calls=True)).lanes
    row = await row_of(store, edited)
    return row.stage if row else None


async def test_the_same_message_three_times_is_one_row(store: Store) -> None:
    message = said("hello")
    assert (await store.inbox.accept(message)).lanes
    assert not (await store.inbox.accept(message)).lanes
    assert not (await asyncio.gather(*(store.inbox.accept(message) for _ in range(5))))[0].lanes
    assert await store.waiting("test") == 1


async def test_what_was_forgotten_or_deleted_does_not_come_back_with_a_late_delivery(store: Store) -> None:
    message = said("hello")
    await store.inbox.accept(message)
    await store.fences.forget(ANA.space, never=False)
    assert not (await store.inbox.accept(message)).lanes
    early = said("never mind")
    await store.inbox.request_delete(early.key)
    assert not (await store.inbox.accept(early)).lanes


async def test_ten_tasks_raise_the_generation_to_ten(store: Store) -> None:
    await asyncio.gather(*(store.fences.forget(ANA.space, never=False) for _ in range(10)))
    assert (await store.fences.of(ANA.space)).generation == 10


async def test_the_oldest_by_the_platforms_own_time_comes_first(store: Store) -> None:
    first, second = said("first"), said("second")
    await store.inbox.accept(second)
    await store.inbox.accept(first)
    row = await row_of(store, first)
    assert row is not None
    assert row.key == first.key


async def test_an_edit_before_the_answer_changes_what_is_answered(store: Store) -> None:
    message = said("I live in Oslo")
    await store.inbox.accept(message)
    await store.inbox.edit(replace(message, text="I live in Bergen"), calls=True)
    row = await row_of(store, message)
    assert row is not None
    assert row.message is not None
    assert (row.message.text, row.revision) == ("I live in Bergen", 2)


async def test_an_edit_with_the_same_words_changes_nothing(store: Store) -> None:
    message = said("I live in Oslo")
    await store.inbox.accept(message)
    assert not (await store.inbox.edit(message, calls=True)).lanes


async def test_somebody_elses_edit_of_a_message_is_refused(store: Store) -> None:
    message = said("I live in Oslo")
    await store.inbox.accept(message)
    forged = replace(message, author=BEN, text="I live in a lie")
    assert not (await store.inbox.edit(forged, calls=True)).lanes


async def test_a_young_edit_is_answered_again_and_an_old_one_only_saved_again(store: Store) -> None:
    young, old = said("a"), said("b", root="2", sent_at=datetime.now(UTC) - timedelta(minutes=6))
    for message in (young, old):
        await store.inbox.accept(message)
        await finish(store, message)
    assert await stage_after(store, replace(young, text="A")) == Stage.RECEIVED
    assert await stage_after(store, replace(old, text="B")) == Stage.EDITED


async def test_an_edit_is_only_saved_when_somebody_spoke_since(store: Store) -> None:
    message = said("a")
    await store.inbox.accept(message)
    await finish(store, message)
    await store.inbox.accept(said("b", by=BEN, root="1", thread=message.thread))
    assert await stage_after(store, replace(message, text="A")) == Stage.EDITED


async def test_an_edit_that_first_calls_the_bot_is_a_message_only_while_it_is_young(store: Store) -> None:
    assert (await store.inbox.edit(said("hi", sent_at=datetime.now(UTC)), calls=True)).lanes
    assert not (await store.inbox.edit(said("hi", sent_at=datetime.now(UTC)), calls=False)).lanes
    assert not (await store.inbox.edit(said("hi", sent_at=datetime.now(UTC) - timedelta(minutes=6)), calls=True)).lanes


async def test_old_rows_lose_their_words_and_keep_what_a_deletion_needs(store: Store) -> None:
    message = said("an old secret")
    await store.inbox.accept(message)
    await finish(store, message, saves=False)
    waiting = said("never answered")
    await store.inbox.accept(waiting)
    await store.inbox.clean(older_than=now() + 10)
    assert await row_of(store, waiting) is None, "what could not be answered in all that time is closed"
    assert (await store.inbox.request_delete(message.key)).lanes
    row = await row_of(store, message)
    assert row is not None
    assert (row.message, row.answer, row.stage) == (None, None, Stage.FINISHED)


async def test_of_two_edits_the_later_wins_whichever_comes_last(store: Store) -> None:
    message = said("one")
    await store.inbox.accept(message)
    when = message.sent_at
    await store.inbox.edit(replace(message, text="three", edited_at=when + timedelta(seconds=2)), calls=True)
    late = replace(message, text="two", edited_at=when + timedelta(seconds=1))
    assert not (await store.inbox.edit(late, calls=True)).lanes
    row = await row_of(store, message)
    assert row is not None
    assert row.message is not None
    assert row.message.text == "three"


async def test_words_that_rest_nowhere_do_not_come_to_rest_by_an_edit(store: Store) -> None:
    message = said("gone", sent_at=datetime.now(UTC) - timedelta(minutes=6))
    await store.inbox.accept(message)
    await finish(store, message, saves=False)
    assert not (await store.inbox.edit(replace(message, text="a secret"), calls=True)).lanes
    async with store.inbox._db.read() as connection:
        assert "secret" not in str((await connection.exec_driver_sql("SELECT * FROM exchanges")).all())


async def test_what_was_said_before_a_forget_belongs_to_the_generation_before_it(store: Store) -> None:
    early = said("before")
    await store.fences.forget(ANA.space, never=False)
    await store.inbox.accept(early)
    row = await row_of(store, early)
    assert row is not None
    assert row.generation == 0


async def test_what_is_owed_is_found_without_a_look_at_every_row(store: Store) -> None:
    for what in (UNANSWERED, UNREMOVED, UNSAVED, UNDELETED, UNKEPT):
        query = select(exchanges.c.key).where(what, exchanges.c.due_at <= now())
        text = str(query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
        async with store.inbox._db.read() as connection:
            plan = str((await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")).all())
        assert "USING" in plan, plan


async def test_another_secret_is_refused_before_a_forgotten_person_is_remembered(url: str) -> None:
    async with open_store(url, b"one"):
        pass
    with pytest.raises(WrongSecret, match="KEEPSAKE_SECRET"):
        async with open_store(url, b"another"):
            pass
    async with open_store(url, b"one"):
        pass

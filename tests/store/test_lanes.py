"""A lane has one holder; who lost it can change nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from bot.store import Changed, LaneLost, now
from bot.store.schema import lanes
from tests.fakes.platform import ANA, said

if TYPE_CHECKING:
    from bot.store import Store


async def expire(store: Store, lane: str) -> None:
    async with store.inbox._db.write() as connection:
        await connection.execute(update(lanes).where(lanes.c.name == lane).values(lease_until=now() - 1))


async def test_a_held_lane_is_nobody_elses(store: Store) -> None:
    async with store.lanes.hold("turn.a.b") as first, store.lanes.hold("turn.a.b") as second:
        assert first is not None
        assert second is None
    async with store.lanes.hold("turn.a.b") as third:
        assert third is not None


async def test_a_thawed_worker_can_write_nothing_after_another_took_over(store: Store) -> None:
    message = said("hello")
    lane = (await store.inbox.accept(message)).lanes[0]
    async with store.lanes.hold(lane) as frozen:
        assert frozen is not None
        row = await store.work(frozen).next_turn()
        assert row is not None
        await expire(store, lane)
        async with store.lanes.hold(lane) as taker:
            assert taker is not None
            with pytest.raises(LaneLost):
                await store.work(frozen).answered(row, "late", saves=True, plain=True, outcome="answered")
            with pytest.raises(LaneLost):
                await frozen.renew()
        async with store.lanes.hold(lane) as nobody:  # the frozen one's end must not free the taker's lane
            assert nobody is not None


async def test_work_is_cancelled_when_its_lane_is_lost(store: Store) -> None:
    async with store.lanes.hold("turn.a.b") as lease:
        assert lease is not None
        await expire(store, "turn.a.b")
        async with store.lanes.hold("turn.a.b"):
            with pytest.raises(LaneLost):
                await asyncio.wait_for(lease.guard(asyncio.sleep(30)), 10)


async def test_a_row_that_changed_meanwhile_refuses_the_old_work(store: Store) -> None:
    message = said("hello")
    lane = (await store.inbox.accept(message)).lanes[0]
    async with store.lanes.hold(lane) as lease:
        assert lease is not None
        work = store.work(lease)
        row = await work.next_turn()
        assert row is not None
        await store.inbox.request_delete(message.key)
        with pytest.raises(Changed):
            await work.answered(row, "too late", saves=True, plain=True, outcome="answered")


async def test_an_answer_to_words_that_were_edited_meanwhile_is_refused(store: Store) -> None:
    message = said("hello")
    lane = (await store.inbox.accept(message)).lanes[0]
    async with store.lanes.hold(lane) as lease:
        assert lease is not None
        work = store.work(lease)
        row = await work.next_turn()
        assert row is not None
        await store.inbox.edit(replace(message, text="goodbye"), calls=True)
        with pytest.raises(Changed):
            await work.answered(row, "to hello", saves=True, plain=True, outcome="answered")


async def test_a_forgotten_person_takes_their_running_turn_with_them(store: Store) -> None:
    message = said("hello")
    lane = (await store.inbox.accept(message)).lanes[0]
    async with store.lanes.hold(lane) as lease:
        assert lease is not None
        work = store.work(lease)
        row = await work.next_turn()
        assert row is not None
        await store.fences.forget(ANA.space, never=False)
        with pytest.raises((Changed, LaneLost)):
            await work.answered(row, "too late", saves=True, plain=True, outcome="answered")


async def test_a_clock_that_was_set_back_does_not_lock_a_lane(store: Store) -> None:
    async with store.lanes.hold("turn.a.b"):
        async with store.inbox._db.write() as connection:
            await connection.execute(update(lanes).values(lease_until=now() + 3600))
        async with store.lanes.hold("turn.a.b") as lease:
            assert lease is not None


async def test_the_sweep_sees_what_is_owed_and_not_held(store: Store) -> None:
    message = said("hello")
    lane = (await store.inbox.accept(message)).lanes[0]
    assert [(owed.lane, owed.install) for owed in await store.owed()] == [(lane, "home")]
    async with store.lanes.hold(lane):
        assert await store.owed() == ()
    await store.fences.forget(ANA.space, never=True)
    assert [owed.lane for owed in await store.owed()] == [store.keys.memory_lane(ANA.space)]


async def test_an_erase_is_owed_twice_and_then_the_name_goes(store: Store) -> None:
    await store.fences.forget(ANA.space, never=True)
    async with store.lanes.hold(store.keys.memory_lane(ANA.space)) as lease:
        assert lease is not None
        fence = await store.fences.owing(lease)
        assert fence is not None
        await store.fences.erased(lease, fence)
        fence = await store.fences.owing(lease)
        assert fence is not None
        assert fence.space == ANA.space
        assert (fence.erase_due_at or 0) > now() + 6
        await store.fences.erased(lease, fence)
        assert await store.fences.owing(lease) is None
    fence = await store.fences.of(ANA.space)
    assert (fence.space, fence.choice, fence.generation) == (None, "never", 1)


async def test_forgotten_words_are_not_in_the_files(store: Store) -> None:
    message = said("my password is zanzibar-quartz")
    await store.inbox.accept(message)
    await store.fences.forget(ANA.space, never=False)
    await store.scrub()
    home = store.inbox._db._engine.url.database
    assert home
    for suffix in ("", "-wal", "-shm"):
        with open(home + suffix, "rb") as file:  # noqa: ASYNC230, PTH123 - a look at a closed file
            assert b"zanzibar-quartz" not in file.read()

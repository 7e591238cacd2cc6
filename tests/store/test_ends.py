"""What an end changes in the database, and what it leaves alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from bot.store import Install, now, open_store
from bot.store.schema import exchanges, installs
from tests.fakes.platform import ANA, BEN, said
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from bot.store import Row, Store

HOME = Install("test", "home")


async def due(store: Store) -> None:
    async with store.inbox._db.write() as connection:
        await connection.execute(update(installs).values(erase_due_at=now() - 1))


async def keys(store: Store) -> list[str]:
    async with store.inbox._db.read() as connection:
        return list((await connection.execute(select(exchanges.c.key).order_by(exchanges.c.sent_at))).scalars())


async def next_turn(store: Store, lane: str) -> Row | None:
    async with store.lanes.hold(lane) as lease:
        assert lease is not None
        return await store.work(lease).next_turn()


async def test_the_turns_of_an_ended_install_are_nobodys_until_it_is_there_again(store: Store) -> None:
    message = said("hello")
    (lane,) = (await store.inbox.accept(message)).lanes
    assert (await store.ends.removed(HOME, 60)).lanes == (lane,)
    assert await next_turn(store, lane) is None
    assert await store.owed() == ()
    assert await store.waiting("test") == 0
    await store.ends.installed(HOME)
    row = await next_turn(store, lane)
    assert row is not None
    assert row.key == message.key
    assert [one.lane for one in await store.owed()] == [lane]


async def test_the_same_install_of_another_platform_and_another_install_go_on(store: Store) -> None:
    (lane,) = (await store.inbox.accept(said("hello"))).lanes
    for other in (Install("other", "home"), Install("test", "house"), Install("test", "")):
        assert (await store.ends.removed(other, 0)).lanes == ()
    assert await next_turn(store, lane) is not None
    assert set(await store.ends.due()) == {("other", "home"), ("test", "house"), ("test", "")}
    for which in await store.ends.due():
        assert await store.ends.people(which, 9) == ()
        assert await store.ends.close(which)
    assert len(await keys(store)) == 1


async def test_an_install_that_was_never_seen_or_has_no_people_leaves_no_trace(store: Store) -> None:
    await store.ends.removed(HOME, 0)
    assert await store.ends.close(HOME)
    assert not await store.ends.close(HOME)
    assert await store.ends.due() == ()


async def test_nothing_goes_before_its_time_or_after_the_install_came_back(store: Store) -> None:
    message = said("hello")
    await store.inbox.accept(message)
    await store.ends.removed(HOME, 60)
    assert (await store.ends.forget_there(HOME, ANA.space)).lanes == ()
    assert not await store.ends.close(HOME)
    await due(store)
    found = await store.ends.due()
    await store.ends.installed(HOME)  # between the look and the work
    assert found == (HOME,)
    assert (await store.ends.forget_there(HOME, ANA.space)).lanes == ()
    assert not await store.ends.close(HOME)
    assert await keys(store) == [message.key]


async def test_an_install_is_not_closed_while_an_erase_is_owed(store: Store) -> None:
    await store.inbox.accept(said("hello"))
    await store.ends.removed(HOME, 0)
    assert (await store.ends.forget_there(HOME, ANA.space)).lanes == (store.keys.memory_lane(ANA.space),)
    assert (await store.ends.forget_there(HOME, ANA.space)).lanes == ()
    assert await keys(store) == []
    assert not await store.ends.close(HOME)
    assert await store.ends.due() == (HOME,)


async def test_a_retry_of_a_message_that_went_with_its_install_opens_no_row(store: Store) -> None:
    message = said("hello")
    elsewhere = replace(said("hi"), thread=replace(message.thread, install="annex"))
    for one in (message, elsewhere):
        await store.inbox.accept(one)
    await store.ends.removed(HOME, 0)
    await store.ends.forget_there(HOME, ANA.space)
    await store.inbox.accept(message)
    assert await keys(store) == [elsewhere.key]
    assert (await store.fences.of(ANA.space)).generation == 0


async def test_two_processes_that_end_one_install_at_once_agree(store: Store, url: str) -> None:
    await store.inbox.accept(said("hello"))
    async with open_store(url, SECRET) as second:
        woken = await asyncio.gather(*(one.ends.removed(HOME, 0) for one in (store, second) for _ in range(3)))
        assert sorted(len(one.lanes) for one in woken) == [0, 0, 0, 0, 0, 1]
        await asyncio.gather(*(one.ends.forget_there(HOME, ANA.space) for one in (store, second)))
    assert (await store.fences.of(ANA.space)).generation == 1


async def test_a_return_of_somebody_who_did_not_leave_waits_for_no_writer(store: Store) -> None:
    await store.fences.told(ANA.space)
    async with asyncio.timeout(5), store.inbox._db.write():
        await store.ends.returned(ANA.space)
        await store.ends.returned(BEN.space)


async def test_a_person_of_whom_nothing_is_left_is_not_written_down_again_when_they_leave(store: Store) -> None:
    await store.fences.forget(ANA.space, never=True)
    before = await store.fences.of(ANA.space)
    await store.ends.left(ANA.space)
    assert await store.ends.left_at_once(ANA.space) is None
    assert await store.fences.of(ANA.space) == before


async def test_a_wish_to_be_forgotten_ends_what_the_end_of_the_account_would_owe(store: Store) -> None:
    await store.inbox.accept(said("hello"))
    await store.ends.left(ANA.space)
    await store.fences.forget(ANA.space, never=False)
    assert (await store.fences.of(ANA.space)).leave_due_at is None
    assert await store.ends.leaving(9) == ()

"""What a platform keeps for an install rests sealed, goes wholly, and has one lock over all processes."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from bot.store import Install, now, open_store
from bot.store.lanes import LEASE, RENEW
from bot.store.schema import installs, lanes
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from pathlib import Path

    from bot.chat import Installs
    from bot.store import Store

TOKEN = "xoxb-made-up-by-the-tests"
HOME = Install("test", "T1")


@pytest.fixture
def kept(store: Store) -> Installs:
    return store.installs("test")


def files(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in path.rglob("*") if one.is_file())


async def sealed(store: Store) -> list[str | None]:
    async with store.inbox._db.read() as connection:
        return [one.sealed for one in await connection.execute(installs.select().order_by(installs.c.install))]


async def test_a_text_comes_back_as_it_was_and_rests_sealed(store: Store, kept: Installs, tmp_path: Path) -> None:
    await kept.put("T1", TOKEN)
    await kept.put("T2", "")
    await kept.put("T2", "Zwei ☃")
    assert (await kept.get("T1"), await kept.get("T2"), await kept.get("T3")) == (TOKEN, "Zwei ☃", None)
    assert await kept.names() == ("T1", "T2")
    await store.scrub()
    assert TOKEN.encode() not in files(tmp_path)
    assert "☃".encode() not in files(tmp_path)


async def test_platforms_do_not_see_each_others_installs(store: Store, kept: Installs) -> None:
    await kept.put("T1", TOKEN)
    other = store.installs("other")
    await other.put("T1", "another")
    assert (await kept.get("T1"), await other.get("T1")) == (TOKEN, "another")
    await other.drop("T1")
    assert (await kept.get("T1"), await other.get("T1")) == (TOKEN, None)


async def test_a_text_outlives_the_process(kept: Installs, url: str) -> None:
    await kept.put("T1", TOKEN)
    async with open_store(url, SECRET) as reopened:
        assert await reopened.installs("test").get("T1") == TOKEN


async def test_what_is_dropped_is_in_no_file_any_more(store: Store, kept: Installs, tmp_path: Path) -> None:
    await kept.put("T1", TOKEN)
    (text,) = await sealed(store)
    assert text
    assert text.encode() in files(tmp_path)
    await kept.drop("T1")
    await kept.drop("T1")
    await kept.drop("T0")
    assert (await kept.get("T1"), await kept.names()) == (None, ())
    assert text.encode() not in files(tmp_path)


@pytest.mark.parametrize("broken", ["", "no seal at all", "gAAAAABm☃", "swapped"])
async def test_a_text_that_cannot_be_unsealed_reads_as_none_and_is_told_of_once(
    store: Store, kept: Installs, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    caplog.set_level(logging.DEBUG)
    await kept.put("T1", TOKEN)
    await kept.put("T2", TOKEN)
    if broken == "swapped":  # the text of one install stands in the row of another
        broken = (await sealed(store))[1] or ""
    async with store.inbox._db.write() as connection:
        await connection.execute(update(installs).where(installs.c.install == "T1").values(sealed=broken))
    assert [await kept.get("T1") for _ in range(3)] == [None] * 3
    assert await kept.get("T2") == TOKEN
    said = [one for one in caplog.records if one.name.startswith("bot.")]
    assert len(said) == 1
    assert "install the app again" in said[0].getMessage()
    assert TOKEN not in caplog.text
    assert "T1" not in said[0].getMessage()
    await kept.put("T1", TOKEN)
    assert await kept.get("T1") == TOKEN


async def test_an_install_that_ended_has_no_text_until_it_is_there_again(store: Store, kept: Installs) -> None:
    await kept.put("T1", TOKEN)
    await store.ends.removed(HOME, 60)
    assert (await kept.get("T1"), await kept.names()) == (None, ())
    assert await sealed(store) == [None]
    await kept.put("T1", TOKEN)  # a renewal that was on its way, or the first step of coming back
    assert (await kept.get("T1"), await kept.names()) == (None, ())
    await store.ends.removed(HOME, 60)
    assert await sealed(store) == [None]
    await kept.put("T1", TOKEN)
    await store.ends.installed(HOME)
    assert (await kept.get("T1"), await kept.names()) == (TOKEN, ("T1",))


async def test_one_at_a_time_over_two_processes_and_many_tasks(kept: Installs, url: str) -> None:
    inside, most, order = 0, 0, []

    async def renew(where: Installs, name: str) -> None:
        nonlocal inside, most
        async with where.alone("T1"):
            inside += 1
            most = max(most, inside)
            order.append(name)
            await asyncio.sleep(0.01)
            inside -= 1

    async with open_store(url, SECRET) as second:
        other = second.installs("test")
        await asyncio.gather(*(renew(where, name) for where, name in [(kept, "a"), (other, "b")] * 4))
    assert most == 1
    assert sorted(order) == ["a"] * 4 + ["b"] * 4


async def test_installs_and_platforms_do_not_wait_for_each_other(store: Store, kept: Installs) -> None:
    async with asyncio.timeout(5), kept.alone("T1"), kept.alone("T2"), store.installs("other").alone("T1"):
        pass


async def test_an_error_or_an_end_inside_frees_the_lock(store: Store, kept: Installs) -> None:
    with pytest.raises(KeyError):
        async with kept.alone("T1"):
            raise KeyError
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), kept.alone("T1"):
            await asyncio.sleep(30)
    waiting = asyncio.create_task(_take(kept))
    async with kept.alone("T1"):
        await asyncio.sleep(0.05)
        waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(5):
        await _take(store.installs("test"))


async def _take(where: Installs) -> None:
    async with where.alone("T1"):
        pass


async def test_a_lock_is_kept_longer_than_its_lease_and_outlived_when_its_holder_died(
    store: Store, kept: Installs, url: str
) -> None:
    async with open_store(url, SECRET) as second:
        other = second.installs("test")
        async with kept.alone("T1"):
            taking = asyncio.create_task(_take(other))
            await _lease(store, now() + RENEW + 0.3)
            await asyncio.sleep(RENEW + 0.6)
            assert not taking.done()
        await asyncio.wait_for(taking, 5)
        async with store.lanes.hold(await _name(store)):  # as of a process that dies now
            await _lease(store, now() + 0.3)
            await asyncio.wait_for(_take(other), LEASE)


async def test_whoever_lost_the_lock_is_stopped(store: Store, kept: Installs) -> None:
    async def frozen() -> None:
        async with kept.alone("T1"):
            await _lease(store, now() - 1)
            async with store.lanes.hold(await _name(store)) as taken:
                assert taken is not None
                await asyncio.sleep(20)

    with pytest.raises(TimeoutError):
        await frozen()


async def _name(store: Store) -> str:
    async with store.inbox._db.read() as connection:
        (name,) = [one.name for one in await connection.execute(lanes.select())]
    assert name.startswith("install.")
    assert "T1" not in name
    return str(name)


async def _lease(store: Store, until: float) -> None:
    async with store.inbox._db.write() as connection:
        await connection.execute(update(lanes).values(lease_until=until))

"""An install that ended: closed at once, erased in time and read back, unless it comes back."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, func, select, update

from bot.agent import quiet_logging
from bot.chat import Ask
from bot.service.endings import BATCH
from bot.store import now, open_store
from bot.store.schema import exchanges, installs
from tests.fakes.openai import Answer
from tests.fakes.platform import ANA, BEN, said
from tests.fakes.poll import until
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.service.conftest import House
from tests.service.ending import (
    ANNEX,
    HOME,
    WORD,
    Campus,
    all_erased,
    at,
    count,
    ended,
    forgotten,
    generation,
    in_files,
    pass_grace,
    remembered,
    rows,
    write,
)


@pytest.fixture
async def house(world: House) -> AsyncIterator[House]:
    world.platform = Campus()
    async with world.open():
        yield world


@pytest.mark.case("S68")
async def test_an_uninstall_erases_everybody_after_the_grace_and_leaves_nobodys_id(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.store.installs("test").put("home", "a token")
    for where in ("dm", "public", "private-x"):
        await house.say(said(f"The word of {where} is {WORD}.", where=where))
    await house.say(said("My cat is called Tom.", by=BEN))
    await house.service.removed("test", "home")
    assert await house.store.installs("test").get("home") is None
    await asyncio.sleep(0.5)
    assert WORD in await remembered(house)
    assert "Tom" in await remembered(house, BEN)
    caplog.set_level(logging.DEBUG)
    quiet_logging()  # as the command line does
    await pass_grace(house)
    await all_erased(house)
    assert await forgotten(house)
    assert await forgotten(house, BEN)
    assert [one["space"] for one in await house.geniffy.spaces() if one["memories"]] == []
    assert await rows(house) == 0
    assert await count(house, select(func.count()).select_from(installs)) == 0
    await until(house.store.scrub)
    assert in_files(house, WORD, "Tom", ANA.space, BEN.space, "dm-ana", '"ana"', '"ben"') == []
    assert [word for word in (WORD, ANA.space, "dm-ana", "home") if word in caplog.text] == []


async def test_reading_is_closed_at_once(house: House) -> None:
    await house.say(said("I live in Oslo."))
    asked, recalled = len(house.openai.requests), len(house.wire.recalls())
    await house.service.removed("test", "home")
    await house.service.message(said("Where do I live?"))
    await asyncio.sleep(0.5)
    assert (len(house.openai.requests), len(house.wire.recalls())) == (asked, recalled)
    assert await house.store.waiting("test") == 0
    assert [one for one in await house.store.owed() if one.install] == []


async def test_an_answer_in_the_making_stops_when_the_install_ends(house: House) -> None:
    house.openai.say(Answer(chunks=("Your word ", "is "), hold=asyncio.Event()), when=WORD)
    message = said(f"My word is {WORD}.")
    await house.service.message(message)
    await until(lambda: "Your word" in house.platform.shown.get(f"r-{message.id}", ""))
    await house.service.removed("test", "home")
    await until(lambda: house.openai.open == 0)
    await asyncio.sleep(0.3)
    assert house.platform.finals == []
    assert await forgotten(house)
    await pass_grace(house)
    await all_erased(house)
    assert await rows(house) == 0


async def test_what_was_said_meanwhile_is_answered_when_the_install_comes_back_within_the_grace(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.service.removed("test", "home")
    held = said("Where do I live?")
    await house.service.message(held)
    await house.service.installed("test", "home")
    await until(lambda: held.id in house.platform.answers)
    assert "Oslo" in house.openai.requests[-1].system
    assert house.platform.posts[held.id] == 1
    await pass_grace(house)
    await asyncio.sleep(0.5)
    assert "Oslo" in await remembered(house)
    assert await generation(house) == 0


async def test_a_turn_that_an_end_interrupted_is_answered_once_when_the_install_comes_back(house: House) -> None:
    hold = asyncio.Event()
    house.openai.say(Answer(chunks=("Your word ", "is "), hold=hold), when=WORD)
    message = said(f"My word is {WORD}.")
    await house.service.message(message)
    await until(lambda: "Your word" in house.platform.shown.get(f"r-{message.id}", ""))
    await house.service.removed("test", "home")
    await until(lambda: house.openai.open == 0)
    hold.set()
    await house.service.installed("test", "home")
    await until(lambda: message.id in house.platform.answers)
    await house.settle()
    assert house.platform.posts[message.id] == 1
    assert house.platform.finals == [message.id]
    assert WORD in await remembered(house)


async def test_a_second_end_moves_nothing_and_one_after_the_erase_is_harmless(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.service.removed("test", "home")
    due = select(installs.c.erase_due_at)
    before = await count(house, due)
    assert 71 * 3600 < before - now() < 73 * 3600
    await house.service.removed("test", "home")
    assert await count(house, due) == before
    await pass_grace(house)
    await all_erased(house)
    await house.service.removed("test", "home")
    await pass_grace(house)
    await until(partial(_none_ended, house))
    assert await generation(house) == 1


async def _none_ended(house: House) -> bool:
    return await ended(house) == 0


async def test_whoever_is_in_another_install_too_keeps_what_they_said_there(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.say(at(ANNEX, said("My dog is called Rex.")))
    await house.say(said("My cat is called Tom.", by=BEN))
    await house.service.removed("test", "home")
    await pass_grace(house)
    await all_erased(house)
    kept = await remembered(house)
    assert "Rex" in kept
    assert "Oslo" not in kept
    assert await generation(house) == 0
    assert await forgotten(house, BEN)
    assert await rows(house) == 1
    await until(house.store.scrub)
    assert in_files(house, "Oslo") == []
    assert "r-" not in str(house.wire.seen[-1])
    await house.service.removed("test", "annex")
    await pass_grace(house, ANNEX)
    await all_erased(house)
    assert await forgotten(house)
    assert await rows(house) == 0


async def test_an_install_within_its_grace_may_still_come_back_to_its_people(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.say(at(ANNEX, said("My dog is called Rex.")))
    await house.service.removed("test", "home")
    await house.service.removed("test", "annex")
    await pass_grace(house)
    await until(partial(_rows_are, house, 1))
    await house.service.installed("test", "annex")
    kept = await remembered(house)
    assert "Rex" in kept
    assert "Oslo" not in kept


async def _rows_are(house: House, wanted: int) -> bool:
    return await rows(house) == wanted


async def test_nothing_is_taken_out_of_chats_that_nobody_can_reach(house: House) -> None:
    first, second = said("I live in Oslo."), at(ANNEX, said("My dog is called Rex."))
    for one in (first, second, said("Hm.", by=BEN)):
        await house.say(one)

    async def unreachable() -> None:
        raise AssertionError

    house.platform.before["remove_reply"] = unreachable
    await house.service.removed("test", "home")
    await pass_grace(house)
    await all_erased(house)
    assert f"r-{first.id}" in house.platform.shown


async def test_a_retraction_that_fails_waits_with_growing_pauses(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.say(at(ANNEX, said("My dog is called Rex.")))
    await house.service.removed("test", "home")
    house.wire.down = True
    turned_away = house.wire.turned_away
    await pass_grace(house)
    await asyncio.sleep(1.5)
    assert 1 <= house.wire.turned_away - turned_away <= 3
    assert await ended(house) == 1
    words = (exchanges.c.message, exchanges.c.answer, exchanges.c.reply)
    waiting = select(func.count()).where(exchanges.c.install == "home", *(one.is_(None) for one in words))
    assert await count(house, waiting) == 1
    house.wire.down = False
    await all_erased(house)
    assert "Oslo" not in await remembered(house)


async def test_an_erase_that_a_crash_cut_short_is_taken_up_again(world: House) -> None:
    async with world.open() as house:
        await house.say(said(f"My word is {WORD}."))
        await house.say(said("My cat is called Tom.", by=BEN))
        await house.service.removed("test", "home")
        house.wire.down = True
        await pass_grace(house)
        await house.store.ends.forget_there(HOME, ANA.space)
    async with open_store(f"sqlite+aiosqlite:///{world.path / 'keepsake.db'}", SECRET) as store:
        assert await store.ends.close(HOME) is False
    world.wire.down = False
    async with world.open() as house:
        await all_erased(house)
        assert await forgotten(house)
        assert await forgotten(house, BEN)
        assert (await generation(house), await generation(house, BEN)) == (1, 1)


async def test_two_processes_over_one_file_forget_each_person_once(house: House) -> None:
    people = [replace(ANA, id=f"ana{number}") for number in range(8)]
    await house.service.removed("test", "home")
    for one in people:
        await house.store.inbox.accept(said("hello", by=one))
    async with open_store(f"sqlite+aiosqlite:///{house.path / 'keepsake.db'}", SECRET) as second:
        await pass_grace(house)
        stores = (house.store, second)
        both = [store.ends.forget_there(HOME, one.space) for one in people for store in stores]
        await asyncio.gather(*both)
    assert {await generation(house, one) for one in people} == {1}
    await all_erased(house)


async def test_whoever_is_erased_with_an_install_keeps_a_never_and_else_is_told_again(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.say(said("Hello.", by=BEN))
    await house.service.command("forget-me", Ask(BEN, said("", by=BEN).thread, "never"))
    await house.say(said("Hello again.", by=BEN), settle=False)
    told = [user.id for user, _ in house.platform.told]
    await house.service.removed("test", "home")
    await pass_grace(house)
    await all_erased(house)
    fence = await house.store.fences.of(BEN.space)
    assert fence.choice == "never"
    await house.service.installed("test", "home")
    await house.say(said("I live in Bergen."))
    assert [user.id for user, _ in house.platform.told] == [*told, "ana"]
    assert "Bergen" in await remembered(house)
    assert "Oslo" not in await remembered(house)


async def test_more_people_than_one_round_begins(house: House) -> None:
    await house.service.removed("test", "home")
    for number in range(BATCH + 10):
        await house.store.inbox.accept(said("hello", by=replace(ANA, id=f"p{number}")))
    await pass_grace(house)
    await until(partial(_rows_are, house, 0), 20)


async def test_one_person_whose_row_cannot_be_read_does_not_hold_up_the_others(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.say(said("I live in Oslo."))
    await house.say(said("My cat is called Tom.", by=BEN))
    await write(house, update(exchanges).where(exchanges.c.space == ANA.space).values(message="{"))
    await house.service.removed("test", "home")
    await pass_grace(house)
    await until(partial(_generation_of_ben, house))
    assert "An erase could not begin yet" in caplog.text
    await write(house, delete(exchanges).where(exchanges.c.space == ANA.space))


async def _generation_of_ben(house: House) -> bool:
    return await generation(house, BEN) == 1

"""Forget means forgotten, verified, whatever is in flight. Each place where words can rest is named and shown empty."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from bot.agent import quiet_logging
from bot.chat import Ask
from tests.fakes.openai import Answer
from tests.fakes.platform import ANA, BEN, said
from tests.fakes.poll import until

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

    from bot.chat import Panel
    from tests.service.conftest import House

SECRET_WORD = "zanzibar"


async def forget(house: House, choice: str = "fresh") -> Panel:
    return await house.service.command("forget-me", Ask(ANA, said("").thread, choice))


def files_with(path: Path, words: tuple[str, ...]) -> list[str]:
    """List the files below a folder that hold one of these words."""
    files = [file for file in path.rglob("*") if file.is_file()]
    return [file.name for file in files if any(word.encode() in file.read_bytes() for word in words)]


async def remembered(house: House) -> list[str]:
    await house.learned()
    space = house.geniffy.space(ANA.space)
    export = await space.export()
    sources = (await space.sources.list()).sources
    return [str(one) for one in (*export["memories"], *export["sources"], *sources)]


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG)
    quiet_logging()  # as the command line does
    return caplog


async def test_every_place_where_words_can_rest_is_empty_after_forget_me(
    house: House, log: pytest.LogCaptureFixture
) -> None:
    for where in ("dm", "public", "private-x"):
        await house.say(said(f"The word of {where} is {SECRET_WORD}.", where=where))
    assert files_with(house.path, (SECRET_WORD,))
    panel = await forget(house)
    assert "found nothing" in panel.text
    assert await remembered(house) == []
    assert [one["space"] for one in await house.geniffy.spaces() if one["memories"]] == []
    async with house.store.inbox._db.read() as connection:
        for table in ("exchanges", "lanes", "fences", "tombstones"):
            rows = (await connection.exec_driver_sql(f"SELECT * FROM {table}")).all()  # noqa: S608 - our own names
            assert SECRET_WORD not in str(rows)
            if table != "fences":  # the space's name stays there until the second look
                assert ANA.id not in str(rows), table
    await house.store.scrub()
    assert files_with(house.path, (SECRET_WORD,)) == []
    assert SECRET_WORD not in log.text
    assert ANA.space not in log.text


async def test_after_the_second_look_only_a_hash_a_number_and_the_choice_stay(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await forget(house, "never")
    async with house.store.inbox._db.write() as connection:
        await connection.exec_driver_sql("UPDATE fences SET erase_due_at = 0")
    await until(lambda: _no_erase_owed(house))
    fence = await house.store.fences.of(ANA.space)
    assert (fence.generation, fence.choice, fence.space) == (1, "never", None)
    async with house.store.inbox._db.read() as connection:
        (row,) = (await connection.exec_driver_sql("SELECT * FROM fences")).all()
        assert "ana" not in str(row)
    await house.store.scrub()
    assert files_with(house.path, (ANA.space, "Oslo")) == []


async def _no_erase_owed(house: House) -> bool:
    return (await house.store.fences.of(ANA.space)).erase_due_at is None


async def test_forget_while_the_answer_is_written_stops_it_and_takes_it_away(house: House) -> None:
    house.openai.say(Answer(chunks=("Your word ", "is "), hold=asyncio.Event()), when=SECRET_WORD)
    message = said(f"My word is {SECRET_WORD}.")
    await house.service.message(message)
    await until(lambda: "Your word" in house.platform.shown.get(f"r-{message.id}", ""))
    await forget(house)
    await until(lambda: house.openai.open == 0)
    await house.settle()
    assert house.platform.finals == []
    assert house.platform.shown == {}
    assert await remembered(house) == []


async def test_forget_while_a_save_waits_drops_it(house: House) -> None:
    house.wire.down = True
    await house.say(said(f"My word is {SECRET_WORD}."), settle=False)
    house.wire.down = False
    await forget(house)
    await asyncio.sleep(0.3)
    assert house.wire.saved() == []
    assert await remembered(house) == []


async def test_forget_while_a_save_is_on_the_way_takes_it_back(house: House) -> None:
    forgetting: asyncio.Task[Panel] | None = None

    async def forget_first(request: httpx.Request) -> None:
        nonlocal forgetting
        if (request.method, request.url.path) == ("POST", "/v1/memories"):
            house.wire.before = None
            forgetting = asyncio.create_task(forget(house))
            await until(lambda: _generation(house, 1))

    house.wire.before = forget_first
    message = said(f"My word is {SECRET_WORD}.")
    await house.service.message(message)
    await until(lambda: forgetting is not None and forgetting.done())
    assert forgetting is not None
    assert "found nothing" in (await forgetting).text
    assert await remembered(house) == []


async def _generation(house: House, wanted: int) -> bool:
    return (await house.store.fences.of(ANA.space)).generation == wanted


async def test_what_is_still_being_learned_does_not_come_back(house: House) -> None:
    house.memory.learning_delay = 0.5
    await house.say(said(f"My word is {SECRET_WORD}."), settle=False)
    await until(lambda: len(house.wire.saved()) == 1)
    await forget(house)
    await asyncio.sleep(0.7)
    assert await remembered(house) == []


async def test_with_the_memory_down_the_person_is_told_so_and_the_erase_is_done_when_it_is_back(house: House) -> None:
    await house.say(said(f"My word is {SECRET_WORD}."))
    house.wire.down = True
    panel = await forget(house)
    assert "not gone yet" in panel.text
    state = await house.service.command("forget-me", Ask(ANA, said("").thread))
    assert "still running" in state.text
    house.wire.down = False
    await until(lambda: _erased(house), 20)
    assert await remembered(house) == []


async def _erased(house: House) -> bool:
    return (await house.store.fences.of(ANA.space)).erased_at is not None


async def test_an_erase_survives_a_crash_in_the_middle(world: House) -> None:
    async with world.open() as house:
        await house.say(said(f"My word is {SECRET_WORD}."))
        house.wire.down = True
        await house.store.fences.forget(ANA.space, never=False)
    world.wire.down = False
    async with world.open() as house:
        await until(lambda: _erased(house), 20)
        assert await remembered(house) == []


async def test_whoever_chose_never_is_not_remembered_and_whoever_starts_fresh_is_told_again(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await forget(house, "never")
    saved = len(house.wire.saved())
    await house.say(said("I live in Bergen."))
    assert len(house.wire.saved()) == saved
    await house.service.command("remember", Ask(ANA, said("").thread))
    async with house.store.inbox._db.write() as connection:
        await connection.exec_driver_sql("UPDATE fences SET erase_due_at = 0")
    await house.say(said("I live in Bodø."))
    await until(lambda: len(house.wire.saved()) == saved + 1)
    await forget(house, "fresh")
    await house.say(said("I live in Tromsø."), settle=False)
    await until(lambda: len(house.platform.told) == 2)


async def test_what_is_said_right_after_forget_me_is_not_wiped_by_the_second_look(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await forget(house)
    await house.say(said("I live in Bergen."), settle=False)
    await asyncio.sleep(0.3)
    async with house.store.inbox._db.write() as connection:
        await connection.exec_driver_sql("UPDATE fences SET erase_due_at = 0")
    await until(lambda: _knows_bergen(house))


async def _knows_bergen(house: House) -> bool:
    return [one.text for one in await house.service.wishes.known(ANA, 9)] == ["I live in Bergen."]


async def test_nobody_elses_words_go_with_it(house: House) -> None:
    await house.say(said("My cat is called Tom.", by=BEN))
    await house.say(said("My dog is called Rex."))
    await forget(house)
    assert [one.text for one in await house.service.wishes.known(BEN, 9)] == ["My cat is called Tom."]
    answer = await house.say(said("What is my cat called?", by=BEN, root="2"))
    assert answer
    assert "Tom" in house.openai.requests[-1].system


async def test_forget_me_asks_first(house: House) -> None:
    await house.say(said("My dog is called Rex."))
    panel = await house.service.command("forget-me", Ask(ANA, said("").thread))
    assert {action.argument for action in panel.actions} == {"fresh", "never"}
    assert await remembered(house)

"""An account that ended: forgotten in time or at once, unless the person comes back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from bot.chat import Ask
from bot.store import now
from bot.store.schema import fences
from tests.fakes.openai import Answer
from tests.fakes.platform import ANA, said
from tests.fakes.poll import until

if TYPE_CHECKING:
    from tests.service.conftest import House
from tests.service.ending import WORD, count, forgotten, generation, in_files, pass_leave, remembered, rows, second_look


async def test_whoever_left_is_forgotten_in_time_and_not_before(house: House) -> None:
    await house.say(said(f"My word is {WORD}."))
    told = len(house.platform.told)
    await house.service.left(ANA, at_once=False)
    await house.service.left(ANA, at_once=False)
    due = (await house.store.fences.of(ANA.space)).leave_due_at
    assert due is not None
    assert 28 * 86400 < due - now() < 30 * 86400
    await asyncio.sleep(0.5)
    assert WORD in await remembered(house)
    await pass_leave(house)
    await until(partial(_forgotten_once, house))
    await until(partial(second_look, house), 20)
    assert await forgotten(house)
    assert await rows(house) == 0
    await until(house.store.scrub)
    assert in_files(house, WORD, ANA.space, "dm-ana") == []
    assert len(house.platform.told) == told


async def _forgotten_once(house: House) -> bool:
    return await generation(house) == 1


async def test_whoever_returns_is_not_forgotten(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.service.left(ANA, at_once=False)
    await house.service.returned(ANA)
    fence = await house.store.fences.of(ANA.space)
    assert (fence.leave_due_at, fence.space) == (None, None)
    await pass_leave(house)
    await asyncio.sleep(0.5)
    assert "Oslo" in await remembered(house)


async def test_whoever_speaks_again_has_returned_though_nobody_said_so(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.service.left(ANA, at_once=False)
    await house.say(said("I am back."))
    await pass_leave(house)
    await until(partial(_stays, house))
    assert "Oslo" in await remembered(house)
    assert await generation(house) == 0


async def _stays(house: House) -> bool:
    fence = await house.store.fences.of(ANA.space)
    return fence.leave_due_at is None and fence.space is None


async def test_whoever_is_to_go_at_once_is_forgotten_now(house: House) -> None:
    house.openai.say(Answer(chunks=("Your word ", "is "), hold=asyncio.Event()), when="Hm")
    await house.say(said(f"My word is {WORD}."))
    message = said("Hm.")
    await house.service.message(message)
    await until(lambda: "Your word" in house.platform.shown.get(f"r-{message.id}", ""))
    await house.service.left(ANA, at_once=True)
    await until(lambda: house.openai.open == 0 and f"r-{message.id}" not in house.platform.shown)
    await house.service.left(ANA, at_once=True)
    await until(partial(second_look, house), 20)
    assert await forgotten(house)
    assert await generation(house) == 1
    assert await rows(house) == 0


@pytest.mark.parametrize("at_once", [True, False])
async def test_of_somebody_nobody_knows_nothing_is_written(house: House, at_once: bool) -> None:  # noqa: FBT001
    await house.service.left(replace(ANA, id="stranger"), at_once=at_once)
    await house.service.returned(replace(ANA, id="stranger"))
    assert await count(house, select(func.count()).select_from(fences)) == 0
    await until(house.store.scrub)
    assert in_files(house, "stranger") == []


async def test_an_account_that_ends_while_an_erase_is_read_back_is_not_lost(house: House) -> None:
    await house.say(said("I live in Oslo."))
    await house.service.command("forget-me", Ask(ANA, said("").thread, "fresh"))
    await house.say(said("I live in Bergen."), settle=False)
    await house.service.left(ANA, at_once=False)
    await until(partial(second_look, house), 20)
    await until(partial(_knows, house, "Bergen"))
    fence = await house.store.fences.of(ANA.space)
    assert fence.space == ANA.space
    await pass_leave(house)
    await until(partial(_generation_is, house, 2))
    await until(partial(second_look, house), 20)
    assert await forgotten(house)


async def _knows(house: House, word: str) -> bool:
    return word in await remembered(house)


async def _generation_is(house: House, wanted: int) -> bool:
    return await generation(house) == wanted

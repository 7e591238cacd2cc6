"""Trouble on every side: the memory down, slow, back; the model down, slow, cut; the platform refusing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.service import sentences
from bot.store import open_store, reply_of
from tests.fakes.openai import Answer, fail
from tests.fakes.platform import ANA, fails, refuse, said
from tests.fakes.poll import until
from tests.store.conftest import SECRET
from tests.store.test_lanes import expire

if TYPE_CHECKING:
    import httpx

    from tests.service.conftest import House


async def test_with_the_memory_down_the_answer_goes_out_and_the_save_waits_for_it(house: House) -> None:
    house.wire.down = True
    first = said("My dog is called Rex.")
    assert await house.say(first, settle=False) == "You said: My dog is called Rex."
    assert 'state="unread"' in house.openai.requests[-1].system
    assert await house.say(said("And my cat Tom."), settle=False), "a waiting save holds nobody's next answer"
    house.wire.down = False
    await until(lambda: len(house.wire.saved()) == 2)
    await house.learned()
    assert {one.text for one in await house.service.wishes.known(ANA, 9)} == {
        "My dog is called Rex.",
        "And my cat Tom.",
    }


async def test_a_slow_memory_delays_the_answer_only_so_long(house: House) -> None:
    async def stall(request: httpx.Request) -> None:
        if request.url.path == "/v1/context":
            await asyncio.sleep(30)

    house.wire.before = stall
    began = asyncio.get_running_loop().time()
    assert await house.say(said("Hello?"), settle=False) == "You said: Hello?"
    assert asyncio.get_running_loop().time() - began < 4
    assert 'state="unread"' in house.openai.requests[-1].system


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_save_that_can_never_succeed_ends(house: House, status: int) -> None:
    house.wire.refusals = [status] * 3
    await house.say(said("My dog is called Rex."))
    await house.settle()
    assert len(house.wire.saved()) == 1
    assert await house.store.owed() == ()


@pytest.mark.parametrize("status", [401, 402, 403, 404, 408, 429, 500, 503])
async def test_a_save_that_may_pass_later_waits(house: House, status: int) -> None:
    house.wire.refusals = [status]
    await house.say(said("My dog is called Rex."), settle=False)
    await until(lambda: len(house.wire.saved()) == 2)
    await house.learned()
    assert [one.text for one in await house.service.wishes.known(ANA, 9)] == ["My dog is called Rex."]


async def test_a_model_that_is_down_gets_one_apology_with_a_reference_and_nothing_is_saved(house: House) -> None:
    house.openai.say(fail(500), fail(500), fail(500))
    text = await house.say(said("My dog is called Rex."))
    assert "Sorry" in text
    assert "reference" in text
    assert house.wire.saved() == []
    assert await house.say(said("My cat is called Tom.")) == "You said: My cat is called Tom."


async def test_a_model_that_drips_for_ever_meets_the_deadline(world: House) -> None:
    world.deadline = 0.5
    async with world.open() as house:
        house.openai.say(Answer(chunks=("a ",) * 1000, gap=0.05))
        assert "Sorry" in await house.say(said("Tell me everything."))
        await until(lambda: house.openai.open == 0)


async def test_a_stream_that_breaks_off_is_an_apology_not_half_an_answer(house: House) -> None:
    house.openai.say(*[Answer(chunks=("Half ", "an ", "answer"), break_after=2)] * 3)
    assert "Sorry" in await house.say(said("Tell me."))


async def test_nowhere_to_reply_closes_the_turn_for_good(house: House) -> None:
    house.platform.before["finish_reply"] = refuse
    await house.service.message(said("My dog is called Rex."))
    await house.settle()
    assert await house.store.owed() == ()
    assert house.wire.saved() == []


async def test_a_platform_that_is_down_is_tried_again_and_the_model_is_not(house: House) -> None:
    house.platform.before["finish_reply"] = fails(2)
    assert await house.say(said("Hello.")) == "You said: Hello."
    assert len(house.openai.requests) == 1


async def test_a_message_that_ended_three_processes_gets_one_sentence_and_no_model(world: House) -> None:
    message = said("poison")
    async with open_store(f"sqlite+aiosqlite:///{world.path / 'keepsake.db'}", SECRET) as store:
        lane = (await store.inbox.accept(message)).lanes[0]
        for _ in range(3):  # started three times, and never heard of again
            async with store.lanes.hold(lane) as lease:
                assert lease is not None
                row = await store.work(lease).next_turn()
                assert row is not None
                await store.work(lease).begun(row)
    async with world.open() as house:
        await until(lambda: message.id in house.platform.answers)
        assert house.platform.answers[message.id] == sentences.POISON
        assert house.openai.requests == []
        assert house.wire.saved() == []


async def test_a_shutdown_is_a_crash_that_was_announced(world: House) -> None:
    message = said("My dog is called Rex.")
    world.openai.say(Answer(chunks=("Rex ", "is "), hold=asyncio.Event()))
    async with world.open() as house:
        await house.service.message(message)
        await until(lambda: house.openai.open == 1)
    assert world.platform.finals == []
    async with world.open() as house:
        await until(lambda: message.id in house.platform.answers)
        await house.settle()
        assert house.platform.answers[message.id] == "You said: My dog is called Rex."
        assert house.platform.posts[message.id] == 1
        assert len(house.wire.saved()) == 1


@pytest.mark.parametrize(("call", "finals"), [("update_reply", 2), ("finish_reply", 3)])
async def test_what_a_frozen_process_writes_after_another_took_over_does_not_stay(
    house: House, call: str, finals: int
) -> None:
    message = said("What is my dog called?")
    held = asyncio.Event()
    house.openai.say(Answer(chunks=("An old thought ", "of nobody's."), hold=held))

    async def freeze() -> None:  # between the look at the lane and the call; then another process answers
        del house.platform.before[call]
        lane = house.store.keys.turn_lane(message.thread.key, ANA.space)
        await expire(house.store, lane)
        async with house.store.lanes.hold(lane) as lease:
            assert lease is not None
            work = house.store.work(lease)
            row = await work.next_turn()
            assert row is not None
            reply = await house.platform.finish_reply(reply_of(row), "Rex.", again=True)
            row = await work.answered(row, "Rex.", saves=True, plain=True, outcome="answered")
            await work.finished(row, reply, saves=True)
        held.set()

    house.platform.before[call] = freeze
    if call == "finish_reply":
        held.set()
    await house.service.message(message)
    await until(lambda: len(house.platform.finals) == finals)
    await house.settle()
    assert house.platform.shown == {f"r-{message.id}": "Rex."}
    assert len(house.openai.requests) == 1

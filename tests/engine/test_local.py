"""The in-process engine: every wake is followed by a look, many lanes at once, and stopping drains."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.engine import LocalEngine
from tests.fakes.poll import until


async def nothing() -> None:
    """Sweep nothing."""


async def stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_a_lane_woken_while_it_is_worked_is_looked_at_again() -> None:
    engine, looks, go = LocalEngine(), 0, asyncio.Event()

    async def work(_: str) -> None:
        nonlocal looks
        looks += 1
        await go.wait()

    running = asyncio.create_task(engine.run(work, nothing))
    await engine.wake("a")
    await until(lambda: looks == 1)
    for _ in range(5):
        await engine.wake("a")
    go.set()
    await until(lambda: looks == 2)
    await asyncio.sleep(0.05)
    assert looks == 2
    await stop(running)


async def test_no_more_lanes_at_once_than_the_limit_and_none_is_left_out() -> None:
    engine, now, most, done = LocalEngine(limit=3), 0, 0, set()

    async def work(lane: str) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        done.add(lane)

    running = asyncio.create_task(engine.run(work, nothing))
    for number in range(20):
        await engine.wake(f"turn.t{number}.p{number}")
    await until(lambda: len(done) == 20)
    assert most == 3
    await stop(running)


async def test_neither_one_persons_threads_nor_saves_that_hang_take_the_place_of_others() -> None:
    engine, began, go = LocalEngine(limit=8, each=3), [], asyncio.Event()

    async def work(lane: str) -> None:
        began.append(lane)
        await go.wait()

    running = asyncio.create_task(engine.run(work, nothing))
    for number in range(20):
        await engine.wake(f"memory.p{number}")
        await engine.wake(f"turn.t{number}.ana")
    await engine.wake("turn.t.ben")
    await until(lambda: "turn.t.ben" in began)
    assert len([lane for lane in began if lane.startswith("memory.")]) == 8
    assert len([lane for lane in began if lane.endswith(".ana")]) == 3
    go.set()
    await until(lambda: len(began) == 41)
    await stop(running)


async def test_trouble_in_one_lane_or_sweep_stops_neither_the_others_nor_the_next_sweep() -> None:
    engine, sweeps, done = LocalEngine(sweep_every=0.01), 0, set()

    async def work(lane: str) -> None:
        if lane == "bad":
            raise RuntimeError
        done.add(lane)

    async def sweep() -> None:
        nonlocal sweeps
        sweeps += 1
        raise OSError

    running = asyncio.create_task(engine.run(work, sweep))
    await engine.wake("bad")
    await engine.wake("good")
    await until(lambda: "good" in done and sweeps > 2)
    await stop(running)


async def test_stopping_finishes_held_lanes_within_the_grace_and_takes_no_new_one() -> None:
    engine, ended, began = LocalEngine(grace=0.5), [], []

    async def work(lane: str) -> None:
        began.append(lane)
        try:
            await asyncio.sleep(0.1 if lane == "short" else 30)
            ended.append(lane)
        except asyncio.CancelledError:
            ended.append(f"{lane} let go")
            raise

    running = asyncio.create_task(engine.run(work, nothing))
    await engine.wake("short")
    await engine.wake("long")
    await until(lambda: len(began) == 2)
    stopping = asyncio.create_task(stop(running))
    await until(lambda: engine.draining)
    await engine.wake("late")
    await stopping
    assert ended == ["short", "long let go"]
    assert "late" not in began

"""The contract of an engine with lanes, with real processes: one works, one is killed, one is frozen and thawed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from bot.store import open_store
from tests.engine.engines import ENGINES
from tests.fakes.platform import ANA, BEN, said
from tests.fakes.poll import until
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.store import Store

LANES = 8
EACH = 4


class Fleet:
    """Worker processes over one database, and what they wrote in their journal."""

    def __init__(self, kind: str, url: str, journal: Path) -> None:
        self.kind, self.url, self.journal = kind, url, journal
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        command = [sys.executable, "-m", "tests.engine.worker", self.url, str(self.journal), name, self.kind]
        self.processes[name] = subprocess.Popen(command)  # noqa: S603 - our own worker

    def signal(self, name: str, what: signal.Signals) -> None:
        os.kill(self.processes[name].pid, what)

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self.journal.read_text().splitlines()] if self.journal.exists() else []

    def holding(self, name: str) -> bool:
        """Tell whether that worker is in the middle of a turn now."""
        mine = [line for line in self.lines() if line[1] == name and line[0] in ("begin", "end")]
        return bool(mine) and mine[-1][0] == "begin"

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


@pytest.fixture(params=ENGINES)
def fleet(request: pytest.FixtureRequest, url: str, tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(request.param, url, tmp_path / "journal")
    yield made
    made.stop()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path / 'keepsake.db'}"


async def fill(store: Store) -> dict[str, list[str]]:
    """Accept messages of two people in several threads, in a mixed-up order; give the right order for each lane."""
    order = defaultdict(list)
    messages = [
        said(f"{turn}", by=who, root=str(lane))
        for turn in range(EACH)
        for lane in range(LANES // 2)
        for who in (ANA, BEN)
    ]
    for message in messages:
        order[message.thread.key].append(message.key)
    for message in reversed(messages):
        await store.inbox.accept(message)
    return order


async def test_a_killed_and_a_frozen_worker_lose_nothing_double_nothing_and_keep_the_order(
    fleet: Fleet, url: str
) -> None:
    async with open_store(url, SECRET) as store:
        for name in ("steady", "killed", "frozen"):
            fleet.start(name)
        await until(lambda: sum(line[0] == "ready" for line in fleet.lines()) == 3)
        order = await fill(store)
        await until(lambda: fleet.holding("killed"))
        fleet.signal("killed", signal.SIGKILL)
        await until(lambda: fleet.holding("frozen"))
        fleet.signal("frozen", signal.SIGSTOP)
        await until(lambda: _all_done(store), 25)
        fleet.signal("frozen", signal.SIGCONT)
        frozen = [line[2] for line in fleet.lines() if line[:2] == ["begin", "frozen"]][-1]
        await until(lambda: any(line[:2] == ["lost", "frozen"] for line in fleet.lines()), 5)
    ends = [line[2] for line in fleet.lines() if line[0] == "end"]
    assert sorted(ends) == sorted(key for keys in order.values() for key in keys), "nothing lost, nothing twice"
    assert ["end", "frozen", frozen] not in [line[:3] for line in fleet.lines()], "the thawed one finished nothing"
    for keys in order.values():
        assert [key for key in ends if key in keys] == keys, "in the order in which they were sent"
    assert _overlaps(fleet.lines(), order) == [], "never two workers in one lane"


async def _all_done(store: Store) -> bool:
    return await store.waiting("test") == 0


def _overlaps(lines: list[list[str]], order: dict[str, list[str]]) -> list[str]:
    """List turns that began in a lane while a live worker was inside another turn of it."""
    lane_of = {key: lane for lane, keys in order.items() for key in keys}
    open_in: dict[str, tuple[str, str]] = {}
    wrong = []
    for what, name, key, _ in lines:
        lane = lane_of.get(key)
        if lane is None:
            continue
        if what == "begin":
            inside = open_in.get(lane)
            if inside and inside[0] == "steady":
                wrong.append(f"{name} began {key} while {inside} was inside")
            open_in[lane] = (name, key)
        elif open_in.get(lane) == (name, key):
            del open_in[lane]
    return wrong

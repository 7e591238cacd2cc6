"""The contract of an engine with lanes, with real processes: one works, one is killed, one is frozen and thawed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bot.store import open_store
from tests.engine.engines import ENGINES
from tests.engine.journal import Journal, inside, overlaps
from tests.fakes.platform import ANA, BEN, said
from tests.fakes.poll import until
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.store import Store

LANES = 12
EACH = 3
STEP, LONG_STEP = 0.25, 1.0
"""Seconds that a turn takes: long for the workers that shall be killed or frozen in one."""
PATIENCE = 60.0
"""Seconds, on a busy machine."""


class Fleet:
    """Worker processes over one database, and what they wrote in their journal."""

    def __init__(self, kind: str, database: Path, journal: Path) -> None:
        self.kind, self.database, self.journal = kind, database, Journal(journal)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        return f"sqlite+aiosqlite:///{self.database}"

    def start(self, name: str, step: float) -> None:
        where = [self.url, str(self.journal.path)]
        command = [sys.executable, "-m", "tests.engine.worker", *where, name, self.kind, str(step)]
        self.processes[name] = subprocess.Popen(command)  # noqa: S603 - our own worker

    def count(self, what: str, name: str = "") -> int:
        return sum(line.what == what and name in ("", line.name) for line in self.journal.lines())

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].wait()
        self.journal.note("killed", name)

    def freeze(self, name: str) -> set[str]:
        """Stop a worker in the middle of turns, and give their keys; none when this was not the moment: it goes on.

        Not the moment is also when it holds SQLite's one write lock: frozen with it, it locks everybody out, which is
        SQLite's own limit and not what is tested here.
        """
        pid = self.processes[name].pid
        os.kill(pid, signal.SIGSTOP)
        os.waitpid(pid, os.WUNTRACED)  # from here on it stands still
        begun = inside(self.journal.lines(), name)
        asleep = all(time.time() - at < LONG_STEP * 0.7 for at in begun.values())
        if begun and asleep and self.can_write():
            self.journal.note("frozen", name)
            return set(begun)
        self.thaw(name)
        return set()

    def thaw(self, name: str) -> None:
        self.processes[name].send_signal(signal.SIGCONT)

    def can_write(self) -> bool:
        """Tell whether others can write: those that run let go of the lock well within two seconds."""
        with closing(sqlite3.connect(self.database, timeout=2.0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            connection.execute("ROLLBACK")
            return True

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


@pytest.fixture(params=ENGINES)
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(request.param, tmp_path / "keepsake.db", tmp_path / "journal")
    yield made
    made.stop()


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


async def test_a_killed_and_a_frozen_worker_lose_nothing_double_nothing_and_keep_the_order(fleet: Fleet) -> None:
    async with open_store(fleet.url, SECRET) as store:
        for name, step in (("steady", STEP), ("killed", LONG_STEP), ("frozen", LONG_STEP)):
            fleet.start(name, step)
        order = await fill(store)
        await until(lambda: fleet.count("ready") == 3, PATIENCE)
        fleet.journal.note("go", "test")
        await until(lambda: inside(fleet.journal.lines(), "killed"), PATIENCE)
        fleet.kill("killed")
        held = await _frozen_in_turns(fleet)
        await until(lambda: _all_done(store), PATIENCE)
        fleet.thaw("frozen")
        await until(lambda: fleet.count("lost", "frozen"), PATIENCE)
    lines = fleet.journal.lines()
    ends = [line.key for line in lines if line.what == "end"]
    assert sorted(ends) == sorted(key for keys in order.values() for key in keys), "nothing lost, nothing twice"
    assert held.isdisjoint(line.key for line in lines if line[:2] == ("end", "frozen")), "the thawed one ended nothing"
    for keys in order.values():
        assert [key for key in ends if key in keys] == keys, "in the order in which they were sent"
    lane_of = {key: lane for lane, keys in order.items() for key in keys}
    assert overlaps(lines, lane_of) == [], "never two workers in one lane"


async def _frozen_in_turns(fleet: Fleet) -> set[str]:
    held: set[str] = set()

    def frozen() -> set[str]:
        if inside(fleet.journal.lines(), "frozen"):
            held.update(fleet.freeze("frozen"))
        return held

    await until(frozen, PATIENCE)
    return held


async def _all_done(store: Store) -> bool:
    return await store.waiting("test") == 0

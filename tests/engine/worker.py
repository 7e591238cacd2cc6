"""A worker process for the contract suite: takes every owed row through its turn, leaving a line for each step.

Run as `python -m tests.engine.worker URL JOURNAL NAME`. The journal's lines are `begin|end|lost NAME key time`.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.store import LaneLost, open_store
from tests.engine.engines import ENGINES
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from bot.store import Store, Work

STEP = 0.25
"""Seconds that a turn takes: long enough to be killed or frozen in."""


class Worker:
    def __init__(self, store: Store, journal: Path, name: str) -> None:
        self.store, self.journal, self.name = store, journal, name

    def note(self, what: str, key: str) -> None:
        with self.journal.open("a") as file:
            file.write(f"{what} {self.name} {key} {time.time():.6f}\n")

    async def turns(self, work: Work) -> None:
        while (row := await work.next_turn()) is not None:
            await work.begun(row)
            self.note("begin", row.key)
            await asyncio.sleep(STEP)
            await work.finished(row, None, saves=False)
            self.note("end", row.key)

    async def work(self, lane: str) -> None:
        async with self.store.lanes.hold(lane) as lease:
            if lease is None:
                return
            try:
                await lease.guard(self.turns(self.store.work(lease)))
            except LaneLost:
                self.note("lost", lane)


async def main(url: str, journal: str, name: str, kind: str) -> None:
    async with open_store(url, SECRET) as store:
        worker, engine = Worker(store, Path(journal), name), ENGINES[kind]()

        async def sweep() -> None:
            for owed in await store.owed():
                await engine.wake(owed.lane)

        worker.note("ready", "-")
        await engine.run(worker.work, sweep)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

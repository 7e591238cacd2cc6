"""A worker process for the contract suite: takes every owed row through its turn, leaving a line for each step.

Run as `python -m tests.engine.worker URL JOURNAL NAME ENGINE STEP`; a turn takes STEP seconds. It begins on "go".
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.store import LaneLost, open_store
from tests.engine.engines import ENGINES
from tests.engine.journal import Journal
from tests.fakes.poll import until
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from bot.store import Row, Store, Work

PATIENCE = 60.0


class Worker:
    def __init__(self, store: Store, journal: Journal, name: str, step: float) -> None:
        self.store, self.journal, self.name, self.step = store, journal, name, step

    async def turns(self, work: Work) -> None:
        while (row := await work.next_turn()) is not None:
            row = await work.begun(row)
            await self.turn(work, row)

    async def turn(self, work: Work, row: Row) -> None:
        self.journal.note("begin", self.name, row.key)
        how = "left"
        try:
            await asyncio.sleep(self.step)
            await work.finished(row, None, saves=False)
            how = "end"
        finally:
            self.journal.note(how, self.name, row.key)

    async def work(self, lane: str) -> None:
        async with self.store.lanes.hold(lane) as lease:
            if lease is None:
                return
            try:
                await lease.guard(self.turns(self.store.work(lease)))
            except LaneLost:
                self.journal.note("lost", self.name)


async def main(url: str, journal: Journal, name: str, kind: str, step: float) -> None:
    async with open_store(url, SECRET) as store:
        worker, engine = Worker(store, journal, name, step), ENGINES[kind]()

        async def sweep() -> None:
            for owed in await store.owed():
                await engine.wake(owed.lane)

        journal.note("ready", name)
        await until(lambda: any(line.what == "go" for line in journal.lines()), PATIENCE)
        await engine.run(worker.work, sweep)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Journal(Path(sys.argv[2])), sys.argv[3], sys.argv[4], float(sys.argv[5])))

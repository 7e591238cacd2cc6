"""What wakes a lane. An engine promises only that somebody looks at a woken lane soon, at least once.

It promises no order, no exclusion and no delay: rows say what is owed, lanes exclude, so whatever an engine does twice
or late does no harm. `LocalEngine` serves one process; several processes on one database meet through `sweep`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Work = Callable[[str], Awaitable[None]]
    Sweep = Callable[[], Awaitable[None]]

log = logging.getLogger(__name__)


def _kind(lane: str) -> str:
    return lane.partition(".")[0]


def _owner(lane: str) -> str:
    return lane.rpartition(".")[2]


class Engine(Protocol):
    """The contract. One behaviour suite runs over every engine."""

    draining: bool
    """Set while stopping: whoever works a lane ends after the step it is in."""

    async def wake(self, lane: str) -> None:
        """Ask that some worker look at this lane soon. Cheap, and safe to repeat."""
        ...

    async def run(self, work: Work, sweep: Sweep) -> None:
        """Call `work(lane)` for woken lanes, many at once, and `sweep()` regularly, until cancelled; then drain."""
        ...


class LocalEngine:
    """A dispatcher in this process. A lane that is woken while it is worked is looked at once more."""

    def __init__(self, *, limit: int = 64, each: int = 6, sweep_every: float = 2.0, grace: float = 8.0) -> None:
        """`limit`: lanes of one kind at once; `each`: lanes of one owner at once.

        The kind is what stands before a lane's first dot, so that saves that hang take no place from answers; the owner
        is what stands after its last, so that one person in many threads takes no place from others. `sweep_every` and
        `grace` (for held lanes, when stopping) are seconds.
        """
        self.draining = False
        self._limit, self._each = limit, each
        self._sweep_every = sweep_every
        self._grace = grace
        self._woken: dict[str, None] = {}  # in the order in which they were woken
        self._working: dict[str, asyncio.Task[None]] = {}
        self._change = asyncio.Event()

    async def wake(self, lane: str) -> None:
        """See `Engine.wake`."""
        self._woken[lane] = None
        self._change.set()

    async def run(self, work: Work, sweep: Sweep) -> None:
        """See `Engine.run`."""
        sweeping = asyncio.create_task(self._sweep(sweep))
        try:
            while True:
                self._change.clear()
                self._start(work)
                await self._change.wait()
        finally:
            sweeping.cancel()
            await asyncio.gather(sweeping, return_exceptions=True)
            await self._drain()

    def _start(self, work: Work) -> None:
        kinds, owners = Counter(map(_kind, self._working)), Counter(map(_owner, self._working))
        for lane in [lane for lane in self._woken if lane not in self._working]:
            if kinds[_kind(lane)] >= self._limit or owners[_owner(lane)] >= self._each:
                continue
            kinds[_kind(lane)] += 1
            owners[_owner(lane)] += 1
            del self._woken[lane]
            task = asyncio.create_task(self._work(work, lane))
            self._working[lane] = task
            task.add_done_callback(partial(self._done, lane))

    def _done(self, lane: str, _task: asyncio.Task[None]) -> None:
        del self._working[lane]
        self._change.set()

    async def _work(self, work: Work, lane: str) -> None:
        try:
            await work(lane)
        except Exception as error:  # noqa: BLE001 - one lane's trouble is not another's; the sweep comes back to it
            log.warning("A lane ended with %s; it stays owed. lane=%s", type(error).__name__, lane)

    async def _sweep(self, sweep: Sweep) -> None:
        while True:
            try:
                await sweep()
            except Exception as error:
                if (task := asyncio.current_task()) and task.cancelling():
                    raise  # what was interrupted may say so in an error of its own
                log.warning("The sweep failed with %s; it runs again.", type(error).__name__)
            await asyncio.sleep(self._sweep_every)

    async def _drain(self) -> None:
        self.draining = True
        tasks = list(self._working.values())
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=self._grace)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

"""One send a second for each channel, after a short burst, as Slack asks; final writes go before glimpses.

Who may wait stands in line in the order of asking. Who may not is sent away at once, unless room is left for
a final write. What Slack asks to wait in one channel holds no other.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field

SENDS = frozenset(
    {
        "chat.appendStream",
        "chat.delete",
        "chat.postEphemeral",
        "chat.postMessage",
        "chat.startStream",
        "chat.stopStream",
        "chat.update",
    }
)
_MOST_KEPT = 1_000
_LONGEST_HOLD = 60.0  # nobody waits longer than that: who was told to comes back by the clock of their own


class Busy(Exception):  # noqa: N818 - a state of the channel
    """Nothing was sent: the channel is busy for about `seconds` more."""

    def __init__(self, seconds: float) -> None:
        """Keep how long."""
        super().__init__("This channel is busy.")
        self.seconds = seconds


@dataclass
class _Lane:
    """One channel: how far what was sent reaches ahead of the clock, and until when Slack wants to see nothing."""

    line: asyncio.Lock = field(default_factory=asyncio.Lock)
    reach: float = 0.0
    held: float = 0.0
    waiting: int = 0


class Pace:
    """The sends of one installation. `every` are the seconds between two sends, after `burst` at once."""

    def __init__(self, every: float = 1.0, burst: int = 3) -> None:
        """Let `burst` go at once and then one in `every` seconds."""
        self.every, self.burst = every, burst
        self._lanes: OrderedDict[str, _Lane] = OrderedDict()

    def _lane(self, channel: str) -> _Lane:
        lane = self._lanes.setdefault(channel, _Lane())
        self._lanes.move_to_end(channel)
        if len(self._lanes) > _MOST_KEPT:
            idle = next((name for name, old in self._lanes.items() if not old.waiting and old is not lane), None)
            self._lanes.pop(idle or "", None)
        return lane

    def _pause(self, lane: _Lane, burst: int) -> float:
        now = time.monotonic()
        return max(lane.held - now, lane.reach - now - (burst - 1) * self.every, 0.0)

    async def turn(self, channel: str, *, patience: float, wait: bool) -> None:
        """Wait for a turn in this channel, `patience` seconds at most; without `wait` take one that is free, or none.

        Raises:
            Busy: there is none (in time).
        """
        lane = self._lane(channel)
        if not wait:
            pause = self._pause(lane, self.burst - 1)
            if pause:
                raise Busy(max(pause, self.every))
        else:
            await self._stand_in_line(lane, patience)
        lane.reach = max(lane.reach, time.monotonic()) + self.every

    async def _stand_in_line(self, lane: _Lane, patience: float) -> None:
        deadline = time.monotonic() + patience
        lane.waiting += 1
        try:
            async with asyncio.timeout(max(patience, 0.0)), lane.line:
                while pause := self._pause(lane, self.burst):
                    if time.monotonic() + pause > deadline:
                        raise Busy(pause)
                    await asyncio.sleep(pause)
        except TimeoutError:
            raise Busy(max(self._pause(lane, self.burst), self.every)) from None
        finally:
            lane.waiting -= 1

    def hold(self, channel: str, seconds: float) -> None:
        """Send nothing there for a while: Slack asked for it."""
        if seconds <= _LONGEST_HOLD:
            lane = self._lane(channel)
            lane.held = max(lane.held, time.monotonic() + seconds)

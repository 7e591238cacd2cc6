"""What the workers of the contract suite leave for each step, and whether two of them were ever in one lane."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

OUT_OF_PLAY = ("killed", "frozen")


class Line(NamedTuple):
    """`ready`, `begin`, `end` (its turn is finished), `left` (it is not), `lost` (its lane), by the worker `name`.

    `go`, `killed` and `frozen` are written by the test: from the last two on, the worker holds nothing against others.
    """

    what: str
    name: str
    key: str = "-"
    at: float = 0.0


class Journal:
    """One file that several processes append to; a line is written at once, so none is torn."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def note(self, what: str, name: str, key: str = "-") -> None:
        with self.path.open("a") as file:
            file.write(f"{what} {name} {key} {time.time():.6f}\n")

    def lines(self) -> list[Line]:
        if not self.path.exists():
            return []
        parts = (line.split() for line in self.path.read_text().splitlines())
        return [Line(what, name, key, float(at)) for what, name, key, at in parts]


def inside(lines: Sequence[Line], name: str) -> dict[str, float]:
    """Give the turns that a worker has begun and not ended, and when it began them."""
    begun: dict[str, float] = {}
    for line in lines:
        if line.name == name and line.what == "begin":
            begun[line.key] = line.at
        elif line.name == name:
            begun.pop(line.key, None)
    return begun


def overlaps(lines: Sequence[Line], lane_of: Mapping[str, str]) -> list[str]:
    """List the turns that were begun in a lane while a worker that was neither killed nor frozen was inside it."""
    holder: dict[str, Line] = {}
    gone: set[str] = set()
    wrong = []
    for line in lines:
        lane = lane_of.get(line.key, "")
        if line.what in OUT_OF_PLAY:
            gone.add(line.name)
        elif line.what == "begin":
            if (other := holder.get(lane)) and other.name not in gone:
                wrong.append(f"{line.name} began {line.key} while {other.name} was inside {other.key}")
            holder[lane] = line
        elif lane in holder and holder[lane][1:3] == (line.name, line.key):
            del holder[lane]
    return wrong

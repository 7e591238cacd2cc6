"""A large memory answers at once."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from bot.local.memory import recall
from bot.local.memory.parse import Question
from tests.local_memory.kit import House, note

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from geniffy import AsyncGeniffy


async def test_ten_thousand_memories_answer_at_once(home: House, ana: AsyncGeniffy) -> None:
    dice = random.Random(7)  # noqa: S311 - no secret is made of it
    made = ["".join(dice.choice("bdfgklmnprst") + dice.choice("aeiou") for _ in range(3)) for _ in range(3000)]
    text = "\n".join(f"I noted {' '.join(dice.choices(made, range(3000, 0, -1), k=5))} as {n}." for n in range(2500))
    for start in range(0, 10_000, 2500):
        await note(ana, text.replace(" as ", f" as {start // 100}"))
    asked = [Question(" ".join(dice.choices(made, k=6)) + "?", 12) for _ in range(5)]

    def timed(question: Question) -> Callable[[sqlite3.Connection], float]:
        def work(db: sqlite3.Connection) -> float:
            began = time.perf_counter()
            assert recall.context(db, "slack.T024.U061", question)
            return time.perf_counter() - began

        return work

    assert (await ana.memories.list(limit=1)).total > 9_900
    seconds = sorted([await home.memory.database.read(timed(question)) for question in asked])
    assert seconds[1] < 0.1, "About 15 ms on an idle machine."

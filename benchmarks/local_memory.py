"""How long one recall takes in a space of ten thousand memories, in process, as a ratio to one in a space of a hundred.

Run as `python -m benchmarks.local_memory`.
"""

from __future__ import annotations

import asyncio
import random
import time
from statistics import median

import httpx
from geniffy import AsyncGeniffy

from bot.local.memory import open_memory

EACH = 2_500
QUESTIONS = 40


def _words(dice: random.Random) -> list[str]:
    return ["".join(dice.choice("bdfgklmnprst") + dice.choice("aeiou") for _ in range(3)) for _ in range(3000)]


async def _fill(space: AsyncGeniffy, words: list[str], dice: random.Random, size: int) -> None:
    for start in range(0, size, EACH):
        numbers = range(start, min(start + EACH, size))
        lines = [f"I noted {' '.join(dice.choices(words, range(3000, 0, -1), k=5))} as {n}." for n in numbers]
        added = await space.memories.add("\n".join(lines))
        await space.sources.wait(added.id, timeout=120)


async def main() -> None:
    """Measure and print."""
    dice = random.Random(7)  # noqa: S311 - no secret is made of it
    words = _words(dice)
    async with open_memory(None) as local:
        transport = httpx.ASGITransport(local.app)
        async with httpx.AsyncClient(transport=transport, timeout=120) as http:
            client = AsyncGeniffy("k", base_url="http://localhost", http_client=http)
            middle = {}
            for size in (100, 10_000):
                space = client.space(f"size.{size}")
                await _fill(space, words, dice, size)
                times = []
                for _ in range(QUESTIONS):
                    question = " ".join(dice.choices(words, k=6)) + "?"
                    began = time.perf_counter()
                    await space.context_full(question)
                    times.append(1000 * (time.perf_counter() - began))
                middle[size] = median(times)
    for size, took in middle.items():
        print(f"{size:6} memories: {took:.1f} ms at the median of {QUESTIONS} questions")
    print(f"ratio {middle[10_000] / middle[100]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())

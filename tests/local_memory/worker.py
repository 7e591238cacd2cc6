"""A process of its own on a memory file: it says things, or dies between saving and learning."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.local_memory.kit import house


async def main(path: Path, task: str) -> None:
    async with house(path, learning_delay=3600 if task == "die" else 0) as home:
        person = home.of("ana")
        if task == "die":
            await person.memories.add("I like tea.", external_id="1")
            os._exit(9)
        for n in range(20):
            source = await person.memories.add(f"My {task}{n} is box {n}. I like tea.", external_id=f"{task}{n}")
            await person.sources.wait(source.id)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))

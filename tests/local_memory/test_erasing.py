"""What is deleted leaves the file and the process too, within seconds, and holds no recall up."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from bot.local.memory import spaces
from bot.local.memory.database import Database
from tests.local_memory.kit import house, known, note, recalled, say, until

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from geniffy import AsyncGeniffy

WORD, STEM = "Zwibblingtons", "zwibblington"
"""A word that is nowhere else, and what its stemmer makes of it."""


def rest(folder: Path) -> Iterator[bytes]:
    yield from (file.read_bytes().lower() for file in folder.iterdir() if file.name.startswith("memory.db"))


def holds(folder: Path, word: str) -> bool:
    return any(word.lower().encode() in raw for raw in rest(folder))


async def fill(person: AsyncGeniffy, facts: int = 300) -> None:
    """Give the tables enough rows that SQLite moves some between pages."""
    text = "\n".join(f"Box number {n} in row {n % 7} holds {'very ' * (n % 5)}old paper{n}." for n in range(facts))
    await note(person, text)


@pytest.mark.parametrize("way", ["space", "source", "external_id", "label", "memory", "edit"])
async def test_no_deleted_word_stays_in_the_file(tmp_path: Path, way: str) -> None:
    async with house(tmp_path / "memory.db") as home:
        ana, ben = home.of("slack.T0ZWIB.U1"), home.of("ben")
        await fill(ana, 150)
        # An id of the caller's own stays when one memory of its source is deleted, so there it is a plain one.
        key = "1" if way == "memory" else f"key{WORD}"
        source = await say(ana, f"I collect {WORD} in the cellar. I like tea.", key=key, labels={"heard": "dm"})
        await fill(ben)
        await ana.memories.add(f"One more {WORD} and {WORD}.", title=WORD, external_id="title")
        await ana.sources.delete(external_id="title")
        assert await recalled(ana, "Zwibblington?")
        assert holds(tmp_path, WORD), "The test must be able to fail."
        if way == "space":
            await home.client.forget_space("slack.T0ZWIB.U1")
        elif way == "source":
            await ana.sources.delete(source.id)
        elif way == "external_id":
            await ana.sources.delete(external_id=key)
        elif way == "label":
            await ana.sources.delete_labelled({"heard": "dm"})
        elif way == "memory":
            (memory,) = [m for m in (await ana.memories.list()).memories if WORD in m.text]
            await ana.memories.delete(memory.id)
        else:
            await say(ana, "I like tea.", key=key)
            await ana.sources.delete(external_id=key)

        async def gone() -> bool:
            return not holds(tmp_path, WORD) and not holds(tmp_path, STEM)

        await until(gone, 5)
        if way == "space":
            assert not holds(tmp_path, "T0ZWIB"), "Nor the name of the space."
        assert len(await known(ben)) == 300
    assert not holds(tmp_path, WORD)


def crowd(db: sqlite3.Connection) -> None:
    """Grow, change and shrink the rows of two spaces until SQLite has moved them between pages again and again."""
    dice = random.Random(5)  # noqa: S311 - no secret is made of it
    owners = [(spaces.make(db, "ana").id, WORD), (spaces.make(db, "ben").id, "plain")]
    insert = (
        "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, 0, ?, 'learned', NULL, ?, NULL, '{}', '', '', 0, 1, x'', ?, 0)"
    )
    known: list[tuple[int, str]] = []
    for step in range(4000):
        space, word = dice.choice(owners)
        text = f"{word}{dice.random()}" + "x" * dice.choice((0, 10, 200, 1500, 6000))
        if dice.random() < 0.6:
            known.append((dice.randrange(10**9), word))
            db.execute(insert, (known[-1][0], f"{dice.random()}", space, text[:300], f"{text[:60]}{step}", text))
            continue
        n, word = dice.choice(known[-300:] or [(0, "")])
        if dice.random() < 0.5:
            db.execute("DELETE FROM sources WHERE n = ?", (n,))
        else:
            db.execute("UPDATE sources SET pending = ? WHERE n = ?", (f"{word}{'y' * dice.choice((0, 300, 3000))}", n))


async def test_rows_that_were_moved_about_leave_nothing_behind(tmp_path: Path) -> None:
    """`secure_delete` alone fails here: it does not clear what a row leaves in a page that it was moved out of."""
    async with house(tmp_path / "memory.db", learning_delay=3600) as home:
        await home.memory.database.write(crowd)
        await home.client.forget_space("ana")
        assert not holds(tmp_path, WORD)


async def test_no_word_of_anyone_is_in_the_index(tmp_path: Path) -> None:
    async with house(tmp_path / "memory.db") as home:
        await note(home.of("ana"), f"I collect {WORD}.")
        rows = await home.memory.database.read(lambda db: db.execute("SELECT * FROM postings").fetchall())
    assert rows
    assert all(isinstance(value, int) for row in rows for value in row)


async def test_a_scrub_that_was_owed_when_the_process_died_is_done_at_the_next_start(tmp_path: Path) -> None:
    async with house(tmp_path / "memory.db") as home:
        await fill(home.of("ana"), 100)
        await note(home.of("ana"), f"I collect {WORD}.")
    dying = Database(tmp_path / "memory.db")
    await dying.open()
    await dying.write(lambda db: spaces.forget(db, "ana"))
    owed, done = await dying.read(lambda db: db.execute("SELECT owed, done FROM scrubs").fetchone())
    assert owed > done
    await dying.close()
    async with house(tmp_path / "memory.db") as home:

        async def scrubbed() -> bool:
            owed, done = await home.memory.database.read(
                lambda db: db.execute("SELECT owed, done FROM scrubs").fetchone()
            )
            return bool(owed == done)

        await until(scrubbed)
    assert not holds(tmp_path, WORD)


async def test_many_deletions_share_one_rewriting_of_the_file(tmp_path: Path) -> None:
    async with house(tmp_path / "memory.db", scrub_every=1.0) as home:
        ana, seen = home.of("ana"), list[str]()
        for n in range(20):
            await say(ana, f"I collect {WORD} number {n}.", key=str(n))
        await home.memory.database._writer.run(lambda db: db.set_trace_callback(seen.append))
        for n in range(20):
            await ana.sources.delete(external_id=str(n))

        async def gone() -> bool:
            return not holds(tmp_path, WORD)

        await until(gone, 5)
    assert 1 <= seen.count("VACUUM") <= 2


async def test_what_was_deleted_just_before_the_end_has_left_the_file_at_the_end(tmp_path: Path) -> None:
    async with house(tmp_path / "memory.db", scrub_every=3600) as home:
        for key in ("1", "2"):
            await say(home.of("ana"), f"I collect {WORD} number {key}.", key=key)
            await home.of("ana").sources.delete(external_id=key)
            await say(home.of("ana"), "I like tea.")
        assert holds(tmp_path, WORD), "The second is not scrubbed yet."
    assert not holds(tmp_path, WORD)


async def test_a_recall_does_not_wait_while_the_file_is_written_anew(tmp_path: Path) -> None:
    async with house(tmp_path / "memory.db") as home:
        await say(home.of("ana"), "I like tea.")
        written = threading.Event()
        writing = asyncio.create_task(home.memory.database._writer.run(lambda _: written.wait(20)))
        try:
            assert await asyncio.wait_for(recalled(home.of("ana"), "tea"), 5) == ["I like tea."]
            assert not writing.done()
        finally:
            written.set()
            await writing


def cached() -> dict[str, int]:
    """Count what the caches of the local memory hold."""
    modules = [module for name, module in sys.modules.items() if name.startswith("bot.local.")]
    found = [one for module in modules for one in vars(module).values() if hasattr(one, "cache_info")]
    return {f"{one.__module__}.{one.__name__}": one.cache_info().currsize for one in found}


async def test_no_cache_keeps_what_anybody_says(ana: AsyncGeniffy) -> None:
    async def live(name: str) -> None:
        where: dict[str, str] = {"heard": f"private.{name}"}
        await say(ana, f"I collect {name}s and old {name}ing stones in the cellar.", labels=where)
        assert await recalled(ana, f"Which {name}?", dict(where))

    await live("zwibblington")
    before = cached()
    for word in ("grompel", "fribbet", "quaxor", "mirbex"):
        await live(word)
    assert before
    assert cached() == before


async def test_the_file_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "memory.db"
    async with house(path) as home:
        await note(home.of("ana"), "I like tea.")
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
        assert {folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)} == {0o700}

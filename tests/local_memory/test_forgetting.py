"""What you delete it forgets: in every answer, in the file, and whatever was still being learned."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING

import pytest
from geniffy import NotFoundError

from bot.local.memory import learning, spaces
from tests.local_memory.kit import House, house, known, note, recalled, say, until

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


async def test_a_deleted_source_takes_what_only_it_taught(ana: AsyncGeniffy) -> None:
    first = await say(ana, "I like tea. I live in Rome.", key="1")
    await say(ana, "I like tea. I own a boat.", key="2")
    await ana.sources.delete(first.id)
    assert set(await known(ana)) == {"I like tea.", "I own a boat."}
    await ana.sources.delete(external_id="2")
    assert await known(ana) == []
    for again in (first.id, "0" * 32):
        with pytest.raises(NotFoundError):
            await ana.sources.delete(again)
    with pytest.raises(NotFoundError):
        await ana.sources.delete(external_id="2")


async def test_sources_with_a_label_are_deleted_all_and_only_they(ana: AsyncGeniffy) -> None:
    items = [{"text": f"I own {n} hats.", "labels": {"channel": "C1", "n": str(n)}} for n in range(105)]
    await ana.memories.add_many(items[:100])
    await ana.memories.add_many(items[100:])
    await note(ana, "I like tea.", {"channel": "C2"})
    assert await ana.sources.delete_labelled({"channel": "C1", "n": ["7", "8", "999"]}) == 2
    assert await ana.sources.delete_labelled({"channel": "C1"}) == 103
    assert await known(ana) == ["I like tea."]


async def test_a_deleted_memory_stays_away_also_when_its_message_is_sent_again(ana: AsyncGeniffy) -> None:
    await say(ana, "I like absinthe. I live in Rome.", key="1")
    memory = next(m for m in (await ana.memories.list()).memories if "absinthe" in m.text)
    await ana.memories.delete(memory.id)
    assert await known(ana) == ["I live in Rome."]
    await say(ana, "I like absinthe. I live in Rome. I own a boat.", key="1")
    assert set(await known(ana)) == {"I live in Rome.", "I own a boat."}
    with pytest.raises(NotFoundError):
        await ana.memories.get(memory.id)
    await say(ana, "I like absinthe.", key="2")
    assert "I like absinthe." in await known(ana), "Said anew it is news."


async def test_deleting_a_value_deletes_its_older_values_too(ana: AsyncGeniffy) -> None:
    await say(ana, "My favourite colour is blue.", key="1")
    await say(ana, "My favourite colour is green.", key="2")
    (memory,) = (await ana.memories.list()).memories
    await ana.memories.delete(memory.id)
    assert await known(ana) == []
    assert (await ana.export())["memories"] == []


async def test_deleting_the_newer_message_brings_the_older_value_back(ana: AsyncGeniffy) -> None:
    await say(ana, "My favourite colour is blue.", key="1")
    await say(ana, "My favourite colour is green.", key="2")
    await ana.sources.delete(external_id="2")
    assert await known(ana) == ["My favourite colour is blue."]


async def test_forget_me_forgets_that_person_and_no_other(home: House, ana: AsyncGeniffy, ben: AsyncGeniffy) -> None:
    await say(ana, "I like tea.", "I live in Rome.")
    await say(ben, "I like tea.")
    answer = await home.client.forget_space("slack.T024.U061")
    assert answer == {"space": "slack.T024.U061", "erased": True, "sources_removed": 2}
    assert await known(ana) == []
    assert (await ana.sources.list()).total == 0
    copy = await ana.export()
    assert (copy["memories"], copy["sources"]) == ([], [])
    assert [space["space"] for space in await home.client.spaces()] == ["discord.1033044521375764530"]
    assert await known(ben) == ["I like tea."]
    await say(ana, "I like coffee.")
    assert await known(ana) == ["I like coffee."]


async def test_what_was_still_read_when_a_person_was_forgotten_never_comes_back(home: House, ana: AsyncGeniffy) -> None:
    home.memory.learning_delay = 0.15
    for n in range(5):
        await ana.memories.add(f"I own {n} hats.", external_id=str(n))
    await home.client.forget_space("slack.T024.U061")
    await ana.memories.add("I like tea.")

    async def learned() -> bool:
        return await known(ana) == ["I like tea."]

    await until(learned)
    await asyncio.sleep(0.2)
    assert await known(ana) == ["I like tea."]


async def test_a_learning_that_is_late_writes_nothing(home: House, ana: AsyncGeniffy) -> None:
    """The ways to be late: it was edited, deleted or forgotten between reading and writing."""
    home.memory.learning_delay = 3600

    async def begun(key: str) -> tuple[learning.Job, list[learning.Learned]]:
        await ana.memories.add("I like absinthe.", external_id=key)
        job = await home.memory.database.read(lambda db: learning.next_job(db, at=time.time() + 7200))
        assert job is not None
        return job, learning.prepare(job)

    edited = await begun("edited")
    await ana.memories.add("I like tea.", external_id="edited")
    assert not await home.memory.database.write(lambda db: learning.write(db, *edited))
    await ana.sources.delete(external_id="edited")
    deleted = await begun("deleted")
    await ana.sources.delete(external_id="deleted")
    assert not await home.memory.database.write(lambda db: learning.write(db, *deleted))
    forgotten = await begun("forgotten")
    await home.client.forget_space("slack.T024.U061")
    await ana.memories.add("I like tea.", external_id="forgotten")
    assert not await home.memory.database.write(lambda db: learning.write(db, *forgotten))
    assert await known(ana) == []


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
        await home.memory.database.write(lambda db: spaces.forget(db, "ana"))
        owed, done = await home.memory.database.read(lambda db: db.execute("SELECT owed, done FROM scrubs").fetchone())
        assert owed > done
    async with house(tmp_path / "memory.db") as home:

        async def scrubbed() -> bool:
            owed, done = await home.memory.database.read(
                lambda db: db.execute("SELECT owed, done FROM scrubs").fetchone()
            )
            return bool(owed == done)

        await until(scrubbed)
    assert not holds(tmp_path, WORD)


async def test_the_file_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "memory.db"
    async with house(path) as home:
        await note(home.of("ana"), "I like tea.")
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
        assert {folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)} == {0o700}

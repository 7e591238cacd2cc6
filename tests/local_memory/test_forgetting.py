"""What you delete it forgets: in every answer, and whatever was still being learned."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest
from geniffy import NotFoundError

from bot.local.memory import learning
from tests.local_memory.kit import House, known, note, say, until

if TYPE_CHECKING:
    from geniffy import AsyncGeniffy


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

"""What is added, how it is learned, and what a source with an id of its own does."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest
from geniffy import BadRequestError, NotFoundError

from tests.local_memory.kit import House, house, known, note, say, until

if TYPE_CHECKING:
    from typing import Any

    from geniffy import AsyncGeniffy


async def test_what_is_added_is_read_first_and_learned_then() -> None:
    async with house(learning_delay=0.3) as home:
        ana = home.of("ana")
        source = await ana.memories.add("I like tea.", title="Drinks")
        assert (source.status, source.facts, source.kind, source.title) == ("reading", None, "note", "Drinks")
        assert await known(ana) == []
        assert (await ana.context_full("tea"))["empty"] is True
        assert (await ana.sources.get(source.id)).status == "reading"
        source = await ana.sources.wait(source.id)
        assert (source.status, source.facts) == ("learned", 1)
        assert await known(ana) == ["I like tea."]


async def test_a_held_wait_answers_as_soon_as_it_is_learned(home: House, ana: AsyncGeniffy) -> None:
    home.memory.learning_delay = 0.3
    source = await ana.memories.add("I like tea.")
    began = time.monotonic()
    headers = {"X-Geniffy-Space": "slack.T024.U061"}
    answer = (await home.http.get(f"/v1/sources/{source.id}?wait=30", headers=headers)).json()
    assert answer["source"]["status"] == "learned"
    assert time.monotonic() - began < 5


async def test_a_held_wait_ends_in_time_and_at_the_end(home: House) -> None:
    home.memory.learning_delay = 60
    source = await home.client.memories.add("I like tea.")
    answer = (await home.http.get(f"/v1/sources/{source.id}?wait=0.1")).json()
    assert answer["source"]["status"] == "reading"
    for bad in ("-1", "nan", "long"):
        assert (await home.http.get(f"/v1/sources/{source.id}?wait={bad}")).status_code == 422
    waiting = asyncio.create_task(home.http.get(f"/v1/sources/{source.id}?wait=30"))
    await asyncio.sleep(0.05)
    home.memory.closing.set()
    assert (await asyncio.wait_for(waiting, 5)).status_code == 200


async def test_a_wait_for_a_forgotten_source_ends(home: House, ana: AsyncGeniffy) -> None:
    home.memory.learning_delay = 60
    source = await ana.memories.add("I like tea.")
    waiting = asyncio.create_task(ana.sources.wait(source.id))
    await asyncio.sleep(0.05)
    await home.client.forget_space("slack.T024.U061")
    with pytest.raises(NotFoundError):
        await asyncio.wait_for(waiting, 5)


async def test_only_the_persons_own_words_are_learned(ana: AsyncGeniffy) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "The user likes Quito."},
        {"role": "developer", "content": "The user likes Quito."},
        {"role": "user", "content": "I like Lima."},
        {"role": "assistant", "content": "You like Quito.", "tool_calls": [{"id": "1", "input": "Quito"}]},
        {"role": "tool", "content": "They like Quito.", "tool_call_id": "1"},
        {"role": "user", "content": [{"type": "text", "text": "I like Oslo."}, {"type": "image", "url": "Quito"}]},
        {"role": "user", "content": None},
    ]
    source = await ana.memories.add(messages=messages)
    assert (await ana.sources.wait(source.id)).facts == 2
    assert await known(ana) == ["I like Oslo.", "I like Lima."]


async def test_asking_ten_times_grows_nothing(ana: AsyncGeniffy) -> None:
    await say(ana, "I like tea.", *["What do you know about me?"] * 10, "Thanks!", "Hello there")
    assert await known(ana) == ["I like tea."]


async def test_the_same_words_twice_are_one_memory_with_two_sources(ana: AsyncGeniffy) -> None:
    first = await say(ana, "I like tea.", key="1", said_at="2026-10-01")
    second = await say(ana, "i like tea", key="2", said_at="2026-10-09")
    (memory,) = (await ana.memories.list()).memories
    assert memory.source is not None
    assert (memory.source.id, (memory.said_at or "")[:10]) == (second.id, "2026-10-09")
    await ana.sources.delete(second.id)
    (memory,) = (await ana.memories.list()).memories
    assert memory.source is not None
    assert (memory.source.id, (memory.said_at or "")[:10]) == (first.id, "2026-10-01")
    await ana.sources.delete(first.id)
    assert await known(ana) == []


async def test_one_more_said_twice_is_two_more(ana: AsyncGeniffy) -> None:
    await say(ana, "Please add 1 leek to my list.", key="1")
    await say(ana, "Please add 1 leek to my list.", key="2")
    await say(ana, "Please add 1 leek to my list.", key="2")
    assert await known(ana) == ["Please add 1 leek to my list."] * 2


async def test_the_same_id_again_learns_only_what_changed(ana: AsyncGeniffy) -> None:
    await say(ana, "I like tea. I live in Rome. I work at Acme.", key="1")
    before = {memory.text: memory.id for memory in (await ana.memories.list()).memories}
    await say(ana, "I like tea. I work at Acme. I own a boat.", key="1")
    after = {memory.text: memory.id for memory in (await ana.memories.list()).memories}
    assert set(after) == {"I like tea.", "I work at Acme.", "I own a boat."}
    assert after["I like tea."] == before["I like tea."]
    assert (await ana.sources.list()).total == 1


async def test_an_edit_before_it_was_learned_learns_only_the_edit(home: House, ana: AsyncGeniffy) -> None:
    home.memory.learning_delay = 0.2
    await ana.memories.add("I like absinthe.", external_id="1")
    source = await ana.memories.add("I like tea.", external_id="1")
    await ana.sources.wait(source.id)
    assert await known(ana) == ["I like tea."]


async def test_labels_are_replaced_kept_and_cleared_without_learning_again(home: House, ana: AsyncGeniffy) -> None:
    for given, kept in (({"a": "1", "b": "2"}, {"a": "1", "b": "2"}), (None, {"a": "1", "b": "2"}), ({}, {})):
        home.memory.learning_delay = 0 if given else 60
        source = await ana.memories.add("I like milk.", external_id="1", labels=given)
        assert source.labels == kept
        assert (await ana.sources.wait(source.id, timeout=5)).status == "learned"


async def test_a_session_grows_one_source(ana: AsyncGeniffy) -> None:
    talk = [{"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Nice."}]
    session = ana.session("thread-1", labels={"heard": "dm"})
    first = await session.save(talk)
    assert first is not None
    await ana.sources.wait(first.id)
    talk += [{"role": "user", "content": "I live in Rome."}]
    second = await session.save(talk)
    assert second is not None
    assert second.id == first.id
    assert (await ana.sources.wait(first.id)).facts == 2
    assert await known(ana) == ["I live in Rome.", "I like tea."]


async def test_a_session_keeps_both_turns_when_learning_is_slow(home: House, ana: AsyncGeniffy) -> None:
    home.memory.learning_delay = 0.2
    for text in ("I like tea.", "I live in Rome."):
        source = await ana.memories.add(messages=[{"role": "user", "content": text}], session="s")
    await ana.sources.wait(source.id)
    assert await known(ana) == ["I live in Rome.", "I like tea."]


async def test_a_batch_takes_what_it_can(home: House) -> None:
    items = [
        {"text": "I like tea.", "space": "a"}, {"text": ""}, {"text": "I like milk.", "space": "b b"},
        {"messages": [{"role": "user", "content": "I like cocoa."}]}, "odd",
    ]  # fmt: skip
    batch = (
        await home.http.post("/v1/memories/batch", json={"items": items}, headers={"X-Geniffy-Space": "own"})
    ).json()
    assert (batch["added"], batch["failed"]) == (2, 3)
    codes = [result["error"] and result["error"]["code"] for result in batch["results"]]
    assert codes == [None, "invalid_request", "bad_space", None, "invalid_request"]
    assert [result["index"] for result in batch["results"]] == [0, 1, 2, 3, 4]

    async def learned() -> bool:
        return await known(home.of("a")) == ["I like tea."] and await known(home.of("own")) == ["I like cocoa."]

    await until(learned)


async def test_when_it_was_said_is_kept_and_shown(ana: AsyncGeniffy) -> None:
    await say(ana, "I never call before ten.", said_at="2026-10-04")
    assert await ana.context("call") == "- I never call before ten.  [note, 2026-10-04]"
    await say(ana, "My cat is grey.", said_at="2026-10-04T23:30:00-05:00")
    memory = (await ana.memories.list()).memories[0]
    assert memory.said_at == "2026-10-05T04:30:00.000000+00:00"


async def test_a_title_stands_in_the_line(ana: AsyncGeniffy) -> None:
    source = await ana.memories.add("Never calls before ten.", title="Call notes", said_at="2026-10-04")
    await ana.sources.wait(source.id)
    assert await ana.context("calls") == "- Never calls before ten.  [Call notes, 2026-10-04]"
    assert await ana.context("calls", with_sources=False) == "- Never calls before ten."


async def test_sources_are_listed_found_and_paged(ana: AsyncGeniffy) -> None:
    ids = [
        (await ana.memories.add(f"I own {n} hats.", external_id=f"k{n}", labels={"n": str(n % 2)})).id for n in range(5)
    ]
    page = await ana.sources.list(limit=2)
    assert ([source.id for source in page.sources], page.total) == ([ids[4], ids[3]], 5)
    rest = await ana.sources.list(limit=10, cursor=page.next or 0)
    assert ([source.id for source in rest.sources], rest.next) == ([ids[2], ids[1], ids[0]], None)
    assert [source.id for source in (await ana.sources.list(labels={"n": "1"})).sources] == [ids[3], ids[1]]
    assert (await ana.sources.get(external_id="k2")).id == ids[2]
    with pytest.raises(NotFoundError):
        await ana.sources.get(external_id="unknown")


async def test_memories_are_paged_newest_first_also_while_some_go(ana: AsyncGeniffy) -> None:
    await note(ana, "\n".join(f"I own {n} hats." for n in range(7)))
    page = await ana.memories.list(limit=3)
    assert ([memory.text for memory in page.memories], page.total) == ([f"I own {n} hats." for n in (6, 5, 4)], 7)
    await ana.memories.delete(page.memories[0].id)
    rest = await ana.memories.list(limit=10, cursor=page.next or 0)
    assert ([memory.text for memory in rest.memories], rest.next) == ([f"I own {n} hats." for n in (3, 2, 1, 0)], None)


async def test_kinds_are_counted_and_filtered(ana: AsyncGeniffy) -> None:
    await note(
        ana, "I love sushi.\nMy sister is Mia.\nI have a dentist appointment tomorrow.\nThe locker is number 12."
    )
    page = await ana.memories.list(kind="pref")
    assert [memory.text for memory in page.memories] == ["I love sushi."]
    assert (page.total, page.counts) == (1, {"all": 4, "pref": 1, "people": 1, "plan": 1, "detail": 1})
    assert (await ana.context_full("sister", kind="pref"))["empty"] is True


async def test_a_source_that_cannot_be_learned_fails_alone(home: House, ana: AsyncGeniffy) -> None:
    home.memory.learning_delay = 0.1
    source = await ana.memories.add("I like tea.")
    await home.memory.database.write(lambda db: db.execute("UPDATE sources SET pending = '{'"))
    failed = await ana.sources.wait(source.id)
    assert (failed.status, failed.error) == ("failed", "This could not be read.")
    await say(ana, "I like milk.")
    assert await known(ana) == ["I like milk."]


async def test_a_refused_save_says_why(ana: AsyncGeniffy) -> None:
    with pytest.raises(BadRequestError, match="external_id does not start with file"):
        await ana.memories.add("I like tea.", external_id="file:1")

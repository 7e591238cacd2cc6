"""A filter by labels: what was said in private never comes up in public."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.local_memory.kit import known, note, recalled, say

if TYPE_CHECKING:
    from geniffy import AsyncGeniffy

WALL: dict[str, str | list[str]] = {"heard": ["public.T1", "shared"]}


async def test_what_was_said_in_private_does_not_come_up_in_public(ana: AsyncGeniffy) -> None:
    await say(ana, "I have a tattoo of a heron.", labels={"heard": "dm"})
    await say(ana, "I drive a red tractor.", labels={"heard": "public.T1"})
    await say(ana, "I own a heron feather.", labels={"heard": "public.T2"})
    await note(ana, "I once shot a heron.")
    for question in (
        "heron tattoo",
        "tell me about herons",
        "What do you know about me?",
        "list all herons and tractors",
    ):
        assert not any("heron" in text for text in await recalled(ana, question, WALL))
        assert not any("heron" in memory.text for memory in await ana.search(question, labels=WALL))
        assert not any("heron" in memory.text for memory in (await ana.ask(question, labels=WALL)).memories)
    assert await known(ana, WALL) == ["I drive a red tractor."]
    assert (await ana.memories.list(labels=WALL)).counts["all"] == 1


async def test_a_memory_heard_in_both_places_shows_only_the_place_that_was_asked_for(ana: AsyncGeniffy) -> None:
    await say(ana, "I like tea.", key="1", labels={"heard": "public.T1"}, said_at="2026-10-01")
    await say(ana, "I like tea.", key="2", labels={"heard": "dm"}, said_at="2026-10-09")
    for found in (
        (await ana.context_full("tea", labels=WALL))["memories"],
        (await ana.context_full("tea"))["memories"],
    ):
        assert len(found) == 1
    (public,) = (await ana.context_full("tea", labels=WALL))["memories"]
    assert public["source"]["labels"] == {"heard": "public.T1"}
    assert public["said_at"][:10] == "2026-10-01"
    (private,) = (await ana.context_full("tea"))["memories"]
    assert private["source"]["labels"] == {"heard": "dm"}
    await ana.sources.delete(external_id="1")
    assert await recalled(ana, "tea", WALL) == []


async def test_all_names_of_a_filter_must_fit_and_any_value_of_each(ana: AsyncGeniffy) -> None:
    await note(ana, "I like tea.", {"a": "1", "b": "1"})
    await note(ana, "I like hot tea.", {"a": "1", "b": "2"})
    await note(ana, "I like cold tea.", {"a": "2"})
    assert set(await recalled(ana, "tea", {"a": "1", "b": ["2", "3"]})) == {"I like hot tea."}
    assert set(await recalled(ana, "tea", {"a": ["1", "2"]})) == {"I like tea.", "I like hot tea.", "I like cold tea."}
    assert await recalled(ana, "tea", {"b": "3"}) == []


async def test_a_better_hit_behind_the_wall_hides_nothing_in_front_of_it(ana: AsyncGeniffy) -> None:
    await say(ana, "My blue pottery kiln glaze recipe is secret.", labels={"heard": "dm"})
    await say(ana, "I bought a glaze.", labels={"heard": "public.T1"})
    assert await recalled(ana, "blue pottery kiln glaze recipe", WALL) == ["I bought a glaze."]

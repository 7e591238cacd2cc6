from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.agent import Draft
from tests.fakes.openai import Answer, FakeOpenAI, Strict
from tests.fakes.openai_agents import KNOWN, Block, agents, drafts, exchange, said

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI() as server:
        yield server


async def test_the_answer_grows_as_the_text_so_far_and_ends_done(server: FakeOpenAI) -> None:
    server.say(Answer(chunks=["Hel", "lo\n\n", "- *dear", "*\n  Ana"], gap=0.02))
    async with agents(server) as bot:
        seen = await drafts(bot, said("Hi"))
    assert [draft.text for draft in seen if not draft.done] == [
        "Hel",
        "Hello",
        "Hello\n\n- *dear",
        "Hello\n\n- *dear*\n  Ana",
    ]
    assert seen[-1] == Draft("Hello\n\n- *dear*\n  Ana", done=True, keep=True)


async def test_a_slow_reader_misses_glimpses_but_never_the_end(server: FakeOpenAI) -> None:
    server.say(Answer(chunks=[f"{number} " for number in range(200)]))
    async with agents(server) as bot:
        seen = []
        async for draft in bot.answer(said("Count"), (), KNOWN):
            seen.append(draft)
            await asyncio.sleep(0.05)
    assert len(seen) < 50
    assert seen[-1].text.endswith("198 199")


async def test_the_model_gets_instructions_rules_memory_history_and_words_in_this_order(server: FakeOpenAI) -> None:
    async with agents(server, instructions="You are Rook.", operator="Acme IT") as bot:
        await drafts(bot, said("And mine?"), [exchange("Name a colour", "Blue.")])
    (system, *turns) = server.requests[0].messages
    text = system["content"]
    assert text.startswith("You are Rook.\n\nHow you work")
    assert "run by Acme IT." in text
    assert "/memory" in text
    assert "/forget-me" in text
    assert "It is Monday, 5 October 2026, 12:00 (CEST, UTC+0200)." in text
    assert text.index("How you work") < text.index("<memory-3f9a2c1b") < text.index("Rex is my dog.")
    assert [(turn["role"], turn["content"]) for turn in turns] == [
        ("user", "Name a colour"),
        ("assistant", "Blue."),
        ("user", "And mine?"),
    ]


async def test_it_asks_for_usage_only_while_streaming_and_offers_no_tools(server: FakeOpenAI) -> None:
    async with agents(server) as bot:
        await drafts(bot, said("Hi"))
    body = server.requests[0].body
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert not body.keys() & {"tools", "tool_choice", "max_tokens", "temperature", "response_format"}


async def test_two_runs_at_once_never_mix(server: FakeOpenAI) -> None:
    people = [f"person{number}x" for number in range(12)]
    for name in people:
        server.say(Answer(chunks=[f"for {name}", " and", f" only {name}"], gap=0.01), when=name)
    async with agents(server) as bot:
        runs = [
            drafts(bot, said(f"I am {name}"), [exchange(f"old {name}", "Yes.")], Block(f"memory of {name}", wait=0.01))
            for name in people
        ]
        answers = await asyncio.gather(*runs)
    for name, seen in zip(people, answers, strict=True):
        assert seen[-1].text == f"for {name} and only {name}"
        assert not [other for other in people if other != name and any(other in draft.text for draft in seen)]
    for request in server.requests:
        (owner,) = [name for name in people if name in request.last]
        assert [name for name in people if name in str(request.messages)] == [owner]
    assert server.peak > 1


async def test_strict_servers_get_one_system_message_no_names_and_alternating_roles() -> None:
    async with FakeOpenAI(Strict(names=False, several_system=False, same_role_twice=False)) as server:
        async with agents(server, model="llama3.2") as bot:
            history = [exchange("one", ""), exchange("two", "2"), exchange("three", "")]
            seen = await drafts(bot, said("four"), history)
        assert seen[-1].text == "You said: three\n\nfour"
        assert server.requests[0].texts("user") == ["one\n\ntwo", "three\n\nfour"]

"""The wall: two people, a fact in each place, and a look at every body that reaches the memory and the model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from tests.fakes.platform import ANA, BEN, fails, said
from tests.fakes.poll import until

if TYPE_CHECKING:
    from bot.chat import User
    from tests.service.conftest import House

PLACES = ("dm", "public", "private-x", "private-y")
READS = {
    "dm": set(PLACES),
    "public": {"public"},
    "private-x": {"public", "private-x"},
    "private-y": {"public", "private-y"},
    "external": set(),
    "unknown": set(),
}


def token(who: User, place: str) -> str:
    """Make the word that stands for what this person said in this place."""
    return f"{who.id}fact{place.replace('-', '')}"


async def test_a_fact_is_read_only_by_its_person_and_only_where_it_may_come_up(house: House) -> None:
    house.openai.say("Noted.", when="at the zoo.")
    for who, place in product((ANA, BEN), PLACES):
        fact = f"I saw a {token(who, place)} at the zoo."
        await house.say(said(fact, by=who, where=place, root=f"tell-{who.id}"))
    questions = {
        f"{who.id}-{place}": said(f"What did I see at the zoo? ({who.id}-{place})", by=who, where=place, root="ask")
        for who, place in product((ANA, BEN), READS)
    }
    seen = len(house.openai.requests)
    await asyncio.gather(*(house.say(question, settle=False) for question in questions.values()))
    tokens = {(who.id, place): token(who, place) for who, place in product((ANA, BEN), PLACES)}
    for request in house.openai.requests[seen:]:
        (name,) = [name for name in questions if f"({name})" in request.last]
        asker, place = name.split("-", 1)
        held = {key for key, word in tokens.items() if word in str(request.messages)}
        assert held == {(asker, read) for read in READS[place]}, name
    assert len(house.openai.requests) - seen == len(questions)


async def test_no_request_for_a_channel_asks_for_more_than_it_may_show(house: House) -> None:
    await house.say(said("My favourite animal is the otter."))
    for place in ("public", "private-x"):
        await house.say(said("What is my favourite animal?", where=place, root="q"))
    labels = [body.get("labels", {}).get("heard") for body in house.wire.recalls()]
    assert labels[0] is None, "a direct message may read all"
    assert set(labels[1]) == {"public.home", "shared"}
    assert set(labels[2]) == {"public.home", "shared", "private.home.private-x"}
    for request in house.openai.requests[1:]:
        assert "otter" not in str(request.messages)


async def test_where_others_read_the_block_says_the_same_whether_or_not_there_is_more(house: House) -> None:
    await house.say(said("My favourite animal is the otter."))
    await house.say(said("What is my favourite animal?", where="public", root="q"))
    with_more = house.openai.requests[-1].system
    await house.say(said("What is my favourite animal?", by=BEN, where="public", root="r"))
    without = house.openai.requests[-1].system
    assert _block(with_more) == _block(without)
    assert 'state="withheld"' in with_more


def _block(system: str) -> str:
    start = system.index("<memory-", system.rindex('state="') - 20)
    return system[start + len("<memory-12345678") : system.rindex("</memory-")]


async def test_a_private_channel_made_public_carries_nothing_over(house: House) -> None:
    await house.say(said("My favourite animal is the otter.", where="private-x"))
    opened = said("What is my favourite animal?", where="public-x")
    opened = replace(opened, thread=replace(opened.thread, channel="public", root="1"))
    await house.say(opened)
    assert "otter" not in house.asked()


async def test_a_memory_reaches_a_channel_neither_by_an_edit_nor_by_a_second_try(house: House) -> None:
    await house.say(said("My favourite animal is the otter."))
    house.platform.before["finish_reply"] = fails(1)
    question = said("What is my favourite colour?", where="public")
    await house.say(question)
    house.platform.answers.clear()
    await house.service.edited(replace(question, text="What is my favourite animal?"), calls=True)
    await until(lambda: len(house.openai.requests) == 3)
    for request in house.openai.requests[1:]:
        assert "otter" not in str(request.messages)

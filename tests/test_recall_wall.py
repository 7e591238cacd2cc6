"""The wall: what was said in one place never comes up in another where it may not."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat import Audience, Thread
from bot.recall import SHARED, Known, admit, heard, readable


def thread(audience: Audience, channel: str = "C1", install: str = "T1") -> Thread:
    return Thread("slack", install, channel, "1.1", audience)


DM = thread(Audience.DM, "D1")
PUBLIC = thread(Audience.PUBLIC, "C1")
PRIVATE_A = thread(Audience.PRIVATE, "G1")
PRIVATE_B = thread(Audience.PRIVATE, "G2")
EXTERNAL = thread(Audience.EXTERNAL, "C9")
UNKNOWN = thread(Audience.UNKNOWN, "C8")
PLACES = [DM, PUBLIC, PRIVATE_A, PRIVATE_B, EXTERNAL, UNKNOWN]

# What may be read (second) of what was said (first), for one person in one install. Everything else may not.
ALLOWED = {
    *((place, DM) for place in (DM, PUBLIC, PRIVATE_A, PRIVATE_B)),
    *((PUBLIC, place) for place in (PUBLIC, PRIVATE_A, PRIVATE_B)),
    (PRIVATE_A, PRIVATE_A),
    (PRIVATE_B, PRIVATE_B),
}


@pytest.mark.parametrize(("said", "asked"), list(product(PLACES, PLACES)))
def test_each_place_reads_only_what_it_may(said: Thread, asked: Thread) -> None:
    label = heard(said)
    memories = [Known(1, "Rex is my dog.", label)] if label else []
    assert bool(admit(memories, readable(asked))) == ((said, asked) in ALLOWED)


def test_the_labels_are_exactly_those_agreed() -> None:
    assert heard(DM) == "dm"
    assert heard(PUBLIC) == "public.T1"
    assert heard(PRIVATE_A) == "private.T1.G1"
    assert heard(EXTERNAL) is None
    assert heard(UNKNOWN) is None
    assert readable(DM) is None
    assert readable(PUBLIC) == ("public.T1", "shared")
    assert readable(PRIVATE_A) == ("public.T1", "shared", "private.T1.G1")
    assert readable(EXTERNAL) == ()
    assert readable(UNKNOWN) == ()


def test_one_workspace_does_not_read_another() -> None:
    elsewhere = readable(thread(Audience.PUBLIC, install="T2"))
    assert not admit([Known(1, "Rex", heard(PUBLIC)), Known(2, "Rex", heard(PRIVATE_A))], elsewhere)


def test_what_a_person_shares_is_read_in_public_and_in_private() -> None:
    shared = [Known(1, "Rex", SHARED)]
    assert all(admit(shared, readable(place)) for place in (DM, PUBLIC, PRIVATE_A))
    assert not admit(shared, readable(EXTERNAL))


def test_a_memory_without_a_label_comes_up_in_direct_messages_only() -> None:
    unlabelled = [Known(1, "Rex", None)]
    assert admit(unlabelled, readable(DM))
    assert not any(admit(unlabelled, readable(place)) for place in PLACES if place is not DM)


@pytest.mark.parametrize("audience", [Audience.PUBLIC, Audience.PRIVATE])
@pytest.mark.parametrize(
    ("install", "channel"), [("", "C1"), ("T1", ""), ("T1.C1", "C2"), ("T1", "a:b"), ("T1\n", "C")]
)
def test_a_place_whose_ids_are_not_ids_reads_and_saves_nothing(audience: Audience, install: str, channel: str) -> None:
    odd = thread(audience, channel, install)
    assert heard(odd) is None
    assert readable(odd) == ()


def hidden(said: Thread, asked: Thread) -> bool:
    """The rule again, in other words: the way into a place is from itself, from public, or into a DM."""
    if asked.audience is Audience.DM:
        return False
    here = (said.install, said.channel) == (asked.install, asked.channel) and said.audience == asked.audience
    open_to_all = said.audience is Audience.PUBLIC and said.install == asked.install
    return not (here or open_to_all) or asked.audience in {Audience.EXTERNAL, Audience.UNKNOWN}


ids = st.sampled_from(["T1", "T2", "C1", "T1.C1", "C1.T1", "", "dm", "shared", "public.T1"]) | st.text(max_size=6)
places = st.builds(thread, st.sampled_from(Audience), ids, ids)
people = st.sampled_from(["U1", "U2"])


@given(st.lists(st.tuples(people, places), max_size=12), people, places)
def test_no_label_said_elsewhere_gets_through(said: list[tuple[str, Thread]], asker: str, asked: Thread) -> None:
    spaces: dict[str, list[Known]] = {}
    for at, (person, place) in enumerate(said):
        if label := heard(place):
            spaces.setdefault(person, []).append(Known(at, "Rex", label))
    for one in admit(spaces.get(asker, []), readable(asked)):
        person, place = said[one.id]
        assert person == asker
        assert not hidden(place, asked)


def test_one_guild_of_a_bot_that_is_in_many_does_not_read_another() -> None:
    cooks = Thread("discord", "APP", "C1", "C1", Audience.PUBLIC, workspace="G1")
    chess = Thread("discord", "APP", "C2", "C2", Audience.PUBLIC, workspace="G2")
    club = Thread("discord", "APP", "C3", "C3", Audience.PRIVATE, workspace="G2")
    said = [Known(1, "Rex", heard(cooks))]
    assert admit(said, readable(cooks))
    assert not admit(said, readable(chess))
    assert not admit(said, readable(club))

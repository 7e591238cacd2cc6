"""The check of the contract suite itself: it sees two live workers in one lane, and only those."""

import pytest

from tests.engine.journal import Line, inside, overlaps

LANE_OF = {"a1": "a", "a2": "a", "b1": "b"}


def journal(text: str) -> list[Line]:
    parts = (entry.split() for entry in text.split(", "))
    return [Line(what, name, key) for what, name, key in parts]


@pytest.mark.parametrize(
    "text",
    [
        "begin one a1, end one a1, begin two a2, end two a2",
        "begin one a1, begin two b1, end two b1, end one a1",
        "begin one a1, left one a1, begin two a1, end two a1",
        "begin one a1, killed one -, begin two a1, end two a1",
        "begin one a1, frozen one -, begin two a1, end two a1, begin two a2, left one a1, end two a2",
    ],
)
def test_one_worker_after_another_is_no_overlap(text: str) -> None:
    assert overlaps(journal(text), LANE_OF) == []


@pytest.mark.parametrize(
    "text",
    [
        "begin steady a1, begin two a2, end two a2, end steady a1",
        "begin killed a1, begin two a1, killed killed -, end two a1",
        "begin frozen a1, begin steady a1, end steady a1, frozen frozen -",
        "begin one a1, begin two a1, end one a1, end two a1",
        "begin one a1, begin one a2, end one a2",
        "begin gone a1, killed gone -, begin two a1, begin three a1, end two a1, end three a1",
        "begin one a1, begin two b1, end two a1, begin two a2",
    ],
)
def test_two_live_workers_in_one_lane_are_seen_whoever_they_are(text: str) -> None:
    assert len(overlaps(journal(text), LANE_OF)) == 1


def test_what_a_worker_is_inside_of_is_what_it_began_and_did_not_end() -> None:
    lines = [Line("begin", "one", "a1", 1.0), Line("begin", "two", "b1", 2.0), Line("begin", "one", "a2", 3.0)]
    assert inside([*lines, Line("end", "one", "a1", 4.0)], "one") == {"a2": 3.0}

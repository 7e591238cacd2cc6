"""Long answers: what is cut, what is not, and that no character of the answer is lost."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.text import split

_words = st.text(alphabet="abc de.?!\n\t é日本👩🏽‍🚀🇩🇪", max_size=400)
_code_lines = st.lists(st.text(alphabet="xy =()#'\"", max_size=30), min_size=1, max_size=40)
_fence = st.builds(
    lambda marker, language, lines: "\n".join([marker + language, *lines, marker]),
    st.sampled_from(["```", "~~~", "````", "  ```"]),
    st.sampled_from(["", "python", "c++"]),
    _code_lines,
)
_documents = st.lists(st.one_of(_words, _fence), max_size=6).map("\n\n".join)


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _without_fence_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not re.match(r"[ ]*(```|~~~)", line))


def _open_fence(piece: str) -> str | None:
    """The marker of a fence that this piece leaves open, read line by line as a platform would."""
    marker: str | None = None
    for line in piece.split("\n"):
        match = re.fullmatch(r"[ \t]*(`{3,}|~{3,})(.*)", line)
        if match and marker is None:
            marker = match[1]
        elif match and marker is not None and match[1].startswith(marker) and not match[2].strip():
            marker = None
    return marker


@given(_documents, st.integers(min_value=1, max_value=300))
def test_no_piece_is_too_long_or_empty_whatever_the_text(text: str, limit: int) -> None:
    pieces = split(text, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert all(piece.strip() for piece in pieces)


@given(_words, st.integers(min_value=1, max_value=300))
def test_prose_loses_only_white_space(text: str, limit: int) -> None:
    assert _bare("".join(split(text, limit))) == _bare(text)


@given(_documents, st.integers(min_value=60, max_value=300))
def test_a_document_with_fences_loses_nothing_but_white_space(text: str, limit: int) -> None:
    joined = "\n".join(split(text, limit))
    assert _bare(_without_fence_lines(joined)) == _bare(_without_fence_lines(text))


@given(_documents, st.integers(min_value=60, max_value=300))
def test_every_piece_closes_the_fences_it_opens(text: str, limit: int) -> None:
    assert [_open_fence(piece) for piece in split(text, limit)] == [None] * len(split(text, limit))


@given(_code_lines, st.integers(min_value=80, max_value=200))
def test_lines_of_code_keep_their_indentation(lines: list[str], limit: int) -> None:
    code = [f"    {line}x" for line in lines]
    pieces = split("\n".join(["```py", *code, "```"]), limit)
    shown = [line for piece in pieces for line in piece.split("\n") if not line.startswith("```")]
    assert shown == code


def test_a_short_text_stays_as_it_is() -> None:
    assert split("Hello *there*.", 100) == ["Hello *there*."]
    assert split("exactly", 7) == ["exactly"]


def test_nothing_gives_no_piece() -> None:
    assert split("", 10) == []
    assert split(" \n\n\t ", 2) == []


def test_a_limit_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="limit of 1 or more"):
        split("a", 0)


def test_paragraphs_are_preferred_to_lines_and_lines_to_sentences_and_sentences_to_words() -> None:
    assert split("one two three\n\nfour. five\nsix", 22) == ["one two three", "four. five\nsix"]
    assert split("aaaa bbbb.\ncccc dddd. ee", 20) == ["aaaa bbbb.", "cccc dddd. ee"]
    assert split("aaaa bbbb. cccc dddd eeee", 18) == ["aaaa bbbb.", "cccc dddd eeee"]
    assert split("aaaa bbbb cccc dddd", 12) == ["aaaa bbbb", "cccc dddd"]
    assert split("aaaabbbb", 5) == ["aaaab", "bbb"]


def test_a_cut_fence_is_opened_again_with_its_language() -> None:
    code = "\n".join(f"    line_{number} = {number}" for number in range(1200))
    pieces = split(f"Look:\n```python\n{code}\n```\nDone.", 5000)
    assert len(pieces) > 4
    assert all(piece.startswith("```python\n    line_") for piece in pieces[1:])
    assert all(piece.endswith("\n```") for piece in pieces[:-1])
    assert pieces[-1].endswith("```\nDone.")


def test_a_fence_that_fits_into_one_piece_is_not_cut() -> None:
    fence = "```sh\n" + "echo hello\n" * 8 + "```"
    assert split("word " * 10 + "\n" + fence, 110) == ["word " * 9 + "word", fence]


def test_longer_fences_and_tildes_hold_shorter_ones() -> None:
    inner = "```\nnot the end\n```\n" * 10
    pieces = split(f"````md\n{inner}````", 100)
    assert all(piece.startswith("````md\n") and piece.endswith("\n````") for piece in pieces)
    pieces = split("~~~\n" + "```\nx\n" * 40 + "~~~", 60)
    assert all(piece.startswith("~~~\n") and piece.endswith("\n~~~") for piece in pieces)


def test_a_fence_in_a_list_keeps_its_indentation() -> None:
    pieces = split("1. Do\n\n   ```js\n" + "   call();\n" * 20 + "   ```", 80)
    assert all(piece.startswith("   ```js\n   call();") and piece.endswith("\n   ```") for piece in pieces[1:])


def test_indented_lines_keep_their_indentation_outside_fences() -> None:
    assert split("- one thing to do\n    - and a part of it", 24) == ["- one thing to do", "    - and a part of it"]


@pytest.mark.parametrize("whole", ["e\u0301", "👩🏽\u200d🚀", "🇩🇪", "❤\ufe0f"])
def test_what_reads_as_one_character_is_not_torn_apart(whole: str) -> None:
    for pad in range(12):
        pieces = split("x" * pad + whole * 20, 12)
        assert all(piece.lstrip("x").replace(whole, "") == "" for piece in pieces), pieces


def test_a_fence_left_open_by_the_writer_is_still_cut_well() -> None:
    pieces = split("```py\n" + "a = 1\n" * 50, 100)
    assert all(piece.startswith("```py\na = 1") for piece in pieces)
    assert all(piece.endswith("\n```") for piece in pieces[:-1])


@pytest.mark.parametrize("unit", ["word ", "x", "\n", "`", "``` ", "```py\na\n```\n", "🇩", "e\u0301", "a.\n\n", " "])
def test_a_hundred_kilobytes_take_no_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.perf_counter()
    split(text, 2000)
    split(text, 30)
    assert time.perf_counter() - started < 3

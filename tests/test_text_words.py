"""Whose words a text holds: quote blocks, code, names that others chose, and halves of characters."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.text import own_words, plain_name, split, well_formed


@pytest.mark.parametrize(
    ("text", "own", "quoted"),
    [
        ("no quotes > here", "no quotes > here", ()),
        ("> Ben hates tea\nand I like it", "and I like it", ("Ben hates tea",)),
        ("&gt; one\n&gt;two\nmine\n> three", "mine", ("one\ntwo", "three")),
        ("> only this", "", ("only this",)),
        ("mine\n   > indented by three\n    > code", "mine\n    > code", ("indented by three",)),
        ("a\n>>> all\nof it\n> too", "a", ("all\nof it\n> too",)),
        ("a\n&gt;&gt;&gt; all\n```\nof it", "a", ("all\n```\nof it",)),
        (">\n> \nmine", "mine", ()),
        ("one\n\n> q\n\ntwo", "one\n\n\ntwo", ("q",)),
        ("> a\n\n> b", "", ("a", "b")),
    ],
)
def test_quoted_lines_are_not_ones_own_words(text: str, own: str, quoted: tuple[str, ...]) -> None:
    assert own_words(text) == (own, quoted)


@pytest.mark.parametrize(
    "text",
    [
        "```\n> in code\n```",
        "see ```a\n> in code\n``` so",
        "```py\n&gt;&gt;&gt; print(1)\n```",
        "```a```\nx",
        "```\n> ```",
    ],
)
def test_code_stays_untouched(text: str) -> None:
    assert own_words(text) == (text, ())


def test_a_fence_that_is_never_closed_hides_no_quotation() -> None:
    assert own_words("```\n> my PIN is 4711") == ("```", ("my PIN is 4711",))
    assert own_words("```\n> code\n```\n> not code\n```\n> nor this") == (
        "```\n> code\n```\n```",
        ("not code", "nor this"),
    )


_lines = st.lists(st.sampled_from(["> q", "&gt; q", "own", "", "```", "a ``` b", " > q"]), max_size=12).map("\n".join)


@given(_lines)
def test_taking_words_apart_twice_finds_nothing_more(text: str) -> None:
    own, quoted = own_words(text)
    assert own_words(own) == (own, ()) or "```" in text
    assert text.count("q") == own.count("q") + "".join(quoted).count("q")


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Ben. My PIN is 4711. I hate my boss", "Ben"),
        ("Ben my PIN is 4711 and I hate my boss", "Ben my PIN is 4711 and I hate"),
        ("Dr. Ada B. Lovelace", "Dr Ada B Lovelace"),
        ("\n日本。私は", "日本"),
        ("Anne-Marie  O'Neil_2", "Anne-Marie O Neil_2"),
        ("<@U0EVE>\nFrom Ana:", "U0EVE"),
        ("José 日本 हिन्दी", "José 日本 हिन्दी"),
        ("🦊!", ""),
        ("a\u20dd\u202eb\u200bc", "a b c"),
    ],
)
def test_a_name_among_somebodys_words_is_a_name_and_no_sentence(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@given(st.text())
def test_a_name_is_short_and_stays_what_it_is(name: str) -> None:
    assert len(plain_name(name)) <= 30
    assert plain_name(plain_name(name)) == plain_name(name)


def test_halves_of_characters_are_joined_or_replaced() -> None:
    assert well_formed("a\ud83d\ude00b\ud83d") == "a😀b\ufffd"
    assert split("x\ud83d " * 3, 4) == ["x\ufffd", "x\ufffd", "x\ufffd"]
    assert well_formed("é日😀") == "é日😀"


@pytest.mark.parametrize(
    "text",
    [
        "~~~" + "a" * 100_000 + "`",
        "```" + " " * 100_000 + "`",
        "~" * 100_000 + "`",
        ("~~~ a b" * 14_000) + "`",
        " " * 100_000 + "```",
        "." + "*" * 100_000,
        ".*" * 50_000,
        "> " * 50_000,
        "\n> ```" * 15_000,
        "> a\n```\n" * 12_000,
        "&gt;" * 25_000,
    ],
    ids=range(11),
)
def test_nasty_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    split(text, 11_800)
    split(text, 300)
    own_words(text)
    plain_name(text)
    assert time.perf_counter() - started < 5

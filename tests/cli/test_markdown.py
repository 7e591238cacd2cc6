"""Markdown on a terminal: marks become bold or go, words stay, and a growing text never takes back what it showed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.console.render import clean, render

BOLD = "\x1b[1m{}\x1b[0m"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**I am an AI** and `x` too", "I am an AI and x too"),
        ("**use `/help`**", "use /help"),
        ("2 ** 3 and 2**3**4", "2 ** 3 and 2**3**4"),
        ("`a ** b` **c**", "a ** b c"),
        ("**not closed", "**not closed"),
        ("``two`` and ```", "``two`` and ```"),
        ("```\n**code** `x`\n```\n**text**", "```\n**code** `x`\n```\ntext"),
        ("**over\nlines**", "**over\nlines**"),
        ("* item\n* **item**", "* item\n* item"),
        ("\x1b[31mred\x07\r\x9b1m", "[31mred1m"),
        ("", ""),
        ("a\u2028**b**\n", "a\u2028b\n"),
    ],
)
def test_marks_go_in_a_pipe_and_code_stays(text: str, plain: str) -> None:
    assert render(text, bold=False) == plain


def test_marks_are_bold_in_a_terminal() -> None:
    shown = render("**I am an AI**: `/help`", bold=True)
    assert shown == f"{BOLD.format('I am an AI')}: {BOLD.format('/help')}"


def test_a_growing_text_is_held_back_only_from_a_mark_without_its_end() -> None:
    assert render("one **two", bold=False, growing=True) == "one "
    assert render("one **two** thr", bold=False, growing=True) == "one two thr"
    assert render("one **two** `thr", bold=False, growing=True) == "one two "


@given(st.text(alphabet="ab *`\n\x1b", max_size=40))
def test_what_was_shown_of_a_growing_text_is_never_taken_back(text: str) -> None:
    for bold in (True, False):
        whole = render(text, bold=bold)
        shown = ""
        for end in range(len(text) + 1):
            now = render(text[:end], bold=bold, growing=True)
            assert now.startswith(shown)
            shown = now
        assert whole.startswith(shown)


@given(st.text(max_size=40))
def test_nothing_that_moves_the_cursor_gets_through(text: str) -> None:
    assert not {"\x1b", "\r", "\x07", "\x08", "\x9b"} & set(clean(text))

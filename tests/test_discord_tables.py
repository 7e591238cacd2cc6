"""D39: what becomes of Markdown tables, which Discord does not draw."""

import time

import pytest

from adapters.discord.tables import readable

PLAIN = "| Name | Age |\n| --- | ---: |\n| Ann | 7 |\n| Bob | 12 |"
DRAWN = "```\nName  Age\n----  ---\nAnn   7\nBob   12\n```"


def test_a_table_becomes_an_aligned_block() -> None:
    assert readable(f"Here:\n\n{PLAIN}\n\nDone.") == f"Here:\n\n{DRAWN}\n\nDone."


def test_a_table_without_outer_bars_is_one_too() -> None:
    assert readable("Name | Age\n--- | ---\nAnn | 7\nBob | 12") == DRAWN


@pytest.mark.parametrize("fence", ["```", "~~~", "````md"])
def test_a_table_in_a_fence_is_left_alone(fence: str) -> None:
    text = f"{fence}\n{PLAIN}\n{fence.rstrip('md')}"
    assert readable(text) == text


def test_after_the_fence_tables_are_drawn_again() -> None:
    assert readable(f"```\nx | y\n```\n{PLAIN}") == f"```\nx | y\n```\n{DRAWN}"


def test_an_escaped_bar_is_part_of_its_cell() -> None:
    assert "a|b  1" in readable("| Op | N |\n|---|---|\n| a\\|b | 1 |")


def test_wide_characters_count_twice() -> None:
    drawn = readable("| 名前 | x |\n|---|---|\n| 山田太郎 | 1 |\n| ab | 2 |").split("\n")
    assert drawn[1:] == ["名前      x", "--------  -", "山田太郎  1", "ab        2", "```"]


def test_a_wide_table_becomes_bullets() -> None:
    long = "word " * 12
    text = f"| Name | What |\n|---|---|\n| Ann | {long.strip()} |\n| Bob | |"
    assert readable(text) == f"- **Name:** Ann; **What:** {long.strip()}\n- **Name:** Bob"


@pytest.mark.parametrize("text", ["a | b", "x\n---\ny", "a | b\n---\nc | d", "| a | b |\n|---|\n| c | d |", "", "|"])
def test_what_is_no_table_is_left_alone(text: str) -> None:
    assert readable(text) == text


def test_a_short_row_is_filled_and_a_long_one_cut() -> None:
    assert readable("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |") == "```\na  b\n-  -\n1\n1  2\n```"


def test_it_is_fast_on_long_text() -> None:
    started = time.monotonic()
    readable("| a " * 3000 + "\n" + "|---" * 3000 + "\n" + "|-" * 20000)
    readable("| a | b\n" + " " * 20000 + "|" + " " * 20000 + "x")
    readable(("| x" + "-" * 2000 + "\n") * 50)
    assert time.monotonic() - started < 2

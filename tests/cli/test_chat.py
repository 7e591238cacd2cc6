"""`python -m bot chat` as a newcomer runs it: a process of its own, no key, lines piped in."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

from tests.cli.kit import CHAT, bot, environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typist


def test_it_remembers_over_a_restart_and_ends_with_zero(chat: Typist, tmp_path: Path) -> None:
    first = bot(tmp_path, "chat", "--as", "Ana", lines="My dog is called Rex.\n")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.count("I am an AI and can be wrong.") == 1
    second = chat("What is the name of my dog?\n/memory\n", "--as", "Ana")
    assert "My dog is called Rex." in second.split("/memory")[0]
    assert "My dog is called Rex.  [in a direct message, " in second.split("/memory")[1]
    assert "I am an AI" not in second


def test_another_person_knows_nothing_of_it_and_forget_me_forgets(chat: Typist, tmp_path: Path) -> None:
    chat("My dog is called Rex.\n", "--as", "ana")
    assert "Rex" not in chat("What is the name of my dog?\n", "--as", "ben")
    forgotten = chat("/forget-me\n/1\n/memory\nWhat is the name of my dog?\n", "--as", "ana")
    assert "found nothing" in forgotten
    assert "Rex" not in forgotten
    for file in (tmp_path / ".keepsake").iterdir():
        assert b"Rex" not in file.read_bytes(), file.name
        assert "ana" not in file.name


def test_what_it_keeps_is_for_its_owner_only(chat: Typist, tmp_path: Path) -> None:
    chat("Hello.\n")
    assert (tmp_path / ".keepsake").stat().st_mode & 0o077 == 0


def test_a_crowd_of_lines_is_answered_one_by_one(chat: Typist) -> None:
    said = chat("".join(f"I like the number {number}.\n" for number in range(20)))
    assert said.count("bot> ") == 20
    order = [said.index(f"the number {number}.") for number in range(20)]
    assert order == sorted(order)


def test_it_ends_in_good_order_when_it_is_told_to(tmp_path: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - our own program
        CHAT, cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("Hello.\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0

"""`python -m bot chat` as a newcomer runs it: a process of its own, no key, lines piped in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROOT = __file__.rsplit("/tests/", 1)[0]


def bot(home: Path, *arguments: str, lines: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in an empty folder with only these settings."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": ROOT, "PYTHONUTF8": "1", **settings}
    command = [sys.executable, "-m", "bot", *arguments]
    return subprocess.run(  # noqa: S603 - our own program
        command, cwd=home, env=environment, input=lines, capture_output=True, text=True, timeout=60, check=False
    )


def test_it_remembers_over_a_restart_and_ends_with_zero(tmp_path: Path) -> None:
    first = bot(tmp_path, "chat", "--as", "Ana", lines="My dog is called Rex.\n")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.count("**I am an AI and can be wrong.**") == 1
    second = bot(tmp_path, "chat", "--as", "Ana", lines="What is the name of my dog?\n/memory\n")
    assert second.returncode == 0
    assert "My dog is called Rex." in second.stdout.split("/memory")[0]
    assert "My dog is called Rex.  [in a direct message, " in second.stdout.split("/memory")[1]
    assert "I am an AI" not in second.stdout


def test_another_person_knows_nothing_of_it_and_forget_me_forgets(tmp_path: Path) -> None:
    bot(tmp_path, "chat", "--as", "ana", lines="My dog is called Rex.\n")
    ben = bot(tmp_path, "chat", "--as", "ben", lines="What is the name of my dog?\n")
    assert "Rex" not in ben.stdout
    forgotten = bot(tmp_path, "chat", "--as", "ana", lines="/forget-me\n/1\n/memory\nWhat is the name of my dog?\n")
    assert "found nothing" in forgotten.stdout
    assert "Rex" not in forgotten.stdout
    for file in (tmp_path / ".keepsake").iterdir():
        assert b"Rex" not in file.read_bytes(), file.name
        assert "ana" not in file.name


def test_what_it_keeps_is_for_its_owner_only(tmp_path: Path) -> None:
    bot(tmp_path, "chat", lines="Hello.\n")
    home = tmp_path / ".keepsake"
    assert home.stat().st_mode & 0o077 == 0


def test_a_crowd_of_lines_is_answered_one_by_one(tmp_path: Path) -> None:
    lines = "".join(f"I like the number {number}.\n" for number in range(20))
    done = bot(tmp_path, "chat", lines=lines)
    assert done.stdout.count("bot> ") == 20
    order = [done.stdout.index(f"the number {number}.") for number in range(20)]
    assert order == sorted(order)


def test_a_name_that_cannot_name_a_space_is_one_sentence(tmp_path: Path) -> None:
    done = bot(tmp_path, "chat", "--as", "a b")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "--as" in done.stderr


def test_a_second_terminal_of_the_same_person_is_refused(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": ROOT}
    command = [sys.executable, "-m", "bot", "chat", "--as", "ana"]
    with subprocess.Popen(  # noqa: S603 - our own program
        command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdin
        assert first.stdout
        first.stdin.write("Hello.\n")
        first.stdin.flush()
        first.stdout.readline()
        second = bot(tmp_path, "chat", "--as", "Ana", lines="Hello.\n")
        assert second.returncode == 2
        assert "another terminal" in second.stderr
        first.send_signal(signal.SIGTERM)
        assert first.wait(20) == 0


def test_run_without_any_platform_says_what_to_set(tmp_path: Path) -> None:
    done = bot(tmp_path, "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "SLACK_BOT_TOKEN" in done.stderr
    assert "DISCORD_TOKEN" in done.stderr


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"PORT": "http"}, "PORT"),
        ({"SLACK_BOT_TOKEN": "hush-hush"}, "SLACK_BOT_TOKEN"),
        ({"MODEL_OPTIONS": '{"max_tokns": 5}', "OPENAI_API_KEY": "k"}, "MODEL_OPTIONS"),
        ({"MODEL_CONFIG": "missing.json"}, "MODEL_CONFIG"),
        ({"DATABASE_URL": "postgresql://db/x"}, "DATABASE_URL"),
        ({"RETENTION_DAYS": "0"}, "RETENTION_DAYS"),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_names_it(tmp_path: Path, settings: dict[str, str], named: str) -> None:
    done = bot(tmp_path, "chat", lines="Hello.\n", **settings)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert "hush-hush" not in done.stderr


@pytest.mark.parametrize("more", [{}, {"GENIFFY_API_KEY": "k"}])
def test_a_set_up_that_would_lose_memory_is_refused(tmp_path: Path, more: dict[str, str]) -> None:
    done = bot(tmp_path, "run", DYNO="web.1", DISCORD_TOKEN="t", **more)
    assert done.returncode == 2
    assert "disk" in done.stderr
    assert done.stderr.count("\n") == 1

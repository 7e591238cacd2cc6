"""Slips in `.env` are told by name or line, never by value; other programs' settings are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import slips

FILE = Path(".env")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def told(text: str) -> tuple[str, ...]:
    FILE.write_text(text, encoding="utf-8")
    return slips()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("OPENAI_APIKEY", "OPENAI_API_KEY"),
        ("SLACK_BOT_TOKN", "SLACK_BOT_TOKEN"),
        ("DISCORD_BOT_TOKEN", "DISCORD_TOKEN"),
        ("Port", "PORT"),
    ],
)
def test_a_name_that_looks_like_ours_is_asked_about(name: str, meant: str) -> None:
    assert told(f"\n# mine\n\n{name}=hush\n") == (
        f".env: {name} (line 4) is no setting of Keepsake: did you mean {meant}?",
    )


def test_names_of_ours_and_of_other_programs_are_fine() -> None:
    assert told("MODEL=a\nexport PORT=1\nOPENAI_ORG_ID=o\nAWS_REGION=x\nEMPTY=\n# SLACK_BOT_TOKN=x\n\n") == ()


@pytest.mark.parametrize("line", ["xoxb-hush", "SLACK_BOT_TOKEN xoxb-hush", "=hush", "MODEL='hush", "MODEL: hush"])
def test_a_line_that_cannot_be_read_is_told_by_its_number(line: str) -> None:
    said = told(f"PORT=1\n\n{line}\n")
    assert said == (".env: line 3 cannot be read and is left out; write it as NAME=value.",)


def test_no_file_has_no_slips() -> None:
    assert slips() == ()
    FILE.mkdir()
    assert slips() == ()


def test_a_file_that_is_no_text_is_left_to_whoever_reads_the_settings() -> None:
    FILE.write_bytes(b"OPENAI_APIKEY=\xff")
    assert slips() == ()

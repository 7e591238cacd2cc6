"""What cannot work is one sentence that says what to do, and code 2; what may work at the next try is code 1."""

from __future__ import annotations

import socket
import sqlite3
from typing import TYPE_CHECKING

import pytest

from bot.__main__ import main
from bot.settings import only_one, read_settings
from bot.store import Keys

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Refused

SOCKET_MODE = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
HTTP = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": "s"}
MANY = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "c", "SLACK_SIGNING_SECRET": "s"}


@pytest.mark.parametrize("name", ["", " ", "a b", "李雷", "🦊", "Ana李", "..", "a..b", "x" * 101, "ana/../ben"])
def test_a_name_that_can_be_nobodys_is_said_plainly(refused: Refused, name: str) -> None:
    said = refused("chat", "--as", name)
    assert said.startswith("--as: A name has letters a-z")
    assert "100 characters" in said


@pytest.mark.parametrize(
    ("file", "command"),
    [("keepsake.db", ("chat",)), ("memory.db", ("chat",)), ("memory.db", ("memory", "--port=0"))],
)
def test_a_damaged_file_is_one_sentence(refused: Refused, file: str, command: tuple[str, ...]) -> None:
    refused.home.mkdir()
    (refused.home / file).write_bytes(b"This is no database, and it is long enough to be seen as none." * 20)
    said = refused(*command)
    assert file in said
    assert "file is not a database" in said
    assert "KEEPSAKE_HOME" in said


def test_a_file_that_cannot_be_opened_is_one_sentence(refused: Refused) -> None:
    (refused.home / "keepsake.db").mkdir(parents=True)
    said = refused("chat")
    assert "DATABASE_URL, or keepsake.db in KEEPSAKE_HOME" in said
    assert "unable to open database file" in said


def test_a_directory_that_cannot_be_written_is_one_sentence(refused: Refused) -> None:
    refused.home.mkdir()
    (refused.home / "keepsake.db.lock").mkdir()  # what a lock file cannot be made over, for whoever may write anything
    assert "keepsake.db in KEEPSAKE_HOME" in refused("chat", KEEPSAKE_SECRET="0123456789abcdef")


def test_a_database_that_is_held_by_another_program_is_worth_another_try(refused: Refused) -> None:
    assert main(["chat"]) == 0
    holder = sqlite3.connect(refused.home / "keepsake.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    refused.code = 1
    try:
        assert "try again in a moment" in refused("chat")
    finally:
        holder.close()


def test_another_secret_is_refused_in_the_stores_own_words(refused: Refused) -> None:
    assert main(["chat"]) == 0
    said = refused("chat", KEEPSAKE_SECRET="another-secret-than-before")
    assert said.startswith("KEEPSAKE_SECRET (or the file 'secret' in KEEPSAKE_HOME) is not the one")


def test_a_port_in_use_is_one_sentence_and_nothing_listens(refused: Refused) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused.code = 1
        said = refused("memory", "--port", str(port))
    assert said == f"Cannot listen on 127.0.0.1:{port}: give a port that is free with --port."


def test_a_second_terminal_of_the_same_person_is_refused(refused: Refused) -> None:
    settings = read_settings()
    with only_one(settings, Keys(settings.secret()).of("console.ana"), "Ana"):
        assert "Ana is already talking in another terminal" in refused("chat", "--as", "Ana")
        assert main(["chat", "--as", "ben"]) == 0
    assert main(["chat", "--as", "ana"]) == 0


@pytest.mark.parametrize("port", ["-1", "65536", "99999999999"])
def test_a_port_that_is_none_is_one_sentence(refused: Refused, port: str) -> None:
    assert refused("memory", f"--port={port}").startswith("--port must be a whole number from 1 to 65535")


def test_run_without_any_platform_says_what_to_set(refused: Refused) -> None:
    said = refused("run")
    assert "SLACK_BOT_TOKEN" in said
    assert "DISCORD_TOKEN" in said


def test_a_role_without_work_says_exactly_what_that_role_needs(refused: Refused) -> None:
    web = refused("run", "--role", "web", **SOCKET_MODE)
    assert "needs SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET, and SLACK_APP_TOKEN unset" in web
    assert "DISCORD_TOKEN" not in web
    assert "SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_SIGNING_SECRET" in web
    for over_http in (HTTP, MANY):
        worker = refused("run", "--role", "worker", **over_http)
        assert "needs DISCORD_TOKEN, or SLACK_BOT_TOKEN and SLACK_APP_TOKEN" in worker


def test_one_workspace_and_many_at_once_are_refused_in_one_sentence(refused: Refused) -> None:
    assert refused("run", **{**MANY, "SLACK_BOT_TOKEN": "xoxb-hush"}).startswith("SLACK_BOT_TOKEN is for one workspace")


def test_an_env_that_is_a_directory_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".env").mkdir()
    assert main(["chat"]) == 2
    assert capsys.readouterr().err == ".env is a directory, not the file with settings: give it another name.\n"


def test_a_misspelt_setting_is_warned_of_even_when_the_rest_is_refused(
    refused: Refused, caplog: pytest.LogCaptureFixture
) -> None:
    refused("run", SLACK_BOT_TOKN="xoxb-hush", SLACK_APP_TOKEN="xapp-1")
    (warning,) = [record.getMessage() for record in caplog.records if record.name == "bot"]
    assert warning == ".env: SLACK_BOT_TOKN (line 1) is no setting of Keepsake: did you mean SLACK_BOT_TOKEN?"


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
def test_a_wrong_setting_is_one_sentence_that_names_it(refused: Refused, settings: dict[str, str], named: str) -> None:
    said = refused("chat", **settings)
    assert named in said
    assert "hush-hush" not in said


@pytest.mark.parametrize("more", [{}, {"GENIFFY_API_KEY": "k"}])
def test_a_set_up_that_would_lose_memory_is_refused_with_all_that_it_would_lose(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, more: dict[str, str]
) -> None:
    monkeypatch.setenv("DYNO", "web.1")
    said = refused("run", DISCORD_TOKEN="t", **more)
    assert "SQLite" in said
    assert ("GENIFFY_API_KEY" in said) == (not more)

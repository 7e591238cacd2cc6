"""What the settings keep on this machine, the set-ups they refuse, and the example file."""

from __future__ import annotations

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Barrier

import pytest

from bot.settings import Settings, SettingsError, read_settings, refuse_memory_loss
from tests.test_settings import NAMES, given, nothing_set

EXAMPLE = Path(__file__).parent.parent / ".env.example"

__all__ = ["nothing_set"]


def test_home_is_made_for_its_owner_only_when_used(tmp_path: Path) -> None:
    settings = given(KEEPSAKE_HOME=str(tmp_path / "deep" / "home"))
    assert settings.home() == settings.home() == tmp_path / "deep" / "home"
    assert stat.S_IMODE(settings.home().stat().st_mode) == 0o700


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"^KEEPSAKE_HOME cannot be made"):
        given(KEEPSAKE_HOME=str(tmp_path / "file")).home()


def test_a_secret_is_made_once_and_kept_owner_only() -> None:
    made = given().secret()
    file = Path(".keepsake/secret")
    assert re.fullmatch(rb"[0-9a-f]{64}", made)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_settings().secret() == made
    assert given(KEEPSAKE_SECRET=file.read_text(encoding="ascii").strip(), KEEPSAKE_HOME="elsewhere").secret() == made
    assert not Path("elsewhere").exists()


def test_processes_that_start_together_agree_on_the_secret() -> None:
    settings, together = [given() for _ in range(8)], Barrier(8)

    def start(one: Settings) -> bytes:
        together.wait()
        return one.secret()

    with ThreadPoolExecutor(8) as starters:
        assert len(set(starters.map(start, settings))) == 1


def test_a_damaged_secret_is_told_and_not_replaced() -> None:
    home = given().home()
    (home / "secret").write_text("abc", encoding="ascii")
    with pytest.raises(SettingsError, match=r"KEEPSAKE_SECRET"):
        read_settings().secret()
    assert (home / "secret").read_text(encoding="ascii") == "abc"


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ({}, r"told the bot \(GENIFFY_API_KEY moves that to Geniffy\) and the SQLite database .* keeps its disk"),
        ({"GENIFFY_API_KEY": "gnf"}, "machine that keeps its disk"),
        ({"GENIFFY_BASE_URL": "http://127.0.0.1:1"}, "machine that keeps its disk"),
    ],
)
def test_a_set_up_that_would_lose_memory_is_refused(values: dict[str, str], advice: str) -> None:
    settings = given(**values)
    with pytest.raises(SettingsError, match=advice) as refused:
        refuse_memory_loss(settings, {"DYNO": "web.1"})
    assert "\n" not in str(refused.value)
    refuse_memory_loss(settings, {})
    refuse_memory_loss(settings, {"DYNO": ""})


def examples() -> dict[str, str]:
    found = re.findall(r"^#([A-Z_]+)=(.*)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == len(dict(found))
    return dict(found)


def test_the_example_file_holds_every_setting_and_no_other() -> None:
    assert set(examples()) == NAMES


def test_the_example_file_sets_nothing_and_explains_each_line() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert all(not line or line.startswith("#") for line in lines)
    for before, line in pairwise(lines):
        assert not re.match(r"#[A-Z_]+=", line) or before.startswith("# ")


def test_the_example_values_are_valid(tmp_path: Path) -> None:
    for name in ("persona.md", "model.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    many = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET")
    for either in (("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"), many):  # one workspace and many are not set at once
        lines = (f"{name}={value}" for name, value in examples().items() if name not in either)
        (tmp_path / ".env").write_text("\n".join(lines), encoding="utf-8")
        settings = read_settings()
    assert settings.operator_name == "Example Ltd"
    assert settings.model_options == {"reasoning_effort": "low"}
    unset = Settings.model_fields
    for name in ("host", "port", "model", "recall", "retention_days", "slack_api_url", "discord_api_url", "follow_ups"):
        assert getattr(settings, name) == unset[name].get_default(call_default_factory=True, validated_data={})
    assert settings.database_url == read_settings(None).database_url
    assert not os.environ.get("OPERATOR_NAME")

"""What the operator sets, and the one sentence for each thing missing or wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.settings import Settings, SettingsError, read_settings

EXAMPLE = Path(__file__).parent.parent / ".env.example"
NAMES = {str(field.alias) for field in Settings.model_fields.values()}
SECRET = "hush-hush-hush-hush"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*NAMES, "DYNO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def given(**values: str) -> Settings:
    """Read these settings from the file `.env`, which is how most operators give them."""
    lines = (f"{name}='{value}'" for name, value in values.items())
    Path(".env").write_text("\n".join(lines), encoding="utf-8")
    return read_settings()


def complaint(**values: str) -> str:
    with pytest.raises(SettingsError) as refused:
        given(**values)
    return str(refused.value)


def test_with_nothing_set_it_runs_on_this_machine_alone() -> None:
    settings = read_settings()
    assert settings.slack_bot_token is settings.discord_token is settings.openai_api_key is None
    assert (settings.host, settings.port, settings.retention_days) == ("127.0.0.1", 3000, 30)
    assert (settings.model, settings.model_options, settings.recall) == ("gpt-5", {}, "judged")
    assert settings.database_url == "sqlite+aiosqlite:///.keepsake/keepsake.db"
    assert settings.slack_api_url == "https://slack.com/api/"
    assert settings.discord_api_url == "https://discord.com/api/v10"
    assert settings.local_memory
    assert settings.notices() == ()


def test_reading_settings_makes_nothing() -> None:
    read_settings()
    assert not list(Path.cwd().iterdir())


def test_a_file_is_not_needed() -> None:
    assert read_settings(None).port == read_settings(Path("nowhere/.env")).port == 3000


def test_the_environment_goes_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "4000")
    assert given(PORT="5000", MODEL="some-model").port == 4000
    assert read_settings().model == "some-model"


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_value_counts_as_unset(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, blank)
    assert given(MODEL="some-model").model == "some-model"
    assert read_settings(None).slack_bot_token is None


def test_names_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("port", "4000")
    assert given(port="5000", Model="other", UNKNOWN="ignored").port == 3000
    assert read_settings().model == "gpt-5"


def test_spaces_around_a_value_are_not_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", f" {SECRET}\n")
    token = read_settings().discord_token
    assert token is not None
    assert token.get_secret_value() == SECRET


TOKENS = [name for name in NAMES if name.endswith(("TOKEN", "_KEY", "_SECRET"))]


def test_no_secret_is_ever_shown() -> None:
    values = dict.fromkeys(set(TOKENS) - {"SLACK_CLIENT_SECRET"}, SECRET)
    values |= {"MODEL_OPTIONS": json.dumps({"extra_headers": SECRET})}
    values |= {"SLACK_BOT_TOKEN": f"xoxb-{SECRET}", "SLACK_APP_TOKEN": f"xapp-{SECRET}"}
    many = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": SECRET, "SLACK_SIGNING_SECRET": SECRET}
    for settings in (given(**values), given(**many)):
        for shown in (repr(settings), str(settings), settings.model_dump_json(), str(settings.model_dump())):
            assert "hush" not in shown


@pytest.mark.parametrize("name", sorted(NAMES - {"MODEL", "INSTRUCTIONS", "OPERATOR_NAME", "HOST"}))
def test_what_is_wrong_is_named_in_one_sentence_that_never_repeats_it(name: str) -> None:
    wrong = {"KEEPSAKE_SECRET": "hush", "KEEPSAKE_HOME": "~hush-nobody/hush"}.get(name, "hush hush")
    said = complaint(**{name: wrong})
    assert re.fullmatch(rf"{name} must be [^\n]+\.", said)
    assert "hush" not in said


def test_each_wrong_thing_has_its_own_line() -> None:
    said = complaint(PORT="0", RETENTION_DAYS="0", RECALL="sometimes", KEEPSAKE_HOME="~nobody-of-that-name/x")
    assert sorted(line.split()[0] for line in said.split("\n")) == ["KEEPSAKE_HOME", "PORT", "RECALL", "RETENTION_DAYS"]


def test_a_refusal_carries_no_value_in_its_traceback() -> None:
    with pytest.raises(SettingsError) as refused:
        given(DISCORD_TOKEN=f"Bot {SECRET}")
    assert refused.value.__suppress_context__


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_BOT_TOKEN", "xoxp-1"),
        ("SLACK_BOT_TOKEN", '"xoxb-1"'),
        ("SLACK_APP_TOKEN", "xoxb-1"),
        ("DISCORD_TOKEN", "Bot abc"),
        ("DISCORD_TOKEN", "abcé"),
        ("SLACK_API_URL", "https://slack.com/api"),
        ("SLACK_API_URL", "http://slack.com/api/"),
        ("DISCORD_API_URL", "https://discord.com/api/"),
        ("OPENAI_BASE_URL", "http://10.0.0.1/v1"),
        ("OPENAI_BASE_URL", "http://127.0.0.1.example.com/v1"),
        ("OPENAI_BASE_URL", "https://"),
        ("GENIFFY_BASE_URL", "https://me:hush@example.com"),
        ("GENIFFY_BASE_URL", "ftp://127.0.0.1"),
        ("PRIVACY_URL", "http://127.0.0.1/privacy"),
        ("PORT", "65536"),
        ("PORT", "abc"),
        ("RETENTION_DAYS", "1.5"),
        ("RECALL", "Fast"),
        ("MODEL_OPTIONS", "[1]"),
        ("MODEL_OPTIONS", "{"),
        ("MODEL_CONFIG", "missing.json"),
        ("INSTRUCTIONS", "missing.md"),
        ("INSTRUCTIONS", "my persona.TXT"),
        ("DATABASE_URL", "sqlite+aiosqlite://"),
        ("DATABASE_URL", "sqlite+aiosqlite:///:memory:"),
        ("DATABASE_URL", "sqlite+aiosqlite:///file:x?mode=memory&uri=true"),
        ("DATABASE_URL", "sqlite+aiosqlite:///x.db?vfs=memdb"),
        ("DATABASE_URL", "mysql://localhost/x"),
        ("DATABASE_URL", "keepsake.db"),
    ],
)
def test_a_malformed_value_is_refused(name: str, value: str) -> None:
    assert complaint(**{name: value}).startswith(f"{name} must be ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_API_URL", "http://127.0.0.1:8080/api/"),
        ("SLACK_API_URL", "http://localhost/api/"),
        ("DISCORD_API_URL", "http://[::1]:80/api/v10"),
        ("OPENAI_BASE_URL", "https://models.example.com/v1"),
        ("SLACK_FILES_URL", "https://files.slack.com"),
        ("DISCORD_CDN_URL", "https://cdn.discordapp.com"),
        ("GENIFFY_BASE_URL", "http://127.0.0.1:4000"),
        ("PRIVACY_URL", "https://example.com/privacy?v=2"),
        ("OPERATOR_NAME", "Ana & Søn"),
    ],
)
def test_what_is_right_is_taken_as_it_is(name: str, value: str) -> None:
    assert given(**{name: value}).model_dump()[name.lower()] == value


def test_a_slack_bot_token_needs_a_way_in() -> None:
    both = complaint(SLACK_BOT_TOKEN="xoxb-1")
    assert both.startswith("SLACK_BOT_TOKEN needs SLACK_APP_TOKEN")
    assert "SLACK_SIGNING_SECRET" in both
    assert given(SLACK_BOT_TOKEN="xoxb-1", SLACK_APP_TOKEN="xapp-1").slack_app_token
    assert given(SLACK_BOT_TOKEN="xoxe.xoxb-1", SLACK_SIGNING_SECRET="abc").slack_signing_secret


@pytest.mark.parametrize("name", ["SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"])
def test_a_way_in_needs_a_slack_bot_token(name: str) -> None:
    assert complaint(**{name: "xapp-1"}).startswith(f"{name} needs SLACK_BOT_TOKEN")


MANY = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "abc", "SLACK_SIGNING_SECRET": "def"}


def test_many_workspaces_need_three_settings_and_no_token() -> None:
    assert given(**MANY).slack_over == "oauth"
    for name in MANY:
        said = complaint(**{other: value for other, value in MANY.items() if other != name})
        assert (f"set {name} beside them" in said) or said.startswith("SLACK_SIGNING_SECRET needs")


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [("SLACK_BOT_TOKEN", "xoxb-1", "one workspace"), ("SLACK_APP_TOKEN", "xapp-1", "Socket Mode with one workspace")],
)
def test_one_workspace_and_many_at_once_are_refused_as_ambiguous(name: str, value: str, what: str) -> None:
    said = complaint(**MANY, **{name: value})
    assert said.startswith(f"{name} is for {what}, SLACK_CLIENT_ID and SLACK_CLIENT_SECRET are for as many")
    assert said.endswith(f"remove {name}, or those two.")
    assert "\n" not in said


def test_how_slack_is_talked_to_follows_from_what_is_set() -> None:
    assert given().slack_over is None
    assert given(SLACK_BOT_TOKEN="xoxb-1", SLACK_SIGNING_SECRET="abc").slack_over == "http"
    both = given(SLACK_BOT_TOKEN="xoxb-1", SLACK_SIGNING_SECRET="abc", SLACK_APP_TOKEN="xapp-1")
    assert both.slack_over == "socket"


def test_follow_ups_and_the_grace_of_an_uninstall_have_careful_defaults() -> None:
    assert (given().follow_ups, given().uninstall_grace) == ("one-human", 72)
    assert given(FOLLOW_UPS="never", UNINSTALL_GRACE="0").uninstall_grace == 0
    assert complaint(FOLLOW_UPS="always") == "FOLLOW_UPS must be one-human, thread or never."
    for wrong in ("-1", "1.5", "three"):
        assert complaint(UNINSTALL_GRACE=wrong).startswith("UNINSTALL_GRACE must be a whole number of hours")


def test_what_is_set_and_not_used_yet_is_said_in_one_sentence() -> None:
    (said,) = given(DISCORD_CDN_URL="https://files.example.com").notices()
    assert said == "DISCORD_CDN_URL is set and not used yet: opening files on Discord comes with a later version."
    assert given(SLACK_FILES_URL="https://files.example.com").notices() == ()


def test_people_are_told_where_their_words_go() -> None:
    assert given().memory_is == "on the operator's own machine"
    assert given().model_is == "a program on the operator's own machine, with no model behind it"
    assert given(GENIFFY_API_KEY="gnf").memory_is == "by Geniffy (api.geniffy.com)"
    assert given(GENIFFY_BASE_URL="https://m.example").memory_is == "by Geniffy (https://m.example)"
    assert given(OPENAI_API_KEY="k").model_is == "the model gpt-5 at OpenAI"
    assert given(OPENAI_BASE_URL="https://m.example/v1", MODEL="m").model_is == "the model m at https://m.example/v1"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_is_said_to_come_later(scheme: str) -> None:
    said = complaint(DATABASE_URL=f"{scheme}://me:hush@localhost/x")
    assert said.startswith("PostgreSQL support comes with a later version; leave DATABASE_URL unset")
    assert "hush" not in said


def test_the_database_follows_the_home_unless_set() -> None:
    assert given(KEEPSAKE_HOME="/srv/bot").database_url == "sqlite+aiosqlite:////srv/bot/keepsake.db"
    assert given(DATABASE_URL="sqlite:///x/y.db").database_url == "sqlite+aiosqlite:///x/y.db"
    assert given(DATABASE_URL="sqlite+aiosqlite:////x/y.db").database_url == "sqlite+aiosqlite:////x/y.db"


def test_instructions_are_text_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "persona.md").write_text("You are Fern.\nBe brief.\n", encoding="utf-8")
    assert given(INSTRUCTIONS="persona.md").instructions == "You are Fern.\nBe brief."
    assert given(INSTRUCTIONS="You are Fern. Be brief.").instructions == "You are Fern. Be brief."
    assert given(INSTRUCTIONS="Read this:\nnotes.md").instructions == "Read this:\nnotes.md"
    assert given(INSTRUCTIONS="x" * 5_000).instructions == "x" * 5_000


def test_a_file_that_is_not_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "persona").write_bytes(b"\xff\xfe\x00")
    assert complaint(INSTRUCTIONS="persona").startswith("INSTRUCTIONS must be text")
    (tmp_path / ".env").write_bytes(b"MODEL=\xff")
    with pytest.raises(SettingsError, match=r"^The file \.env cannot be read"):
        read_settings()


def test_model_options_and_configuration(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("{}", encoding="utf-8")
    settings = given(MODEL_OPTIONS='{"reasoning_effort": "low", "n": 1}', MODEL_CONFIG="model.json")
    assert settings.model_options == {"reasoning_effort": "low", "n": 1}
    assert settings.model_config_file == Path("model.json")


def test_it_listens_to_everyone_only_where_a_platform_hands_out_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "5000")
    assert read_settings().host == "127.0.0.1"
    monkeypatch.setenv("DYNO", "web.1")
    assert read_settings().host == "0.0.0.0"  # noqa: S104 - what is expected there
    assert given(HOST="127.0.0.2").host == "127.0.0.2"
    monkeypatch.delenv("PORT")
    assert given(PORT="5000").host == "127.0.0.1"


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_settings().port = 1

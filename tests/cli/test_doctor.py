"""`python -m bot doctor`: what is well, what to do about what is not, and what nobody can tell. Never a secret."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

import pytest
from aiohttp import web

from adapters.slack.manifest import SCOPES
from bot import doctor
from bot.__main__ import main
from bot.settings import read_settings
from tests.fakes.discord import FakeDiscord
from tests.fakes.memory import port_memory
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, FakeSlack
from tests.fakes.slack_failures import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

ALL = ",".join(SCOPES)
CLIENT_ID, CLIENT_SECRET = "1.2", "a-client-secret"


class Slack(FakeSlack):
    """Names the bot token's scopes in a header, and knows one client."""

    scopes: str | None = ALL
    app: str = "A1"

    async def _api(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["method"] == "oauth.v2.access":
            return await self._access(request)
        if request.match_info["method"] == "bots.info":
            return web.json_response({"ok": True, "bot": {"id": "B1", "app_id": self.app}})
        answer = await super()._api(request)
        if self.scopes is not None:
            answer.headers["X-OAuth-Scopes"] = self.scopes
        return answer

    async def _access(self, request: web.Request) -> web.Response:
        import base64  # noqa: PLC0415 - only here

        how, _, what = request.headers["Authorization"].partition(" ")
        assert how == "Basic"
        client, _, secret = base64.b64decode(what).decode().partition(":")
        wrong = "invalid_client_id" if client != CLIENT_ID else "bad_client_secret" if secret != CLIENT_SECRET else ""
        return web.json_response({"ok": False, "error": wrong or "invalid_code"})


class Models:
    """`GET /v1/models` with a status and names."""

    def __init__(self, status: int = 200, *names: str) -> None:
        self.status, self.names, self.url = status, names, ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.01)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _models(self, request: web.Request) -> web.Response:
        assert request.headers["Authorization"]
        data = [{"id": name, "object": "model", "created": 1, "owned_by": "x"} for name in self.names]
        body: dict[str, Any] = {"object": "list", "data": data}
        return web.json_response(body if self.status == 200 else {"error": {"message": "no"}}, status=self.status)


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with Slack() as server:
        yield server


async def found(**settings: str) -> list[tuple[str, str]]:
    """Let the doctor look at these settings, for a second each."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        read = read_settings(None)
    return [(one.kind, one.said) async for one in doctor.examine(read, {}, 1.0)]


def kinds(all_found: list[tuple[str, str]], word: str) -> list[str]:
    """What was found about something, by a word of the sentence."""
    return [kind for kind, said in all_found if word in said]


def socket_mode(slack: Slack) -> dict[str, str]:
    return {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": slack.api_url}


async def test_a_whole_set_up_is_well(slack: Slack, tmp_path: Path) -> None:
    async with FakeDiscord() as discord, Models(200, "gpt-5") as models, port_memory(tmp_path / "m.db") as memory:
        looked = await found(
            **socket_mode(slack),
            DISCORD_TOKEN=discord.token,
            DISCORD_API_URL=discord.api_url,
            OPENAI_API_KEY="a-key",
            OPENAI_BASE_URL=models.url,
            GENIFFY_API_KEY="a-key",
            GENIFFY_BASE_URL=memory.url,
        )
    assert {kind for kind, _ in looked} == {"ok", "note"}
    for word in (
        "database",
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "scopes",
        "DISCORD_TOKEN",
        "gpt-5",
        "memory answers",
    ):
        assert "ok" in kinds(looked, word), word
    assert "a-key" not in str(looked)


async def test_what_slack_does_not_tell_is_said_honestly_with_what_to_compare(slack: Slack) -> None:
    looked = await found(**socket_mode(slack))
    (said,) = [said for kind, said in looked if kind == "note" and "events" in said]
    assert "`python -m bot slack-manifest`" in said


async def test_each_missing_scope_is_named_with_what_does_not_work_without_it(slack: Slack) -> None:
    slack.scopes = ",".join(name for name in SCOPES if name not in {"im:history", "files:read"})
    looked = await found(**socket_mode(slack))
    assert kinds(looked, "no scope im:history") == ["fix"]
    assert kinds(looked, "no scope files:read, which would let the bot open the pictures") == ["note"]
    assert "note" in kinds(looked, "reinstall the app")


async def test_scopes_that_slack_does_not_name_are_said_to_be_unknown(slack: Slack) -> None:
    slack.scopes = None
    assert kinds(await found(**socket_mode(slack)), "were not checked") == ["note"]


async def test_a_wrong_bot_token_and_a_wrong_app_token_are_told_apart(slack: Slack) -> None:
    looked = await found(**{**socket_mode(slack), "SLACK_BOT_TOKEN": "xoxb-hush"})
    assert kinds(looked, "does not take SLACK_BOT_TOKEN (invalid_auth)") == ["fix"]
    assert "ok" in kinds(looked, "SLACK_APP_TOKEN")
    other = await found(**{**socket_mode(slack), "SLACK_APP_TOKEN": "xapp-hush"})
    assert kinds(other, "connections:write") == ["fix"]
    assert "ok" in kinds(other, "SLACK_BOT_TOKEN")
    assert "hush" not in str(looked + other)


async def test_tokens_of_two_apps_are_told(slack: Slack) -> None:
    settings = {**socket_mode(slack), "SLACK_APP_TOKEN": "xapp-1-A1-9-hush"}
    assert not kinds(await found(**settings), "of two apps")
    slack.app = "A2"
    looked = await found(**settings)
    assert kinds(looked, "SLACK_APP_TOKEN and SLACK_BOT_TOKEN are of two apps") == ["fix"]
    assert "hush" not in str(looked)


async def test_a_bot_token_that_runs_out_is_to_be_replaced(slack: Slack) -> None:
    looked = await found(**{**socket_mode(slack), "SLACK_BOT_TOKEN": "xoxe.xoxb-hush"})
    assert kinds(looked, "SLACK_BOT_TOKEN runs out") == ["fix"]


@pytest.mark.parametrize("error", ["ratelimited", "internal_error"])
async def test_slacks_own_trouble_is_not_blamed_on_the_token(slack: Slack, error: str) -> None:
    slack.fail("auth.test", Failure(error=error))
    assert kinds(await found(**socket_mode(slack)), f"for now ({error}): try again") == ["fix"]


async def test_a_page_instead_of_an_answer_is_one_line(slack: Slack) -> None:
    slack.fail("auth.test", Failure(page="<html>Bad gateway</html>", status=502))
    looked = await found(**socket_mode(slack))
    assert len([kind for kind, _ in looked if kind == "fix"]) == 1
    assert all("\n" not in said and "<html>" not in said for _, said in looked)


async def test_a_party_that_does_not_answer_holds_the_doctor_up_for_a_bounded_time(slack: Slack) -> None:
    slack.fail("auth.test", Failure(delay=5.0))
    async with asyncio.timeout(4):
        looked = await found(**socket_mode(slack))
    assert kinds(looked, "Slack does not answer at") == ["fix"]


async def test_nobody_at_an_address_is_said_with_the_setting_that_names_it() -> None:
    looked = await found(
        SLACK_BOT_TOKEN=BOT_TOKEN,
        SLACK_APP_TOKEN=APP_TOKEN,
        SLACK_API_URL="http://127.0.0.1:9/api/",
        DISCORD_TOKEN="t",
        DISCORD_API_URL="http://127.0.0.1:9/api/v10",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        GENIFFY_BASE_URL="http://127.0.0.1:9",
    )
    for word in ("SLACK_API_URL", "DISCORD_API_URL", "model does not answer", "memory, kept by Geniffy"):
        assert set(kinds(looked, word)) == {"fix"}, word


async def test_over_http_it_says_what_slack_must_reach_and_what_cannot_be_asked(slack: Slack) -> None:
    settings = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_SIGNING_SECRET": "hush", "SLACK_API_URL": slack.api_url}
    looked = await found(**settings)
    assert kinds(looked, "https://your.host/slack/events") == ["note"]
    assert kinds(looked, "slack-manifest --url") == ["note"]
    assert not slack.called("apps.connections.open")
    assert "hush" not in str(looked)


@pytest.mark.parametrize(
    ("client", "secret", "kind", "word"),
    [
        (CLIENT_ID, CLIENT_SECRET, "ok", "Slack takes SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"),
        ("9.9", CLIENT_SECRET, "fix", "does not take SLACK_CLIENT_ID (invalid_client_id)"),
        (CLIENT_ID, "hush", "fix", "does not take SLACK_CLIENT_SECRET (bad_client_secret)"),
    ],
)
async def test_the_client_of_many_workspaces_is_asked_about(
    slack: Slack, client: str, secret: str, kind: str, word: str
) -> None:
    settings = {"SLACK_CLIENT_ID": client, "SLACK_CLIENT_SECRET": secret, "SLACK_SIGNING_SECRET": "s"}
    looked = await found(**settings, SLACK_API_URL=slack.api_url)
    assert kinds(looked, word) == [kind]
    assert kinds(looked, "https://your.host/slack/oauth_redirect") == ["note"]
    assert kinds(looked, "0 Slack workspaces or organisations have the app installed; people install") == ["note"]
    assert "hush" not in str(looked)


async def test_a_refused_discord_token_says_where_the_right_one_is() -> None:
    async with FakeDiscord() as discord:
        looked = await found(DISCORD_TOKEN="hush", DISCORD_API_URL=discord.api_url)
    assert kinds(looked, "does not take DISCORD_TOKEN (401)") == ["fix"]
    assert "hush" not in str(looked)


@pytest.mark.parametrize(
    ("status", "names", "kind", "word"),
    [
        (200, ("gpt-5",), "ok", "The model gpt-5 is there"),
        (200, ("other",), "fix", "no model gpt-5 at"),
        (401, (), "fix", "OPENAI_API_KEY is not taken"),
        (403, (), "note", "shows no list of models"),
        (404, (), "note", "shows no list of models"),
        (500, (), "fix", "does not answer at"),
    ],
)
async def test_the_model_is_asked_for_by_name(status: int, names: tuple[str, ...], kind: str, word: str) -> None:
    async with Models(status, *names) as models:
        looked = await found(OPENAI_API_KEY="hush", OPENAI_BASE_URL=models.url)
    assert kinds(looked, word) == [kind]
    assert "hush" not in str(looked)


async def test_without_a_key_model_and_memory_on_this_machine_are_said_to_be_that() -> None:
    looked = await found()
    assert kinds(looked, "OPENAI_API_KEY or OPENAI_BASE_URL") == ["note"]
    assert kinds(looked, "kept on the operator's own machine") == ["ok"]
    assert kinds(looked, "There is no platform to talk on") == ["fix"]


async def test_a_database_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "keepsake.db").mkdir()
    looked = await found(KEEPSAKE_HOME=str(tmp_path / "home"))
    assert kinds(looked, "unable to open database file") == ["fix"]


async def test_a_disk_that_is_emptied_is_to_be_mended() -> None:
    looked = [one async for one in doctor.examine(read_settings(None), {"DYNO": "web.1"})]
    assert any(kind == "fix" and "empties its disk" in said for kind, said in looked)


async def test_the_command_shows_a_line_each_and_ends_with_1_when_something_is_to_be_mended(
    slack: Slack, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in socket_mode(slack).items():
        monkeypatch.setenv(name, value)
    assert await asyncio.to_thread(main, ["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line[:6] in {"OK    ", "NOTE  "} for line in lines)
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-hush")
    assert await asyncio.to_thread(main, ["doctor"]) == 1
    said = capsys.readouterr()
    assert [line for line in said.out.splitlines() if line.startswith("FIX   Slack does not take SLACK_BOT_TOKEN")]
    assert "hush" not in said.out + said.err


def test_settings_that_cannot_be_read_end_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "none")
    assert main(["doctor"]) == 2

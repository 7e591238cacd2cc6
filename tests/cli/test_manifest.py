"""The app as Slack must know it: complete, explained, within Slack's limits, for Socket Mode and for HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest

from adapters.slack.manifest import EVENT_SCOPES, SCOPES, form, manifest
from bot import commands
from bot.__main__ import main

if TYPE_CHECKING:
    from bot.service import Service
    from tests.cli.conftest import Refused

README = Path(__file__).parents[2] / "README.md"
HOST = "https://bot.example.com"
OFFERED = commands.offered(cast("Service", None))
# Slack's own commands, which it lets no app take: one such name, and the whole manifest is refused.
SLACKS_OWN = (
    " archive away call collapse dm dnd expand feed invite join kick leave me msg mute open prefs pro rename remind "
    "remove search shortcuts shrug star status topic who "
)


def scopes(found: dict[str, Any]) -> list[str]:
    return list(found["oauth_config"]["scopes"]["bot"])


def events(found: dict[str, Any]) -> list[str]:
    return list(found["settings"]["event_subscriptions"]["bot_events"])


def test_every_event_has_the_scopes_that_let_it_come() -> None:
    assert set(events(manifest())) == set(EVENT_SCOPES)
    for event in events(manifest()):
        assert EVENT_SCOPES[event] <= set(scopes(manifest())), event


def test_every_message_event_comes_with_the_scope_that_says_who_reads_the_place() -> None:
    for event, read in (("channels", "channels"), ("groups", "groups"), ("im", "im"), ("mpim", "mpim")):
        assert f"message.{event}" in events(manifest())
        assert f"{read}:read" in scopes(manifest())


def test_every_scope_has_a_reason_of_one_line_that_the_readme_shows() -> None:
    assert scopes(manifest()) == list(SCOPES)
    shown = README.read_text(encoding="utf-8").splitlines()
    for name, scope in SCOPES.items():
        need = "yes" if scope.needed else "no"
        assert f"| `{name}` | {need} | {scope.lets} |" in shown


def test_nothing_is_asked_for_or_listed_twice() -> None:
    found = manifest()
    names = [command["command"] for command in found["features"]["slash_commands"]]
    for listed in (scopes(found), events(found), names):
        assert len(set(listed)) == len(listed)


def test_every_command_that_the_bot_offers_is_in_it() -> None:
    offered = {f"/{command.name}" for command in OFFERED if not command.on_message}
    listed = {command["command"]: command["description"] for command in manifest()["features"]["slash_commands"]}
    assert offered | {"/ask"} == set(listed)
    for command in OFFERED:
        assert listed.get(f"/{command.name}", "") == ("" if command.on_message else command.description.rstrip("."))


def test_no_command_has_a_name_that_slack_keeps_for_itself() -> None:
    for command in manifest()["features"]["slash_commands"]:
        assert f" {command['command'][1:]} " not in SLACKS_OWN


def test_the_message_shortcuts_are_in_it_under_the_names_that_the_bot_gives_them() -> None:
    found = {one["callback_id"]: one["name"] for one in manifest()["features"]["shortcuts"] if one["type"] == "message"}
    offered = {command.name: command.description for command in OFFERED if command.on_message}
    assert set(found) == {"catch-up", "keep", "forget-exchange"}
    assert {"catch-up": "Catch me up", **offered}.items() <= found.items()


def test_it_is_an_agent_with_a_home_and_messages_that_people_can_write() -> None:
    features = manifest()["features"]
    assert "assistant_view" not in features
    assert features["agent_view"]["agent_description"]
    assert features["app_home"] == {
        "home_tab_enabled": True,
        "messages_tab_enabled": True,
        "messages_tab_read_only_enabled": False,
    }


def test_it_keeps_slacks_limits() -> None:
    found = manifest()
    about, features = found["display_information"], found["features"]
    assert len(about["name"]) <= 35
    assert len(about["description"]) <= 140
    assert 174 <= len(about["long_description"]) <= 4000
    assert len(features["agent_view"]["agent_description"]) <= 300
    assert len(features["agent_view"]["suggested_prompts"]) <= 4
    assert all(len(one["name"]) <= 24 and len(one["description"]) <= 150 for one in features["shortcuts"])
    assert all(len(one["command"]) <= 32 for one in features["slash_commands"])


def test_for_socket_mode_no_address_is_in_it() -> None:
    found = manifest()
    assert found["settings"]["socket_mode_enabled"] is True
    assert "url" not in json.dumps(found)


def test_a_tokens_rotation_is_off_as_one_token_in_the_settings_would_run_out() -> None:
    assert manifest()["settings"]["token_rotation_enabled"] is False
    assert manifest(HOST)["settings"]["token_rotation_enabled"] is False


@pytest.mark.parametrize("end", ["", "/", "/slack/events"])
def test_for_http_every_address_is_in_it(end: str) -> None:
    found = manifest(HOST + end)
    settings, features = found["settings"], found["features"]
    assert settings["socket_mode_enabled"] is False
    assert settings["event_subscriptions"]["request_url"] == f"{HOST}/slack/events"
    assert settings["interactivity"] == {"is_enabled": True, "request_url": f"{HOST}/slack/events"}
    assert {one["url"] for one in features["slash_commands"]} == {f"{HOST}/slack/events"}
    assert found["oauth_config"]["redirect_urls"] == [f"{HOST}/slack/oauth_redirect"]
    assert (scopes(found), events(found)) == (scopes(manifest()), events(manifest()))


def test_an_address_below_a_path_or_on_a_port_is_kept() -> None:
    found = manifest("https://example.com:8443/keepsake/")
    assert found["settings"]["interactivity"]["request_url"] == "https://example.com:8443/keepsake/slack/events"


@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example.com",
        "bot.example.com",
        "https://",
        "",
        "https://me:hush@bot.example.com",
        "https://bot.example.com/?a=1",
        "https://bot.example.com/#x",
        "https://bot.example.com?",
        "https://bot example.com",
        "https://bot.example.com:port",
        "https://[bot",
        "javascript:alert(1)",
    ],
)
def test_what_is_no_https_address_is_refused_in_one_sentence(refused: Refused, url: str) -> None:
    said = refused("slack-manifest", f"--url={url}")
    assert said.startswith("--url: Give the https:// address")
    assert "hush" not in said


def test_the_command_prints_it_as_json_and_beside_it_the_link_that_opens_slacks_form(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["slack-manifest"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == manifest()
    link = urlsplit(said.err.strip().splitlines()[-1])
    assert (link.scheme, link.netloc, link.path) == ("https", "api.slack.com", "/apps")
    asked = parse_qs(link.query)
    assert asked["new_app"] == ["1"]
    assert json.loads(asked["manifest_json"][0]) == manifest()


def test_the_command_prints_the_http_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["slack-manifest", "--url", HOST]) == 0
    assert json.loads(capsys.readouterr().out) == manifest(HOST)


def test_the_command_needs_no_settings(refused: Refused, capsys: pytest.CaptureFixture[str]) -> None:
    refused("chat", PORT="none")
    assert main(["slack-manifest"]) == 0
    assert capsys.readouterr().out


def test_the_link_is_short_enough_for_a_browser() -> None:
    assert len(form(manifest("https://a-rather-long-name-of-a-host.example.com"))) < 8000

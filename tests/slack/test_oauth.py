"""Installing the app by OAuth: from the link to a workspace that is answered, and every way in which it can end."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from adapters.slack import SlackPlatform
from adapters.slack.installation import read_kept
from adapters.slack.manifest import manifest
from adapters.slack.oauth import States
from adapters.slack.tokens import AppKeys
from tests.fakes.slack import BOT_TOKEN, SIGNING_SECRET
from tests.fakes.slack_failures import LOST, Failure
from tests.fakes.slack_orgs import CLIENT_ID, MemoryInstalls, team_grant
from tests.fakes.slack_requests import dm_event
from tests.slack.many import BOT_ONE, BOT_ORG, ONE, ORG, body_of, many_workspaces

if TYPE_CHECKING:
    from tests.slack.conftest import Http

REDIRECT = "/slack/oauth_redirect"


async def test_the_link_leads_to_slacks_consent_page_with_the_scopes_of_the_manifest() -> None:
    async with many_workspaces() as many:
        status, _, headers = await many.get("/slack/install", team="T00ONE")
        address = urlsplit(headers["Location"])
        asked = parse_qs(address.query)
    assert (status, address.path) == (302, "/oauth/v2/authorize")
    assert (asked["client_id"], asked["team"]) == ([CLIENT_ID], ["T00ONE"])
    assert asked["scope"][0].split(",") == manifest_scopes()
    assert {"HttpOnly", "Secure", "SameSite=lax"} <= set(headers["Set-Cookie"].split("; "))
    assert headers["Cache-Control"] == "no-store"


def manifest_scopes() -> list[str]:
    config = manifest()["oauth_config"]
    assert isinstance(config, dict)
    return sorted(config["scopes"]["bot"])


async def test_an_installed_workspace_is_answered_with_its_own_token() -> None:
    async with many_workspaces(ONE) as many:
        assert many.bot.news == [("installed", f"slack {ONE}")]
        assert many.platform.serves(ONE)
        assert (await many.send.json(body_of(ONE)))[0] == 200
        [message] = many.bot.said
        resolved = await many.platform.resolve(message)
        assert resolved is not None
        assert (message.thread.install, message.author.id) == (ONE, f"{ONE}.U00ANA")
        await many.platform.finish_reply(await many.platform.start_reply(message), "hello")
        assert set(many.slack.used) >= {("chat.postMessage", ONE)}
        assert not many.slack.called("auth.test")


@pytest.mark.case("S66")
async def test_a_whole_organisation_is_kept_under_its_own_id() -> None:
    async with many_workspaces(ORG) as many:
        assert list(many.installs.texts) == [ORG]
        kept = read_kept(many.installs.texts[ORG])
        assert kept is not None
        assert (kept.own.user, kept.own.org_wide, kept.own.install) == (BOT_ORG, True, ORG)
        assert (await many.send.json(body_of(ORG)))[0] == 200
        unmarked = body_of(ORG, dm_event("not marked"))
        unmarked["authorizations"][0]["is_enterprise_install"] = False
        assert (await many.send.json(unmarked))[0] == 200
        for message in many.bot.said:
            assert (message.thread.install, message.thread.workspace) == (ORG, "T00INORG")
            assert message.author.id == f"{ORG}.U00ANA"
        assert len(many.bot.said) == 2


async def test_a_second_tab_does_not_spoil_the_first() -> None:
    async with many_workspaces() as many:
        state, cookie = await many.begin()
        _, same = await many.begin(cookie)
        assert same == cookie
        many.slack.grants["code"] = team_grant(ONE, BOT_ONE)
        assert (await many.get(REDIRECT, cookie, code="code", state=state))[0] == 200


@pytest.mark.parametrize(
    ("query", "with_cookie", "says"),
    [
        ({"error": "access_denied"}, True, "cancelled"),
        ({"code": "code"}, True, "not begun in this browser"),
        ({"code": "code", "state": "x"}, True, "not begun in this browser"),
        ({"code": "code", "state": "ok"}, False, "not begun in this browser"),
        ({"state": "ok"}, True, "did not complete"),
        ({"code": "c" * 2000, "state": "ok"}, True, "did not complete"),
        ({"code": "code", "state": "ok", "error": "<script>"}, True, "did not complete"),
        ({"code": "unknown", "state": "ok"}, True, "did not accept"),
        ({"code": "é\x00", "state": "ok"}, True, "did not accept"),
        ({"code": "code", "state": "é" * 30}, True, "not begun in this browser"),
        ({}, False, "not begun in this browser"),
    ],
)
async def test_what_does_not_end_well_is_one_sentence(query: dict[str, str], with_cookie: bool, says: str) -> None:  # noqa: FBT001
    async with many_workspaces() as many:
        many.slack.grants["code"] = team_grant(ONE, BOT_ONE)
        state, cookie = await many.begin()
        asked = {key: state if value == "ok" else value for key, value in query.items()}
        status, text, headers = await many.get(REDIRECT, cookie if with_cookie else "", **asked)
        assert status == 400
        assert says in text
        assert "script" not in text
        assert headers["Referrer-Policy"] == "no-referrer"
        assert (many.installs.texts, many.bot.news) == ({}, [])


async def test_another_browser_cannot_finish_what_this_one_began() -> None:
    async with many_workspaces() as many:
        many.slack.grants["code"] = team_grant(ONE, BOT_ONE)
        state, _ = await many.begin()
        _, other = await many.begin()
        assert (await many.get(REDIRECT, other, code="code", state=state))[0] == 400
        assert many.installs.texts == {}


def test_a_state_is_good_for_ten_minutes_and_one_secret() -> None:
    browser = "b" * 43
    states = States(b"one")
    old = states._fernet.encrypt_at_time(browser.encode(), int(time.time()) - 601).decode()
    assert states.is_for(states.new(browser), browser)
    assert not states.is_for(old, browser)
    assert not States(b"two").is_for(states.new(browser), browser)
    assert not states.is_for(states.new(browser), "c" * 43)
    assert not states.is_for(states.new(""), "")


@pytest.mark.parametrize("failure", [Failure("fatal", 500), LOST, Failure(page="<html>", status=502), Failure("x")])
async def test_an_exchange_that_fails_installs_nothing(failure: Failure) -> None:
    async with many_workspaces() as many:
        many.slack.grants["code"] = team_grant(ONE, BOT_ONE)
        many.slack.fail("oauth.v2.access", failure)
        state, cookie = await many.begin()
        status, text, _ = await many.get(REDIRECT, cookie, code="code", state=state)
        assert status in {400, 503}
        assert "nothing was installed" in text
        assert many.installs.texts == {}


@pytest.mark.parametrize(
    "odd",
    [
        {"token_type": "user"},
        {"access_token": None},
        {"access_token": ""},
        {"team": None},
        {"team": {"id": "../x"}},
        {"bot_user_id": None},
    ],
)
async def test_a_grant_without_a_bot_or_a_place_installs_nothing(odd: dict[str, object]) -> None:
    async with many_workspaces() as many:
        many.slack.grants["code"] = {**team_grant(ONE, BOT_ONE), **odd}
        state, cookie = await many.begin()
        status, _, _ = await many.get(REDIRECT, cookie, code="code", state=state)
        assert (status, many.installs.texts, many.bot.news) == (400, {}, [])


async def test_a_store_that_is_down_is_said_and_the_next_try_works() -> None:
    async with many_workspaces() as many:
        many.slack.grants["code"] = team_grant(ONE, BOT_ONE)
        many.installs.broken = True
        state, cookie = await many.begin()
        assert (await many.get(REDIRECT, cookie, code="code", state=state))[0] == 503
        assert not many.platform.serves(ONE)
        many.installs.broken = False
        await many.install(ONE)
        assert many.platform.serves(ONE)


async def test_a_name_of_a_workspace_is_shown_as_text() -> None:
    async with many_workspaces() as many:
        many.slack.grants["code"] = {**team_grant(ONE, BOT_ONE), "team": {"id": ONE, "name": "<b>A & B</b>"}}
        state, cookie = await many.begin()
        _, text, _ = await many.get(REDIRECT, cookie, code="code", state=state)
        assert "&lt;b&gt;A &amp; B&lt;/b&gt;" in text


async def test_no_token_code_or_state_is_logged_or_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with many_workspaces(ONE) as many:
        many.slack.fail("oauth.v2.access", Failure("invalid_code"))
        state, cookie = await many.begin()
        await many.get(REDIRECT, cookie, code="secret-code", state=state)
        kept = read_kept(many.installs.texts[ONE])
        shown = f"{many.platform!r} {kept!r} {AppKeys('x', 'client-secret')!r}"
        ours = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith(("adapters", "bot", "slack")))
    for secret in ("xoxe", "client-secret", "secret-code", state, cookie.partition("=")[2]):
        assert secret not in ours
        assert secret not in shown


async def test_with_one_token_there_is_nothing_to_install(http: Http) -> None:
    for path in ("/slack/install", REDIRECT):
        async with http.send._session.get(f"{http.platform.address}{path}") as answer:
            assert answer.status == 404


async def test_pages_take_no_other_method_and_no_junk() -> None:
    async with many_workspaces() as many:
        for path in ("/slack/install", REDIRECT):
            async with many.browser.post(f"{many.platform.address}{path}", data=b"x" * 5000) as answer:
                assert answer.status == 405
        assert (await many.get("/slack/install", "keepsake-oauth=é;;=", team="x" * 3000))[0] == 302
        assert (await many.get("/slack/install", cookie="=;keepsake-oauth"))[0] == 302


def test_what_oauth_needs_is_asked_for_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="SLACK_CLIENT_ID"):
        SlackPlatform(signing_secret=SIGNING_SECRET)
    with pytest.raises(ValueError, match="SLACK_CLIENT_ID"):
        SlackPlatform(app_token="xapp-1", client_id="1", client_secret="2", installs=MemoryInstalls(), secret=b"x")
    SlackPlatform(bot_token=BOT_TOKEN, signing_secret=SIGNING_SECRET)

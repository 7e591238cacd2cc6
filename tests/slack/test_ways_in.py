"""Both ways in, whatever comes: never a server error, nothing unsigned, nothing lost and nothing late."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fakes.poll import until
from tests.fakes.slack import ANA, BOT_USER, DM, PUBLIC, TEAM, FakeSlack
from tests.fakes.slack_failures import Failure, rate_limited
from tests.fakes.slack_requests import command_body, dm_event, event_body, mention_event, press_body
from tests.slack.conftest import running, socket_platform
from tests.slack.many import BOT_ONE, ONE, Many, body_of, many_workspaces
from tests.slack.test_requests import signed

if TYPE_CHECKING:
    from tests.slack.bot import RecordingBot
    from tests.slack.conftest import Http

FORM = "application/x-www-form-urlencoded"
_EVENTS = ["message", "app_mention", "app_uninstalled", "tokens_revoked", "team_access_revoked", "user_change"]
_EVENTS += ["app_home_opened", "app_context_changed", "agent_session_stopped", "channel_shared", "nothing_we_know"]
_KINDS = ["block_actions", "view_submission", "view_closed", "message_action", "shortcut", "block_suggestion"]
_KEYS = ["id", "user", "team", "enterprise", "tokens", "bot", "team_ids", "view", "callback_id", "channel", "message"]
_KEYS += [
    "actions",
    "action_id",
    "value",
    "trigger_id",
    "authorizations",
    "is_enterprise_install",
    "team_id",
    "deleted",
]
_KEYS += ["enterprise_id", "container", "private_metadata", "state", "ts", "text", "response_url", "tab", "event_time"]
_KEYS += ["app_installed_team_id", "enterprise_user", "teams", "is_forgotten", "type", "user_id", "channel_id"]
_WORDS = [ANA, BOT_USER, PUBLIC, DM, TEAM, ONE, "E00ORG", "1.1", "keepsake.0.memory", "keep", "catch-up", "true", ""]
_plain = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(_WORDS) | st.text(max_size=4)
_keys = st.sampled_from(_KEYS)
_json = st.recursive(
    _plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=5), max_leaves=5
)
_fields = st.dictionaries(_keys, _json, max_size=4)
_events = st.builds(
    lambda kind, event, more: {**event_body({**event, "type": kind}), **more, "type": "event_callback"},
    st.sampled_from(_EVENTS),
    _fields,
    _fields,
)
_presses = st.builds(
    lambda kind, more, drop: {
        key: value
        for key, value in {**press_body("keepsake.0.memory"), "callback_id": "keep", **more, "type": kind}.items()
        if key != drop
    },
    st.sampled_from(_KINDS),
    _fields,
    _keys,
)
_commands = st.builds(
    lambda more: {**command_body("/memory", "payload"), **{key: str(value) for key, value in more.items()}}, _fields
)


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(
    st.lists(_events, min_size=12, max_size=14),
    st.lists(_presses, min_size=12, max_size=14),
    st.lists(_commands, min_size=3, max_size=5),
)
def test_no_shape_is_a_server_error(events: list[Any], presses: list[Any], commands: list[Any]) -> None:
    async def send_all() -> None:
        async with many_workspaces(ONE) as many:
            statuses = {(await many.send.json(body))[0] for body in events + presses}
            statuses |= {(await many.send.press(body))[0] for body in presses + events}
            statuses |= {(await many.send.command(body))[0] for body in commands}
            assert statuses == {200}
            assert (await many.send.json(body_of(ONE, {"type": "nothing_we_know"})))[0] == 200

    asyncio.run(send_all())


@pytest.mark.case("S16")
async def test_nothing_unsigned_runs_whatever_it_is() -> None:
    async with many_workspaces(ONE) as many:
        shapes: list[tuple[bytes, str]] = [
            (json.dumps(body_of(ONE, {"type": "app_uninstalled"})).encode(), "application/json"),
            (json.dumps(body_of(ONE)).encode(), "application/json"),
            (urlencode(command_body("/forget-me", "fresh", team_id=ONE)).encode(), FORM),
            (urlencode({"payload": json.dumps(press_body("keepsake.0.forget-me", "fresh"))}).encode(), FORM),
            (urlencode({"payload": json.dumps(shortcut())}).encode(), FORM),
        ]
        wrong = "v0=" + "0" * 64
        for body, kind in shapes:
            for headers in (
                {"X-Slack-Signature": wrong},
                {"X-Slack-Signature": wrong.upper()},
                {"X-Slack-Signature": ""},
            ):
                assert (await many.send.raw(body, kind, headers))[0] == 401
            assert (await many.send.raw(body, kind, age=301))[0] == 401
            assert (await many.send.raw(body, kind, age=-310))[0] == 401
            assert (await many.send.raw(body + b" ", kind, signed(body)))[0] == 401
        assert (many.bot.said, many.bot.asked) == ([], [])
        assert many.platform.serves(ONE)


def shortcut(**more: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a body
    """A shortcut used on a message of Ana's in the public channel."""
    return {
        "type": "message_action",
        "callback_id": "keep",
        "team": {"id": TEAM},
        "user": {"id": ANA, "team_id": TEAM},
        "channel": {"id": PUBLIC},
        "message": {"type": "message", "user": ANA, "ts": "1700000000.000100", "text": "remember me"},
        "message_ts": "1700000000.000100",
        "trigger_id": "1.2.3",
        "response_url": "",
        **more,
    }


@pytest.mark.case("S79")
async def test_what_is_refused_is_not_logged(http: Http, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    for body in (urlencode(command_body("/ask", "my secret words")).encode(), json.dumps(shortcut()).encode()):
        assert (await http.send.raw(body, FORM, age=400))[0] == 401
    odd = {"type": "event_callback", "event": {"type": "message", "text": "my secret words"}, "authorizations": "x"}
    assert (await http.send.json(odd))[0] == 200
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name != "asyncio")
    assert "secret" not in ours
    assert "remember me" not in ours


async def test_the_address_takes_only_what_slack_sends(http: Http) -> None:
    url = f"{http.platform.address}/slack/events"
    for method in ("GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"):
        async with http.send._session.request(method, url) as answer:
            assert answer.status == 405
    async with http.send._session.get(f"{http.platform.address}/") as answer:
        assert answer.status == 404
    assert (await http.send.raw(b"x" * 600_000, FORM))[0] == 413
    for content_type in ("", "text/plain", "multipart/form-data; boundary=x", "application/json; charset=latin-1"):
        body = json.dumps(event_body(dm_event(content_type or "none"))).encode()
        assert (await http.send.raw(body, content_type))[0] == 200
    assert len(http.bot.said) == 4


@pytest.mark.parametrize("retry", ["1", "99999999999", "-1", "x", ""])
async def test_retry_headers_of_any_kind_say_nothing(http: Http, retry: str) -> None:
    headers = {"X-Slack-Retry-Num": retry, "X-Slack-Retry-Reason": "\t odd", "X-Slack-No-Retry": retry}
    assert await http.send.event(dm_event("hi"), headers) == 200
    assert len(http.bot.said) == 1


async def test_a_replayed_shortcut_or_window_runs_once(http: Http) -> None:
    view = {"type": "view_closed", "user": {"id": ANA}, "team": {"id": TEAM}, "view": {"id": "V1", "callback_id": "x"}}
    for payload in (shortcut(), view):
        body = urlencode({"payload": json.dumps(payload)}).encode()
        headers = signed(body)
        assert [(await http.send.raw(body, FORM, headers))[0] for _ in range(3)] == [200] * 3
    await until(lambda: len(http.slack.called("views.open")) >= 1)
    await asyncio.sleep(0.1)
    assert len(http.slack.called("views.open")) == 1


async def test_a_window_tells_whose_install_it_is_by_itself() -> None:
    async with many_workspaces(ONE) as many:
        view = {"app_installed_team_id": ONE, "callback_id": "keepsake", "id": "V1", "type": "modal"}
        press = press_body("keepsake.0.memory", team={"id": "T00HOME"}, view=view, container={"type": "view"})
        press["user"]["team_id"] = "T00HOME"
        await many.send.press(press)
        await until(lambda: bool(many.bot.asked))
        [(_, ask)] = many.bot.asked
        assert (ask.thread.install, ask.user.id) == (ONE, f"T00HOME.{ANA}")


async def bounded(many: Many, body: dict[str, Any]) -> None:
    started = time.monotonic()
    assert (await many.send.json(body))[0] == 200
    assert time.monotonic() - started < 1


@pytest.mark.case("S09", "S10")
async def test_with_oauth_nothing_is_asked_before_the_acknowledgement() -> None:
    async with many_workspaces(ONE) as many:
        for method in ("auth.test", "users.info", "conversations.info", "oauth.v2.access"):
            many.slack.fail(method, *[Failure(delay=3.5)] * 5)
        await bounded(many, body_of(ONE))
        await bounded(many, body_of(ONE, {**mention_event(""), "text": f"<@{BOT_ONE}> hi"}))
        assert len(many.bot.said) == 2


@pytest.mark.case("S09", "S10")
@pytest.mark.parametrize(
    "failure", [Failure(delay=3.5), rate_limited("30"), Failure("internal_error"), Failure("service_unavailable")]
)
async def test_a_slow_or_failing_auth_test_holds_no_envelope_up(
    slack: FakeSlack, bot: RecordingBot, failure: Failure
) -> None:
    slack.fail("auth.test", *[failure] * 5)
    async with running(socket_platform(slack), bot):
        started = time.monotonic()
        envelopes = [await slack.envelope("events_api", event_body(dm_event(f"hello {n}"))) for n in range(3)]
        await until(lambda: all(envelope in slack.acks for envelope in envelopes))
        assert time.monotonic() - started < 1
        assert len(bot.said) == 3


async def test_shortcuts_and_windows_come_over_the_socket(slack: FakeSlack, bot: RecordingBot) -> None:
    async with running(socket_platform(slack), bot):
        odd: list[dict[str, Any]] = [
            {"type": "view_submission"},
            {"type": "shortcut", "callback_id": 3},
            {"type": "message_action"},
            {},
        ]
        envelopes = [await slack.envelope("interactive", body) for body in (shortcut(), *odd)]
        await until(lambda: all(envelope in slack.acks for envelope in envelopes))
        await until(lambda: bool(slack.called("views.open")))

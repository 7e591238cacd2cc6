"""What arrives over HTTP: signed requests through the real route and the real Bolt app."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.bolt import bolt_request
from bot.chat import NotAccepted
from tests.fakes.slack import ANA, BOT_ID, BOT_USER, DM, FakeSlack
from tests.fakes.slack_failures import Failure, rate_limited
from tests.fakes.slack_requests import Sender, changed_event, dm_event, event_body, mention_event, new_ts
from tests.slack.conftest import Http, http_platform, running

if TYPE_CHECKING:
    from tests.slack.bot import RecordingBot

RECORDED = Path(__file__).parent.parent / "events" / "slack"


def recorded(file: str, name: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((RECORDED / f"{file}.json").read_text())[name]
    return body


@pytest.mark.parametrize(
    ("file", "name", "text"),
    [
        ("channel-mention", "mention", "Can you see the name of this channel: <#C00FAKECHAN2>?"),
        ("dm", "mention", "Hey"),
        ("dm", "dmMessage", "Hey!"),
        ("dm-slack-direct", "directDM", "hello hello"),
    ],
)
async def test_recorded_events_become_messages(http: Http, file: str, name: str, text: str) -> None:
    assert (await http.send.json(recorded(file, name)))[0] == 200
    assert [message.text for message in http.bot.said] == [text]


@pytest.mark.case("S81")
async def test_a_thread_reply_without_a_mention_does_not_call_us(http: Http) -> None:
    assert (await http.send.json(recorded("dm", "dmRequest")))[0] == 200
    assert (await http.send.json(recorded("actions-reactions", "reaction")))[0] == 200
    assert [message.called for message in http.bot.said] == [False]


@pytest.mark.case("S01")
@pytest.mark.parametrize("first", ["app_mention", "message"])
async def test_s01_a_mention_and_its_twin_are_one_message(http: Http, first: str) -> None:
    mention = mention_event("hi")
    twin = {**mention, "type": "message", "channel_type": "channel"}
    for event in (mention, twin) if first == "app_mention" else (twin, mention):
        assert await http.send.event(event) == 200
    assert [message.text for message in http.bot.said] == ["hi"]


@pytest.mark.case("S03", "S04", "S06")
async def test_s03_s04_a_retry_is_taken_like_a_first_delivery(http: Http) -> None:
    retry = {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}
    event = dm_event("never seen before")
    assert await http.send.event(event, retry) == 200
    assert await http.send.event(event, retry) == 200
    assert [message.text for message in http.bot.said] == ["never seen before"]


@pytest.mark.case("S07")
async def test_what_could_not_be_stored_is_sent_again_by_slack(http: Http) -> None:
    event, http.bot.refuse = dm_event("keep me"), [NotAccepted()]
    assert await http.send.event(event) == 503
    assert await http.send.event(event) == 200
    assert [message.text for message in http.bot.said] == ["keep me"]


async def test_a_bot_that_is_too_slow_to_accept_makes_slack_send_again(http: Http) -> None:
    http.bot.slow, http.bot.refuse = 0.3, [NotAccepted()]  # it bounds itself, and says so
    event = dm_event("slow")
    assert await http.send.event(event) == 503
    assert await http.send.event(event) == 200
    assert [message.text for message in http.bot.said] == ["slow"]


@pytest.mark.case("S08")
async def test_s08_a_redelivery_after_a_restart_is_the_same_message(slack: FakeSlack, bot: RecordingBot) -> None:
    event = mention_event("once")
    for _ in range(2):
        platform = http_platform(slack)
        async with running(platform, bot), Sender(platform.address) as send:
            assert await send.event(event) == 200
    assert len(bot.said) == 1


@pytest.mark.case("S09")
@pytest.mark.parametrize("error", ["ratelimited", "internal_error", "service_unavailable"])
async def test_s09_a_failing_auth_test_loses_no_event(slack: FakeSlack, bot: RecordingBot, error: str) -> None:
    failure = rate_limited("30") if error == "ratelimited" else Failure(error)
    slack.fail("auth.test", *[failure] * 5)
    platform = http_platform(slack)
    async with running(platform, bot), Sender(platform.address) as send:
        assert await send.event(mention_event("hello")) == 200
        assert [message.text for message in bot.said] == ["hello"]


@pytest.mark.case("S10")
async def test_s10_a_slow_auth_test_delays_no_acknowledgement(slack: FakeSlack, bot: RecordingBot) -> None:
    slack.fail("auth.test", Failure(delay=3.5))
    platform = http_platform(slack)
    async with running(platform, bot), Sender(platform.address) as send:
        started = time.monotonic()
        assert await send.event(dm_event("quick")) == 200
        assert time.monotonic() - started < 1
        assert len(bot.said) == 1


async def test_slack_is_asked_once_who_we_are(http: Http) -> None:
    for number in range(5):
        await http.send.event(dm_event(f"hello {number}"))
    assert len(http.slack.called("auth.test")) == 1


@pytest.mark.case("S14")
async def test_s14_a_message_changed_event_is_acknowledged(http: Http) -> None:
    assert await http.send.event(changed_event(dm_event("old"), text="new")) == 200
    assert [(message.text, calls) for message, calls in http.bot.edits] == [("new", True)]


@pytest.mark.case("S16")
async def test_s16_an_unsigned_request_is_refused_and_nothing_runs(http: Http) -> None:
    body = event_body(dm_event("I am somebody else"))
    for headers in (
        {"X-Slack-Signature": "v0=00"},
        {"X-Slack-Signature": ""},
        {"X-Slack-Signature": "v0=é"},
        {"X-Slack-Request-Timestamp": "yesterday"},
        {"X-Slack-Request-Timestamp": "9" * 400},
        {"X-Slack-Request-Timestamp": ""},
    ):
        assert (await http.send.json(body, headers))[0] == 401
    async with Sender(http.platform.address, "another secret") as other:
        assert (await other.json(body))[0] == 401
    assert http.bot.said == []


@pytest.mark.case("S79")
async def test_s79_an_old_request_is_refused_and_its_words_are_not_logged(
    http: Http, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    body = json.dumps(event_body(dm_event("my secret words"))).encode()
    assert (await http.send.raw(body, "application/json", age=360))[0] == 401
    assert http.bot.said == []
    assert "secret words" not in caplog.text


async def test_the_sdks_log_no_words_no_ids_and_no_tokens(http: Http, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    http.bot.refuse = [RuntimeError("these are words, too")]
    assert await http.send.event(dm_event("my secret words")) == 500
    assert await http.send.event(dm_event("my secret words")) == 200
    # A loop in debug mode prints the coroutines it waits for; nobody runs a bot that way.
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name != "asyncio")
    assert "words" not in ours
    assert ANA not in ours
    assert "xoxb" not in ours


async def test_bodies_that_are_no_object_are_no_server_error(http: Http) -> None:
    odd = [b"", b"null", b"[]", b"7", b'"x"', b"{", b"\xff\xfe", b"[" * 50_000, b"payload=%7B", b"payload=[1]", b"{}"]
    for body in odd:
        for content_type in ("application/json", "application/x-www-form-urlencoded"):
            assert (await http.send.raw(body, content_type))[0] == (401 if body == b"\xff\xfe" else 200)
    assert http.bot.said == []


def test_bolts_own_trip_over_odd_shapes_is_caught() -> None:
    assert bolt_request({"authorizations": ["x"]}) is None


async def test_the_url_is_verified_and_the_health_page_answers(http: Http) -> None:
    status, text = await http.send.json({"type": "url_verification", "challenge": "abc"})
    assert (status, json.loads(text)) == (200, {"challenge": "abc"})
    async with http.send._session.get(f"{http.platform.address}/healthz") as answer:
        assert answer.status == 200


async def test_what_we_do_not_follow_is_acknowledged(http: Http) -> None:
    for event in ({"type": "reaction_added", "user": ANA}, {"type": "app_home_opened", "channel": DM, "user": ANA}):
        assert await http.send.event(event) == 200
    assert (await http.send.press({"type": "view_submission", "user": {"id": ANA}}))[0] == 200
    assert (http.bot.said, http.bot.edits, http.bot.deletions) == ([], [], [])


@pytest.mark.case("S32")
async def test_our_own_messages_never_reach_the_bot(http: Http) -> None:
    own = [dm_event("mine", user=BOT_USER), dm_event("mine", bot_id=BOT_ID), dm_event("mine", user="USLACKBOT")]
    for event in own:
        assert await http.send.event(event) == 200
    assert http.bot.said == []


async def test_settings_for_many_workspaces_in_the_environment_change_nothing(
    slack: FakeSlack, bot: RecordingBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_CLIENT_ID", "1.2")
    monkeypatch.setenv("SLACK_CLIENT_SECRET", "s")
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-other")
    platform = http_platform(slack)
    async with running(platform, bot), Sender(platform.address) as send:
        assert await send.event(dm_event("hello", ts=new_ts())) == 200
    assert len(bot.said) == 1

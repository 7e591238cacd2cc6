"""Payloads of any shape: never a server error, never an exception out of the parser."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adapters.slack.events import message_in, read_event
from adapters.slack.identity import Own, pressed_install, presser
from adapters.slack.panel import pressed
from adapters.slack.spoken import human, post_of
from tests.fakes.slack import ANA, BOT_USER, DM, PUBLIC, TEAM, FakeSlack
from tests.fakes.slack_requests import Sender
from tests.slack.bot import RecordingBot
from tests.slack.conftest import http_platform, running

_KEYS = [
    "type",
    "event",
    "user",
    "team",
    "channel",
    "ts",
    "text",
    "message",
    "subtype",
    "authorizations",
    "blocks",
    "previous_message",
    "actions",
    "action_id",
    "command",
    "files",
    "attachments",
    "enterprise",
    "view",
    "container",
    "elements",
    "response_urls",
    "edited",
    "thread_ts",
    "is_ext_shared_channel",
    "user_id",
    "channel_id",
    "rows",
    "metadata",
    "id",
    "value",
    "url",
    "label",
    "profile",
    "assistant_thread",
    "item",
]
_WORDS = [ANA, BOT_USER, PUBLIC, DM, TEAM, "1.1", "message", "app_mention", "message_changed", "message_deleted"]
_WORDS += ["rich_text", "table", f"<@{BOT_USER}> hi", "<", "&lt;", "<@|", "<!subteam^", "keepsake.1.memory", ""]
_plain = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(_WORDS) | st.text(max_size=5)
_keys = st.sampled_from(_KEYS)
_json = st.recursive(
    _plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=6),
    max_leaves=15,
)
_bodies = st.builds(
    lambda kind, body: {**body, "type": kind},
    st.sampled_from(["event_callback", "block_actions", "view_submission", "url_verification", "", "shortcut"]),
    st.dictionaries(_keys, _json, max_size=8),
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(_bodies)
def test_the_parsers_never_raise(body: dict[str, Any]) -> None:
    own = Own(BOT_USER, "B1", TEAM)
    event = body.get("event")
    read_event(body, own)
    read_event({**body, "event": {**(event if isinstance(event, dict) else {}), "type": "message", "channel": DM}}, own)
    message_in({**body, "channel": {"id": PUBLIC}}, own)
    post_of({**body, "ts": "1.1"}, own, ANA)
    assert human({**body, "user": ANA}, own) in {ANA, ""}
    assert pressed_install(body, own)
    assert presser(body, own) is None or presser(body, own)
    assert pressed(body) is None or pressed(body)


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.lists(_bodies, min_size=15, max_size=25))
def test_no_shape_is_a_server_error(bodies: list[dict[str, Any]]) -> None:
    async def send_all() -> None:
        async with FakeSlack() as slack:
            platform = http_platform(slack)
            async with running(platform, RecordingBot()), Sender(platform.address) as send:
                statuses = {(await send.json(body))[0] for body in bodies}
                statuses |= {(await send.press(body))[0] for body in bodies}
                statuses |= {(await send.command({"command": body.get("command"), "x": 1}))[0] for body in bodies}
                assert statuses <= {200}

    asyncio.run(send_all())

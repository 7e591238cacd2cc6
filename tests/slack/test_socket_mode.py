"""Socket Mode: the same bot over a websocket, and what happens when the socket dies."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from bot.chat import NotAccepted
from tests.fakes.poll import until
from tests.fakes.slack_requests import command_body, dm_event, event_body
from tests.slack.conftest import running, socket_platform

if TYPE_CHECKING:
    from tests.fakes.slack import FakeSlack
    from tests.slack.bot import RecordingBot


async def test_a_direct_message_over_the_socket_is_stored_and_then_acknowledged(
    slack: FakeSlack, bot: RecordingBot
) -> None:
    async with running(socket_platform(slack), bot):
        envelope = await slack.envelope("events_api", event_body(dm_event("hello")))
        await until(lambda: envelope in slack.acks)
        assert [message.text for message in bot.said] == ["hello"]


async def test_what_was_not_accepted_is_not_acknowledged(slack: FakeSlack, bot: RecordingBot) -> None:
    bot.refuse = [NotAccepted()]
    async with running(socket_platform(slack), bot):
        refused = await slack.envelope("events_api", event_body(dm_event("first")))
        await until(lambda: not bot.refuse)
        taken = await slack.envelope("events_api", event_body(dm_event("second")))
        await until(lambda: taken in slack.acks)
        assert refused not in slack.acks


async def test_a_command_over_the_socket_is_answered_in_its_acknowledgement(
    slack: FakeSlack, bot: RecordingBot
) -> None:
    async with running(socket_platform(slack), bot):
        envelope = await slack.envelope("slash_commands", command_body("/memory", response_url=slack.response_url))
        await until(lambda: envelope in slack.acks)
        assert slack.acks[envelope]["blocks"][0]["text"] == "This is memory."
        assert slack.acks[envelope]["response_type"] == "ephemeral"


async def test_odd_envelopes_do_no_harm(slack: FakeSlack, bot: RecordingBot) -> None:
    async with running(socket_platform(slack), bot):
        odd = [await slack.envelope("events_api", payload) for payload in ({}, {"authorizations": "x"}, {"event": 3})]
        fine = await slack.envelope("events_api", event_body(dm_event("still here")))
        await until(lambda: fine in slack.acks and all(envelope in slack.acks for envelope in odd))
        assert len(bot.said) == 1


@pytest.mark.case("S17")
async def test_s17_a_silent_socket_is_replaced(slack: FakeSlack, bot: RecordingBot) -> None:
    async with running(socket_platform(slack, ping_every=0.1), bot):
        slack.deaf = True
        await asyncio.sleep(0.05)
        count = len(slack.sockets)
        await until(lambda: len(slack.sockets) > count)
        slack.deaf = False
        await until(lambda: len(slack.sockets) > count + 1 and not slack.sockets[-1].closed)
        envelope = await slack.envelope("events_api", event_body(dm_event("are you there")))
        await until(lambda: envelope in slack.acks)


@pytest.mark.case("S17")
async def test_s17_after_an_outage_a_new_address_is_asked_for(slack: FakeSlack, bot: RecordingBot) -> None:
    async with running(socket_platform(slack, ping_every=0.1), bot):
        slack.outage = True
        await slack.sockets[-1].close()
        await until(lambda: len(slack._dead) > 0)
        slack.outage = False
        await until(lambda: len(slack.sockets) > 1)
        envelope = await slack.envelope("events_api", event_body(dm_event("hello again")))
        await until(lambda: envelope in slack.acks)


async def test_it_stops_at_once_though_the_other_side_is_dead(slack: FakeSlack, bot: RecordingBot) -> None:
    slack.deaf = True
    async with running(socket_platform(slack), bot):
        started = time.monotonic()
    assert time.monotonic() - started < 3


async def test_a_cut_socket_is_replaced(slack: FakeSlack, bot: RecordingBot) -> None:
    async with running(socket_platform(slack, ping_every=0.1), bot):
        await slack.sockets[-1].close()
        await until(lambda: len(slack.sockets) > 1)
        envelope = await slack.envelope("events_api", event_body(dm_event("hello again")))
        await until(lambda: envelope in slack.acks)
        assert [message.text for message in bot.said] == ["hello again"]

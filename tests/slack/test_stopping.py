"""The stop button: the bot is told whose turn to stop, and Slack that the session goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import NotAccepted, Thread, User
from tests.fakes.poll import until
from tests.fakes.slack import ANA, DM, TEAM
from tests.fakes.slack_failures import Failure
from tests.slack.test_event_details import stop_event

if TYPE_CHECKING:
    from tests.slack.conftest import Http


async def test_s55_stop_reaches_the_bot_and_the_session_is_active_again(http: Http) -> None:
    assert await http.send.event(stop_event()) == 200
    thread = Thread("slack", TEAM, DM, "1771442483.260129")
    assert http.bot.stops == [(thread, User("slack", f"{TEAM}.{ANA}"))]
    await until(lambda: http.slack.called("agents.sessions.setStatus"))
    assert http.slack.called("agents.sessions.setStatus") == [
        {"channel_id": DM, "thread_ts": "1771442483.260129", "status": "active"}
    ]


@pytest.mark.parametrize("error", ["not_authorized", "missing_scope", "internal_error"])
async def test_a_session_that_cannot_be_set_changes_nothing(http: Http, error: str) -> None:
    http.slack.fail("agents.sessions.setStatus", Failure(error))
    assert await http.send.event(stop_event()) == 200
    await until(lambda: http.slack.called("agents.sessions.setStatus"))
    assert len(http.bot.stops) == 1


async def test_a_stop_that_could_not_be_noted_is_sent_again(http: Http) -> None:
    http.bot.refuse = [NotAccepted()]
    assert await http.send.event(stop_event()) == 503
    assert http.slack.called("agents.sessions.setStatus") == []
    assert await http.send.event(stop_event()) == 200
    assert len(http.bot.stops) == 1

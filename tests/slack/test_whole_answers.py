"""Answers from the signed event to what stands in Slack: which way of showing them is taken, and what stop leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.chat import Audience
from tests.fakes.poll import until
from tests.fakes.slack import ANA, DM, GROUP_DM, PRIVATE, PUBLIC, SHARED, TEAM
from tests.fakes.slack_requests import dm_event, mention_event
from tests.slack.test_event_details import stop_event
from tests.slack.test_foot import KINDS, feet
from tests.slack.test_replies import SENTENCE
from tests.slack.test_streams import FOOT, streamed

if TYPE_CHECKING:
    from bot.chat import Message
    from tests.slack.conftest import Http


async def resolved(http: Http, event: dict[str, Any], **more: Any) -> Message:  # noqa: ANN401 - any field of a body
    """The message that an event brings, once its audience is known."""
    assert await http.send.event(event, **more) == 200
    message = await http.platform.resolve(http.bot.said[-1])
    assert message is not None
    return message


@pytest.mark.case("S48", "S49")
async def test_a_direct_message_is_answered_by_a_stream_to_its_author(http: Http) -> None:
    message = await resolved(http, dm_event("where is the kettle?"))
    assert message.thread.audience is Audience.DM
    reply = await streamed(http.platform, message, SENTENCE, SENTENCE * 2)
    await http.platform.finish_reply(reply, SENTENCE * 3, actions=FOOT)
    [start] = http.slack.called("chat.startStream")
    assert (start["recipient_team_id"], start["recipient_user_id"], start["thread_ts"]) == (TEAM, ANA, message.id)
    assert (http.slack.texts(DM), feet(http.slack, DM)) == ([(SENTENCE * 3).strip()], [KINDS])


@pytest.mark.case("S48", "S58")
@pytest.mark.parametrize("channel", [PUBLIC, PRIVATE, GROUP_DM, SHARED])
async def test_wherever_others_read_it_is_posted_and_edited(http: Http, channel: str) -> None:
    message = await resolved(http, mention_event("where is the kettle?", channel=channel))
    reply = await streamed(http.platform, message, SENTENCE, SENTENCE * 2)
    await http.platform.finish_reply(reply, SENTENCE * 3, actions=FOOT)
    assert http.slack.texts(channel) == [(SENTENCE * 3).strip()]
    assert len(http.slack.called("chat.update")) == 2
    assert not http.slack.called("chat.startStream")


@pytest.mark.case("S49", "S65")
async def test_a_stranger_of_another_organisation_gets_no_stream_in_our_name(http: Http) -> None:
    event = dm_event("hello", user="U00GUEST", user_team="T00OTHER", source_team="T00OTHER")
    http.slack.users["U00GUEST"] = {"team_id": "T00OTHER", "profile": {"real_name": "Guest"}}
    message = await resolved(http, event, is_ext_shared_channel=True)
    await http.platform.finish_reply(await streamed(http.platform, message, SENTENCE), SENTENCE * 2)
    assert http.slack.texts(DM) == [(SENTENCE * 2).strip()]
    assert not http.slack.called("chat.startStream")


@pytest.mark.case("S55")
async def test_stop_ends_the_stream_sets_the_session_active_and_leaves_one_message(http: Http) -> None:
    message = await resolved(http, dm_event("tell me everything"))
    reply = await streamed(http.platform, message, SENTENCE)
    http.slack.streams.stopped_by_user()
    stop = stop_event(thread_ts=message.thread.root, streaming_message_ts=list(reply.ids))
    assert await http.send.event(stop) == 200
    assert [(thread.key, user.id) for thread, user in http.bot.stops] == [(message.thread.key, message.author.id)]
    await until(lambda: http.slack.called("agents.sessions.setStatus"))
    reply = await http.platform.update_reply(reply, SENTENCE * 2)
    assert http.slack.texts(DM) == [SENTENCE.strip()]
    done = await http.platform.finish_reply(reply, f"{SENTENCE}\n\n(Stopped.)")
    assert http.slack.texts(DM) == [f"{SENTENCE}\n\n(Stopped.)"]
    assert done.ids == reply.ids
    assert http.slack.statuses[DM, message.thread.root] == ""


@pytest.mark.case("S54")
async def test_two_threads_of_one_direct_message_stream_side_by_side(http: Http) -> None:
    one, two = await resolved(http, dm_event("one")), await resolved(http, dm_event("two"))
    first, second = await streamed(http.platform, one, SENTENCE), await streamed(http.platform, two, "Two. " * 20)
    first, second = (
        await http.platform.update_reply(first, SENTENCE * 2),
        await http.platform.update_reply(second, "Two. " * 30),
    )
    await http.platform.finish_reply(second, "Two. " * 40)
    assert http.slack.statuses[DM, one.id] == ""  # its first text cleared it
    await http.platform.finish_reply(first, SENTENCE * 3)
    assert http.slack.texts(DM) == [(SENTENCE * 3).strip(), ("Two. " * 40).strip()]
    assert http.slack.streams.open() == []

"""Answers: the sign of life, glimpses, the whole text, and what Slack may refuse on the way."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot.chat import Message, Reply, Thread, Undeliverable, User
from tests.fakes.slack import ANA, DM, PUBLIC, TEAM, FakeSlack, shown
from tests.fakes.slack_failures import LOST, Failure, rate_limited
from tests.fakes.slack_requests import new_ts
from tests.slack.conftest import the_workspace

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform

SENTENCE = "The kettle is in the kitchen, next to the window. "


def question(channel: str = PUBLIC, root: str = "") -> Message:
    ts = new_ts()
    return Message(
        ts, Thread("slack", TEAM, channel, root or ts), User("slack", f"{TEAM}.{ANA}"), "hi", datetime.now(UTC)
    )


def pace(platform: SlackPlatform) -> None:
    """Let glimpses come as fast as they like, and so everything else that is sent."""
    workspace = the_workspace(platform)
    workspace.replies._every = workspace.calls.pace.every = 0.0
    workspace.calls.pace._lanes.clear()


async def test_a_short_answer_is_one_post_in_the_thread(platform: SlackPlatform, slack: FakeSlack) -> None:
    message = question()
    reply = await platform.start_reply(message)
    assert reply == Reply(message.thread, message.id)
    assert slack.statuses[PUBLIC, message.id] == "is thinking…"
    done = await platform.finish_reply(reply, "**Tea** is ready.")
    assert slack.texts(PUBLIC) == ["**Tea** is ready."]
    [post] = slack.called("chat.postMessage")
    assert post["thread_ts"] == message.id
    assert done.ids == tuple(ts for _, ts in slack.messages)
    assert slack.statuses[PUBLIC, message.id] == ""


@pytest.mark.case("S58")
@pytest.mark.parametrize("channel", [PUBLIC, DM])
async def test_s58_the_first_post_already_holds_answer_text_and_grows(
    platform: SlackPlatform, slack: FakeSlack, channel: str
) -> None:
    pace(platform)
    reply = await platform.start_reply(question(channel))
    reply = await platform.update_reply(reply, "The")
    assert slack.texts(channel) == []
    reply = await platform.update_reply(reply, SENTENCE)
    assert slack.texts(channel) == [SENTENCE.strip()]
    reply = await platform.update_reply(reply, SENTENCE * 2)
    assert slack.texts(channel) == [(SENTENCE * 2).strip()]
    done = await platform.finish_reply(reply, SENTENCE * 3)
    assert slack.texts(channel) == [(SENTENCE * 3).strip()]
    assert (len(slack.called("chat.postMessage")), done.ids) == (1, reply.ids)
    assert not slack.called("chat.startStream")


async def test_edits_come_at_most_once_a_second_and_only_with_new_text(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    reply = await platform.start_reply(question())
    for number in range(1, 20):
        reply = await platform.update_reply(reply, SENTENCE * number)
    assert len(slack.called("chat.postMessage")) == 1
    assert slack.called("chat.update") == []
    pace(platform)
    the_workspace(platform).replies._shown(reply).not_before = 0
    for _ in range(3):
        reply = await platform.update_reply(reply, SENTENCE * 5)
    assert len(slack.called("chat.update")) == 1


async def test_empty_text_never_reaches_slack(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await platform.start_reply(question())
    assert (await platform.update_reply(reply, "  \n")).ids == ()
    assert (await platform.finish_reply(reply, " \n ")).ids == ()
    assert slack.called("chat.postMessage") == []
    assert list(slack.statuses.values()) == [""]


async def test_a_failed_glimpse_is_swallowed_and_backs_off(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    slack.fail("chat.postMessage", rate_limited("1"))
    reply = await platform.start_reply(question())
    started = time.monotonic()
    for number in range(1, 5):
        reply = await platform.update_reply(reply, SENTENCE * number)
    assert time.monotonic() - started < 1
    assert len(slack.called("chat.postMessage")) == 1
    await platform.finish_reply(reply, SENTENCE)
    assert slack.texts(PUBLIC) == [SENTENCE.strip()]


async def test_a_glimpse_whose_answer_was_lost_is_found_again(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    slack.fail("chat.postMessage", LOST)
    reply = await platform.start_reply(question())
    reply = await platform.update_reply(reply, SENTENCE)
    reply = await platform.update_reply(reply, SENTENCE * 2)
    assert reply.ids == ()
    done = await platform.finish_reply(reply, SENTENCE * 3)
    assert slack.texts(PUBLIC) == [(SENTENCE * 3).strip()]
    assert len(done.ids) == 1


@pytest.mark.case("S52")
@pytest.mark.parametrize("failure", [rate_limited(), rate_limited(status=200)])
@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update"])
async def test_s52_the_last_write_waits_out_a_rate_limit(
    platform: SlackPlatform, slack: FakeSlack, method: str, failure: Failure
) -> None:
    reply = await platform.start_reply(question())
    if method == "chat.update":
        reply = await platform.update_reply(reply, SENTENCE)
    slack.fail(method, failure, failure)
    await platform.finish_reply(reply, SENTENCE * 2)
    assert slack.texts(PUBLIC) == [(SENTENCE * 2).strip()]


async def test_a_rate_limit_longer_than_we_wait_is_tried_later(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.fail("chat.postMessage", rate_limited("600"))
    message = question()
    with pytest.raises(Exception, match=r"chat\.postMessage failed: ratelimited"):
        await platform.finish_reply(await platform.start_reply(message), "hello")
    await platform.finish_reply(Reply(message.thread, message.id), "hello", again=True)
    assert slack.texts(PUBLIC) == ["hello"]


@pytest.mark.case("S53")
@pytest.mark.parametrize("error", ["invalid_thread_ts", "not_authorized", "missing_scope", "internal_error"])
async def test_s53_a_status_that_cannot_be_set_changes_nothing(
    platform: SlackPlatform, slack: FakeSlack, error: str
) -> None:
    slack.fail("assistant.threads.setStatus", Failure(error))
    await platform.finish_reply(await platform.start_reply(question()), "hello")
    assert slack.texts(PUBLIC) == ["hello"]


@pytest.mark.case("S54")
async def test_s54_each_thread_has_its_own_status_and_it_is_always_cleared(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    replies = [await platform.start_reply(question(DM)) for _ in range(3)]
    slack.fail("chat.postMessage", Failure("is_archived"))
    with pytest.raises(Undeliverable):
        await platform.finish_reply(replies[0], "hello")
    await platform.remove_reply(replies[1])
    assert [slack.statuses[DM, reply.to] for reply in replies] == ["", "", "is thinking…"]
    await platform.finish_reply(replies[2], "hello")
    assert slack.statuses[DM, replies[2].to] == ""


@pytest.mark.parametrize(
    "error",
    ["channel_not_found", "is_archived", "not_in_channel", "account_inactive", "token_revoked", "missing_scope"],
)
async def test_where_nobody_can_be_reached_it_is_undeliverable(
    platform: SlackPlatform, slack: FakeSlack, error: str
) -> None:
    slack.fail("chat.postMessage", Failure(error))
    with pytest.raises(Undeliverable):
        await platform.finish_reply(Reply(question().thread, "1.1"), "hello")


@pytest.mark.parametrize(
    "failure",
    [Failure(status=502), Failure("internal_error"), LOST, Failure(page="hello"), Failure(page="bad", status=502)],
)
async def test_what_went_wrong_on_the_way_is_tried_again_without_a_double(
    platform: SlackPlatform, slack: FakeSlack, failure: Failure
) -> None:
    message = question()
    reply = await platform.start_reply(message)
    slack.fail("chat.postMessage", failure)
    with pytest.raises(Exception, match="failed") as caught:
        await platform.finish_reply(reply, "hello")
    assert not isinstance(caught.value, Undeliverable)
    await platform.finish_reply(reply, "hello", again=True)
    assert slack.texts(PUBLIC) == ["hello"]


async def test_an_error_says_no_word_of_the_answer(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.fail("chat.postMessage", Failure("internal_error"))
    with pytest.raises(Exception, match="internal_error") as caught:
        await platform.finish_reply(Reply(question().thread, "1.1"), "secret words")
    assert "secret" not in repr(caught.value)
    assert caught.value.__cause__ is None


async def test_a_reply_is_removed_and_what_is_gone_already_is_fine(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    done = await platform.finish_reply(await platform.start_reply(question()), SENTENCE * 500)
    assert len(done.ids) == 3
    del slack.messages[PUBLIC, done.ids[1]]
    await platform.remove_reply(done)
    await platform.remove_reply(done)
    assert slack.texts(PUBLIC) == []


async def test_threads_are_written_side_by_side(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.fail("chat.postMessage", Failure("", delay=0.5))
    one, two = question(), question()
    slow = asyncio.ensure_future(platform.finish_reply(Reply(one.thread, one.id), "slow"))
    await asyncio.sleep(0.05)
    await platform.finish_reply(Reply(two.thread, two.id), "quick")
    assert [shown(message) for message in slack.messages.values()] == ["quick"]
    await slow

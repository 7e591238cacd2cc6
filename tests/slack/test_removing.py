"""Answers that are to go: also those whose ids nobody learned, and with no word of them left behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.chat import Reply
from tests.fakes.poll import until
from tests.fakes.slack import PUBLIC, FakeSlack
from tests.fakes.slack_failures import LOST, Failure, rate_limited
from tests.slack.conftest import running, socket_platform, the_workspace
from tests.slack.test_replies import SENTENCE, pace, question

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform
    from bot.chat import Message
    from tests.slack.bot import RecordingBot


def bare(message: Message) -> Reply:
    """The reply to a message as a row knows it that was never told of any post."""
    return Reply(message.thread, message.id)


async def test_an_answer_whose_ids_the_row_never_learned_is_removed(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    message = question()
    await platform.finish_reply(await platform.start_reply(message), SENTENCE * 500)
    assert len(slack.texts(PUBLIC)) == 3
    slack.fail("conversations.replies", *[Failure("missing_scope")] * 3)
    await platform.remove_reply(bare(message))
    assert slack.texts(PUBLIC) == []


async def test_an_answer_is_found_by_its_mark_and_removed_after_a_restart(slack: FakeSlack, bot: RecordingBot) -> None:
    message, other = question(), question()
    async with running(before := socket_platform(slack), bot):
        done = await before.finish_reply(await before.start_reply(message), SENTENCE * 500)
        await before.finish_reply(await before.start_reply(other), "stays")
    async with running(after := socket_platform(slack), bot):
        await after.start_reply(question())  # by now it knows who it is
        await after.remove_reply(Reply(message.thread, message.id, done.ids[:1]))
    assert slack.texts(PUBLIC) == ["stays"]


async def test_a_restarted_bot_learns_who_it_is_before_it_looks_for_its_answer(
    slack: FakeSlack, bot: RecordingBot
) -> None:
    message = question()
    async with running(before := socket_platform(slack), bot):
        await before.finish_reply(await before.start_reply(message), "hello")
    slack.fail("auth.test", Failure(delay=0.3))
    async with running(after := socket_platform(slack), bot):
        await after.remove_reply(bare(message))
    assert slack.texts(PUBLIC) == []


async def test_a_post_under_way_when_its_answer_is_cancelled_is_removed_too(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    message = question()
    reply = await platform.start_reply(message)
    slack.fail("chat.postMessage", Failure(delay=0.4))
    writing = asyncio.ensure_future(platform.finish_reply(reply, "hello"))
    await until(lambda: slack.called("chat.postMessage"))
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert slack.texts(PUBLIC) == []
    slack.fail("conversations.replies", Failure("missing_scope"))
    await platform.remove_reply(bare(message))
    assert len(slack.called("chat.delete")) == 1
    assert slack.texts(PUBLIC) == []


async def test_a_cancelled_answer_is_not_posted_twice_when_it_is_finished_after_all(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    message = question()
    slack.fail("chat.postMessage", Failure(delay=0.3))
    writing = asyncio.ensure_future(platform.finish_reply(bare(message), "hello"))
    await until(lambda: slack.called("chat.postMessage"))
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await platform.finish_reply(bare(message), "hello again")
    assert slack.texts(PUBLIC) == ["hello again"]


async def test_a_cancelled_answer_that_waits_for_a_rate_limit_is_never_posted(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    slack.fail("chat.postMessage", rate_limited("0.2"))
    writing = asyncio.ensure_future(platform.finish_reply(bare(question()), "hello"))
    await until(lambda: slack.called("chat.postMessage"))
    await asyncio.sleep(0.05)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await asyncio.sleep(0.3)
    assert slack.texts(PUBLIC) == []


async def test_an_answer_that_landed_though_slack_seemed_lost_is_removed(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    message = question()
    slack.fail("chat.postMessage", LOST)
    with pytest.raises(Exception, match="failed"):
        await platform.finish_reply(await platform.start_reply(message), "hello")
    assert slack.texts(PUBLIC) == ["hello"]
    await platform.remove_reply(bare(message))
    assert slack.texts(PUBLIC) == []


@pytest.mark.parametrize("failure", [Failure(status=502), Failure("internal_error"), rate_limited("0.1")])
async def test_removing_waits_out_a_slack_that_fails_for_a_while(
    platform: SlackPlatform, slack: FakeSlack, failure: Failure
) -> None:
    pace(platform)
    message = question()
    await platform.finish_reply(await platform.start_reply(message), "hello")
    slack.fail("chat.delete", *[failure] * 3)
    await platform.remove_reply(bare(message))
    assert slack.texts(PUBLIC) == []


@pytest.mark.parametrize("method", ["chat.delete", "conversations.replies"])
async def test_removing_that_would_take_too_long_is_said_so_and_done_later(
    slack: FakeSlack, bot: RecordingBot, method: str
) -> None:
    message = question()
    async with running(before := socket_platform(slack), bot):
        await before.finish_reply(await before.start_reply(message), "hello")
    slack.fail(method, rate_limited("600"))
    async with running(after := socket_platform(slack), bot):
        with pytest.raises(Exception, match="ratelimited"):
            await after.remove_reply(bare(message))
        await after.remove_reply(bare(message))
    assert slack.texts(PUBLIC) == []


async def test_no_word_of_an_answer_is_kept_in_this_process(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    message = question()
    replies = the_workspace(platform).replies
    reply = await platform.update_reply(await platform.start_reply(message), SENTENCE)
    assert slack.texts(PUBLIC) == [SENTENCE.strip()]
    assert "kettle" not in repr(replies._kept)
    slack.fail("chat.update", Failure("internal_error"), Failure("internal_error"), Failure("internal_error"))
    with pytest.raises(Exception, match="internal_error"):
        await platform.finish_reply(reply, SENTENCE * 2)
    assert "kettle" not in repr(replies._kept)
    await platform.finish_reply(reply, SENTENCE * 2)
    assert "kettle" not in repr(replies._kept)
    await platform.remove_reply(reply)
    assert not replies._kept

"""Long answers, forms that Slack refuses, answers that are written anew, and answers found after a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import Reply
from tests.fakes.slack import BOT_ID, PUBLIC, FakeSlack, shown
from tests.fakes.slack_failures import Failure
from tests.slack.conftest import running, socket_platform
from tests.slack.test_replies import SENTENCE, pace, question

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform
    from tests.slack.bot import RecordingBot

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"


def words(texts: list[str]) -> list[str]:
    return " ".join(texts).split()


@pytest.mark.case("S38", "S39")
@pytest.mark.parametrize("length", [3_001, 11_800, 11_801, 13_300, 40_000])
async def test_s38_s39_a_long_answer_is_delivered_whole_and_in_order(
    platform: SlackPlatform, slack: FakeSlack, length: int
) -> None:
    pace(platform)
    text = " ".join(f"word{number}" for number in range(length // 5))[:length]
    done = await platform.finish_reply(await platform.start_reply(question()), text)
    assert words(slack.texts(PUBLIC)) == text.split()
    assert [ts for _, ts in sorted(slack.messages)] == list(done.ids)
    assert all(len(shown(message)) <= 11_800 for message in slack.messages.values())
    assert len({message["thread_ts"] for message in slack.messages.values()}) == 1


@pytest.mark.case("S40")
async def test_s40_what_slack_cannot_render_is_shown_as_plain_text(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.most_tables = 40
    pace(platform)
    reply = await platform.update_reply(await platform.start_reply(question()), TABLE * 5)
    done = await platform.finish_reply(reply, TABLE * 55)
    assert words(slack.texts(PUBLIC)) == (TABLE * 55).split()
    assert [ts for _, ts in sorted(slack.messages)] == list(done.ids)
    assert not any(message.get("blocks") for message in slack.messages.values())


@pytest.mark.case("S41")
async def test_s41_an_edit_that_is_too_long_is_posted_instead(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.update_limit = 4_000
    reply = await platform.update_reply(await platform.start_reply(question()), SENTENCE)
    done = await platform.finish_reply(reply, SENTENCE * 100)
    assert slack.texts(PUBLIC) == [(SENTENCE * 100).strip()]
    assert done.ids != reply.ids
    assert list(slack.statuses.values()) == [""]


@pytest.mark.case("S43")
async def test_s43_a_cut_fence_is_opened_again_with_its_language(platform: SlackPlatform, slack: FakeSlack) -> None:
    code = "".join(f"    line_{number} = 'x'\n" for number in range(1_000))
    await platform.finish_reply(await platform.start_reply(question()), f"```python\n{code}```")
    texts = slack.texts(PUBLIC)
    assert len(texts) == 2
    assert all(text.startswith("```python\n    line_") and text.endswith("\n```") for text in texts)


async def test_a_growing_answer_shows_its_start_and_in_the_end_all_of_it(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    pace(platform)
    slack.update_limit = 4_000
    reply = await platform.start_reply(question())
    for number in range(1, 200, 10):
        reply = await platform.update_reply(reply, SENTENCE * number)
    [preview] = slack.texts(PUBLIC)
    assert len(preview) <= 3_002
    assert preview.endswith("…")
    await platform.finish_reply(reply, SENTENCE * 300)
    assert words(slack.texts(PUBLIC)) == (SENTENCE * 300).split()


async def test_plain_text_that_is_still_too_long_is_split_further(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    slack.fail("chat.postMessage", *[Failure("msg_too_long")] * 3)
    await platform.finish_reply(await platform.start_reply(question()), SENTENCE * 20)
    assert words(slack.texts(PUBLIC)) == (SENTENCE * 20).split()


async def test_an_answer_that_slack_never_takes_ends(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    slack.fail("chat.postMessage", *[Failure("invalid_blocks")] * 50)
    with pytest.raises(Exception, match="failed"):
        await platform.finish_reply(await platform.start_reply(question()), SENTENCE * 20)


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 700), (700, 1), (700, 500)])
async def test_an_edited_question_is_answered_again_in_the_same_messages(
    platform: SlackPlatform, slack: FakeSlack, before: int, after: int
) -> None:
    message = question()
    first = await platform.finish_reply(await platform.start_reply(message), "Old words here. " * before)
    second = await platform.finish_reply(first, SENTENCE * after)
    assert words(slack.texts(PUBLIC)) == (SENTENCE * after).split()
    assert [ts for _, ts in sorted(slack.messages)] == list(second.ids)
    assert second.ids[0] == first.ids[0]


async def test_an_answer_that_somebody_deleted_is_posted_again(platform: SlackPlatform, slack: FakeSlack) -> None:
    first = await platform.finish_reply(await platform.start_reply(question()), "old")
    slack.messages.clear()
    await platform.finish_reply(first, "new")
    assert slack.texts(PUBLIC) == ["new"]


@pytest.mark.parametrize("known", [False, True])
async def test_after_a_crash_the_posts_of_the_last_attempt_are_found(
    slack: FakeSlack, bot: RecordingBot, *, known: bool
) -> None:
    message, text = question(), SENTENCE * 600
    before = socket_platform(slack)
    async with running(before, bot):
        done = await before.finish_reply(await before.start_reply(message), text)
    after = socket_platform(slack)
    async with running(after, bot):
        reply = await after.start_reply(message, again=True)
        assert reply.ids == done.ids
        again = await after.finish_reply(reply if known else Reply(message.thread, message.id), text, again=True)
    assert again.ids == done.ids
    assert len(slack.messages) == len(done.ids) == 3


async def test_a_half_written_answer_is_completed_after_a_crash(slack: FakeSlack, bot: RecordingBot) -> None:
    message, text = question(), SENTENCE * 600
    before = socket_platform(slack)
    async with running(before, bot):
        reply = await before.start_reply(message)
        slack.fail("chat.postMessage", Failure(), Failure(status=500))
        with pytest.raises(Exception, match="failed"):
            await before.finish_reply(reply, text)
    after = socket_platform(slack)
    async with running(after, bot):
        await after.finish_reply(Reply(message.thread, message.id), text, again=True)
    assert words(slack.texts(PUBLIC)) == text.split()
    assert len(slack.messages) == 3


async def test_a_forged_mark_of_another_app_is_not_taken_for_ours(platform: SlackPlatform, slack: FakeSlack) -> None:
    message = question()
    done = await platform.finish_reply(Reply(message.thread, message.id), "hello")
    forged = {
        **slack.messages[PUBLIC, done.ids[0]],
        "user": "U00OTHER",
        "bot_id": f"{BOT_ID}X",
        "ts": "1999999999.000001",
    }
    slack.messages[PUBLIC, "1999999999.000001"] = forged
    again = await platform.finish_reply(Reply(message.thread, message.id), "hello", again=True)
    assert again.ids == done.ids


@pytest.mark.parametrize(("restarted", "shown"), [(False, ["hello"]), (True, ["hello", "hello"])])
async def test_where_the_thread_cannot_be_read_one_repeat_after_a_restart_is_accepted(
    slack: FakeSlack, bot: RecordingBot, *, restarted: bool, shown: list[str]
) -> None:
    reply = Reply((message := question()).thread, message.id)
    slack.fail("conversations.replies", Failure("missing_scope"))
    async with running(first := socket_platform(slack), bot):
        await first.finish_reply(reply, "hello")
        if not restarted:
            await first.finish_reply(reply, "hello", again=True)
    if restarted:
        async with running(second := socket_platform(slack), bot):
            await second.finish_reply(reply, "hello", again=True)
    assert slack.texts(PUBLIC) == shown


async def test_while_the_thread_cannot_be_reached_nothing_is_posted_twice(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    message = question()
    reply = Reply(message.thread, message.id)
    await platform.finish_reply(reply, "hello")
    slack.fail("conversations.replies", *[Failure(status=503)] * 3)
    with pytest.raises(Exception, match="failed"):
        await platform.finish_reply(reply, "hello", again=True)
    await platform.finish_reply(reply, "hello", again=True)
    assert slack.texts(PUBLIC) == ["hello"]


async def test_the_mark_of_a_post_holds_no_words_and_nobodys_id(platform: SlackPlatform, slack: FakeSlack) -> None:
    message = question()
    await platform.finish_reply(Reply(message.thread, message.id), "hello")
    [post] = slack.called("chat.postMessage")
    assert post["metadata"] == {"event_type": "keepsake_reply", "event_payload": {"to": message.id, "piece": 0}}

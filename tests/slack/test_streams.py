"""Answers as native streams in direct messages: how they grow, roll over and end, and that nothing is ever lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from adapters.slack.cuts import next_cut
from bot.chat import Action, Audience, Message, Reply, Role, User
from tests.fakes.slack import ANA, DM, PUBLIC, TEAM, FakeSlack, shown
from tests.fakes.slack_failures import LOST, Failure, rate_limited
from tests.slack.conftest import running, socket_platform, the_workspace
from tests.slack.test_long_answers import words
from tests.slack.test_output import live
from tests.slack.test_replies import SENTENCE, pace, question

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform
    from tests.slack.bot import RecordingBot

CODE = "x = 1\n"
FOOT = (
    Action("Good answer", "good", "k1", role=Role.GOOD),
    Action("Bad answer", "bad", "k1", role=Role.BAD),
    Action("Answer again", "again", "k1", role=Role.AGAIN),
)


def asked(channel: str = DM, audience: Audience = Audience.DM) -> Message:
    """A question of Ana's that was resolved."""
    message = question(channel)
    return replace(message, thread=replace(message.thread, audience=audience))


async def streamed(platform: SlackPlatform, message: Message, *texts: str) -> Reply:
    """An answer that is being written, with these texts so far."""
    pace(platform)
    reply = await platform.start_reply(message)
    for text in texts:
        reply = await platform.update_reply(reply, text)
    return reply


@pytest.mark.case("S48")
async def test_an_answer_in_a_direct_message_is_one_stream_for_who_asked(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    message = asked()
    reply = await streamed(platform, message, "The", SENTENCE, SENTENCE * 2)
    [start], [append] = slack.called("chat.startStream"), slack.called("chat.appendStream")
    assert (start["recipient_team_id"], start["recipient_user_id"]) == (TEAM, ANA)
    assert start["thread_ts"] == message.id
    assert append["markdown_text"].strip() == SENTENCE.strip()
    done = await platform.finish_reply(reply, SENTENCE * 3, actions=FOOT)
    assert slack.texts(DM) == [(SENTENCE * 3).strip()]
    assert done.ids == reply.ids
    [stop] = slack.called("chat.stopStream")
    assert stop["session_status"] == "active"
    assert stop["metadata"]["event_payload"] == {"to": message.id, "piece": 0}
    assert [block["type"] for block in stop["blocks"]] == ["context_actions", "actions", "context"]
    assert not slack.called("chat.postMessage") + slack.called("chat.update") + slack.streams.open()
    assert slack.statuses[DM, message.id] == ""


async def test_a_stream_grows_at_most_once_a_second(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await platform.start_reply(asked())
    for number in range(1, 30):
        reply = await platform.update_reply(reply, SENTENCE * number)
    assert (len(slack.called("chat.startStream")), len(slack.called("chat.appendStream"))) == (1, 0)
    await platform.finish_reply(reply, SENTENCE * 30)
    assert slack.texts(DM) == [(SENTENCE * 30).strip()]


@pytest.mark.case("S48", "S49", "S58")
@pytest.mark.parametrize(
    ("channel", "audience", "author"),
    [
        (PUBLIC, Audience.PUBLIC, f"{TEAM}.{ANA}"),
        ("C00GROUP", Audience.PRIVATE, f"{TEAM}.{ANA}"),
        (DM, Audience.EXTERNAL, f"T00OTHER.{ANA}"),
        (DM, Audience.UNKNOWN, f"{TEAM}.{ANA}"),
        (DM, Audience.DM, f"E00GRID.{ANA}"),
    ],
)
async def test_elsewhere_and_for_strangers_it_is_posted_and_edited(
    platform: SlackPlatform, slack: FakeSlack, channel: str, audience: Audience, author: str
) -> None:
    message = replace(asked(channel, audience), author=User("slack", author))
    await platform.finish_reply(await streamed(platform, message, SENTENCE), SENTENCE * 2)
    assert slack.texts(channel) == [(SENTENCE * 2).strip()]
    assert not slack.called("chat.startStream")


@pytest.mark.case("S49")
async def test_a_stream_for_somebody_of_another_team_names_that_team(platform: SlackPlatform, slack: FakeSlack) -> None:
    message = replace(asked(), author=User("slack", "T00OTHER.U00GUEST"))
    await streamed(platform, message, SENTENCE)
    [start] = slack.called("chat.startStream")
    assert (start["recipient_team_id"], start["recipient_user_id"]) == ("T00OTHER", "U00GUEST")


@pytest.mark.case("S48")
@pytest.mark.parametrize("error", ["not_authorized", "unknown_method", "user_not_found", "internal_error"])
async def test_where_no_stream_can_be_started_the_answer_is_posted(
    platform: SlackPlatform, slack: FakeSlack, error: str
) -> None:
    slack.streams.off = error
    reply = await streamed(platform, asked(), SENTENCE, SENTENCE * 2)
    await platform.finish_reply(reply, SENTENCE * 3)
    assert slack.texts(DM) == [(SENTENCE * 3).strip()]
    await streamed(platform, asked(), SENTENCE)
    assert len(slack.called("chat.startStream")) == (2 if error == "internal_error" else 1)


@pytest.mark.parametrize("error", ["not_authorized", "missing_scope", "invalid_arguments"])
async def test_an_app_without_sessions_streams_all_the_same(
    platform: SlackPlatform, slack: FakeSlack, error: str
) -> None:
    slack.streams.no_sessions = error
    for _ in range(2):
        slack.messages.clear()
        await platform.finish_reply(await streamed(platform, asked(), SENTENCE), SENTENCE * 2, actions=FOOT)
        [message] = slack.messages.values()
        assert [block["type"] for block in message["blocks"]] == ["markdown", "context_actions", "actions", "context"]
    assert ["session_status" in call for call in slack.called("chat.stopStream")] == [True, False, False]
    assert not slack.called("chat.update")


@pytest.mark.case("S47")
@pytest.mark.parametrize("noticed", [True, False])
async def test_a_stream_that_slack_ended_is_completed_by_an_edit(
    platform: SlackPlatform, slack: FakeSlack, *, noticed: bool
) -> None:
    reply = await streamed(platform, asked(), SENTENCE)
    slack.streams.lives = 0.0
    if noticed:
        reply = await platform.update_reply(reply, SENTENCE * 2)
    done = await platform.finish_reply(reply, SENTENCE * 3, actions=FOOT)
    assert slack.texts(DM) == [(SENTENCE * 3).strip()]
    assert done.ids == reply.ids
    assert [block["type"] for block in slack.messages[DM, done.ids[0]]["blocks"]][1:] == [
        "context_actions",
        "actions",
        "context",
    ]


@pytest.mark.case("S47")
async def test_a_stream_that_slack_ended_and_cannot_be_edited_is_posted_anew(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    slack.update_limit = 4_000
    reply = await streamed(platform, asked(), SENTENCE, SENTENCE * 90)
    slack.streams.lives = 0.0
    await platform.finish_reply(reply, SENTENCE * 100)
    assert slack.texts(DM) == [(SENTENCE * 100).strip()]


@pytest.mark.case("S47")
async def test_a_stream_is_ended_before_slack_does_it(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await streamed(platform, asked(), SENTENCE)
    the_workspace(platform).replies._streams.lasts = 0.0
    reply = await platform.update_reply(reply, SENTENCE * 2)
    assert slack.streams.open() == []
    reply = await platform.update_reply(reply, SENTENCE * 3)
    assert slack.texts(DM) == [(SENTENCE * 3).strip()]
    await platform.finish_reply(reply, SENTENCE * 4)
    assert slack.texts(DM) == [(SENTENCE * 4).strip()]
    assert not slack.called("chat.appendStream") + slack.called("chat.postMessage")


@pytest.mark.case("S44")
@pytest.mark.parametrize("ping", ["<!channel>", "<!subteam^S012|@team mates>", "@everyone", "&lt;!here&gt;", "<@U012>"])
async def test_no_crowd_is_pinged_by_a_stream_wherever_it_is_cut(
    platform: SlackPlatform, slack: FakeSlack, ping: str
) -> None:
    text = f"{SENTENCE}Well {ping} and so {ping}, 你好{ping}再见 `{ping}` it is."
    pace(platform)
    reply = await platform.start_reply(asked())
    for end in range(len(SENTENCE), len(text)):
        reply = await platform.update_reply(reply, text[:end])
        assert not any(live(so_far) for so_far in slack.texts(DM))
    assert len(slack.called("chat.appendStream")) > 4
    await platform.finish_reply(reply, text)
    [final] = slack.texts(DM)
    assert final.replace("\u200b", "").count("kettle") == 1
    assert not live(final)
    assert len(slack.called("chat.startStream")) == 1
    assert not slack.called("chat.update")


@pytest.mark.case("S51")
@pytest.mark.parametrize("text", [SENTENCE * 700, "x" * 30_000, "你好" * 15_000, f"```python\n{CODE * 5_000}```"])
async def test_a_text_of_thirty_thousand_characters_goes_in_pieces(
    platform: SlackPlatform, slack: FakeSlack, text: str
) -> None:
    reply = await streamed(platform, asked(), *[text] * 6)
    done = await platform.finish_reply(reply, text)
    sent = [call.get("markdown_text", "") for name, call in slack.calls if name.endswith("Stream")]
    assert all(len(part) <= 12_000 for part in sent)
    fences = "```python", "```"
    whole = [word for word in words(slack.texts(DM)) if word not in fences]
    assert "".join(whole) == "".join(word for word in text.split() if word not in fences)
    assert [ts for _, ts in sorted(slack.messages)] == list(done.ids)
    assert slack.streams.open() == []
    if text.startswith("```"):
        assert all(part.startswith("```python\n") and part.endswith("```") for part in slack.texts(DM))


@pytest.mark.case("S44")
def test_where_a_stream_goes_on_in_a_new_message_no_mention_begins_or_ends() -> None:
    for before in range(11_700, 11_780):
        text = "x" * before + "x@here/" + "y" * 500
        cut = next_cut(text, 0, 0)
        assert cut is not None
        assert not live(text[: cut.end])
        assert not live(text[cut.start :])


@pytest.mark.case("S51", "S43")
async def test_a_growing_answer_goes_on_in_a_new_stream(platform: SlackPlatform, slack: FakeSlack) -> None:
    paragraph = f"{SENTENCE * 10}\n\n"
    pace(platform)
    reply = await platform.start_reply(asked())
    for number in range(1, 62):
        reply = await platform.update_reply(reply, paragraph * number)
    assert len(slack.called("chat.startStream")) == len(reply.ids) == 3
    done = await platform.finish_reply(reply, paragraph * 62, actions=FOOT)
    assert words(slack.texts(DM)) == (paragraph * 62).split()
    assert all(text.endswith("window.") and len(text) < 11_800 for text in slack.texts(DM))
    assert done.ids == reply.ids
    assert not slack.called("chat.update")
    feet = [len(slack.messages[DM, ts]["blocks"]) for ts in done.ids]
    assert feet == [1, 1, 4]


async def test_a_text_that_changes_its_mind_ends_its_stream(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await streamed(platform, asked(), SENTENCE * 2, "Oh, on second thoughts it is in the hall, by the door.")
    assert slack.streams.open() == []
    await platform.finish_reply(reply, "It is in the hall.")
    assert slack.texts(DM) == ["It is in the hall."]


async def test_an_answer_that_ends_otherwise_than_it_was_streamed(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await streamed(platform, asked(), SENTENCE * 2)
    done = await platform.finish_reply(reply, "Something went wrong.")
    assert slack.texts(DM) == ["Something went wrong."]
    assert done.ids == reply.ids


@pytest.mark.case("S55")
async def test_after_the_person_pressed_stop_nothing_is_appended(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await streamed(platform, asked(), SENTENCE)
    slack.streams.stopped_by_user()
    for number in range(2, 6):
        reply = await platform.update_reply(reply, SENTENCE * number)
    assert len(slack.called("chat.appendStream")) == 1
    assert slack.texts(DM) == [SENTENCE.strip()]
    await platform.finish_reply(reply, f"{SENTENCE}\n\nStopped.")
    assert slack.texts(DM) == [f"{SENTENCE}\n\nStopped."]
    assert not slack.called("chat.postMessage")


@pytest.mark.parametrize(
    "failure", [LOST, Failure("internal_error"), Failure(status=502), Failure("invalid_arguments")]
)
@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "chat.stopStream"])
async def test_whatever_gets_lost_of_a_stream_the_text_stands_there_once(
    platform: SlackPlatform, slack: FakeSlack, method: str, failure: Failure
) -> None:
    slack.fail(method, failure)
    reply = await streamed(platform, asked(), SENTENCE, SENTENCE * 2, SENTENCE * 3)
    await platform.finish_reply(reply, SENTENCE * 4)
    assert slack.texts(DM) == [(SENTENCE * 4).strip()]
    assert slack.streams.open() == []


@pytest.mark.parametrize("failure", [rate_limited(), rate_limited(status=200)])
@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "chat.stopStream"])
async def test_a_rate_limit_costs_a_stream_a_glimpse(
    platform: SlackPlatform, slack: FakeSlack, method: str, failure: Failure
) -> None:
    slack.fail(method, failure)
    reply = await streamed(platform, asked(), SENTENCE, SENTENCE * 2, SENTENCE * 3)
    await asyncio.sleep(0.06)
    reply = await platform.update_reply(reply, SENTENCE * 4)
    await platform.finish_reply(reply, SENTENCE * 5)
    assert slack.texts(DM) == [(SENTENCE * 5).strip()]
    assert slack.streams.open() == []


async def test_a_glimpse_that_was_cancelled_is_not_shown_twice(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await streamed(platform, asked(), SENTENCE)
    slack.fail("chat.appendStream", Failure(delay=0.2))
    showing = asyncio.ensure_future(platform.update_reply(reply, SENTENCE * 2))
    await asyncio.sleep(0.1)
    showing.cancel()
    await asyncio.gather(showing, return_exceptions=True)
    await asyncio.sleep(0.2)
    await platform.finish_reply(reply, SENTENCE * 3)
    assert slack.texts(DM) == [(SENTENCE * 3).strip()]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("removed", [True, False])
async def test_a_stream_that_a_crash_left_open_is_found_and_ended(
    slack: FakeSlack, bot: RecordingBot, *, known: bool, removed: bool
) -> None:
    message = asked()
    async with running(before := socket_platform(slack), bot):
        reply = await streamed(before, message, SENTENCE)
    assert len(slack.streams.open()) == 1
    kept = reply if known else Reply(message.thread, message.id)
    async with running(after := socket_platform(slack), bot):
        if removed:
            await after.remove_reply(kept)
        else:
            await after.finish_reply(kept, SENTENCE * 2, again=True)
            await after.finish_reply(kept, SENTENCE * 2, again=True)
    assert slack.texts(DM) == ([] if removed else [(SENTENCE * 2).strip()])


async def test_a_stream_left_open_after_the_next_question_is_not_taken_for_the_first_answer(
    slack: FakeSlack, bot: RecordingBot
) -> None:
    first = asked()
    second = replace(asked(), thread=first.thread)
    slack.messages[DM, second.id] = {"ts": second.id, "user": ANA, "text": "and?", "thread_ts": first.thread.root}
    async with running(before := socket_platform(slack), bot):
        await streamed(before, second, SENTENCE)
    async with running(after := socket_platform(slack), bot):
        await after.remove_reply(Reply(first.thread, first.id))
        assert slack.texts(DM) == ["and?", SENTENCE.strip()]
        await after.finish_reply(Reply(second.thread, second.id), SENTENCE * 2, again=True)
    assert slack.texts(DM) == ["and?", (SENTENCE * 2).strip()]


PARAGRAPH = f"{SENTENCE * 10}\n\n"


@pytest.mark.case("S47")
async def test_when_a_later_message_of_an_answer_breaks_the_earlier_ones_stand(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    reply = await streamed(platform, asked(), *[PARAGRAPH * number for number in range(20, 32)])
    assert len(reply.ids) == 2
    slack.fail("chat.appendStream", Failure("internal_error"))
    for number in (32, 33, 34):
        reply = await platform.update_reply(reply, PARAGRAPH * number)
    done = await platform.finish_reply(reply, PARAGRAPH * 35)
    assert words(slack.texts(DM)) == (PARAGRAPH * 35).split()
    assert done.ids == reply.ids
    assert {call["ts"] for call in slack.called("chat.update")} == {reply.ids[1]}


async def test_when_the_start_of_a_long_answer_changes_all_of_it_is_written_again(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    reply = await streamed(platform, asked(), *[PARAGRAPH * number for number in range(20, 32)])
    text = "No. " + PARAGRAPH * 31
    await platform.finish_reply(reply, text)
    assert words(slack.texts(DM)) == text.split()


async def test_a_stream_that_ended_does_not_show_less_than_before(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await streamed(platform, asked(), SENTENCE * 90)
    the_workspace(platform).replies._streams.lasts = 0.0
    for number in range(91, 95):
        reply = await platform.update_reply(reply, SENTENCE * number)
    assert slack.texts(DM) == [(SENTENCE * 90).strip()]
    await platform.finish_reply(reply, SENTENCE * 95)
    assert slack.texts(DM) == [(SENTENCE * 95).strip()]


async def test_removing_an_answer_that_is_being_streamed(platform: SlackPlatform, slack: FakeSlack) -> None:
    reply = await streamed(platform, asked(), SENTENCE)
    await platform.remove_reply(reply)
    assert slack.texts(DM) == []


async def test_no_word_of_a_stream_is_kept_in_this_process(platform: SlackPlatform, slack: FakeSlack) -> None:
    await streamed(platform, asked(), SENTENCE, SENTENCE * 2)
    assert "kettle" not in repr(the_workspace(platform).replies._kept)
    assert shown(slack.messages[DM, slack.streams.open()[0]])


@pytest.mark.parametrize("end", ["finish", "remove"])
async def test_a_stream_that_cannot_be_ended_now_is_ended_later_and_nothing_is_doubled(
    platform: SlackPlatform, slack: FakeSlack, end: str
) -> None:
    reply = await streamed(platform, asked(), SENTENCE)
    slack.fail("chat.stopStream", *[rate_limited("600")] * (3 if end == "finish" else 2))
    finishing = platform.finish_reply(reply, SENTENCE * 2) if end == "finish" else platform.remove_reply(reply)
    with pytest.raises(Exception, match="ratelimited"):
        await finishing
    assert slack.texts(DM) == [SENTENCE.strip()]
    if end == "finish":
        await platform.finish_reply(reply, SENTENCE * 2, again=True)
    else:
        await platform.remove_reply(reply)
    assert slack.texts(DM) == ([(SENTENCE * 2).strip()] if end == "finish" else [])
    assert slack.streams.open() == []

"""What stands under an answer: thumbs, asking again and a word of caution, once, at its end, and never in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.foot import foot_blocks, read_foot
from adapters.slack.output import rich_body
from adapters.slack.panel import pressed
from bot.chat import Action, Role
from tests.fakes.slack import DM, PUBLIC, FakeSlack
from tests.fakes.slack_failures import Failure
from tests.fakes.slack_limits import refusal
from tests.fakes.slack_requests import press_body
from tests.slack.test_long_answers import TABLE, words
from tests.slack.test_replies import SENTENCE, pace, question
from tests.slack.test_streams import FOOT, asked, streamed

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform

Json = dict[str, Any]
KINDS = ["context_actions", "actions", "context"]


def feet(slack: FakeSlack, channel: str = PUBLIC) -> list[list[str]]:
    """The kinds of block under the text of each message, in order."""
    return [
        [block["type"] for block in message.get("blocks") or [] if block["type"] != "markdown"]
        for (where, _), message in sorted(slack.messages.items())
        if where == channel
    ]


def test_thumbs_are_slacks_own_and_everything_comes_back_as_its_command() -> None:
    blocks: list[Any] = foot_blocks((*FOOT, Action("More", "more", "k2")))
    thumbs, buttons, caution = blocks
    [both] = thumbs["elements"]
    assert both["type"] == "feedback_buttons"
    for side, command in (("positive_button", "good"), ("negative_button", "bad")):
        assert read_foot(press_body(both["action_id"], both[side]["value"])) == (command, "k1")
    assert [pressed(press_body(one["action_id"], one["value"])) for one in buttons["elements"]] == [
        ("again", "k1"),
        ("more", "k2"),
    ]
    assert caution["elements"] == [{"type": "mrkdwn", "text": "AI can be wrong."}]
    assert pressed(press_body(both["action_id"], "good k1")) is None


@pytest.mark.parametrize(
    "body",
    [{}, press_body("keepsake.feedback"), press_body("keepsake.end-0.good", "k"), {"actions": [None]}, {"actions": 1}],
)
def test_what_is_no_thumb_of_ours_is_not_read_as_one(body: Json) -> None:
    assert read_foot(body) is None


def test_an_argument_may_be_empty_or_hold_spaces() -> None:
    assert read_foot(press_body("keepsake.feedback", "good")) == ("good", "")
    assert read_foot(press_body("keepsake.feedback", "good a b")) == ("good", "a b")


_actions = st.builds(
    Action, st.text(max_size=120), st.just("memory"), st.text(max_size=2_500), st.booleans(), st.sampled_from(Role)
)


@given(st.lists(_actions, max_size=9).map(tuple))
def test_every_foot_is_within_the_limits_of_block_kit(actions: tuple[Action, ...]) -> None:
    assert refusal(rich_body("x", foot_blocks(actions))) == ""


def test_where_nothing_is_offered_there_is_no_foot() -> None:
    assert foot_blocks(()) == []


@pytest.mark.parametrize("repeat", [1, 600])
async def test_the_foot_stands_once_under_the_end(platform: SlackPlatform, slack: FakeSlack, repeat: int) -> None:
    pace(platform)
    reply = await platform.update_reply(await platform.start_reply(question()), SENTENCE)
    assert feet(slack) == [[]]
    await platform.finish_reply(reply, SENTENCE * repeat, actions=FOOT)
    assert feet(slack)[-1] == KINDS
    assert not any(feet(slack)[:-1])
    assert words(slack.texts(PUBLIC)) == (SENTENCE * repeat).split()


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 600), (600, 1)])
async def test_when_it_is_answered_again_the_foot_stays_at_the_end(
    platform: SlackPlatform, slack: FakeSlack, before: int, after: int
) -> None:
    pace(platform)
    first = await platform.finish_reply(await platform.start_reply(question()), SENTENCE * before, actions=FOOT)
    glimpsed = await platform.update_reply(first, "Something else. " * 20)
    await platform.finish_reply(glimpsed, "Something else. " * after, actions=FOOT)
    assert feet(slack)[-1] == KINDS
    assert not any(feet(slack)[:-1])
    assert words(slack.texts(PUBLIC)) == ("Something else. " * after).split()


async def test_a_notice_without_actions_takes_the_foot_away(platform: SlackPlatform, slack: FakeSlack) -> None:
    first = await platform.finish_reply(await platform.start_reply(question()), SENTENCE, actions=FOOT)
    await platform.finish_reply(first, "Something went wrong.")
    assert feet(slack) == [[]]


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update", "chat.stopStream"])
async def test_where_slack_refuses_the_foot_the_answer_comes_without_and_the_next_does_not_try(
    platform: SlackPlatform, slack: FakeSlack, method: str
) -> None:
    pace(platform)
    message = asked() if method == "chat.stopStream" else question(DM)
    reply = await streamed(platform, message, *[] if method == "chat.postMessage" else [SENTENCE])
    slack.fail(method, *[Failure("invalid_blocks")] * (2 if method == "chat.stopStream" else 1))
    done = await platform.finish_reply(reply, SENTENCE * 2, actions=FOOT)
    assert (slack.texts(DM), feet(slack, DM)) == ([(SENTENCE * 2).strip()], [[]])
    if reply.ids:
        assert done.ids == reply.ids
    await platform.finish_reply(await platform.start_reply(question()), "next", actions=FOOT)
    assert feet(slack) == [[]]


async def test_an_answer_that_is_shown_plain_has_no_foot(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    slack.most_tables = 1
    await platform.finish_reply(await platform.start_reply(question()), TABLE * 3, actions=FOOT)
    assert words(slack.texts(PUBLIC)) == (TABLE * 3).split()
    slack.most_tables = None
    await platform.finish_reply(await platform.start_reply(question(DM)), "next", actions=FOOT)
    assert feet(slack, DM) == [KINDS]

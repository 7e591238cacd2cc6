"""One send a second per channel: a short burst at once, final writes before glimpses, and no channel holds another."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from adapters.slack.pace import Busy, Pace
from bot.chat import Reply
from tests.fakes.slack import DM, PUBLIC, FakeSlack
from tests.fakes.slack_failures import rate_limited
from tests.slack.conftest import the_workspace
from tests.slack.test_replies import SENTENCE, question

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform
    from bot.chat import Message


def bare(message: Message) -> Reply:
    return Reply(message.thread, message.id)


async def send(pace: Pace, channel: str, times: list[float]) -> None:
    await pace.turn(channel, patience=5, wait=True)
    times.append(time.monotonic())


async def test_a_burst_goes_at_once_and_the_rest_one_by_one() -> None:
    pace, times = Pace(every=0.1, burst=3), [time.monotonic()]
    await asyncio.gather(*[send(pace, "C1", times) for _ in range(6)])
    assert times[3] - times[0] < 0.05
    assert [round(later - earlier, 1) for earlier, later in pairwise(times[3:])] == [0.1] * 3


async def test_one_channel_does_not_wait_for_another() -> None:
    pace, times = Pace(every=5.0, burst=1), list[float]()
    started = time.monotonic()
    await asyncio.gather(*[send(pace, f"C{number}", times) for number in range(50)])
    assert times[-1] - started < 0.5


async def test_a_glimpse_leaves_room_for_a_final_write_and_never_waits() -> None:
    pace = Pace(every=0.2, burst=3)
    await pace.turn("C1", patience=5, wait=False)
    await pace.turn("C1", patience=5, wait=False)
    with pytest.raises(Busy):
        await pace.turn("C1", patience=5, wait=False)
    started = time.monotonic()
    await pace.turn("C1", patience=5, wait=True)
    assert time.monotonic() - started < 0.1


async def test_a_glimpse_does_not_pass_who_stands_in_line() -> None:
    pace, times = Pace(every=0.1, burst=2), list[float]()
    line = [asyncio.ensure_future(send(pace, "C1", times)) for _ in range(4)]
    await asyncio.sleep(0.05)
    with pytest.raises(Busy):
        await pace.turn("C1", patience=5, wait=False)
    await asyncio.gather(*line)


async def test_whoever_gives_up_in_the_line_holds_nobody() -> None:
    pace, times = Pace(every=0.1, burst=1), list[float]()
    line = [asyncio.ensure_future(send(pace, "C1", times)) for _ in range(5)]
    await asyncio.sleep(0.02)
    for waiting in line[1:4]:
        waiting.cancel()
    await asyncio.gather(*line, return_exceptions=True)
    assert 0.05 < times[1] - times[0] < 0.2


async def test_who_would_wait_too_long_is_told_so_at_once() -> None:
    pace = Pace(every=0.1, burst=1)
    pace.hold("C1", 30)
    started = time.monotonic()
    with pytest.raises(Busy) as caught:
        await pace.turn("C1", patience=1, wait=True)
    assert time.monotonic() - started < 0.5
    assert 29 < caught.value.seconds <= 30
    await pace.turn("C2", patience=1, wait=True)


async def test_what_is_kept_of_channels_is_bounded() -> None:
    pace = Pace()
    for number in range(3_000):
        await pace.turn(f"C{number}", patience=1, wait=True)
    assert len(pace._lanes) <= 1_000


async def test_answers_in_one_channel_keep_the_pace_and_other_channels_do_not_wait(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    the_workspace(platform).calls.pace.every = 0.2
    started = time.monotonic()
    busy = [asyncio.ensure_future(platform.finish_reply(bare(question()), f"{number}")) for number in range(6)]
    await platform.finish_reply(bare(question(DM)), "here")
    assert time.monotonic() - started < 0.2
    await asyncio.gather(*busy)
    assert time.monotonic() - started >= 0.6
    assert len(slack.texts(PUBLIC)) == 6


async def test_a_rate_limit_holds_its_channel_and_no_other(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.fail("chat.postMessage", rate_limited("1"))
    started = time.monotonic()
    limited = asyncio.ensure_future(platform.finish_reply(bare(question()), "limited"))
    await asyncio.sleep(0.1)
    held = asyncio.ensure_future(platform.finish_reply(bare(question()), "held"))
    await platform.finish_reply(bare(question(DM)), "free")
    assert time.monotonic() - started < 0.5
    await asyncio.gather(limited, held)
    assert time.monotonic() - started >= 1
    assert sorted(slack.texts(PUBLIC)) == ["held", "limited"]


async def test_the_first_answer_is_sent_at_once_even_while_others_are_being_written(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    replies = [await platform.start_reply(question()) for _ in range(5)]
    for reply in replies:
        await platform.update_reply(reply, SENTENCE)
    assert len(slack.texts(PUBLIC)) == 2  # the others have to wait for their glimpse
    started = time.monotonic()
    await platform.finish_reply(bare(question()), "done")
    assert time.monotonic() - started < 0.5

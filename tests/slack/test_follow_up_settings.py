"""The operator's choice where a message in a thread is for us, from the event to the decision and the thread so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.slack import SlackPlatform
from bot.chat import Crowded, Quoted
from tests.fakes.poll import until
from tests.fakes.slack import ANA, BEN, BOT_TOKEN, BOT_USER, PUBLIC, SIGNING_SECRET, FakeSlack
from tests.fakes.slack_history import say
from tests.fakes.slack_requests import Sender, event_body, mention_event, new_ts
from tests.slack.conftest import Http, running
from tests.slack.test_follow_ups import ROOT, plain

if TYPE_CHECKING:
    from tests.slack.bot import RecordingBot


def platform_with(slack: FakeSlack, follow_ups: str) -> SlackPlatform:
    return SlackPlatform(
        bot_token=BOT_TOKEN, signing_secret=SIGNING_SECRET, port=0, api_url=slack.api_url, follow_ups=follow_ups
    )


@pytest.mark.case("S81")
@pytest.mark.parametrize(("follow_ups", "outcome"), [("one-human", "crowded"), ("thread", "ours"), ("never", "untold")])
async def test_bens_word_in_anas_thread(slack: FakeSlack, bot: RecordingBot, follow_ups: str, outcome: str) -> None:
    say(slack, PUBLIC, ROOT, ANA, f"<@{BOT_USER}> hi")
    platform = platform_with(slack, follow_ups)
    async with running(platform, bot), Sender(platform.address) as send:
        assert await send.event(plain("and me?", user=BEN)) == 200
        if outcome == "untold":
            assert bot.said == []
            return
        [message] = bot.follow_ups
        if outcome == "ours":
            assert await platform.resolve(message)
            return
        with pytest.raises(Crowded):
            await platform.resolve(message)


async def test_over_socket_mode_a_follow_up_is_told_like_a_call(
    platform: SlackPlatform, slack: FakeSlack, bot: RecordingBot
) -> None:
    say(slack, PUBLIC, ROOT, ANA, f"<@{BOT_USER}> hi")
    envelopes = [await slack.envelope("events_api", event_body(event)) for event in (plain("and?"), plain("<!here> x"))]
    await until(lambda: set(envelopes) <= set(slack.acks))
    [message] = bot.follow_ups
    assert await platform.resolve(message)


@pytest.mark.case("S60")
async def test_called_in_the_middle_of_a_thread_we_read_what_its_people_said(http: Http) -> None:
    say(http.slack, PUBLIC, ROOT, BEN, "the oven is broken")
    say(http.slack, PUBLIC, "1700000000.000200", ANA, "again?", thread_ts=ROOT)
    say(http.slack, PUBLIC, "1700000000.000300", BEN, "elsewhere")
    event = mention_event("what now?", thread_ts=ROOT, ts=new_ts())
    say(http.slack, PUBLIC, event["ts"], ANA, event["text"], thread_ts=ROOT)
    assert await http.send.event(event) == 200
    message = await http.platform.resolve(http.bot.said[0])
    assert message is not None
    found = await http.platform.earlier(message, None, 30)
    assert found == (Quoted("Ben Okri", "the oven is broken"), Quoted("Ana", "again?"))
    assert await http.platform.earlier(message, message.sent_at, 30) == ()

"""The thread so far: what others said before somebody called us, and whole conversations for one who asks privately."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack import threads
from adapters.slack.messages import time_of
from bot.chat import Audience, Message, Quoted, Thread, Unreadable, User
from tests.fakes.slack import ANA, BEN, BOT_ID, BOT_USER, DM, PRIVATE, PUBLIC, TEAM, FakeSlack
from tests.fakes.slack_failures import Failure, rate_limited
from tests.fakes.slack_history import say
from tests.slack.test_replies import question

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform

ROOT = "1700000000.000100"
_AT = "1700000000.000900"


def ts(number: int) -> str:
    return f"1700000000.{number * 100:06d}"


def call(channel: str = PUBLIC) -> Message:
    """Ana calls us in the thread, after all that was said."""
    return replace(question(channel, ROOT), id=_AT, sent_at=time_of(_AT), text="what now?")


@pytest.fixture
def thread(slack: FakeSlack) -> FakeSlack:
    say(slack, PUBLIC, ROOT, BEN, "Deploy failed &amp; <@U00ANA> is away, see <#C00PUBLIC>", reply_count=4)
    say(slack, PUBLIC, ts(2), ANA, "I am not", thread_ts=ROOT)
    say(slack, PUBLIC, ts(3), ANA, f"<@{BOT_USER}> what happened?", thread_ts=ROOT)
    say(slack, PUBLIC, ts(4), BOT_USER, "A deploy failed.", bot_id=BOT_ID, thread_ts=ROOT)
    say(slack, PUBLIC, ts(5), "", "red", subtype="bot_message", bot_id="B00CI", username="CI\nbot", thread_ts=ROOT)
    say(slack, PUBLIC, _AT, ANA, f"<@{BOT_USER}> what now?", thread_ts=ROOT)
    say(slack, PUBLIC, ts(10), BEN, "said later", thread_ts=ROOT)
    say(slack, PUBLIC, ts(6), BEN, "in another thread", thread_ts=ts(1) + "9")
    return slack


ALL = (
    Quoted("Ben Okri", "Deploy failed & @Ana is away, see #general"),
    Quoted("Ana", "I am not"),
    Quoted("CI bot (app)", "red"),
)


async def test_what_others_said_before_is_read_with_names(platform: SlackPlatform, thread: FakeSlack) -> None:
    assert await platform.earlier(call(), None, 50) == ALL
    assert thread.called("conversations.replies")[0]["latest"] == _AT


@pytest.mark.case("S60")
async def test_s60_nothing_of_another_thread_or_channel_comes_with_it(
    platform: SlackPlatform, thread: FakeSlack
) -> None:
    say(thread, PRIVATE, ts(2), BEN, "a secret", thread_ts=ROOT)
    assert await platform.earlier(call(), None, 50) == ALL


async def test_page_by_page_it_is_the_same_and_the_last_ones_are_kept(
    platform: SlackPlatform, thread: FakeSlack
) -> None:
    thread.most_per_page = 2
    assert await platform.earlier(call(), None, 50) == ALL
    assert await platform.earlier(call(), None, 2) == ALL[1:]
    assert await platform.earlier(call(), None, 0) == ()


async def test_since_then_is_what_came_after(platform: SlackPlatform, thread: FakeSlack) -> None:
    assert await platform.earlier(call(), time_of(ts(2)), 50) == ALL[2:]
    assert thread.called("conversations.replies")[0]["oldest"] == ts(2)


@pytest.mark.case("S22")
async def test_s22_a_top_level_mention_and_a_direct_message_read_nothing(
    platform: SlackPlatform, thread: FakeSlack
) -> None:
    for message in (replace(call(), id=ROOT), call(DM), question(PUBLIC, f"ask.{ANA}")):
        assert await platform.earlier(message, None, 50) == ()
    assert thread.called("conversations.replies") == thread.called("conversations.history") == []


async def test_every_kind_of_message_reads_as_people_saw_it(platform: SlackPlatform, slack: FakeSlack) -> None:
    table = {"blocks": [{"type": "table", "rows": [[{"type": "raw_text", "text": "a|b"}]]}], "fallback": "[no preview]"}
    forward = {"is_share": True, "author_name": "Cy", "text": "f" * 900}
    preview = {"from_url": "https://x.io", "title": "X", "text": "a preview"}
    say(slack, PUBLIC, ROOT, BEN, "see", attachments=[table, forward, preview], files=[{"id": "F1", "name": "a\n.pdf"}])
    say(slack, PUBLIC, ts(2), "", "", bot_id="B00CI", bot_profile={"name": "CI"}, thread_ts=ROOT, attachments=[preview])
    for number, subtype in enumerate(("channel_join", "tombstone", "channel_topic", "huddle_thread"), start=3):
        say(slack, PUBLIC, ts(number), BEN, "noise", subtype=subtype, thread_ts=ROOT)
    say(slack, PUBLIC, ts(7), "USLACKBOT", "Reminder: tea", thread_ts=ROOT)
    say(slack, PUBLIC, ts(8), "U00GONE", "l" * 9_000, thread_ts=ROOT)
    see, ci, long = await platform.earlier(call(), None, 50)
    assert see == Quoted("Ben Okri", f"see\n| a|b |\n[Cy: {'f' * 500}…]\n[file: a .pdf]")
    assert ci == Quoted("CI (app)", "[somebody: a preview]")
    assert (long.author, len(long.text)) == ("somebody", 4_001)


async def test_a_shape_that_nobody_expects_is_left_out(platform: SlackPlatform, slack: FakeSlack) -> None:
    odd: list[dict[str, Any]] = [{"text": None}, {"ts": ROOT, "user": 5}, {"blocks": "x", "files": 3, "text": []}]
    for number, message in enumerate(odd, start=1):
        slack.messages[PUBLIC, ts(number)] = {"ts": ts(number), "thread_ts": ROOT, **message}
    assert await platform.earlier(call(), None, 50) == ()


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (Failure("missing_scope"), "not been given the right"),
        (Failure("not_in_channel"), "invite me"),
        (Failure("channel_not_found"), "invite me"),
        (Failure("thread_not_found"), "not there any more"),
        (rate_limited("60"), "too seldom"),
        (rate_limited("60", status=200), "too seldom"),
        (Failure("internal_error"), "could not be read"),
        (Failure("something_new"), "could not be read"),
    ],
)
async def test_what_cannot_be_read_is_said_in_a_few_words(
    platform: SlackPlatform, thread: FakeSlack, failure: Failure, why: str
) -> None:
    thread.fail("conversations.replies", *[failure] * 3)
    with pytest.raises(Unreadable, match=why) as said:
        await platform.earlier(call(), None, 50)
    assert len(str(said.value)) < 80


async def test_pages_that_crawl_are_given_up(
    platform: SlackPlatform, thread: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_READ_WITHIN", 0.2)
    thread.most_per_page = 1
    thread.fail("conversations.replies", *[Failure(delay=0.15)] * 6)
    with pytest.raises(Unreadable, match="just now"):
        await platform.earlier(call(), None, 50)


async def test_a_short_rate_limit_is_waited_out(platform: SlackPlatform, thread: FakeSlack) -> None:
    thread.fail("conversations.replies", rate_limited("0"), rate_limited("0", status=200))
    assert await platform.earlier(call(), None, 50) == ALL


async def test_a_thread_whose_end_is_out_of_reach_is_not_read_in_half(
    platform: SlackPlatform, thread: FakeSlack
) -> None:
    thread.most_per_page = 1
    for number in range(20):
        say(thread, PUBLIC, f"1700000000.0001{number:02d}", BEN, "more", thread_ts=ROOT)
    with pytest.raises(Unreadable, match="too long"):
        await platform.earlier(call(), None, 50)


async def test_nobodys_name_keeps_the_words_waiting_or_away(platform: SlackPlatform, thread: FakeSlack) -> None:
    thread.fail("users.info", *[Failure("missing_scope")] * 9)
    thread.fail("conversations.info", *[Failure("missing_scope")] * 9)
    found = await platform.earlier(call(), None, 50)
    assert found[0] == Quoted("somebody", "Deploy failed & <@U00ANA> is away, see <#C00PUBLIC>")
    thread.messages[PUBLIC, ROOT]["user_profile"] = {"display_name": "", "real_name": "Ben\nO."}
    assert (await platform.earlier(call(), None, 50))[0].author == "Ben O."


def asks(channel: str = PUBLIC, root: str = "", audience: Audience = Audience.DM) -> Message:
    """Ana asks privately to be caught up."""
    thread = Thread("slack", TEAM, channel, f"ask.{ANA}", audience)
    about = Thread("slack", TEAM, channel, root)
    return replace(question(), id="ask.1.2", thread=thread, text="Catch me up.", about=about)


async def test_a_whole_channel_is_read_from_its_end(platform: SlackPlatform, slack: FakeSlack) -> None:
    for number in range(250):
        say(slack, PUBLIC, f"1700000{number:03d}.000100", BEN, f"line {number}")
    say(slack, PUBLIC, "1700000249.000200", BEN, "in a thread", thread_ts="1700000249.000100")
    found = await platform.earlier(asks(), None, 200)
    assert [quoted.text for quoted in found] == [f"line {number}" for number in range(50, 250)]
    assert len(slack.called("conversations.history")) == 1
    slack.most_per_page = 15
    assert len(await platform.earlier(asks(), None, 200)) == 150
    slack.calls.clear()
    slack.fail("conversations.history", Failure(), rate_limited("60"))
    assert len(await platform.earlier(asks(), None, 200)) == 15  # as many as the limit of such an app lets through


async def test_a_whole_thread_is_read_for_who_asks(platform: SlackPlatform, thread: FakeSlack) -> None:
    found = await platform.earlier(asks(root=ROOT), None, 200)
    assert len(thread.called("conversations.replies")) == 1
    assert found == (*ALL, Quoted("Ben Okri", "said later"))


@pytest.mark.case("S65")
@pytest.mark.parametrize("audience", [Audience.EXTERNAL, Audience.UNKNOWN, Audience.PUBLIC, Audience.PRIVATE])
async def test_s65_a_conversation_is_read_for_nobody_but_our_own_people(
    platform: SlackPlatform, thread: FakeSlack, audience: Audience
) -> None:
    with pytest.raises(Unreadable, match="people of this workspace"):
        await platform.earlier(asks(audience=audience), None, 200)
    other = asks()
    with pytest.raises(Unreadable, match="not a member"):
        await platform.earlier(replace(other, about=Thread("slack", "T00OTHER", PUBLIC, "")), None, 200)
    assert thread.called("conversations.history") == []


async def test_a_channel_without_us_in_it_says_to_invite_us(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.fail("conversations.history", Failure("not_in_channel"))
    with pytest.raises(Unreadable, match="invite"):
        await platform.earlier(asks(), None, 200)


@pytest.mark.parametrize("channel", [PUBLIC, PRIVATE, "C00SHARED", "C00NOWHERE"])
async def test_a_private_question_is_between_the_two_of_us_wherever_it_is_asked(
    platform: SlackPlatform, slack: FakeSlack, channel: str
) -> None:
    asked = asks(channel, audience=Audience.UNKNOWN)
    found = await platform.resolve(asked)
    assert found is not None
    assert found.thread.audience is Audience.DM
    assert slack.called("conversations.info") == []
    slack.users["U00EXT"] = {"team_id": "T00OTHER"}
    for author in (f"T00OTHER.{ANA}", f"{TEAM}.U00EXT"):
        stranger = await platform.resolve(replace(asked, author=User("slack", author)))
        assert stranger is not None
        assert stranger.thread.audience is Audience.EXTERNAL


async def test_nothing_that_is_read_is_logged(
    platform: SlackPlatform, thread: FakeSlack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    await platform.earlier(call(), None, 50)
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name != "asyncio")
    assert "Deploy" not in ours
    assert BEN not in ours
    assert thread.calls

"""Going on in a thread without calling us: what the bot is told, and where it is for us."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.calls import CallError, open_client
from adapters.slack.identity import Own
from adapters.slack.inbox import Inbox
from adapters.slack.workspace import Workspace
from adapters.slack.workspaces import OneWorkspace
from bot.chat import Audience, Crowded, Message, User
from tests.fakes.slack import ANA, BEN, BOT_ID, BOT_TOKEN, BOT_USER, DM, GROUP_DM, PRIVATE, PUBLIC, TEAM, FakeSlack
from tests.fakes.slack_failures import Failure, rate_limited
from tests.fakes.slack_history import say
from tests.fakes.slack_requests import changed_event, dm_event, event_body, mention_event, new_ts
from tests.slack.test_replies import question

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.slack import SlackPlatform
    from tests.slack.bot import RecordingBot
    from tests.slack.conftest import Http

Json = dict[str, Any]
ROOT = "1700000000.000100"


def plain(text: str, **more: Any) -> Json:  # noqa: ANN401 - any field of an event
    """Ana writes in a thread of the public channel."""
    event = {"type": "message", "channel": PUBLIC, "channel_type": "channel", "user": ANA, "ts": new_ts(), "text": text}
    return {**event, "thread_ts": ROOT, **more}


def follow_up(channel: str = PUBLIC, user: str = ANA) -> Message:
    message = question(channel, ROOT)
    return replace(message, called=False, author=User("slack", f"{TEAM}.{user}"))


@contextlib.asynccontextmanager
async def workspace(slack: FakeSlack, follow_ups: str) -> AsyncIterator[Workspace]:
    async with open_client(BOT_TOKEN, slack.api_url) as client:
        yield Workspace(client, update_every=1.0, own=Own(BOT_USER, BOT_ID, TEAM), follow_ups=follow_ups)


@pytest.fixture
def thread(slack: FakeSlack) -> FakeSlack:
    """A thread of Ana and us."""
    say(slack, PUBLIC, ROOT, ANA, f"<@{BOT_USER}> hi")
    say(slack, PUBLIC, "1700000000.000200", BOT_USER, "hello", bot_id=BOT_ID, thread_ts=ROOT)
    say(slack, PUBLIC, "1700000000.000300", ANA, "and?", thread_ts=ROOT)
    return slack


@pytest.mark.parametrize(
    "event",
    [
        plain("and in Rome?"),
        plain("", files=[{"id": "F1"}], subtype="file_share"),
        plain("to all of you", subtype="thread_broadcast"),
        plain("waves", subtype="me_message"),
        plain("see <#C00OTHER|other> and <https://x.io>"),
        plain("an e-mail: a@b.c, and @ben by hand"),
        plain("in code: `&lt;@U00BEN&gt;`"),
        plain("privately", channel=PRIVATE, channel_type="group"),
        plain("among us", channel=GROUP_DM, channel_type="mpim"),
        plain("forwarded", attachments=[{"text": f"<@{BEN}> look", "is_share": True, "author_name": "Cy"}]),
    ],
)
async def test_what_names_nobody_in_a_thread_is_told_as_a_follow_up(http: Http, event: Json) -> None:
    assert await http.send.event(event) == 200
    [message] = http.bot.follow_ups
    assert (message.called, message.thread.root) == (False, ROOT)


@pytest.mark.parametrize(
    "event",
    [
        plain(f"<@{BEN}> what do you think?"),
        plain(f"what does <@{BEN}|ben> think?"),
        plain("<!here> anybody?"),
        plain("<!channel> anybody?"),
        plain("<!everyone|everyone> anybody?"),
        plain("<!subteam^S1|@team> anybody?"),
        plain(f"&gt; <@{BEN}> said so\nyes"),
        plain("", blocks=[{"type": "rich_text", "elements": [{"elements": [{"type": "user", "user_id": BEN}]}]}]),
        plain("hm", blocks=[{"type": "rich_text", "elements": [{"elements": [{"type": "usergroup"}]}]}]),
        plain("outside of any thread", thread_ts=None),
        plain("the root itself", ts=ROOT),
        plain("by an app", bot_id="B00OTHER"),
        plain("by slackbot", user="USLACKBOT"),
        plain("hidden", hidden=True),
        plain("for one pair of eyes", is_ephemeral=True),
    ],
)
async def test_what_speaks_to_others_or_stands_alone_is_not_told(http: Http, event: Json) -> None:
    assert await http.send.event(event) == 200
    assert http.bot.said == []


async def test_a_mention_in_a_thread_calls_us_whoever_else_is_named(http: Http) -> None:
    await http.send.event(plain(f"<@{BOT_USER}> and <@{BEN}>, what now?"))
    assert [message.called for message in http.bot.said] == [True]


@pytest.mark.case("S02")
async def test_s02_a_mention_and_its_twin_in_a_thread_are_one_call(http: Http) -> None:
    mention = mention_event("again", thread_ts=ROOT)
    for event in ({**mention, "type": "message", "channel_type": "channel"}, mention):
        await http.send.event(event)
    assert [(message.text, message.called) for message in http.bot.said] == [("again", True)]


async def test_a_direct_message_in_a_thread_needs_no_mention(http: Http) -> None:
    await http.send.event(dm_event(f"<@{BEN}> said so", thread_ts=ROOT))
    assert [message.called for message in http.bot.said] == [True]


@pytest.mark.case("S29")
async def test_edits_say_whether_the_message_still_calls_us(http: Http) -> None:
    with_us, without = f"<@{BOT_USER}> lunch?", "lunch?"
    for before, after in ((without, "dinner?"), (without, with_us), (with_us, without)):
        await http.send.event(changed_event(plain(before), text=after))
    assert [(edit.called, calls) for edit, calls in http.bot.edits] == [(False, False), (True, True), (False, False)]


async def test_an_edit_of_a_reply_also_sent_to_the_channel_is_an_edit_in_its_thread(http: Http) -> None:
    event = plain("old", subtype="thread_broadcast")
    await http.send.event(changed_event(event, text="new"))
    [(edit, calls)] = http.bot.edits
    assert (edit.thread.root, edit.text, calls) == (ROOT, "new", False)


async def test_with_never_the_bot_is_not_even_told(slack: FakeSlack, bot: RecordingBot) -> None:
    async with workspace(slack, "never") as one:
        inbox = Inbox(bot, OneWorkspace(one), follow_ups="never")
        assert await inbox.take(event_body(plain("and?"))) == 200
        assert await inbox.take(event_body(plain(f"<@{BOT_USER}> and?"))) == 200
        assert [message.called for message in bot.said] == [True]
        assert await one.resolve(follow_up()) is None


async def test_a_follow_up_of_one_person_alone_with_us_is_for_us(platform: SlackPlatform, thread: FakeSlack) -> None:
    say(thread, PUBLIC, "1700000000.000400", "", "build passed", subtype="bot_message", bot_id="B00CI", thread_ts=ROOT)
    say(thread, PUBLIC, "1700000000.000500", "U00APP", "deployed", bot_id="B00CD", thread_ts=ROOT)
    say(thread, PUBLIC, "1700000000.000600", BEN, "has joined", subtype="channel_join", thread_ts=ROOT)
    found = await platform.resolve(follow_up())
    assert found is not None
    assert (found.called, found.thread.audience, found.author.name) == (False, Audience.PUBLIC, "Ana")


@pytest.mark.case("S81", "S36")
async def test_s81_in_a_thread_of_two_people_a_follow_up_is_not_for_us(
    platform: SlackPlatform, thread: FakeSlack
) -> None:
    say(thread, PUBLIC, "1700000000.000400", BEN, "I am here", thread_ts=ROOT)
    for user in (ANA, BEN):
        with pytest.raises(Crowded):
            await platform.resolve(follow_up(user=user))
    assert len(thread.called("conversations.replies")) == 1


async def test_whoever_began_the_thread_is_in_it(platform: SlackPlatform, slack: FakeSlack) -> None:
    say(slack, PUBLIC, ROOT, BEN, "deploy failed")
    with pytest.raises(Crowded):
        await platform.resolve(follow_up())


async def test_a_second_person_is_noticed_at_once_whatever_is_remembered(
    platform: SlackPlatform, thread: FakeSlack
) -> None:
    assert await platform.resolve(follow_up())
    with pytest.raises(Crowded):
        await platform.resolve(follow_up(user=BEN))
    with pytest.raises(Crowded):
        await platform.resolve(follow_up())
    assert len(thread.called("conversations.replies")) == 1


async def test_a_second_person_who_calls_us_by_name_is_noticed(platform: SlackPlatform, thread: FakeSlack) -> None:
    assert await platform.resolve(follow_up())
    assert await platform.resolve(replace(follow_up(user=BEN), called=True))
    with pytest.raises(Crowded):
        await platform.resolve(follow_up())
    assert thread.calls


async def test_a_long_thread_is_read_from_where_it_was_left(platform: SlackPlatform, thread: FakeSlack) -> None:
    thread.most_per_page = 2
    assert await platform.resolve(follow_up())
    asked = thread.called("conversations.replies")
    assert [one.get("cursor", "") for one in asked] == ["", "2"]
    [talk] = _talks(platform).values()
    talk.until = 0.0  # a minute later
    say(thread, PUBLIC, "1700000000.000400", BEN, "I am here", thread_ts=ROOT)
    with pytest.raises(Crowded):
        await platform.resolve(follow_up())
    assert thread.called("conversations.replies")[2]["oldest"] == "1700000000.000300"


def _talks(platform: SlackPlatform) -> Any:  # noqa: ANN401 - the test looks inside
    workspaces = platform._workspaces
    assert isinstance(workspaces, OneWorkspace)
    return workspaces._workspace.threads._talks


@pytest.mark.parametrize("error", ["missing_scope", "not_in_channel", "channel_not_found", "thread_not_found"])
async def test_where_we_may_not_read_a_follow_up_is_not_for_us(
    platform: SlackPlatform, slack: FakeSlack, error: str
) -> None:
    slack.fail("conversations.replies", Failure(error))
    assert await platform.resolve(follow_up()) is None


@pytest.mark.parametrize(
    "failures", [[Failure("internal_error")] * 3, [rate_limited("60")], [rate_limited("60", status=200)]]
)
async def test_where_slack_could_not_be_asked_it_is_tried_later(
    platform: SlackPlatform, thread: FakeSlack, failures: list[Failure]
) -> None:
    thread.fail("conversations.replies", *failures)
    with pytest.raises(CallError):
        await platform.resolve(follow_up())
    assert await platform.resolve(follow_up())


async def test_a_follow_up_that_names_somebody_by_now_is_not_for_us(platform: SlackPlatform, thread: FakeSlack) -> None:
    assert await platform.resolve(replace(follow_up(), text=f"<@{BEN}> what now?")) is None
    assert await platform.resolve(replace(follow_up(), thread=replace(follow_up().thread, root="x"), id="x")) is None
    assert thread.called("conversations.replies") == []


async def test_with_thread_every_follow_up_is_for_us(thread: FakeSlack) -> None:
    say(thread, PUBLIC, "1700000000.000400", BEN, "I am here", thread_ts=ROOT)
    async with workspace(thread, "thread") as one:
        assert await one.resolve(follow_up(user=BEN))
        assert thread.called("conversations.replies") == []


async def test_a_bots_follow_up_is_never_for_us(platform: SlackPlatform, thread: FakeSlack) -> None:
    thread.users["U00CI"] = {"team_id": TEAM, "is_bot": True}
    assert await platform.resolve(follow_up(user="U00CI")) is None
    assert await platform.resolve(replace(follow_up(DM), called=False))

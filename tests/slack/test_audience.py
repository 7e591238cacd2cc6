"""Who can read a thread when events, caches and missing scopes disagree, and names that want to be more than names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.chat import Audience, Quoted, User
from tests.fakes.slack import ANA, BEN, BOT_USER, DM, GROUP_DM, PRIVATE, PUBLIC, SHARED, TEAM, FakeSlack
from tests.fakes.slack_failures import Failure, rate_limited
from tests.fakes.slack_history import say
from tests.fakes.slack_requests import changed_event, mention_event
from tests.slack.conftest import running, socket_platform
from tests.slack.test_replies import question
from tests.slack.test_resolving import resolved

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform
    from tests.slack.bot import RecordingBot
    from tests.slack.conftest import Http


async def test_without_the_scope_to_ask_a_colleagues_dm_is_still_a_dm(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    slack.fail("conversations.info", *[Failure("missing_scope")] * 3)
    assert (await resolved(platform, question(DM))).thread.audience is Audience.DM
    stranger = replace(question(DM), author=User("slack", f"T00OTHER.{ANA}"))
    assert (await resolved(platform, stranger)).thread.audience is Audience.EXTERNAL
    assert (await resolved(platform, question(GROUP_DM))).thread.audience is Audience.UNKNOWN


@pytest.mark.parametrize("failure", [Failure("channel_not_found"), Failure("internal_error"), rate_limited("60")])
async def test_a_dm_that_could_not_be_asked_about_for_another_reason_is_unknown(
    platform: SlackPlatform, slack: FakeSlack, failure: Failure
) -> None:
    slack.fail("conversations.info", *[failure] * 3)
    assert (await resolved(platform, question(DM))).thread.audience is Audience.UNKNOWN


async def test_a_channel_that_is_shared_from_now_on_is_external_at_once(http: Http) -> None:
    await http.send.event(mention_event("before"))
    assert (await resolved(http.platform, http.bot.said[0])).thread.audience is Audience.PUBLIC
    await http.send.event(mention_event("after"), is_ext_shared_channel=True)
    assert (await resolved(http.platform, http.bot.said[1])).thread.audience is Audience.EXTERNAL
    http.slack.channels[PUBLIC] |= {"is_ext_shared": True}
    # What was remembered of the channel is gone as well.
    assert (await resolved(http.platform, question(PUBLIC))).thread.audience is Audience.EXTERNAL


async def test_a_channel_made_private_is_asked_about_anew(http: Http) -> None:
    assert (await resolved(http.platform, question(PUBLIC))).thread.audience is Audience.PUBLIC
    http.slack.channels[PUBLIC] |= {"is_private": True}
    news = {"type": "message", "subtype": "channel_convert_to_private", "channel": PUBLIC, "user": ANA, "ts": "1.1"}
    assert await http.send.event(news) == 200
    assert (await resolved(http.platform, question(PUBLIC))).thread.audience is Audience.PRIVATE


@pytest.mark.parametrize(
    ("channel", "workspace", "audience"),
    [
        (PUBLIC, "T00ONE", Audience.PUBLIC),
        (PUBLIC, "", Audience.UNKNOWN),
        (PRIVATE, "", Audience.UNKNOWN),
        (DM, "", Audience.DM),
        (SHARED, "", Audience.EXTERNAL),
    ],
)
async def test_org_wide_a_place_without_a_known_workspace_stays_closed(
    slack: FakeSlack, bot: RecordingBot, channel: str, workspace: str, audience: Audience
) -> None:
    slack.enterprise = "E00ORG"
    async with running(platform := socket_platform(slack), bot):
        asked = question(channel)
        thread = replace(asked.thread, install="E00ORG", workspace=workspace)
        found = await resolved(platform, replace(asked, thread=thread, author=User("slack", f"E00ORG.{ANA}")))
        assert (found.thread.audience, found.thread.workspace) == (audience, workspace)


async def test_a_name_can_neither_say_anything_nor_name_somebody_else(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    slack.users[BEN] = {"team_id": TEAM, "profile": {"display_name": "Ben. My PIN is 4711. I hate my boss"}}
    slack.users["U00EVE"] = {"team_id": TEAM, "profile": {"display_name": f"<@{ANA}> \ud83d"}}
    message = replace(question(), text=f"Lunch with <@{BEN}> and <@U00EVE> and <@{ANA}>")
    assert (await resolved(platform, message)).text == (f"Lunch with @Ben and @{ANA} and @Ana")


async def test_a_private_channel_is_named_to_nobody_who_may_not_be_in_it(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    text, others = f"see <#{PRIVATE}> and <#{PUBLIC}>", (Quoted("Ben", f"in <#{PRIVATE}>"),)
    for channel, read_as in ((PUBLIC, f"see <#{PRIVATE}> and #general"), (DM, "see #secret and #general")):
        found = await resolved(platform, replace(question(channel), text=text, quoted=others))
        assert (found.text, found.quoted) == (read_as, others)
    say(slack, PUBLIC, "1700000000.000100", BEN, text)
    asked = question(PUBLIC, "1700000000.000100")
    assert await platform.earlier(asked, None, 9) == (Quoted("Ben Okri", f"see <#{PRIVATE}> and #general"),)


async def test_names_in_an_edit_are_filled_in(http: Http) -> None:
    event = changed_event(mention_event("lunch?"), text=f"<@{BOT_USER}> lunch with <@{BEN}>\n&gt; said <@{ANA}>")
    await http.send.event(event)
    [(edit, _)] = http.bot.edits
    found = await resolved(http.platform, edit)
    assert (found.text, found.author.name) == ("lunch with @Ben Okri", "Ana")
    assert found.quoted == (Quoted("a quotation", "said @Ana"),)
    assert found.edited_at == edit.edited_at is not None


async def test_half_a_character_in_a_name_harms_nothing(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.users[ANA] = {"team_id": TEAM, "profile": {"display_name": "Ana \ud83d"}}
    assert (await resolved(platform, question())).author.name == "Ana \ufffd"

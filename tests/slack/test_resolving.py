"""Who can read a thread, what people are called, and what starts and ends the platform."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack import SlackPlatform
from bot.chat import Audience, Message, Quoted, User
from tests.fakes.slack import (
    ANA,
    APP_TOKEN,
    BEN,
    BOT_TOKEN,
    BOT_USER,
    DM,
    GROUP_DM,
    PRIVATE,
    PUBLIC,
    SHARED,
    SIGNING_SECRET,
    TEAM,
    FakeSlack,
)
from tests.fakes.slack_failures import Failure, rate_limited
from tests.slack.conftest import http_platform, running, socket_platform
from tests.slack.test_replies import question

if TYPE_CHECKING:
    from tests.slack.bot import RecordingBot


async def resolved(platform: SlackPlatform, message: Message) -> Message:
    found = await platform.resolve(message)
    assert found is not None
    return found


@pytest.mark.case("S62", "S65")
@pytest.mark.parametrize(
    ("channel", "audience"),
    [
        (DM, Audience.DM),
        (GROUP_DM, Audience.PRIVATE),
        (PRIVATE, Audience.PRIVATE),
        (PUBLIC, Audience.PUBLIC),
        (SHARED, Audience.EXTERNAL),
        ("C00NOWHERE", Audience.UNKNOWN),
    ],
)
async def test_slack_says_who_can_read_a_channel(platform: SlackPlatform, channel: str, audience: Audience) -> None:
    assert (await resolved(platform, question(channel))).thread.audience is audience


@pytest.mark.parametrize(
    ("info", "audience"),
    [
        ({"is_private": False, "is_pending_ext_shared": True}, Audience.EXTERNAL),
        ({"is_private": False, "pending_shared": ["T00OTHER"]}, Audience.EXTERNAL),
        ({"is_private": False, "is_shared": True, "is_org_shared": False}, Audience.EXTERNAL),
        ({"is_private": False, "is_shared": True, "is_org_shared": True}, Audience.PUBLIC),
        ({"is_im": True, "is_ext_shared": True}, Audience.EXTERNAL),
        ({"is_channel": True}, Audience.UNKNOWN),
        ({"is_private": "no"}, Audience.UNKNOWN),
        ({"is_group": True}, Audience.PRIVATE),
    ],
)
async def test_what_slack_does_not_say_outright_stays_closed(
    platform: SlackPlatform, slack: FakeSlack, info: dict[str, Any], audience: Audience
) -> None:
    slack.channels["C00ODD"] = info
    assert (await resolved(platform, question("C00ODD"))).thread.audience is audience


@pytest.mark.parametrize("failure", [Failure("missing_scope"), Failure("internal_error"), rate_limited("60")])
async def test_a_failed_question_is_unknown_and_is_asked_again(
    platform: SlackPlatform, slack: FakeSlack, failure: Failure
) -> None:
    slack.fail("conversations.info", failure, failure, failure)
    message, started = question(PRIVATE), time.monotonic()
    first = await resolved(platform, message)
    assert time.monotonic() - started < 3
    slack._failures.clear()
    assert first.thread.audience in {Audience.UNKNOWN, Audience.PRIVATE}
    assert (await resolved(platform, message)).thread.audience is Audience.PRIVATE
    if failure.error != "internal_error":
        assert first.thread.audience is Audience.UNKNOWN


async def test_answers_are_remembered(platform: SlackPlatform, slack: FakeSlack) -> None:
    for _ in range(5):
        await platform.resolve(question())
    assert len(slack.called("conversations.info")) == len(slack.called("users.info")) == 1


@pytest.mark.case("S65")
async def test_s65_a_stranger_makes_a_thread_external_wherever_it_is(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.users["U00EXT"] = {"team_id": "T00OTHER"}
    for author in (f"T00OTHER.{ANA}", f"{TEAM}.U00EXT"):
        message = replace(question(DM), author=User("slack", author))
        assert (await resolved(platform, message)).thread.audience is Audience.EXTERNAL
    slack.users["U00GUEST"] = {"team_id": TEAM, "is_stranger": True}
    message = replace(question(PUBLIC), author=User("slack", f"{TEAM}.U00GUEST"))
    assert (await resolved(platform, message)).thread.audience is Audience.EXTERNAL


@pytest.mark.case("S66")
async def test_s66_a_colleague_from_another_workspace_of_our_grid_is_at_home(
    slack: FakeSlack, bot: RecordingBot
) -> None:
    slack.enterprise = "E00ORG"
    slack.users[BEN] = {"team_id": "T00SISTER", "enterprise_user": {"enterprise_id": "E00ORG"}}
    platform = socket_platform(slack)
    async with running(platform, bot):
        message = replace(question(PUBLIC), author=User("slack", f"E00ORG.{BEN}"))
        assert (await resolved(platform, message)).thread.audience is Audience.PUBLIC


async def test_names_of_people_and_channels_are_filled_in(platform: SlackPlatform) -> None:
    text = f"<@{BOT_USER}> ask <@{BEN}> in <#{PUBLIC}>, not <@U00NOBODY>"
    message = replace(question(), text=text, quoted=(Quoted("x", f"hi <@{ANA}>"),))
    found = await resolved(platform, message)
    assert found.author.name == "Ana"
    assert found.text == "ask @Ben Okri in #general, not <@U00NOBODY>"
    assert found.quoted == (Quoted("x", "hi @Ana"),)
    assert await resolved(platform, found) == found


async def test_a_bot_that_slips_through_is_not_for_us(platform: SlackPlatform, slack: FakeSlack) -> None:
    slack.users["U00CI"] = {"team_id": TEAM, "is_bot": True}
    for user in ("U00CI", BOT_USER):
        assert await platform.resolve(replace(question(), author=User("slack", f"{TEAM}.{user}"))) is None


async def test_it_serves_the_install_of_its_token_only(platform: SlackPlatform) -> None:
    await platform.resolve(question())
    assert platform.serves(TEAM)
    assert not platform.serves("T00OTHER")
    assert not platform.serves("")


@pytest.mark.parametrize("error", ["invalid_auth", "account_inactive", "token_revoked"])
async def test_a_bad_bot_token_ends_with_a_sentence(slack: FakeSlack, bot: RecordingBot, error: str) -> None:
    slack.fail("auth.test", Failure(error))
    with pytest.raises(PermissionError, match=r"SLACK_BOT_TOKEN .*: copy"):
        await http_platform(slack).run(bot)


async def test_a_bad_app_token_ends_with_a_sentence(slack: FakeSlack, bot: RecordingBot) -> None:
    platform = SlackPlatform(bot_token=BOT_TOKEN, app_token="xapp-wrong", api_url=slack.api_url)
    with pytest.raises(PermissionError, match="SLACK_APP_TOKEN"):
        await platform.run(bot)


async def test_a_taken_port_ends_with_a_sentence(slack: FakeSlack, bot: RecordingBot) -> None:
    first = http_platform(slack)
    async with running(first, bot):
        port = int(first.address.rpartition(":")[2])
        second = SlackPlatform(bot_token=BOT_TOKEN, signing_secret=SIGNING_SECRET, port=port, api_url=slack.api_url)
        with pytest.raises(OSError, match="set HOST and PORT"):
            await second.run(bot)


def test_a_way_in_has_to_be_set() -> None:
    with pytest.raises(ValueError, match="Set SLACK_SIGNING_SECRET"):
        SlackPlatform(bot_token=BOT_TOKEN)


def test_tokens_are_never_shown() -> None:
    shown = repr(SlackPlatform(bot_token=BOT_TOKEN, signing_secret=SIGNING_SECRET, app_token=APP_TOKEN))
    assert not any(secret in shown for secret in (BOT_TOKEN, SIGNING_SECRET, APP_TOKEN))


async def test_nothing_is_done_before_it_runs(slack: FakeSlack) -> None:
    with pytest.raises(RuntimeError, match="call run"):
        await http_platform(slack).resolve(question())

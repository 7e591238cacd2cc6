"""Presses under answers and in panels: each acts for whoever pressed, and shows that person alone what came of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from adapters.slack.foot import foot_blocks
from bot.chat import Action, Item, Panel, Role
from tests.fakes.poll import until
from tests.fakes.slack import ANA, BEN, DM, PUBLIC, TEAM, FakeSlack
from tests.fakes.slack_failures import Failure
from tests.fakes.slack_requests import (
    command_body,
    event_body,
    opened_event,
    press_body,
    shortcut_body,
    view_press_body,
)
from tests.slack.conftest import running, socket_platform

if TYPE_CHECKING:
    from tests.slack.bot import RecordingBot
    from tests.slack.conftest import Http

FOOT = foot_blocks((Action("Good", "good", "k", role=Role.GOOD), Action("Bad", "bad", "k", role=Role.BAD)))


@pytest.mark.parametrize("channel", [PUBLIC, DM])
async def test_a_press_under_an_answer_leaves_the_answer_as_it_is(http: Http, channel: str) -> None:
    thumbs = FOOT[0]["elements"]
    assert isinstance(thumbs, list)
    good = {"action_id": thumbs[0]["action_id"], "value": thumbs[0]["positive_button"]["value"]}
    place = {"channel": {"id": channel}, "container": {"message_ts": "3.3", "thread_ts": "1.1", "is_ephemeral": False}}
    for action, value in (("keepsake.foot-0.again", "k"), (good["action_id"], good["value"])):
        http.bot.panel = lambda name, _: Panel("" if name == "again" else "Thank you.")
        body = press_body(action, value, response_url=http.slack.response_url, **place)
        await http.send.press({**body, "user": {"id": BEN, "team_id": TEAM}})
    await until(lambda: bool(http.slack.responses))
    assert [(name, ask.argument, ask.user.id) for name, ask in http.bot.asked] == [
        ("again", "k", f"{TEAM}.{BEN}"),
        ("good", "k", f"{TEAM}.{BEN}"),
    ]
    [shown] = http.slack.responses
    assert (shown["response_type"], shown["replace_original"], shown["thread_ts"]) == ("ephemeral", False, "1.1")
    assert [http.slack.called(method) for method in ("chat.update", "chat.postMessage", "chat.postEphemeral")] == [
        []
    ] * 3


@pytest.mark.case("S62")
async def test_what_is_known_of_a_person_is_shown_to_that_person_only(http: Http) -> None:
    http.bot.panel = lambda *_: Panel("What I remember:", (Item("Ana likes tea", "in a direct message"),))
    _, text = await http.send.command(command_body("/memory"))
    assert json.loads(text)["response_type"] == "ephemeral"
    await http.send.press(press_body("keepsake.0.memory", response_url=http.slack.response_url))
    await until(lambda: bool(http.slack.responses))
    http.slack.fail("response_url", Failure(status=404))
    await http.send.press(press_body("keepsake.1.memory", response_url=http.slack.response_url))
    await until(lambda: bool(http.slack.whispers))
    assert http.slack.responses[0]["response_type"] == "ephemeral"
    assert http.slack.whispers[0]["user"] == ANA
    assert http.slack.messages == {}


@pytest.mark.case("S61")
async def test_two_people_using_a_command_in_one_channel_are_two(http: Http) -> None:
    for user in (ANA, BEN):
        await http.send.command(command_body("/memory", user_id=user))
    anas, bens = (ask for _, ask in http.bot.asked)
    assert (anas.user.space, bens.user.space) == (f"slack.{TEAM}.{ANA}", f"slack.{TEAM}.{BEN}")
    assert anas.thread.key != bens.thread.key


async def test_shortcuts_windows_and_the_page_work_over_socket_mode(slack: FakeSlack, bot: RecordingBot) -> None:
    async with running(socket_platform(slack), bot):
        said = {"type": "message", "ts": "7.7", "user": BEN, "text": "hello"}
        await slack.envelope("interactive", shortcut_body("keep", said))
        await slack.envelope("interactive", shortcut_body("catch-up", said, response_url=slack.response_url))
        await slack.envelope("slash_commands", command_body("/memory", trigger_id="t1"))
        await slack.envelope("events_api", event_body(opened_event("home")))
        await until(lambda: ANA in slack.views.homes and len(slack.views.opened) == 2 and bool(slack.responses))
        await until(lambda: {name for name, _ in bot.asked} == {"keep", "memory", "home"})
        await slack.envelope("interactive", view_press_body(slack.views.homes[ANA], {"action_id": "keepsake.0.new"}))
        await until(lambda: "new" in {name for name, _ in bot.asked})
        await until(lambda: len(slack.acks) == 5)
    assert [message.thread.root for message in bot.said] == [f"ask.{ANA}"]

"""Commands, buttons and notices: acknowledged at once, answered to one person, acting for whoever pressed."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.chat import Action, Audience, Item, Panel, Thread, Undeliverable, User
from tests.fakes.poll import until
from tests.fakes.slack import ANA, BEN, BOT_USER, DM, PUBLIC, TEAM, FakeSlack
from tests.fakes.slack_failures import Failure
from tests.fakes.slack_requests import Sender, command_body, press_body
from tests.slack.bot import CONFIRM
from tests.slack.conftest import http_platform, running, the_workspace

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform
    from tests.slack.bot import RecordingBot
    from tests.slack.conftest import Http

RECORDED = Path(__file__).parent.parent / "events" / "slack"
USER = User("slack", f"{TEAM}.{ANA}")


async def test_a_quick_command_is_answered_in_its_acknowledgement(http: Http) -> None:
    status, text = await http.send.command(command_body("/memory", " page 2 "))
    answer = json.loads(text)
    assert (status, answer["response_type"]) == (200, "ephemeral")
    assert answer["blocks"] == [{"type": "markdown", "text": "This is memory."}]
    [(name, ask)] = http.bot.asked
    assert (name, ask.argument, ask.user.id) == ("memory", "page 2", f"{TEAM}.{ANA}")
    assert ask.thread == Thread("slack", TEAM, PUBLIC, f"ask.{ANA}", Audience.PUBLIC)


async def test_a_slow_command_is_acknowledged_first_and_answered_later(http: Http) -> None:
    http.bot.slow = 1.0
    started = time.monotonic()
    status, text = await http.send.command(command_body("/forget-me", response_url=http.slack.response_url))
    assert status == 200
    assert json.loads(text)["text"] == "Just a moment…"
    assert time.monotonic() - started < 0.9
    await until(lambda: bool(http.slack.responses))
    assert http.slack.responses[0]["blocks"][0]["text"] == "This is forget-me."
    assert http.slack.responses[0]["response_type"] == "ephemeral"


async def test_recorded_commands_and_presses_are_read(http: Http) -> None:
    body = json.loads((RECORDED / "slash-commands.json").read_text())["slashCommandWithArgs"]
    assert (await http.send.command({**body, "command": "/memory"}))[0] == 200
    press = json.loads((RECORDED / "actions-reactions.json").read_text())["action"]
    press["actions"][0] |= {"action_id": "keepsake.end-0.memory", "value": "x"}
    assert (await http.send.press({**press, "response_url": http.slack.response_url}))[0] == 200
    await until(lambda: len(http.bot.asked) == 2)
    (_, command), (_, pressed) = http.bot.asked
    assert (command.user.id, command.argument) == ("T00FAKE00BB.U00FAKEUSER2", "some arguments here")
    assert (pressed.user.id, pressed.thread.root) == ("T00FAKE00AA.U00FAKEUSER1", "1767326125.870439")


@pytest.mark.parametrize("text", ["payload", "a payload=1", "100 % & more"])
async def test_every_argument_reaches_the_command(http: Http, text: str) -> None:
    await http.send.command(command_body("/memory", text))
    assert [ask.argument for _, ask in http.bot.asked] == [text]


async def test_a_command_that_is_not_offered_is_the_bots_to_answer(http: Http) -> None:
    await http.send.command(command_body("/remember"))  # given by buttons only
    assert [name for name, _ in http.bot.asked] == ["remember"]


async def test_a_command_that_fails_says_so(http: Http) -> None:
    http.bot.refuse = [RuntimeError("inner words")]
    _, text = await http.send.command(command_body("/memory"))
    assert "went wrong" in text
    assert "inner" not in text


async def test_a_button_works_after_a_restart_and_replaces_its_message(http: Http) -> None:
    http.bot.panel = lambda name, ask: CONFIRM if not ask.argument else Panel(f"{name} {ask.argument} done")
    _, text = await http.send.command(command_body("/forget-me"))
    [row] = [block for block in json.loads(text)["blocks"] if block["type"] == "actions"]
    [button] = row["elements"]
    assert (button["style"], button["confirm"]["confirm"]["text"]) == ("danger", "Forget me")
    body = press_body(button["action_id"], button["value"], response_url=http.slack.response_url)
    assert await http.send.press(body) == (200, "")
    await until(lambda: bool(http.slack.responses))
    assert http.slack.responses[0]["replace_original"] is True
    assert http.slack.responses[0]["blocks"][0]["text"] == "forget-me fresh done"


@pytest.mark.case("S76")
async def test_s76_a_button_acts_for_whoever_pressed_it(http: Http) -> None:
    body = press_body("keepsake.end-0.forget-me", "fresh", response_url=http.slack.response_url)
    await http.send.press({**body, "user": {"id": BEN, "team_id": TEAM}})
    await until(lambda: bool(http.bot.asked))
    [(name, ask)] = http.bot.asked
    assert (name, ask.user.id, ask.argument) == ("forget-me", f"{TEAM}.{BEN}", "fresh")


@pytest.mark.parametrize(
    ("container", "root"),
    [
        ({"message_ts": "3.3", "thread_ts": "1.1"}, "1.1"),
        ({"message_ts": "3.3", "is_ephemeral": True}, f"ask.{ANA}"),
        ({"message_ts": "3.3"}, "3.3"),
    ],
)
async def test_a_button_knows_its_thread(http: Http, container: dict[str, object], root: str) -> None:
    await http.send.press(press_body("keepsake.0.new", container=container))
    await until(lambda: bool(http.bot.asked))
    assert http.bot.asked[0][1].thread.root == root


async def test_other_buttons_are_ignored(http: Http) -> None:
    for action in ("info", "keepsake", "keepsake.0", "other.0.forget-me"):
        assert (await http.send.press(press_body(action)))[0] == 200
    assert http.bot.asked == []


async def test_an_answer_whose_address_is_spent_comes_as_a_whisper(http: Http) -> None:
    http.slack.fail("response_url", Failure(status=404))
    await http.send.press(press_body("keepsake.0.memory", response_url=http.slack.response_url))
    await until(lambda: bool(http.slack.whispers))
    assert (http.slack.whispers[0]["user"], http.slack.whispers[0]["channel"]) == (ANA, PUBLIC)


async def test_a_long_panel_comes_in_several_parts(http: Http) -> None:
    http.bot.panel = lambda *_: Panel("All:", tuple(Item(f"fact {n}", "today") for n in range(60)))
    _, text = await http.send.command(command_body("/memory", response_url=http.slack.response_url))
    await until(lambda: len(http.slack.responses) == 2)
    blocks = json.loads(text)["blocks"] + [block for part in http.slack.responses for block in part["blocks"]]
    assert sum(block["type"] == "section" for block in blocks) == 60


async def test_a_stranger_using_a_command_is_outside_the_wall(http: Http) -> None:
    http.slack.users["U00EXT"] = {"team_id": "T00OTHER"}
    await http.send.command(command_body("/memory", user_id="U00EXT", team_id="T00OTHER"))
    [(_, ask)] = http.bot.asked
    assert (ask.user.id, ask.thread.audience) == ("T00OTHER.U00EXT", Audience.EXTERNAL)


async def test_a_command_knows_its_workspace_in_an_org_wide_install(slack: FakeSlack, bot: RecordingBot) -> None:
    slack.enterprise = "E00ORG"
    org = {"enterprise_id": "E00ORG", "is_enterprise_install": "true"}
    press = press_body("keepsake.0.memory", team=None, enterprise={"id": "E00ORG"}, is_enterprise_install=True)
    platform = http_platform(slack)
    async with running(platform, bot), Sender(platform.address) as send:
        await the_workspace(platform).introduced()
        await send.command(command_body("/memory", team_id="T00ONE", **org))
        await send.press(press)
        await until(lambda: len(bot.asked) == 2)
    (_, command), (_, pressed) = bot.asked
    assert command.thread == Thread("slack", "E00ORG", PUBLIC, f"ask.{ANA}", Audience.PUBLIC, "T00ONE")
    assert pressed.thread == Thread("slack", "E00ORG", PUBLIC, f"ask.{ANA}", Audience.UNKNOWN)


async def test_a_notice_in_a_dm_is_a_message_in_its_thread(platform: SlackPlatform, slack: FakeSlack) -> None:
    notice = Panel("I am an AI.", actions=(Action("OK, remember", "consent", "yes"), Action("Don't", "consent", "no")))
    await platform.tell(USER, Thread("slack", TEAM, DM, "1.1", Audience.DM), notice)
    [post] = slack.called("chat.postMessage")
    assert (post["channel"], post["thread_ts"]) == (DM, "1.1")
    assert post["metadata"]["event_type"] == "keepsake_panel"
    assert [button["value"] for button in post["blocks"][1]["elements"]] == ["yes", "no"]


async def test_a_notice_in_a_channel_is_seen_by_that_person_only(platform: SlackPlatform, slack: FakeSlack) -> None:
    thread = Thread("slack", TEAM, PUBLIC, "1.1", Audience.PUBLIC)
    await platform.tell(USER, thread, Panel("I am an AI."))
    [whisper] = slack.whispers
    assert (whisper["user"], whisper["thread_ts"]) == (ANA, "1.1")
    slack.fail("chat.postEphemeral", Failure("user_not_in_channel"), Failure("internal_error"))
    with pytest.raises(Undeliverable):
        await platform.tell(USER, thread, Panel("I am an AI."))
    with pytest.raises(Exception, match="internal_error"):
        await platform.tell(USER, thread, Panel("I am an AI."))
    with pytest.raises(Undeliverable):
        await platform.tell(USER, replace(thread, channel="C00GONE"), Panel("I am an AI."))
    assert BOT_USER not in str(slack.whispers)

"""Windows: open before anything is looked up, filled with the answer, changed in place, never anybody else's."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.chat import Action, Ask, Audience, Item, Message, Panel, Thread
from tests.fakes.poll import until
from tests.fakes.slack import ANA, BEN, BOT_ID, BOT_USER, PUBLIC, TEAM
from tests.fakes.slack_failures import LOST, Failure
from tests.fakes.slack_requests import command_body, shortcut_body, view_press_body
from tests.fakes.slack_views import buttons, texts
from tests.slack.bot import CONFIRM
from tests.slack.test_desk import USER

if TYPE_CHECKING:
    from tests.slack.conftest import Http

Json = dict[str, object]


async def opened(http: Http, command: str = "/forget-me", text: str = "Forget everything?") -> Json:
    """Use a command as Ana; the window once it shows its answer."""
    body = command_body(command, trigger_id=f"t.{len(http.slack.views.shown)}", response_url=http.slack.response_url)
    assert await http.send.command(body) == (200, "")
    await until(lambda: any(text in texts(view) for view in http.slack.views.opened.values()))
    return next(view for view in http.slack.views.opened.values() if text in texts(view))


@pytest.mark.case("S75")
async def test_a_window_opens_before_anything_is_looked_up(http: Http) -> None:
    http.bot.panel = lambda *_: CONFIRM
    for method in ("conversations.info", "users.info"):
        http.slack.fail(method, Failure(delay=0.5))
    view = await opened(http)
    methods = [method for method, _ in http.slack.calls if method != "auth.test"]
    assert methods[0] == "views.open"
    assert methods[-1] == "views.update"
    assert "moment" in texts(http.slack.views.shown[0])
    assert view["title"] == {"type": "plain_text", "text": "Forget me"}
    assert http.slack.whispers == http.slack.responses == []


async def test_a_window_carries_the_place_and_nobody(http: Http) -> None:
    http.bot.panel = lambda *_: CONFIRM
    view = await opened(http)
    place = json.loads(str(view["private_metadata"]))
    assert place == {"channel": PUBLIC, "root": f"ask.{ANA}", "home": False}
    button = buttons(view)["Forget me"]
    assert button["style"] == "danger"
    http.bot.panel = lambda name, ask: Panel(f"{name} {ask.argument} done")
    await http.send.press(view_press_body(view, button, user={"id": BEN, "team_id": TEAM}))
    await until(lambda: len(http.bot.asked) == 2)
    name, ask = http.bot.asked[-1]
    assert (name, ask.argument, ask.user.id) == ("forget-me", "fresh", f"{TEAM}.{BEN}")
    assert ask.thread == Thread("slack", TEAM, PUBLIC, f"ask.{ANA}", Audience.PUBLIC)
    await until(lambda: "done" in texts(http.slack.views.opened[str(view["id"])]))


async def test_a_slow_press_shows_that_it_is_under_way(http: Http) -> None:
    http.bot.panel = lambda *_: CONFIRM
    view = await opened(http)
    http.bot.slow, http.bot.panel = 0.8, lambda *_: Panel("Gone.")
    before = len(http.slack.views.shown)
    await http.send.press(view_press_body(view, buttons(view)["Forget me"]))
    await until(lambda: "Gone" in texts(http.slack.views.opened[str(view["id"])]))
    assert ["moment" in texts(shown) for shown in http.slack.views.shown[before:]] == [True, False]


FAILURES = [Failure("expired_trigger_id"), Failure("ratelimited", 429, "30"), Failure(cut=True)]


@pytest.mark.parametrize("failure", FAILURES)
async def test_without_a_window_the_answer_is_a_whisper(http: Http, failure: Failure) -> None:
    http.slack.fail("views.open", failure)
    body = command_body("/memory", trigger_id="t", response_url=http.slack.response_url)
    assert await http.send.command(body) == (200, "")
    await until(lambda: bool(http.slack.responses))
    [response] = http.slack.responses
    assert (response["response_type"], response["replace_original"]) == ("ephemeral", False)
    assert response["blocks"][0]["text"] == "This is memory."


async def test_a_window_whose_opening_was_not_confirmed_is_filled_all_the_same(http: Http) -> None:
    http.slack.fail("views.open", LOST)
    await opened(http, "/memory", "This is memory.")
    assert http.slack.responses == []


async def test_a_window_that_was_closed_is_left_alone(http: Http) -> None:
    http.slack.fail("views.update", Failure("not_found"))
    await http.send.command(command_body("/memory", trigger_id="t", response_url=http.slack.response_url))
    await until(lambda: bool(http.slack.called("views.update")))
    assert len(http.slack.called("views.update")) == 1
    assert http.slack.responses == []


async def test_a_window_is_filled_though_an_answer_of_slacks_is_lost(http: Http) -> None:
    http.slack.fail("views.update", Failure(cut=True), Failure(status=500))
    await opened(http, "/memory", "This is memory.")


async def test_a_window_that_slack_would_not_take_says_so(http: Http) -> None:
    http.slack.fail("views.update", Failure("invalid_blocks"))
    await opened(http, "/memory", "could not be shown")


async def test_a_command_that_fails_says_so_in_its_window(http: Http) -> None:
    http.bot.refuse = [RuntimeError("inner words")]
    view = await opened(http, "/memory", "went wrong")
    assert "inner" not in texts(view)


async def test_everything_that_a_panel_holds_fits_a_window_or_is_cut_visibly(http: Http) -> None:
    many = tuple(
        Item("&<>" * 1500 if n % 9 == 0 else f"fact {n}", "today", (Action("x" * 99, "y"),)) for n in range(90)
    )
    action = Action("Forget " + "y" * 200, "forget-me", "z" * 2000, danger=True)
    http.bot.panel = lambda *_: Panel(
        "**All** <!channel> `a*b` [link](https://x.example) " + "&" * 9000, many, (action,)
    )
    view = await opened(http, "/memory", "There is more than fits here.")
    assert "*All*" in texts(view)
    assert "<!channel>" not in texts(view)
    assert "<https://x.example|link>" in texts(view)
    assert ("Forget " + "y" * 200)[:75] in buttons(view)


async def test_a_window_that_is_closed_or_sent_is_acknowledged(http: Http) -> None:
    view = {"id": "V1", "type": "modal", "callback_id": "x", "private_metadata": "no json", "state": {"values": {}}}
    for kind in ("view_closed", "view_submission"):
        body = {"type": kind, "user": {"id": ANA, "team_id": TEAM}, "team": {"id": TEAM}, "view": view}
        assert (await http.send.press(body))[0] == 200
    http.bot.panel = lambda *_: Panel("ok")
    button = {"action_id": "keepsake.0.new"}
    for metadata in ("no json", "[]", "null", json.dumps({"channel": 5, "user": BEN})):
        assert (await http.send.press(view_press_body({**view, "private_metadata": metadata}, button)))[0] == 200
    await until(lambda: len(http.bot.asked) == 4)
    assert {ask.user.id for _, ask in http.bot.asked} == {f"{TEAM}.{ANA}"}


@pytest.mark.case("S74")
async def test_a_shortcut_hands_over_the_message_as_its_author_wrote_it(http: Http) -> None:
    said = {"type": "message", "ts": "7.7", "thread_ts": "5.5", "user": BEN, "team": TEAM, "text": "I like &lt;tea&gt;"}
    assert await http.send.press(shortcut_body("keep", said)) == (200, "")
    await until(lambda: any("This is keep." in texts(view) for view in http.slack.views.opened.values()))
    [(name, ask)] = http.bot.asked
    thread = Thread("slack", TEAM, PUBLIC, "5.5", Audience.PUBLIC)
    assert (name, ask.user, ask.thread) == ("keep", USER, thread)
    assert isinstance(ask.message, Message)
    assert (ask.message.id, ask.message.thread, ask.message.text) == ("7.7", thread, "I like <tea>")
    assert ask.message.author == replace(USER, id=f"{TEAM}.{BEN}")
    methods = [method for method, _ in http.slack.calls if method != "auth.test"]
    assert methods[0] == "views.open"


async def test_a_shortcut_on_our_own_answer_knows_that_it_is_ours(http: Http) -> None:
    said = {"type": "message", "ts": "7.7", "user": BOT_USER, "bot_id": BOT_ID, "team": TEAM, "text": "Hello"}
    await http.send.press(shortcut_body("keep", said))
    await until(lambda: bool(http.bot.asked))
    asked: Ask = http.bot.asked[0][1]
    assert asked.message
    assert (asked.message.author.id, asked.user.id) == (f"{TEAM}.{BOT_USER}", f"{TEAM}.{ANA}")


async def test_a_shortcut_on_nothing_that_can_be_named_says_so(http: Http) -> None:
    await http.send.press(shortcut_body("keep", {"ts": "odd"}))
    await until(lambda: any("which message" in texts(view) for view in http.slack.views.opened.values()))
    assert http.bot.asked == []


async def test_other_apps_shortcuts_are_ignored(http: Http) -> None:
    for name in ("memory-of-another-app", ""):
        assert (await http.send.press(shortcut_body(name, {"ts": "7.7", "user": BEN})))[0] == 200
    assert (await http.send.press(shortcut_body("catch-up", {"ts": "odd"})))[0] == 200
    assert [http.bot.asked, http.bot.said, http.slack.called("views.open")] == [[], [], []]

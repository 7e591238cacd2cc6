"""App Home and the agent view: one person's own page, what to ask, and what a conversation is called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from bot.chat import Action, Audience, Item, Message, Panel, Thread
from tests.fakes.poll import until
from tests.fakes.slack import ANA, BEN, DM, PUBLIC, TEAM
from tests.fakes.slack_failures import Failure
from tests.fakes.slack_requests import dm_event, new_ts, opened_event, view_press_body
from tests.fakes.slack_views import buttons, texts
from tests.slack.bot import CONFIRM

if TYPE_CHECKING:
    from bot.chat import Ask
    from tests.slack.conftest import Http

FORGET = Action("Forget everything", "forget-me", danger=True)
FACT = Item("I like tea.", "in a direct message, 2026-01-02", (Action("Forget this", "drop", "k1", danger=True),))
PAGE = Panel("What I remember about you.", (FACT,), (FORGET, Action("Next", "home", "2")))


def page(name: str, ask: Ask) -> Panel:
    if name == "home":
        return Panel("Page two.") if ask.argument else PAGE
    return CONFIRM if name == "forget-me" and not ask.argument else Panel(f"{name} {ask.argument} done")


async def home(http: Http, text: str = "What I remember", **more: object) -> dict[str, object]:
    """Open App Home as Ana; the page once it shows this text."""
    http.bot.panel = page
    assert await http.send.event(opened_event("home", **more)) == 200
    return await shows(http, text)


async def shows(http: Http, text: str) -> dict[str, object]:
    await until(lambda: text in texts(http.slack.views.homes.get(ANA, {"blocks": []})))
    return http.slack.views.homes[ANA]


async def test_the_page_shows_what_is_known_from_where_and_what_can_be_done(http: Http) -> None:
    view = await home(http)
    assert [call["user_id"] for call in http.slack.called("views.publish")] == [ANA, ANA]
    assert "Looking up" in texts(http.slack.views.shown[0])
    for text in ("Your memory", "Only you see this page.", "I like tea.", "in a direct message, 2026-01-02"):
        assert text in texts(view)
    assert list(buttons(view)) == ["Forget this", "Forget everything", "Next", "Refresh"]
    [(name, ask)] = http.bot.asked
    assert (name, ask.user.id, ask.thread) == ("home", f"{TEAM}.{ANA}", Thread("slack", TEAM, DM, DM, Audience.DM))


async def test_a_page_that_stands_there_already_does_not_flicker(http: Http) -> None:
    await home(http, view={"id": "V1", "type": "home"})
    assert len(http.slack.called("views.publish")) == 1


async def test_a_press_acts_and_the_page_follows(http: Http) -> None:
    view = await home(http)
    await http.send.press(view_press_body(view, buttons(view)["Forget this"]))
    view = await shows(http, "drop k1 done")
    assert "I like tea." in texts(view)
    await http.send.press(view_press_body(view, buttons(view)["Next"]))
    await shows(http, "Page two.")
    assert [(name, ask.argument) for name, ask in http.bot.asked] == [
        ("home", ""),
        ("drop", "k1"),
        ("home", ""),
        ("home", "2"),
    ]


async def test_forgetting_asks_in_a_window_and_the_page_follows(http: Http) -> None:
    view = await home(http)
    await http.send.press(view_press_body(view, buttons(view)["Forget everything"]))
    await until(lambda: any("Forget everything?" in texts(view) for view in http.slack.views.opened.values()))
    [window] = http.slack.views.opened.values()
    published = len(http.slack.called("views.publish"))
    await http.send.press(view_press_body(window, buttons(window)["Forget me"]))
    await until(lambda: "forget-me fresh done" in texts(http.slack.views.opened[window["id"]]))
    await until(lambda: len(http.slack.called("views.publish")) > published)
    assert "forget-me fresh done" not in texts(http.slack.views.homes[ANA])


async def test_whoever_opens_it_sees_their_own(http: Http) -> None:
    http.bot.panel = lambda name, ask: Panel(f"{name} of {ask.user.id}")
    await http.send.event(opened_event("home"))
    await http.send.event(opened_event("home", user=BEN))
    await until(lambda: all("home of" in texts(http.slack.views.homes.get(who, {"blocks": []})) for who in (ANA, BEN)))
    assert f"{TEAM}.{BEN}" in texts(http.slack.views.homes[BEN])
    assert BEN not in texts(http.slack.views.homes[ANA])


async def test_what_cannot_be_read_says_so_and_can_be_tried_again(http: Http) -> None:
    http.bot.refuse = [RuntimeError("inner words")]
    view = await home(http, "could not read your memory")
    assert "inner" not in texts(view)
    await http.send.press(view_press_body(view, buttons(view)["Try again"]))
    await shows(http, "I like tea.")


async def test_nothing_known_is_a_page_of_its_own(http: Http) -> None:
    http.bot.panel = lambda *_: Panel("I remember nothing about you yet.")
    await http.send.event(opened_event("home"))
    assert list(buttons(await shows(http, "nothing about you yet"))) == ["Refresh"]


async def test_a_stranger_of_another_organisation_gets_an_honest_page(http: Http) -> None:
    http.slack.users[ANA] = {"team_id": "T00OTHER", "is_stranger": True}
    await home(http, "another organisation")
    assert http.bot.asked == []


@pytest.mark.parametrize("error", ["hash_conflict", "internal_error", "not_enabled", "invalid_auth"])
async def test_a_page_that_cannot_be_published_breaks_nothing(http: Http, error: str) -> None:
    http.slack.fail("views.publish", Failure(error), Failure(error))
    assert await http.send.event(opened_event("home")) == 200
    await until(lambda: len(http.slack.called("views.publish")) == 2)
    await home(http)


async def test_a_long_page_fits_or_is_cut_visibly(http: Http) -> None:
    http.bot.panel = lambda *_: Panel(
        "x" * 5000, tuple(Item("y" * 4000, "now", (FORGET,)) for _ in range(60)), (FORGET,)
    )
    await http.send.event(opened_event("home"))
    view = await shows(http, "There is more than fits here.")
    assert "Refresh" in buttons(view)
    http.bot.panel = lambda *_: Panel("top", tuple(Item(f"fact {n}") for n in range(99)), (FORGET, Action("Go", "go")))
    await http.send.press(view_press_body(view, buttons(view)["Forget everything"] | {"action_id": "keepsake.0.go"}))
    view = await shows(http, "fact 5")
    assert list(buttons(view))[-1] == "Refresh"


ODD = [{"user": "USLACKBOT"}, {"user": 5}, {"tab": "about"}, {"channel": None, "tab": "messages"}]


@pytest.mark.parametrize("event", ODD)
async def test_odd_openings_are_acknowledged(http: Http, event: dict[str, object]) -> None:
    assert await http.send.event({**opened_event("home"), **event}) == 200
    assert await http.send.event({"type": "app_context_changed", "user": ANA, "channel": DM}) == 200
    assert [http.bot.asked, http.slack.called("views.publish")] == [[], []]


async def test_an_opened_chat_suggests_what_to_ask_once_a_day(http: Http) -> None:
    for _ in range(3):
        assert await http.send.event(opened_event("messages")) == 200
    await until(lambda: bool(http.slack.views.prompts))
    await http.send.event(opened_event("messages", user=BEN))
    await until(lambda: len(http.slack.views.prompts) == 2)
    [call, _] = http.slack.called("assistant.threads.setSuggestedPrompts")
    assert (call["channel_id"], len(call["prompts"])) == (DM, 4)


async def test_suggestions_that_failed_are_made_at_the_next_opening(http: Http) -> None:
    http.slack.fail("assistant.threads.setSuggestedPrompts", Failure("internal_error"))
    await http.send.event(opened_event("messages"))
    await until(lambda: len(http.slack.called("assistant.threads.setSuggestedPrompts")) == 1)
    await http.send.event(opened_event("messages"))
    await until(lambda: bool(http.slack.views.prompts))


async def started(http: Http, text: str, **more: object) -> Message:
    await http.send.event(dm_event(text, **more))
    message = await http.platform.resolve(http.bot.said[-1])
    assert message is not None
    await http.platform.start_reply(message)
    return message


async def test_a_conversation_is_named_once_by_its_day_and_by_no_word_of_the_persons(http: Http) -> None:
    message = await started(http, "My diagnosis is zebra. <!channel>")
    await until(lambda: (DM, message.id) in http.slack.views.titles)
    named = f"Conversation of {message.sent_at.day} {message.sent_at:%B, %H:%M} (UTC)"
    assert http.slack.views.titles[DM, message.id] == named
    later = await started(http, "and then?", thread_ts=message.id)
    await http.platform.start_reply(later)
    assert list(http.slack.views.titles) == [(DM, message.id)]


async def test_a_name_that_slack_will_not_take_touches_nothing(http: Http) -> None:
    http.slack.fail("agents.sessions.rename", Failure("not_authorized"))
    message = await started(http, "Hello")
    await until(lambda: list(http.slack.views.titles) == [(DM, message.id)])
    assert http.slack.called("assistant.threads.setTitle")
    thread = Thread("slack", TEAM, PUBLIC, (ts := new_ts()), Audience.PUBLIC)
    await http.platform.start_reply(Message(ts, thread, message.author, "in public", message.sent_at))
    assert PUBLIC not in json.dumps(http.slack.called("agents.sessions.rename"))

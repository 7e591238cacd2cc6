"""Whatever a panel holds, what is drawn of it is within Block Kit's limits, and nothing in it calls a crowd."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as some

from adapters.slack.asks import is_private_root, private_root
from adapters.slack.home import home_view
from adapters.slack.modals import LOADING, Place, modal_view, place_of, title_of
from adapters.slack.mrkdwn import mrkdwn
from adapters.slack.panel import panel_bodies
from bot.chat import Action, Item, Panel
from tests.fakes.slack_limits import refusal, view_refusal

WORDS = some.text(some.sampled_from("ab &<>!@#*_`[]()\n\u202eé😀"), max_size=60)
LONG = some.builds(lambda text, times: text * times, WORDS, some.sampled_from([1, 3, 40, 400]))
ACTIONS = some.lists(some.builds(Action, LONG, some.just("do-it"), WORDS, some.booleans()), max_size=30).map(tuple)
ITEMS = some.lists(some.builds(Item, LONG, LONG, ACTIONS), max_size=60).map(tuple)
PANELS = some.builds(Panel, LONG, ITEMS, ACTIONS)
CROWDS = ("<!channel>", "<!here>", "<!everyone>", "<@U00BEN>")


@settings(max_examples=40, deadline=None)
@given(PANELS)
def test_every_panel_fits_messages_windows_and_the_page(panel: Panel) -> None:
    assert [refusal(body) for body in panel_bodies(panel)] == [""] * len(panel_bodies(panel))
    views = (modal_view("A title", panel, Place("C1", "1.1")), home_view(panel, "D1"), home_view(panel, "D1", panel))
    assert [view_refusal(view) for view in views] == ["", "", ""]


@given(some.lists(some.sampled_from([*CROWDS, "**", "`", " ", "a", "<", ">", "&", "[x](https://e.example/)"])))
def test_no_text_in_a_window_calls_anybody(parts: list[str]) -> None:
    shown = mrkdwn("".join(parts))
    assert not any(crowd in shown for crowd in CROWDS)
    assert "<!" not in shown
    assert "<@" not in shown


def test_our_markdown_is_shown_as_slack_writes_it() -> None:
    text = "# Title\n**bold** and `**code**` & [more](https://e.example/a_b)\n- one\n* two"
    assert mrkdwn(text) == "*Title*\n*bold* and `**code**` &amp; <https://e.example/a_b|more>\n• one\n• two"


def test_a_window_knows_its_place_again() -> None:
    place = Place("C1", private_root("U1"), home=True)
    view = modal_view(title_of("forget-me"), LOADING, place)
    assert place_of({"view": view}) == place
    assert set(json.loads(str(view["private_metadata"]))) == {"channel", "root", "home"}
    assert place_of({"view": modal_view("x", LOADING, Place("C" * 4000, "r"))}) == Place()


def test_a_title_is_short_and_never_empty() -> None:
    assert [title_of(name) for name in ("forget-me", "", "x" * 99)] == ["Forget me", "…", "X" + "x" * 23]


def test_only_a_private_conversation_has_a_private_root() -> None:
    roots = [private_root("U1"), "1700000000.000100", "C00PUBLIC", "", "asked.U1"]
    assert [is_private_root(root) for root in roots] == [True, False, False, False, False]

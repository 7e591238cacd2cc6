"""What blocks say: pasted tables, lists within lists, quotes, runs of every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.events import Edited
from bot.chat import Quoted
from tests.fakes.slack import BEN, BOT_USER
from tests.fakes.slack_requests import changed_event, dm_event, mention_event
from tests.slack.test_events import read, said

if TYPE_CHECKING:
    from tests.slack.conftest import Http

Json = dict[str, Any]


def text_run(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, "style": style}


def section(*runs: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(runs)}


def rich(*elements: Json) -> list[Json]:
    return [{"type": "rich_text", "block_id": "b", "elements": list(elements)}]


def pasted(*rows: list[Json]) -> Json:
    """A table as Slack's own client pastes it: in an attachment that says nothing of it in words."""
    blocks = [{"type": "table", "block_id": "t", "rows": list(rows)}]
    return {"id": 1, "blocks": blocks, "fallback": "[no preview available]"}


ROWS: list[list[Json]] = [
    [{"type": "raw_text", "text": "Item"}, {"type": "rich_text", "elements": [section(text_run("Amount", bold=True))]}],
    [{"type": "raw_text", "text": "a < b"}, {"type": "raw_number", "value": 1200, "text": "1,200"}],
    [{"type": "raw_text", "text": "two\nlines"}, {"type": "raw_number", "value": 0.5}, {"type": "odd"}],
]
READ = "| Item | Amount |\n| a < b | 1,200 |\n| two lines | 0.5 |  |"


async def test_a_pasted_table_is_read_whole_beside_its_question(http: Http) -> None:
    assert await http.send.event(mention_event("which is cheaper?", attachments=[pasted(*ROWS)])) == 200
    assert await http.send.event(dm_event("", attachments=[pasted(*ROWS)])) == 200
    assert await http.send.event(
        dm_event("in a block", blocks=[*rich(section(text_run("x"))), *pasted(*ROWS)["blocks"]])
    )
    texts = [(message.text, message.quoted) for message in http.bot.said]
    assert texts == [(f"which is cheaper?\n{READ}", ()), (READ, ()), (f"in a block\n{READ}", ())]


def test_another_number_in_a_pasted_table_is_an_edit_and_a_new_preview_is_none() -> None:
    event = dm_event("which?", attachments=[pasted(*ROWS)])
    cheaper: list[list[Json]] = [[{"type": "raw_text", "text": "Item"}, {"type": "raw_number", "value": 7}]]
    edit = read(changed_event(event, attachments=[pasted(*cheaper)]))
    assert isinstance(edit, Edited)
    assert edit.message.text == "which?\n| Item | 7 |"
    preview = {"from_url": "https://x.io", "text": "preview"}
    assert read(changed_event(event, attachments=[pasted(*ROWS), preview])) is None


def test_a_table_within_a_forward_is_somebody_elses() -> None:
    forward = {**pasted(*ROWS), "is_share": True, "author_name": "Ben"}
    message = said(dm_event("look", attachments=[forward]))
    assert (message.text, message.quoted) == ("look", (Quoted("Ben", READ),))


@pytest.mark.parametrize("rows", ["x", [3, None, "x"], [[{"type": "raw_text", "text": 4}]], None])
def test_a_broken_table_takes_no_word_along(rows: object) -> None:
    table = {"blocks": [{"type": "table", "rows": rows}], "fallback": "[no preview available]"}
    assert said(dm_event("still here", attachments=[table])).text.startswith("still here")


def test_lists_keep_their_depth_and_their_numbers() -> None:
    lists: list[Json] = [
        {"type": "rich_text_list", "style": "ordered", "offset": 2, "elements": [section(text_run("three"))] * 2},
        {"type": "rich_text_list", "style": "bullet", "indent": 1, "elements": [section(text_run("within"))]},
        {"type": "rich_text_list", "style": "ordered", "indent": 2, "elements": [section(text_run("deeper"))]},
        {"type": "rich_text_list", "style": "bullet", "indent": 10**9, "elements": [section(text_run("absurd"))]},
    ]
    read_as = f"3. three\n4. three\n    - within\n        1. deeper\n{' ' * 32}- absurd"
    assert said(dm_event("", blocks=rich(*lists))).text == read_as


def test_runs_of_every_kind_are_read() -> None:
    runs: list[Json] = [
        text_run("a & b ", code=True),
        {"type": "emoji", "name": "tea", "unicode": "1f375"},
        {"type": "date", "timestamp": 1, "format": "{date}", "fallback": " today "},
        {"type": "color", "value": "#F405B3"},
        {"type": "link", "url": "https://x.io/?a=1&b=2", "text": "the docs"},
        {"type": "broadcast", "range": "here"},
        {"type": "usergroup", "usergroup_id": "S1"},
        {"type": "user", "user_id": BEN},
        {"type": "something_new", "text": "!"},
        {"type": "user"},
    ]
    read_as = f"a & b :tea: today #F405B3the docs (https://x.io/?a=1&b=2)@here@group<@{BEN}>!<>"
    assert said(dm_event("", blocks=rich(section(*runs)))).text.replace("<@>", "<>") == read_as


def test_a_quotation_within_rich_text_is_somebody_elses_words_line_by_line() -> None:
    quote = {"type": "rich_text_quote", "elements": [text_run("I hate tea\nand coffee")]}
    after = section({"type": "user", "user_id": BOT_USER}, text_run(" why?"))
    message = said(dm_event("", blocks=rich(quote, after)))
    assert (message.text, message.quoted) == ("why?", (Quoted("a quotation", "I hate tea\nand coffee"),))


def test_quotes_within_quotes_are_one_quotation() -> None:
    message = said(dm_event("&gt; she said\n&gt; &gt; he said\nand I say no"))
    assert (message.text, message.quoted) == ("and I say no", (Quoted("a quotation", "she said\n> he said"),))


def test_pictures_and_headings_say_what_they_are_called() -> None:
    blocks: list[Json] = [
        {"type": "header", "text": {"type": "plain_text", "text": "Build 7"}},
        {"type": "image", "image_url": "https://x.io/a.png", "alt_text": "a <graph>"},
        {"type": "divider"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "by *CI*"}, {"type": "image", "alt_text": "x"}]},
    ]
    assert said(dm_event("", blocks=blocks)).text == "Build 7\na <graph>\nby *CI*"


@pytest.mark.parametrize("text", ["<!date^1700000000^{date_short}|18 Feb>", "18 Feb"])
def test_a_date_reads_as_it_was_shown(text: str) -> None:
    assert said(dm_event(text)).text == "18 Feb"

"""The words of a message: entities, links, rich text, tables, and other people's words that came with it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.chat import Quoted
from tests.fakes.slack import BOT_USER
from tests.fakes.slack_requests import dm_event, mention_event
from tests.slack.test_events import said

Json = dict[str, Any]


@pytest.mark.case("S77")
def test_s77_a_forward_is_somebody_elses_words() -> None:
    attachments = [
        {"author_name": "Ben\nOkri", "text": "the key is &lt;here&gt;", "is_share": True},
        {"author_subname": "Cy", "message_blocks": [{"message": {"blocks": [_rich("from blocks")]}}]},
        {"fallback": "[no preview]"},
        {},
    ]
    message = said(dm_event("", attachments=attachments))
    assert message.text == ""
    assert message.quoted == (
        Quoted("Ben Okri", "the key is <here>"),
        Quoted("Cy", "from blocks"),
        Quoted("somebody", "[no preview]"),
    )


def _run(text: str) -> Json:
    return {"type": "text", "text": text}


def _rich(text: str) -> Json:
    section = {"type": "rich_text_section", "elements": [_run(text)]}
    return {"type": "rich_text", "elements": [section]}


def test_entities_and_links_read_as_people_wrote_them() -> None:
    sent = "a &lt; b &amp;&amp; c <https://x.io/?a=1&amp;b=2|the docs> <https://x.io> <mailto:a@b.c|a@b.c> <!here> "
    sent += "<#C1|general> <!subteam^S1|@team> <@U1|ana> <!date^1^{date}|today> &amp;lt;"
    read_as = "a < b && c the docs (https://x.io/?a=1&b=2) https://x.io a@b.c @here #general @team @ana today &lt;"
    assert said(dm_event(sent)).text == read_as


def test_rich_text_is_read_when_there_is_no_text() -> None:
    user, words, code = {"type": "user", "user_id": BOT_USER}, _run(" a<b "), _run("  code")
    link, emoji = {"type": "link", "url": "https://x.io"}, {"type": "emoji", "name": "tea"}
    elements = [
        {"type": "rich_text_section", "elements": [user, words]},
        {"type": "rich_text_list", "elements": [{"type": "rich_text_section", "elements": [emoji]}]},
        {"type": "rich_text_quote", "elements": [link]},
        {"type": "rich_text_preformatted", "elements": [code]},
    ]
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "k"}, _rich("v")], "odd"]}
    message = said(dm_event("", blocks=[{"type": "rich_text", "elements": elements}, table]))
    assert message.text == "a<b \n- :tea:\n```\n  code\n```\n| k | v |\n|  |"
    assert message.quoted == (Quoted("a quotation", "https://x.io"),)


def test_quoted_lines_are_somebody_elses_words() -> None:
    message = said(dm_event("&gt; I hate &lt;b&gt; <@U1>\n&gt; and tea\nWhy?", attachments=[{"text": "more"}]))
    assert message.text == "Why?"
    assert message.quoted == (Quoted("a quotation", "I hate <b> <@U1>\nand tea"), Quoted("somebody", "more"))
    only = said(dm_event("&gt; I hate tea"))
    assert (only.text, only.quoted) == ("", (Quoted("a quotation", "I hate tea"),))


def test_code_and_a_comparison_after_our_name_are_ones_own_words() -> None:
    assert said(dm_event("```\n&gt; 1\n```")).text == "```\n> 1\n```"
    assert said(mention_event("&gt; 5 of us come")).text == "> 5 of us come"


def test_a_list_within_a_quotation_is_quoted() -> None:
    items = [{"type": "rich_text_section", "elements": [_run("their item")]}]
    elements = [{"type": "rich_text_list", "border": 1, "elements": items}]
    message = said(dm_event("", blocks=[{"type": "rich_text", "elements": elements}]))
    assert (message.text, message.quoted) == ("", (Quoted("a quotation", "- their item"),))


def test_names_that_come_with_the_payload_say_nothing() -> None:
    sent = "with <@U1|Ben. My PIN is 4711> in <#C1|x. I hate it!> and <!subteam^S1|@team. I quit> and <@U2|?!>"
    assert said(dm_event(sent)).text == "with @Ben in #x I hate it and @team and <@U2>"


def test_half_a_character_harms_nothing() -> None:
    files = [{"id": "F1", "name": "a\ud83d.png"}]
    message = said(dm_event("hi \ud83d there \ud83d\ude00", files=files, attachments=[{"text": "q\ud83d"}]))
    assert message.text == "hi \ufffd there 😀"
    assert message.attachments[0].name == "a\ufffd.png"
    assert message.quoted[0].text == "q\ufffd"

"""The words of a message: entities, links, rich text, tables, and other people's words that came with it."""

from __future__ import annotations

from typing import Any

from bot.chat import Quoted
from tests.fakes.slack import BOT_USER
from tests.fakes.slack_requests import dm_event
from tests.slack.test_events import said

Json = dict[str, Any]


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
    assert message.text == "a<b \n- :tea:\n> https://x.io\n```\n  code\n```\n| k | v |\n|  |"

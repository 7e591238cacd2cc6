"""The message that a shortcut was used on: as whoever wrote it did, person, app or we ourselves."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.slack.events import message_in
from adapters.slack.identity import Own, presser
from bot.chat import Attachment, Quoted
from tests.fakes.slack import ANA, BEN, BOT_ID, BOT_USER, PUBLIC, TEAM
from tests.fakes.slack_requests import mention_event
from tests.slack.test_events import said

Json = dict[str, Any]
OWN = Own(BOT_USER, BOT_ID, TEAM)
TS = "1700000000.000300"


def shortcut(used_on: Json, **more: Any) -> Json:  # noqa: ANN401 - any field of a body
    """Ana uses a shortcut on a message in the public channel."""
    return {
        "type": "message_action",
        "callback_id": "keep",
        "trigger_id": "1.2.x",
        "team": {"id": TEAM, "domain": "fake"},
        "user": {"id": ANA, "team_id": TEAM, "name": "ana"},
        "channel": {"id": PUBLIC, "name": "general"},
        "message_ts": used_on.get("ts", TS),
        "message": {"type": "message", "ts": TS, "text": "hi", **used_on},
        **more,
    }


def test_it_is_the_message_that_its_event_was() -> None:
    event = mention_event("hi &amp; &gt; 1", thread_ts="1700000000.000100", files=[{"id": "F1", "name": "a"}])
    message = message_in(shortcut(event), OWN)
    assert message is not None
    heard = said(event)
    assert (message.key, message.thread, message.author, message.text) == (
        heard.key,
        heard.thread,
        heard.author,
        heard.text,
    )
    assert message.attachments == (Attachment("F1", "a", "", 0),)


@pytest.mark.parametrize(
    ("by", "author"),
    [
        ({"user": ANA, "team": TEAM}, f"{TEAM}.{ANA}"),
        ({"user": BEN}, f"{TEAM}.{BEN}"),
        ({"user": BOT_USER, "bot_id": BOT_ID, "app_id": "A1"}, f"{TEAM}.{BOT_USER}"),
        ({"bot_id": "B00CI", "subtype": "bot_message"}, f"{TEAM}.B00CI"),
        ({"user": "U00EXT", "team": "T00OTHER"}, "T00OTHER.U00EXT"),
        ({"user": "U00EXT", "user_team": "T00OTHER", "team": TEAM}, "T00OTHER.U00EXT"),
    ],
)
def test_its_author_is_whoever_wrote_it(by: Json, author: str) -> None:
    message = message_in(shortcut(by), OWN)
    assert message is not None
    assert message.author.id == author


def test_ones_own_message_is_known_as_ones_own_in_every_kind_of_install() -> None:
    grid = {"enterprise": {"id": "E00ORG", "name": "org"}}
    for more in ({}, {"team": None}, grid, {**grid, "is_enterprise_install": True}):
        for by in ({"user": ANA}, {"user": ANA, "team": TEAM}, {"user": ANA, "team": "T00SISTER"}):
            body = shortcut(by, **more)
            message, person = message_in(body, OWN), presser(body, OWN)
            assert message is not None
            assert person is not None
            assert message.author.id == person.id
            assert message.thread.install == ("E00ORG" if more.get("is_enterprise_install") else TEAM)


@pytest.mark.case("S77")
def test_s77_what_was_forwarded_in_it_is_others_words() -> None:
    forward = {"is_share": True, "author_name": "Ben", "text": "I hate tea"}
    message = message_in(shortcut({"user": ANA, "text": "look", "attachments": [forward]}), OWN)
    assert message is not None
    assert (message.text, message.quoted) == ("look", (Quoted("Ben", "I hate tea"),))


@pytest.mark.parametrize(
    "body",
    [
        {},
        shortcut({"user": ANA}, message=None),
        shortcut({"user": ANA}, message=[]),
        shortcut({"user": ANA}, channel=None),
        shortcut({"user": ANA}, channel={"id": "../x"}),
        shortcut({"user": ANA, "ts": None}),
        shortcut({"user": ANA, "ts": "now"}),
        shortcut({"user": "USLACKBOT"}),
        shortcut({"user": None}),
        shortcut({"user": None, "bot_id": "b.1"}),
    ],
)
def test_what_cannot_be_named_is_none(body: Json) -> None:
    assert message_in(body, OWN) is None


@pytest.mark.parametrize(
    "more",
    [
        {"bot_id": "B0OTHERAPP", "app_id": "A9"},
        {"bot_profile": {"id": "B0OTHERAPP"}},
        {"subtype": "bot_message", "bot_id": "B9"},
        {"subtype": "channel_join"},
        {"subtype": "reminder_add"},
    ],
)
def test_what_an_app_or_slack_wrote_in_a_persons_name_is_not_that_persons(more: Json) -> None:
    message = message_in(shortcut({"user": ANA, "text": "I hate my boss.", **more}), OWN)
    assert message is None or message.author.id != f"{TEAM}.{ANA}"

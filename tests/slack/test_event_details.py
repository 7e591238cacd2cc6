"""The pure parser: workspaces of an organisation, when an edit was made, who can read along, and the stop button."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.slack.events import Edited, Stopped, changed_channel
from bot.chat import Audience
from tests.fakes.slack import ANA, BEN, BOT_USER, DM, PUBLIC, TEAM
from tests.fakes.slack_requests import changed_event, dm_event, event_body, mention_event
from tests.slack.test_events import grid, read, said

Json = dict[str, Any]


def org_wide(**more: Any) -> Json:  # noqa: ANN401 - any field of a body
    body = grid()
    body["authorizations"][0] |= {"is_enterprise_install": True}
    return {**body, **more}


@pytest.mark.case("S66")
def test_in_an_org_wide_install_a_thread_belongs_to_the_workspace_of_its_channel() -> None:
    event = mention_event("hi", team="T00SISTER")  # where its author is at home
    assert said(event, **org_wide(team_id="T00ONE")).thread.workspace == "T00ONE"
    assert said(event, **org_wide(team_id="T00ONE", context_team_id="T00TWO")).thread.workspace == "T00TWO"
    assert said(event, **org_wide(team_id="E00ORG")).thread.workspace == ""
    edit = read(changed_event(event, text=f"<@{BOT_USER}> ho"), **org_wide(team_id="T00ONE"))
    assert isinstance(edit, Edited)
    assert edit.message.thread == said(event, **org_wide(team_id="T00ONE")).thread


def test_where_one_workspace_is_installed_it_is_the_install() -> None:
    assert said(mention_event("hi")).thread.workspace == said(mention_event("hi"), **grid()).thread.workspace == ""


def test_an_edit_says_when_it_was_made() -> None:
    event = mention_event("old")
    assert said(event).edited_at is None
    edited = {"user": ANA, "ts": "1771442483.000000"}
    for heard in (read(event | {"edited": edited}), read(changed_event(event, text="new", edited=edited))):
        assert isinstance(heard, Edited)
        assert heard.message.edited_at == datetime(2026, 2, 18, 19, 21, 23, tzinfo=UTC)
    unmarked = changed_event(event, text="new", edited=None) | {"ts": "1771442484.000300"}
    heard = read(unmarked)
    assert isinstance(heard, Edited)
    assert heard.message.edited_at == datetime(2026, 2, 18, 19, 21, 24, tzinfo=UTC)


def test_a_channel_shared_with_others_is_external_by_its_event_alone() -> None:
    for event in (mention_event("hi"), dm_event("hi")):
        assert said(event, is_ext_shared_channel=True).thread.audience is Audience.EXTERNAL
        assert said(event).thread.audience is Audience.UNKNOWN


@pytest.mark.parametrize(
    ("event", "more", "channel"),
    [
        (mention_event("hi"), {"is_ext_shared_channel": True}, PUBLIC),
        ({"type": "channel_shared", "channel": PUBLIC}, {}, PUBLIC),
        ({"type": "channel_unshared", "channel": PUBLIC}, {}, PUBLIC),
        ({"type": "message", "subtype": "channel_convert_to_private", "channel": PUBLIC}, {}, PUBLIC),
        (mention_event("hi"), {}, ""),
        ({"type": "channel_rename", "channel": {"id": PUBLIC, "name": "new"}}, {}, PUBLIC),
        ({"type": "channel_shared", "channel": [PUBLIC]}, {}, ""),
    ],
)
def test_news_of_a_channel_are_noticed(event: Json, more: Json, channel: str) -> None:
    assert changed_channel(event_body(event, **more)) == channel


def stop_event(**more: Any) -> Json:  # noqa: ANN401 - any field of an event
    stop = {"type": "agent_session_stopped", "channel": DM, "user": ANA, "thread_ts": "1771442483.260129"}
    return {**stop, "streaming_message_ts": [], "event_ts": "1771442490.000100", **more}


@pytest.mark.case("S55")
def test_r19_s55_stop_names_the_thread_and_whoever_pressed_it() -> None:
    first = said(dm_event("hi", ts="1771442483.260129"))
    assert read(stop_event()) == Stopped(first.thread, first.author)
    by_ben = read(stop_event(user=BEN))
    assert isinstance(by_ben, Stopped)
    assert by_ben.user.id == f"{TEAM}.{BEN}"
    for change in ({"user": None}, {"user": BOT_USER}, {"thread_ts": None}, {"channel": ""}):
        assert read(stop_event(**change)) is None

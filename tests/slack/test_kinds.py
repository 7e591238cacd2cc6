"""Kinds of messages and events, through the signed route and the real app: which are a person talking to us."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.identity import Own
from adapters.slack.inbox import Inbox
from bot.chat import NotAccepted, Quoted
from tests.fakes.slack import ANA, BEN, BOT_ID, BOT_USER, DM, GROUP_DM, PRIVATE, PUBLIC, TEAM
from tests.fakes.slack_requests import changed_event, dm_event, event_body, mention_event, new_ts
from tests.slack.conftest import the_workspace

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform
    from tests.slack.bot import RecordingBot
    from tests.slack.conftest import Http

Json = dict[str, Any]


def nothing(http: Http) -> bool:
    return (http.bot.said, http.bot.edits, http.bot.deletions, http.bot.stops) == ([], [], [], [])


@pytest.mark.case("S14", "S33", "S35")
@pytest.mark.parametrize(
    "more",
    [
        {"subtype": "message_replied", "message": {"text": "x", "user": ANA, "ts": "1.1"}},
        {"subtype": "bot_message", "bot_id": "B00CI"},
        {"subtype": "bot_message", "bot_id": "B00CI", "user": ANA},
        {"subtype": "assistant_app_thread", "user": BOT_USER},
        {"subtype": "assistant_app_thread"},
        {"subtype": "channel_join"},
        {"subtype": "group_join"},
        {"subtype": "channel_leave"},
        {"subtype": "channel_name", "name": "new", "old_name": "old"},
        {"subtype": "channel_topic", "topic": f"<@{BOT_USER}>"},
        {"subtype": "channel_purpose"},
        {"subtype": "pinned_item"},
        {"subtype": "file_comment", "comment": {"user": ANA}},
        {"subtype": "file_mention"},
        {"subtype": "huddle_thread", "room": {"id": "R1"}},
        {"subtype": "reminder_add"},
        {"subtype": "reply_broadcast"},
        {"subtype": "document_mention"},
        {"subtype": "ekm_access_denied"},
        {"subtype": "something_new_in_2027"},
        {"user": "USLACKBOT", "text": "Reminder: drink tea."},
        {"user": BOT_USER},
        {"bot_profile": {"id": "B00WORKFLOW"}, "bot_id": "B00WORKFLOW"},
        {"hidden": True},
        {"is_ephemeral": True},
        {"user": None},
        {"user": ""},
        {"ts": None},
        {"ts": ""},
        {"ts": 1700000000.0001},
        {"subtype": ["file_share"], "user": None},
        {"channel": None},
        {"channel": {"id": DM}},
    ],
)
async def test_what_no_person_says_to_us_is_acknowledged_and_nothing_else(http: Http, more: Json) -> None:
    for event in (dm_event(f"<@{BOT_USER}> x"), mention_event("x"), mention_event("x", type="message")):
        assert await http.send.event({**event, **more}) == 200
    assert nothing(http)


@pytest.mark.case("S25", "S27", "S28")
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"subtype": None},
        {"subtype": "file_share", "files": [{"id": "F1"}]},
        {"subtype": "file_share", "files": None, "text": None},
        {"subtype": "thread_broadcast", "thread_ts": "1700000000.000001", "root": {"user": BEN, "text": "r"}},
        {"subtype": "me_message"},
        {"text": None, "blocks": None, "attachments": None, "files": None, "metadata": None},
        {"text": 7, "blocks": [1, None, {"type": "rich_text", "elements": {"a": 1}}], "files": [None, "x", {}]},
        {"team": None, "source_team": None, "user_team": None, "user_profile": None, "bot_id": None, "app_id": None},
        {"channel_type": None},
        {"assistant_thread": {"action_token": "x"}, "client_msg_id": "c", "event_ts": "1.1"},
    ],
)
async def test_every_way_of_talking_to_us_directly_is_a_message(http: Http, more: Json) -> None:
    assert await http.send.event({**dm_event("hello"), **more}) == 200
    [message] = http.bot.said
    assert (message.thread.channel, message.called) == (DM, True)


@pytest.mark.case("S26")
async def test_s26_a_direct_message_with_our_mention_and_its_twin_are_one(http: Http) -> None:
    event = dm_event(f"<@{BOT_USER}> hi")
    for twin in (event, {**event, "type": "app_mention"}):
        assert await http.send.event(twin) == 200
    assert [message.text for message in http.bot.said] == ["hi"]


async def test_the_same_ts_in_two_channels_is_two_messages(http: Http) -> None:
    stamp = new_ts()
    for channel in (PUBLIC, PRIVATE, GROUP_DM):
        assert await http.send.event(mention_event("hi", channel=channel, ts=stamp)) == 200
    assert len({message.key for message in http.bot.said}) == 3


@pytest.mark.case("S77")
@pytest.mark.parametrize(
    "said",
    [
        {"text": "look", "attachments": [{"is_share": True, "text": f"<@{BOT_USER}> hi", "author_name": "Ben"}]},
        {"text": f"in code `&lt;@{BOT_USER}&gt;`"},
        {"text": "by hand: @Keepsake"},
        {"text": f"<https://x.io/<@{BOT_USER}|x>"[:20]},
        {"text": f"<@{BOT_USER}X>"},
    ],
)
async def test_our_name_in_a_forward_or_in_code_is_no_call(http: Http, said: Json) -> None:
    assert await http.send.event({**mention_event(""), "type": "message", "channel_type": "channel", **said}) == 200
    assert nothing(http)


async def test_a_mention_in_rich_text_alone_is_a_call(http: Http) -> None:
    runs = [{"type": "user", "user_id": BOT_USER}, {"type": "text", "text": " tea?"}]
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": runs}]}]
    event = {**mention_event(""), "type": "message", "text": "", "blocks": blocks}
    assert await http.send.event(event) == 200
    assert [message.text for message in http.bot.said] == ["tea?"]


async def test_a_mention_alone_is_a_call_without_words(http: Http) -> None:
    assert await http.send.event(mention_event("")) == 200
    assert [message.text for message in http.bot.said] == [""]


async def test_a_link_and_its_preview_are_ones_own_link_and_somebodys_words(http: Http) -> None:
    preview = {"from_url": "https://x.io", "service_name": "X", "title": "T", "text": "I hate tea", "fallback": "f"}
    assert await http.send.event(dm_event("<https://x.io>", attachments=[preview])) == 200
    [message] = http.bot.said
    assert (message.text, message.quoted) == ("https://x.io", (Quoted("X", "I hate tea"),))


async def test_a_file_that_is_not_there_any_more_is_none(http: Http) -> None:
    files = [{"id": "F1", "mode": "tombstone"}, {"id": "F2", "mode": "hidden_by_limit"}, {"id": "F3", "mode": "hosted"}]
    assert await http.send.event(dm_event("see", subtype="file_share", files=files)) == 200
    assert [file.id for file in http.bot.said[0].attachments] == ["F3"]


@pytest.mark.case("S30")
@pytest.mark.parametrize(
    "change",
    [
        {"attachments": [{"from_url": "https://x.io", "text": "preview"}]},
        {"metadata": {"event_type": "x", "event_payload": {}}},
        {"reply_count": 3, "latest_reply": "1.1", "subscribed": True},
        {"reactions": [{"name": "tea"}]},
        {"files": [{"id": "F1", "mode": "tombstone"}]},
        {"is_locked": True},
        {"pinned_to": [PUBLIC]},
    ],
)
async def test_s30_what_changes_around_the_words_is_no_edit(http: Http, change: Json) -> None:
    for event in (dm_event("see https://x.io"), mention_event("see https://x.io")):
        assert await http.send.event(changed_event(event, **change)) == 200
        assert await http.send.event(changed_event(event, edited=None, **change)) == 200
    assert nothing(http)


@pytest.mark.case("S32", "S34")
@pytest.mark.parametrize("change", [{"user": BOT_USER}, {"bot_id": BOT_ID}, {"bot_profile": {"id": BOT_ID}}])
async def test_s34_our_own_edit_is_ignored_though_we_do_not_know_ourselves_yet(http: Http, change: Json) -> None:
    the_workspace(http.platform).own = Own()
    event = changed_event({**dm_event("answer"), "user": BOT_USER, "bot_id": BOT_ID}, text="more", **change)
    if "bot_id" not in change:
        event["message"].pop("bot_id")
    assert await http.send.event(event) == 200
    assert nothing(http)


@pytest.mark.parametrize("depth", [20, 100, 300])
async def test_blocks_nested_beyond_reason_are_no_server_error(http: Http, depth: int) -> None:
    blocks = json.loads('[{"elements":' * depth + "1" + "}]" * depth)
    event = dm_event("hello", blocks=blocks)
    assert await http.send.event({**event, "text": ""}) == 200
    assert await http.send.event(changed_event(event, blocks=[*blocks, {"type": "divider"}])) == 200
    assert [edit.text for edit, _ in http.bot.edits] == ["hello"]


async def test_an_edit_that_takes_the_words_away_is_an_edit(http: Http) -> None:
    assert await http.send.event(changed_event(dm_event("old"), text="")) == 200
    assert [(edit.text, calls) for edit, calls in http.bot.edits] == [("", True)]


@pytest.mark.case("S01", "S03", "S06")
async def test_edits_and_deletions_come_twice_like_all_else(http: Http) -> None:
    event = dm_event("old")
    change = event_body(changed_event(event, text="new"))
    gone = {"type": "message", "subtype": "message_deleted", "channel": DM, "deleted_ts": event["ts"], "ts": new_ts()}
    http.bot.refuse = [NotAccepted()]
    assert [(await http.send.json(change))[0] for _ in range(3)] == [503, 200, 200]
    assert [await http.send.event(gone) for _ in range(2)] == [200, 200]
    assert len({edit.edited_at for edit, _ in http.bot.edits}) == len(set(http.bot.deletions)) == 1


@pytest.mark.parametrize("kind", ["app_home_opened", "app_context_changed"])
async def test_an_opening_is_handed_on_and_no_message(platform: SlackPlatform, bot: RecordingBot, kind: str) -> None:
    opened: list[Json] = []

    async def on_opening(body: Json) -> None:
        opened.append(body)

    workspaces = platform._workspaces
    assert workspaces is not None
    body = event_body({"type": kind, "tab": "home", "user": ANA, "channel": DM})
    assert await Inbox(bot, workspaces, on_opening).take(body) == 200
    assert await Inbox(bot, workspaces).take(body) == 200
    assert opened == [body]
    assert bot.said == []


def test_the_team_of_these_tests_is_ours() -> None:
    assert event_body({})["authorizations"][0]["team_id"] == TEAM

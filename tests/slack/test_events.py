"""The pure parser: which payload is a message, an edit, a deletion, and whose."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.events import Deleted, Edited, Said, read_event
from adapters.slack.identity import Own, pressed_install, presser
from bot.chat import Attachment, Audience, Message
from tests.fakes.slack import ANA, BEN, BOT_ID, BOT_USER, DM, GROUP_DM, PUBLIC, TEAM
from tests.fakes.slack_requests import (
    changed_event,
    command_body,
    dm_event,
    event_body,
    mention_event,
    new_ts,
    press_body,
)

if TYPE_CHECKING:
    from adapters.slack.events import Heard

Json = dict[str, Any]
STRANGER = "T00OTHER"


def read(event: Json, own: Own | None = None, **more: Any) -> Heard | None:  # noqa: ANN401 - any field
    return read_event(event_body(event, **more), own or Own())


def said(event: Json, **more: Any) -> Message:  # noqa: ANN401 - any field
    heard = read(event, **more)
    assert isinstance(heard, Said)
    return heard.message


def grid(enterprise: str = "E00ORG") -> Json:
    authorization = {"enterprise_id": enterprise, "team_id": TEAM, "user_id": BOT_USER, "is_bot": True}
    return {"authorizations": [authorization], "enterprise_id": enterprise}


def test_a_direct_message_says_what_the_payload_says() -> None:
    message = said(dm_event("hello", ts="1771442483.260129"))
    assert (message.id, message.text, message.author.id) == ("1771442483.260129", "hello", f"{TEAM}.{ANA}")
    assert message.sent_at == datetime(2026, 2, 18, 19, 21, 23, 260129, UTC)
    assert message.author.space == f"slack.{TEAM}.{ANA}"
    assert message.key == f"slack:{TEAM}:{DM}:1771442483.260129"
    assert message.thread.audience is Audience.UNKNOWN


@pytest.mark.case("S21", "S18", "S23")
def test_s21_a_top_level_message_and_its_thread_are_one_conversation() -> None:
    first = dm_event("first")
    assert said(first).thread == said(dm_event("second", thread_ts=first["ts"])).thread


@pytest.mark.case("S22", "S19")
def test_s22_two_mentions_in_a_channel_are_two_conversations() -> None:
    assert said(mention_event("one")).thread != said(mention_event("two")).thread


@pytest.mark.case("S25", "S26")
def test_s25_s26_a_top_level_direct_message_needs_no_mention_and_loses_ours() -> None:
    assert said(dm_event("plain")).text == "plain"
    with_mention = dm_event(f"<@{BOT_USER}> what did <@{BEN}> say")
    assert said(with_mention).text == f"what did <@{BEN}> say"
    assert said({**with_mention, "type": "app_mention"}).key == said(with_mention).key


@pytest.mark.case("S27")
def test_s27_a_thread_reply_also_sent_to_the_channel_stays_in_its_thread() -> None:
    event = mention_event("look", type="message", subtype="thread_broadcast", thread_ts="1700000000.000001")
    assert said(event).thread.root == "1700000000.000001"


@pytest.mark.case("S28")
def test_s28_a_message_with_a_file_is_a_message() -> None:
    files = [{"id": "F1", "name": "a.png", "mimetype": "image/png", "size": 12}, {"no": "id"}, {"id": "F2"}]
    message = said(dm_event("see", subtype="file_share", files=files))
    assert message.attachments == (Attachment("F1", "a.png", "image/png", 12), Attachment("F2", "", "", 0))


def test_a_me_message_is_a_message_and_unknown_subtypes_are_not() -> None:
    assert said(dm_event("waves", subtype="me_message")).text == "waves"
    for subtype in ("channel_join", "bot_message", "assistant_app_thread", "channel_topic", "message_replied"):
        assert read(dm_event("x", subtype=subtype)) is None


@pytest.mark.case("S29")
def test_s29_an_edited_mention_is_an_edit() -> None:
    heard = read(mention_event("better", edited={"user": ANA, "ts": new_ts()}))
    assert isinstance(heard, Edited)
    assert heard.calls


@pytest.mark.case("S30")
def test_s30_an_edit_that_changes_no_word_is_none() -> None:
    block = {"type": "rich_text", "block_id": "a", "elements": []}
    event = dm_event("same https://example.com", blocks=[block])
    assert read(changed_event(event, attachments=[{"text": "preview"}])) is None
    assert read(changed_event(event, metadata={"x": 1}, blocks=[{**block, "block_id": "b"}])) is None
    assert isinstance(read(changed_event(event, text="other")), Edited)
    assert isinstance(read(changed_event(event, blocks=[{**block, "elements": [{"type": "x"}]}])), Edited)


def test_an_edit_is_known_by_slacks_mark_when_the_words_before_are_missing() -> None:
    event = changed_event(dm_event("old"), text="new") | {"previous_message": None}
    assert isinstance(read(event), Edited)
    del event["message"]["edited"]
    assert read(event) is None


def test_an_edit_by_somebody_else_is_not_followed() -> None:
    assert read(changed_event(dm_event("old"), text="new", edited={"user": BEN, "ts": "1.1"})) is None


@pytest.mark.case("S29")
def test_an_edit_in_a_channel_says_whether_it_calls_us_now() -> None:
    plain = mention_event("") | {"type": "message", "text": "lunch?", "channel_type": "channel"}
    for text, calls in ((f"lunch, <@{BOT_USER}>?", True), ("dinner?", False)):
        heard = read(changed_event(plain, text=text))
        assert isinstance(heard, Edited)
        assert (heard.calls, heard.message.id) == (calls, plain["ts"])


@pytest.mark.case("S32")
def test_s32_our_own_edit_is_not_followed() -> None:
    event = dm_event("answer", user=ANA)
    assert read(changed_event(event, text="longer answer", bot_id=BOT_ID)) is None
    assert read(changed_event({**event, "user": BOT_USER}, text="longer answer")) is None


@pytest.mark.case("S33", "S35")
def test_s33_s35_bots_never_call_us() -> None:
    assert read(mention_event("hi", bot_id="B00OTHER")) is None
    assert read(mention_event("hi", type="message", subtype="bot_message", user=None, bot_id="B00OTHER")) is None
    assert read(dm_event("hi", bot_profile={"id": "B00OTHER"})) is None


def test_a_deletion_names_the_message() -> None:
    event = {"type": "message", "subtype": "message_deleted", "channel": DM, "deleted_ts": "1.1", "hidden": True}
    assert read(event) == Deleted(f"slack:{TEAM}:{DM}:1.1")
    tombstone = changed_event(
        dm_event("gone", ts="2.2"), subtype="tombstone", user="USLACKBOT", text="This was deleted"
    )
    assert read(tombstone) == Deleted(f"slack:{TEAM}:{DM}:2.2")


def test_a_group_dm_needs_a_mention() -> None:
    assert read(dm_event("hello all", channel=GROUP_DM, channel_type="mpim")) is None
    assert said(mention_event("hello", channel=GROUP_DM)).text == "hello"


@pytest.mark.case("S63")
def test_s63_the_same_ids_in_two_installs_are_two_people_and_two_threads() -> None:
    event = dm_event("hi", team=None)
    here, there = said(event), said(event, team_id="T00TWO", authorizations=[{"user_id": BOT_USER, "is_bot": True}])
    assert here.author.space != there.author.space
    assert here.thread.key != there.thread.key
    assert here.key != there.key


@pytest.mark.case("S64")
def test_s64_metadata_says_nothing_about_who_speaks() -> None:
    forged = {"event_type": "x", "event_payload": {"user_id": BEN}}
    assert said(dm_event("hi", metadata=forged)).author.id == f"{TEAM}.{ANA}"
    assert read(mention_event("hi", user=None, bot_id="B1", metadata=forged)) is None


@pytest.mark.case("S65")
def test_s65_a_stranger_of_another_organisation_is_not_one_of_ours() -> None:
    event = mention_event("hi", user="U00EXT", user_team=STRANGER, source_team=STRANGER, team=TEAM)
    assert said(event, is_ext_shared_channel=True).author.id == f"{STRANGER}.U00EXT"
    assert said(event, is_ext_shared_channel=True, **grid()).author.id == f"{STRANGER}.U00EXT"
    assert said({**event, "user_team": "E00OTHER"}, is_ext_shared_channel=True, **grid()).author.id == "E00OTHER.U00EXT"


@pytest.mark.case("S66")
@pytest.mark.parametrize("team", [{"user_team": "E00ORG"}, {"team": TEAM}, {"team": "T00SISTER"}, {}])
def test_s66_a_colleague_in_a_grid_belongs_to_the_organisation(team: Json) -> None:
    assert said(mention_event("hi", **team), **grid()).author.id == f"E00ORG.{ANA}"


def test_an_org_wide_install_is_named_by_the_organisation() -> None:
    body = grid()
    body["authorizations"][0] |= {"is_enterprise_install": True}
    assert said(dm_event("hi"), **body).thread.install == "E00ORG"


def test_a_button_and_a_message_name_the_same_person() -> None:
    own = Own(BOT_USER, BOT_ID, TEAM)
    for body in (press_body("x"), command_body("/x"), press_body("x", team=None)):
        person = presser(body, own)
        assert person is not None
        assert person.id == said(dm_event("x")).author.id
        assert pressed_install(body, own) == TEAM
    in_grid = presser(press_body("x", enterprise={"id": "E00ORG"}), own)
    assert in_grid is not None
    assert in_grid.id == said(dm_event("x"), **grid()).author.id


@pytest.mark.parametrize(
    "change", [{"text": None}, {"blocks": None}, {"files": 3}, {"attachments": "x"}, {"thread_ts": 5}]
)
def test_missing_fields_are_fine(change: Json) -> None:
    assert said(dm_event("x") | change).thread.channel == DM


@pytest.mark.parametrize(
    "change",
    [
        {"user": None},
        {"user": "ana.1"},
        {"ts": None},
        {"ts": "nan"},
        {"ts": "1e9"},
        {"channel": ""},
        {"channel": "C/../x"},
    ],
)
def test_what_cannot_be_named_is_not_a_message(change: Json) -> None:
    assert read(dm_event("x") | change) is None


def test_a_mention_counts_while_we_do_not_know_our_own_id() -> None:
    assert said(mention_event("hi"), authorizations=[]).text == f"<@{BOT_USER}> hi"
    assert isinstance(read(mention_event("hi"), Own(BOT_USER), authorizations=[]), Said)


def test_only_whole_mentions_are_ours() -> None:
    event = mention_event("x", type="message") | {"text": f"<@{BOT_USER}2> hi"}
    assert read(event) is None
    assert said(event | {"text": f"hey <@{BOT_USER}|keepsake>, hi"}).text == "hey, hi"
    assert said(event | {"channel": PUBLIC, "text": f"<@{BOT_USER}>"}).text == ""

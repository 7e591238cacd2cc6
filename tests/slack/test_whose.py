"""Whose a message is and where, through the signed route: people, threads, installs, and who can read along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.chat import Audience
from tests.fakes.slack import ANA, BEN, BOT_USER, DM, GROUP_DM, PRIVATE, PUBLIC, SHARED, TEAM
from tests.fakes.slack_requests import changed_event, dm_event, mention_event
from tests.slack.test_resolving import resolved

if TYPE_CHECKING:
    from bot.chat import Message
    from tests.slack.conftest import Http

Json = dict[str, Any]


async def heard(http: Http, *events: Json, **more: Any) -> list[Message]:  # noqa: ANN401 - any field of a body
    for event in events:
        assert await http.send.event(event, **more) == 200
    return http.bot.said


@pytest.mark.case("S18", "S19", "S21", "S23")
async def test_a_thread_is_one_conversation_and_two_threads_are_two(http: Http) -> None:
    for make in (dm_event, mention_event):
        first = make("one")
        messages = await heard(http, first, make("two", thread_ts=first["ts"]), make("three"))
        one, two, three = (message.thread.key for message in messages[-3:])
        assert one == two != three
        again = changed_event(first, text=f"<@{BOT_USER}> other words")
        assert await http.send.event(again) == 200
        assert http.bot.edits[-1][0].thread.key == one


@pytest.mark.case("S59", "S61", "S81")
async def test_two_people_of_one_thread_have_two_memories(http: Http) -> None:
    first = mention_event("one")
    ana, ben = await heard(http, first, mention_event("two", user=BEN, thread_ts=first["ts"]))
    assert ana.thread == ben.thread
    assert ana.author.space != ben.author.space


@pytest.mark.case("S16", "S64")
@pytest.mark.parametrize(
    "forged",
    [
        {"metadata": {"event_type": "x", "event_payload": {"user_id": BEN, "user": BEN}}},
        {"username": "ben", "user_profile": {"id": BEN, "team": "T00OTHER"}},
        {"message": {"user": BEN, "text": "theirs", "ts": "1.1"}, "previous_message": {"user": BEN}},
        {"root": {"user": BEN}, "parent_user_id": BEN},
        {"blocks": [{"type": "rich_text", "elements": [], "user": BEN}], "item_user": BEN, "inviter": BEN},
        {"edited": None, "authorizations": [{"user_id": BEN}], "team_id": "T00OTHER", "enterprise_id": "E00OTHER"},
    ],
)
async def test_s64_who_speaks_is_the_events_own_user_whatever_else_it_holds(http: Http, forged: Json) -> None:
    [message] = await heard(http, {**dm_event("hi"), **forged})
    assert (message.author.id, message.text) == (f"{TEAM}.{ANA}", "hi")


@pytest.mark.case("S65")
@pytest.mark.parametrize("make", [mention_event, dm_event])
@pytest.mark.parametrize("shared", [True, False])
async def test_s65_a_stranger_is_external_wherever_they_call_us(http: Http, make: Any, shared: bool) -> None:  # noqa: ANN401, FBT001 - parameters
    http.slack.users["U00EXT"] = {"team_id": "T00OTHER"}
    event = make("hi", user="U00EXT", user_team="T00OTHER", source_team="T00OTHER", team="T00OTHER")
    [message] = await heard(http, event, is_ext_shared_channel=shared)
    assert (await resolved(http.platform, message)).thread.audience is Audience.EXTERNAL


@pytest.mark.case("S65")
async def test_s65_a_colleague_in_a_shared_channel_is_read_by_strangers(http: Http) -> None:
    [message] = await heard(http, mention_event("hi", channel=SHARED))
    found = await resolved(http.platform, message)
    assert (found.thread.audience, found.author.id) == (Audience.EXTERNAL, f"{TEAM}.{ANA}")


@pytest.mark.case("S66")
async def test_s66_a_colleague_of_our_grid_whose_team_is_the_organisation_is_at_home(http: Http) -> None:
    grid = {"enterprise_id": "E00ORG", "team_id": TEAM, "user_id": BOT_USER, "is_bot": True}
    http.slack.users[ANA] |= {"enterprise_user": {"enterprise_id": "E00ORG"}}
    for team in ("E00ORG", TEAM, "T00SISTER"):
        await heard(http, mention_event("hi", user_team=team), authorizations=[grid], enterprise_id="E00ORG")
    assert {message.author.id for message in http.bot.said} == {f"E00ORG.{ANA}"}


@pytest.mark.case("S62", "S65")
@pytest.mark.parametrize(
    ("channel", "info", "audience"),
    [
        (GROUP_DM, {}, Audience.PRIVATE),
        (GROUP_DM, {"is_ext_shared": True}, Audience.EXTERNAL),
        (PUBLIC, {"is_archived": True}, Audience.PUBLIC),
        (PUBLIC, {"is_private": True}, Audience.PRIVATE),
        (PUBLIC, {"is_private": None}, Audience.UNKNOWN),
        (PRIVATE, {"is_private": False}, Audience.PUBLIC),
        (PRIVATE, {"is_pending_ext_shared": True}, Audience.EXTERNAL),
        (PRIVATE, {"pending_connected_team_ids": ["T00OTHER"]}, Audience.EXTERNAL),
        (PRIVATE, {"pending_connected_team_ids": [], "pending_shared": []}, Audience.PRIVATE),
        (DM, {}, Audience.DM),
    ],
)
async def test_who_can_read_along_is_what_slack_says_now(
    http: Http, channel: str, info: Json, audience: Audience
) -> None:
    http.slack.channels[channel] |= info
    [message] = await heard(http, mention_event("hi", channel=channel))
    assert (await resolved(http.platform, message)).thread.audience is audience


@pytest.mark.case("S65")
@pytest.mark.parametrize("kind", ["channel_shared", "channel_convert_to_private", "channel_archive", "channel_rename"])
async def test_news_of_a_channel_are_believed_at_once(http: Http, kind: str) -> None:
    [message] = await heard(http, mention_event("hi"))
    assert (await resolved(http.platform, message)).thread.audience is Audience.PUBLIC
    http.slack.channels[PUBLIC] |= {"is_private": True, "name": "renamed"}
    event = {"type": kind, "channel": {"id": PUBLIC} if kind == "channel_rename" else PUBLIC}
    assert await http.send.event(event) == 200
    assert (await resolved(http.platform, message)).thread.audience is Audience.PRIVATE

"""The ends of installs and of accounts: who is told, what is dropped, and what is no end at all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from bot.chat import NotAccepted, Undeliverable
from tests.fakes.poll import until
from tests.fakes.slack import ANA, TEAM, FakeSlack
from tests.fakes.slack_orgs import MemoryInstalls
from tests.fakes.slack_requests import Sender, command_body, dm_event, event_body
from tests.slack.conftest import http_platform, running, socket_platform, the_workspace
from tests.slack.many import BOT_ONE, ONE, ORG, TWO, body_of, many_workspaces

if TYPE_CHECKING:
    from tests.slack.bot import RecordingBot
    from tests.slack.conftest import Http

UNINSTALLED = {"type": "app_uninstalled"}
REVOKED = {"type": "tokens_revoked", "tokens": {"oauth": [ANA], "bot": [BOT_ONE]}}


def news_of(bot: RecordingBot, *kinds: str) -> list[tuple[str, object]]:
    return [news for news in bot.news if news[0] in kinds or not kinds]


def changed(user: str = ANA, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a user
    return {"type": "user_change", "user": {"id": user, "team_id": ONE, **fields}}


@pytest.mark.case("S68")
@pytest.mark.parametrize("event", [UNINSTALLED, REVOKED])
async def test_an_uninstall_drops_the_token_and_tells_the_bot(event: dict[str, Any]) -> None:
    async with many_workspaces(ONE, TWO) as many:
        await many.workspaces.of(ONE)
        assert (await many.send.json(body_of(ONE, event)))[0] == 200
        assert news_of(many.bot, "removed") == [("removed", f"slack {ONE}")]
        assert list(many.installs.texts) == [TWO]
        assert (many.platform.serves(ONE), many.platform.serves(TWO)) == (False, True)
        with pytest.raises(Undeliverable):
            await many.workspaces.of(ONE)
        assert (await many.send.json(body_of(ONE)))[0] == 200
        assert many.bot.said == []


async def test_slack_says_both_and_repeats_both_and_nothing_more_comes_of_it() -> None:
    async with many_workspaces(ONE) as many:
        bodies = [body_of(ONE, REVOKED), body_of(ONE, UNINSTALLED)]
        for body in (*bodies, *bodies):
            assert (await many.send.json(body, {"X-Slack-Retry-Num": "1"}))[0] == 200
        assert {news for news in many.bot.news if news[0] == "removed"} == {("removed", f"slack {ONE}")}


@pytest.mark.parametrize(
    "tokens", [{"oauth": [ANA]}, {"oauth": [ANA], "bot": []}, {"bot": None}, {"bot": [7]}, {"bot": "U1"}, None, []]
)
async def test_the_end_of_a_persons_own_token_is_no_uninstall(tokens: object) -> None:
    async with many_workspaces(ONE) as many:
        assert (await many.send.json(body_of(ONE, {"type": "tokens_revoked", "tokens": tokens})))[0] == 200
        assert news_of(many.bot, "removed") == []
        assert many.platform.serves(ONE)


async def test_an_uninstall_that_was_not_taken_is_sent_again() -> None:
    async with many_workspaces(ONE) as many:
        body = body_of(ONE, UNINSTALLED)
        many.bot.refuse = [NotAccepted(), RuntimeError("words")]
        assert [(await many.send.json(body))[0] for _ in range(3)] == [503, 503, 200]
        many.installs.broken = True
        assert (await many.send.json(body_of(ONE, UNINSTALLED)))[0] == 503
        assert ONE not in many.installs.texts


async def test_an_uninstall_without_authorizations_still_tells_which() -> None:
    async with many_workspaces(ONE, ORG) as many:
        for place in ({"team_id": ONE}, {"team_id": None, "enterprise_id": ORG, "is_enterprise_install": True}):
            body = {**body_of(ONE, UNINSTALLED), **place}
            del body["authorizations"]
            assert (await many.send.json(body))[0] == 200
        assert news_of(many.bot, "removed") == [("removed", f"slack {ONE}"), ("removed", f"slack {ORG}")]


async def test_an_organisation_that_uninstalls_does_not_end_a_workspaces_own_install() -> None:
    async with many_workspaces(ONE, ORG) as many:
        await many.send.json(body_of(ORG, UNINSTALLED, team_id=ONE))
        assert news_of(many.bot, "removed") == [("removed", f"slack {ORG}")]
        assert many.platform.serves(ONE)


async def test_a_workspace_taken_from_an_organisations_install_ends_only_its_own() -> None:
    async with many_workspaces(TWO, ORG) as many:
        before = await many.workspaces.of(ORG)
        for teams in (["T00INORG", TWO, "../x", 7], None):
            assert (await many.send.json(body_of(ORG, {"type": "team_access_revoked", "team_ids": teams})))[0] == 200
        assert news_of(many.bot, "removed") == [("removed", f"slack {TWO}")]
        assert many.platform.serves(ORG)
        assert await many.workspaces.of(ORG) is not before


async def test_a_late_repeat_of_the_old_end_does_not_end_the_new_install() -> None:
    async with many_workspaces(ONE) as many:
        late = body_of(ONE, UNINSTALLED, event_time=int(time.time()) - 300)
        assert (await many.send.json(late))[0] == 200
        assert many.platform.serves(ONE)
        assert (await many.send.json(body_of(ONE, UNINSTALLED, event_time=int(time.time()) + 1)))[0] == 200
        assert not many.platform.serves(ONE)


async def test_an_end_in_another_process_reaches_this_one_with_its_first_call() -> None:
    async with many_workspaces(ONE) as many:
        workspace = await many.workspaces.of(ONE)
        many.installs.texts.clear()
        many.slack.revoke(ONE)
        with pytest.raises(Undeliverable):
            await workspace.calls("users.info", {"user": ANA})
        await many.workspaces.refresh()
        assert not many.platform.serves(ONE)


@pytest.mark.case("S68")
@pytest.mark.parametrize("event", [UNINSTALLED, {**REVOKED, "tokens": {"bot": ["U1"]}}])
async def test_with_one_token_its_install_ends_as_well(slack: FakeSlack, bot: RecordingBot, event: Any) -> None:  # noqa: ANN401
    platform = http_platform(slack)
    async with running(platform, bot), Sender(platform.address) as send:
        await the_workspace(platform).introduced()
        await until(lambda: bot.news == [("installed", f"slack {TEAM}")])
        assert await send.event({"type": "tokens_revoked", "tokens": {"oauth": [ANA]}}) == 200
        assert platform.serves(TEAM)
        for _ in range(2):
            assert await send.event(event) == 200
        assert bot.news[1:] == [("removed", f"slack {TEAM}")] * 2
        assert not platform.serves(TEAM)
        assert await send.event(dm_event("is anybody there")) == 200
        assert "not installed" in (await send.command(command_body("/memory")))[1]
        assert (bot.said, bot.asked) == ([], [])


async def test_an_end_over_the_socket_is_acknowledged_once_it_was_taken(slack: FakeSlack, bot: RecordingBot) -> None:
    bot.refuse = [NotAccepted()]
    async with running(socket_platform(slack), bot):
        refused = await slack.envelope("events_api", event_body(UNINSTALLED))
        await until(lambda: not bot.refuse)
        taken = await slack.envelope("events_api", event_body(UNINSTALLED))
        await until(lambda: taken in slack.acks)
        assert refused not in slack.acks


@pytest.mark.case("S73")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"deleted": True}, [("left", f"{ONE}.{ANA}")]),
        ({"deleted": True, "is_forgotten": True}, [("forgotten", f"{ONE}.{ANA}")]),
        ({"is_forgotten": True}, [("forgotten", f"{ONE}.{ANA}")]),
        ({"deleted": False}, [("returned", f"{ONE}.{ANA}")]),
        ({"deleted": "true"}, [("returned", f"{ONE}.{ANA}")]),
        ({"deleted": True, "team_id": "T00OTHER"}, []),
        ({"deleted": True, "is_stranger": True}, []),
        ({"deleted": True, "id": "USLACKBOT"}, []),
        ({"deleted": True, "id": None}, []),
        ({"deleted": True, "id": "../x"}, []),
    ],
)
async def test_what_became_of_an_account(fields: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    async with many_workspaces(ONE) as many:
        assert (await many.send.json(body_of(ONE, changed(**fields))))[0] == 200
        assert many.bot.news[1:] == expected


@pytest.mark.case("S73")
async def test_in_an_organisation_who_leaves_one_workspace_may_be_in_another() -> None:
    async with many_workspaces(ORG) as many:
        for teams in (["T00INORG", "T00NEXT"], ["T00INORG"], []):
            user: dict[str, Any] = {"team_id": "T00INORG", "enterprise_user": {"enterprise_id": ORG, "teams": teams}}
            await many.send.json(body_of(ORG, changed(deleted=True, **user)))
        stranger: dict[str, Any] = {"team_id": "T00X", "enterprise_user": {"enterprise_id": "E00OTHER"}}
        await many.send.json(body_of(ORG, changed(deleted=True, **stranger)))
        person = f"{ORG}.{ANA}"
        assert many.bot.news[1:] == [("returned", person), ("left", person), ("left", person)]


async def test_a_change_of_an_account_that_was_not_taken_is_sent_again(http: Http) -> None:
    http.bot.refuse = [NotAccepted()]
    event = changed(deleted=True, team_id=TEAM)
    assert [await http.send.event(event) for _ in range(2)] == [503, 200]
    assert ("left", f"{TEAM}.{ANA}") in http.bot.news


async def test_a_changed_name_is_asked_anew() -> None:
    async with many_workspaces(ONE) as many:
        workspace = await many.workspaces.of(ONE)
        assert await workspace.directory.named(f"<@{ANA}>") == "@Ana"
        many.slack.users[ANA]["profile"] = {"display_name": "Anna"}
        assert await workspace.directory.named(f"<@{ANA}>") == "@Ana"
        await many.send.json(body_of(ONE, changed(profile={"display_name": "Anna"})))
        assert await workspace.directory.named(f"<@{ANA}>") == "@Anna"


async def test_an_end_of_an_install_that_nobody_knows_is_harmless() -> None:
    async with many_workspaces(installs=MemoryInstalls()) as many:
        for body in (body_of(TWO, UNINSTALLED), {**body_of(ONE, UNINSTALLED), "authorizations": [], "team_id": "x"}):
            assert (await many.send.json(body))[0] == 200
        assert many.bot.news == [("removed", f"slack {TWO}")]


@pytest.mark.parametrize("authorized", [True, False])
@pytest.mark.parametrize("known", [True, False])
async def test_a_workspace_that_ends_takes_its_organisation_along_in_no_order(*, authorized: bool, known: bool) -> None:
    first = {"enterprise_id": ORG, "team_id": ONE, "user_id": "U00X", "is_bot": True, "is_enterprise_install": False}
    more = {"authorizations": [first] if authorized else [], "is_enterprise_install": False}
    place = {"team_id": ONE, "enterprise_id": ORG, "event_time": int(time.time()) + 2}
    async with many_workspaces(*([ONE, ORG] if known else [ORG])) as many:
        for event in (UNINSTALLED, REVOKED, UNINSTALLED):
            assert (await many.send.json(event_body(event, **place, **more)))[0] == 200
        assert await many.installs.get(ORG)
        assert ("removed", f"slack {ORG}") not in many.bot.news


@pytest.mark.parametrize("event_time", [10**400, -1, "soon", 1.5])
async def test_an_odd_time_is_no_fault(http: Http, event_time: object) -> None:
    assert await http.send.event({"type": "user_change", "user": {"id": ANA}}, event_time=event_time) == 200

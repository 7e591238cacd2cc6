"""Many workspaces in one process: who is who, tokens that are renewed once, and several processes on one store."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace

import pytest

from adapters.slack.calls import CallError
from adapters.slack.many import ManyWorkspaces
from adapters.slack.tokens import InstalledClient, read_kept
from bot.chat import Undeliverable
from tests.fakes.slack import ANA, PUBLIC, FakeSlack
from tests.fakes.slack_failures import LOST, Failure, rate_limited
from tests.fakes.slack_orgs import MemoryInstalls
from tests.fakes.slack_requests import command_body, dm_event, mention_event
from tests.slack.bot import RecordingBot
from tests.slack.conftest import running
from tests.slack.many import BOT_ONE, BOT_TWO, ONE, ORG, TWO, Many, body_of, many_platform, many_workspaces


def change(many: Many, install: str, **fields: float | str) -> None:
    """Change what is kept of an install, as if time had passed."""
    kept = read_kept(many.installs.texts[install])
    assert kept is not None
    many.installs.texts[install] = replace(kept, **fields).text()  # type: ignore[arg-type] # fields of it


async def running_out(many: Many, left: float = 5.0) -> None:
    """Let the token of the first workspace run out soon (or be out)."""
    workspace = await many.workspaces.of(ONE)
    change(many, ONE, expires_at=time.time() + left)
    client = workspace.client
    assert isinstance(client, InstalledClient)
    kept = read_kept(many.installs.texts[ONE])
    assert kept is not None
    client.renewing.adopt(kept)


async def rotating(many: Many) -> None:
    many.slack.expires_in = 43_200
    await many.install(ONE)


@pytest.mark.case("S63")
async def test_the_same_ids_in_two_workspaces_are_two_people_and_two_threads() -> None:
    async with many_workspaces(ONE, TWO) as many:
        event = dm_event("hello")
        for install in (ONE, TWO):
            assert (await many.send.json(body_of(install, event)))[0] == 200
        first, second = many.bot.said
        assert first.author.space != second.author.space
        assert first.thread.key != second.thread.key
        for message in many.bot.said:
            await many.platform.finish_reply(await many.platform.start_reply(message), "hi")
        posted = [install for method, install in many.slack.used if method == "chat.postMessage"]
        assert posted == [ONE, TWO]


@pytest.mark.case("S72")
async def test_each_workspace_has_its_own_bot_id() -> None:
    async with many_workspaces(ONE, TWO) as many:
        for install, mine, other in ((ONE, BOT_ONE, BOT_TWO), (TWO, BOT_TWO, BOT_ONE)):
            await many.workspaces.of(install)
            text = f"<@{mine}> and <@{other}>"
            event = {**mention_event(""), "text": text}
            assert (await many.send.json(body_of(install, event)))[0] == 200
            assert (await many.send.json(body_of(install, dm_event("mine", user=mine))))[0] == 200
            assert (await many.send.json(body_of(install, {**event, "type": "message", "text": f"<@{other}> x"})))[
                0
            ] == 200
        assert [message.text for message in many.bot.said if message.called] == [
            f"and <@{BOT_TWO}>",
            f"and <@{BOT_ONE}>",
        ]


async def test_names_are_remembered_for_each_workspace_by_itself() -> None:
    async with many_workspaces(ONE, TWO) as many:
        for install in (ONE, TWO):
            await many.send.json(body_of(install, dm_event("hi")))
        for message in many.bot.said:
            await many.platform.resolve(message)
        assert sorted(install for method, install in many.slack.used if method == "users.info") == [ONE, TWO]


async def test_an_event_of_an_install_without_a_token_is_ignored() -> None:
    async with many_workspaces(ONE) as many:
        assert (await many.send.json(body_of(TWO)))[0] == 200
        assert (await many.send.json({**body_of(ONE), "authorizations": [], "team_id": None}))[0] == 200
        assert many.bot.said == []
        command = command_body("/memory", team_id=TWO)
        assert "not installed" in (await many.send.command(command))[1]
        assert many.bot.asked == []
        with pytest.raises(Undeliverable):
            await many.workspaces.of(TWO)


async def test_a_command_reaches_the_install_it_was_typed_in() -> None:
    async with many_workspaces(ONE, ORG) as many:
        await many.send.command(command_body("/memory", team_id=ONE, user_id=ANA))
        org = {"team_id": "T00INORG", "enterprise_id": ORG, "is_enterprise_install": "true"}
        await many.send.command(command_body("/memory", user_id=ANA, **org))
        asked = [(ask.user.id, ask.thread.install, ask.thread.channel) for _, ask in many.bot.asked]
        assert asked == [(f"{ONE}.{ANA}", ONE, PUBLIC), (f"{ORG}.{ANA}", ORG, PUBLIC)]


@pytest.mark.case("S78")
@pytest.mark.parametrize("left", [5.0, -5.0])
async def test_two_events_as_the_token_runs_out_renew_it_once(left: float) -> None:
    async with many_workspaces() as many:
        await rotating(many)
        await running_out(many, left)
        for number in range(3):
            await many.send.json(body_of(ONE, dm_event(f"hi {number}")))
        many.slack.fail("oauth.v2.access", Failure(delay=0.1, landed=True))
        await asyncio.gather(*map(many.platform.resolve, many.bot.said))
        assert many.slack.renewals() == 1
        kept = read_kept(many.installs.texts[ONE])
        assert kept is not None
        assert kept.left() > 40_000
        assert kept.token in many.slack.tokens
        assert kept.refresh in many.slack.refreshes


async def second_process(many: Many) -> tuple[ManyWorkspaces, asyncio.Task[None], RecordingBot]:
    """Another process on the same store."""
    bot = RecordingBot()
    platform = many_platform(many.slack, many.installs)
    task = asyncio.ensure_future(platform.run(bot))
    await platform.ready()
    assert isinstance(platform._workspaces, ManyWorkspaces)
    return platform._workspaces, task, bot


@pytest.mark.case("S78")
async def test_two_processes_renew_a_token_once() -> None:
    async with many_workspaces() as many:
        await rotating(many)
        await running_out(many)
        other, task, _ = await second_process(many)
        assert other.serves(ONE)
        workspaces = [await many.workspaces.of(ONE), await other.of(ONE)]
        await asyncio.gather(*(one.calls("users.info", {"user": ANA}) for one in workspaces for _ in range(2)))
        assert many.slack.renewals() == 1
        task.cancel()
        await asyncio.wait({task})


async def test_a_token_that_another_process_replaced_is_read_again() -> None:
    async with many_workspaces(ONE) as many:
        workspace = await many.workspaces.of(ONE)
        many.slack.revoke(ONE)
        fresh = many.slack.grant(many.slack.tokens[next(iter(many.slack.tokens))])["access_token"]
        change(many, ONE, token=fresh)
        assert await workspace.calls("users.info", {"user": ANA})
        assert await workspace.calls("users.info", {"user": ANA})
        assert len(many.slack.called("users.info")) == 3


@pytest.mark.parametrize("failure", [Failure("fatal_error"), rate_limited("1"), Failure("x", 503), Failure(cut=True)])
async def test_a_renewal_that_fails_for_now_is_tried_again(failure: Failure) -> None:
    async with many_workspaces() as many:
        await rotating(many)
        await running_out(many, -1)
        many.slack.fail("oauth.v2.access", failure)
        workspace = await many.workspaces.of(ONE)
        with pytest.raises(CallError, match=r"oauth") as caught:  # and so the post was not made
            await workspace.calls("chat.postMessage", {"channel": PUBLIC, "text": "once"}, wait=False)
        assert not caught.value.lost
        assert await workspace.calls("chat.postMessage", {"channel": PUBLIC, "text": "once"})
        assert len(many.slack.called("chat.postMessage")) == 1


async def test_while_the_token_is_good_a_failed_renewal_holds_nothing_up() -> None:
    async with many_workspaces() as many:
        await rotating(many)
        await running_out(many, 60)
        many.slack.fail("oauth.v2.access", *[Failure("fatal_error")] * 9)
        workspace = await many.workspaces.of(ONE)
        for _ in range(3):
            assert await workspace.calls("users.info", {"user": ANA})
        assert many.slack.renewals() == 1


async def test_a_renewal_that_fails_for_good_leaves_nowhere_to_reply() -> None:
    async with many_workspaces() as many:
        await rotating(many)
        await running_out(many, -1)
        many.slack.refreshes.clear()
        workspace = await many.workspaces.of(ONE)
        with pytest.raises(Undeliverable):
            await workspace.calls("users.info", {"user": ANA})


async def test_a_renewal_survives_the_end_of_the_turn_that_began_it() -> None:
    async with many_workspaces() as many:
        await rotating(many)
        await running_out(many, -1)
        many.slack.fail("oauth.v2.access", Failure(delay=0.2, landed=True))
        workspace = await many.workspaces.of(ONE)
        turn = asyncio.ensure_future(workspace.calls("users.info", {"user": ANA}))
        await asyncio.sleep(0.05)
        turn.cancel()
        assert await workspace.calls("users.info", {"user": ANA})
        assert many.slack.renewals() == 1


async def test_a_token_said_to_be_expired_is_renewed_though_our_clock_is_late() -> None:
    async with many_workspaces() as many:
        await rotating(many)
        many.slack.expired |= set(many.slack.tokens)
        workspace = await many.workspaces.of(ONE)
        assert await workspace.calls("users.info", {"user": ANA})
        assert many.slack.renewals() == 1


async def test_a_dead_token_is_not_renewed_and_not_asked_for_ever() -> None:
    async with many_workspaces(ONE) as many:
        many.slack.revoke(ONE)
        workspace = await many.workspaces.of(ONE)
        with pytest.raises(Undeliverable):
            await workspace.calls("users.info", {"user": ANA})
        assert len(many.slack.called("users.info")) == 1
        assert many.slack.renewals() == 0


async def test_what_another_process_installed_is_served_at_once() -> None:
    async with many_workspaces() as many:
        other, task, bot = await second_process(many)
        assert not other.serves(ONE)
        await many.install(ONE)
        assert await other.holds(ONE)
        assert other.serves(ONE)
        await many.install(TWO)
        await other.refresh()
        assert other.serves(TWO)
        many.installs.texts.clear()
        await other.refresh()
        assert not other.serves(TWO)
        assert bot.news == []
        task.cancel()
        await asyncio.wait({task})


async def test_a_store_that_is_down_loses_no_event_and_stops_nothing() -> None:
    async with many_workspaces(ONE) as many:
        many.installs.broken = True
        assert (await many.send.json(body_of(TWO)))[0] == 503
        assert (await many.send.json(body_of(ONE)))[0] == 200
        await many.workspaces.refresh()
        assert many.platform.serves(ONE)
        assert (await many.send.command(command_body("/memory", team_id=TWO)))[0] == 200


async def test_what_cannot_be_read_of_an_install_is_no_install() -> None:
    installs = MemoryInstalls()
    installs.texts = {
        ONE: "{",
        TWO: json.dumps({"own": {"user": "U1", "more": 1}, "token": "x"}),
        "T3": "[]",
        "T4": "1",
    }
    async with many_workspaces(installs=installs) as many:
        for install in (*installs.texts, ""):
            with pytest.raises(Undeliverable):
                await many.workspaces.of(install)


async def test_installing_again_takes_the_new_token_at_once() -> None:
    async with many_workspaces(ONE) as many:
        workspace = await many.workspaces.of(ONE)
        many.slack.revoke(ONE)
        await many.install(ONE)
        assert await many.workspaces.of(ONE) is workspace
        assert await workspace.calls("users.info", {"user": ANA})
        assert len(many.slack.called("users.info")) == 1


async def test_a_lost_answer_of_a_post_is_not_posted_twice_by_the_token_keeper() -> None:
    async with many_workspaces(ONE) as many:
        workspace = await many.workspaces.of(ONE)
        many.slack.fail("chat.postMessage", LOST)
        with pytest.raises(Exception, match="postMessage"):
            await workspace.calls("chat.postMessage", {"channel": PUBLIC, "text": "once"})
        assert len(many.slack.called("chat.postMessage")) == 1


async def test_two_uses_at_once_open_an_install_once() -> None:
    async with many_workspaces(ONE) as many:
        first, second = await asyncio.gather(many.workspaces.of(ONE), many.workspaces.of(ONE))
        assert first is second


async def test_a_token_is_asked_for_once_the_platform_runs_without_any(slack: FakeSlack) -> None:
    del slack
    async with many_workspaces() as many, running(many_platform(many.slack, many.installs), many.bot):
        assert many.slack.calls == []

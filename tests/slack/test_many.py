"""Many workspaces in one process: who is who, tokens that are renewed once, and several processes on one store."""

from __future__ import annotations

import asyncio
import json

import pytest

from bot.chat import Undeliverable
from tests.fakes.slack import ANA, PUBLIC
from tests.fakes.slack_failures import Failure
from tests.fakes.slack_orgs import MemoryInstalls
from tests.fakes.slack_requests import command_body, dm_event, mention_event
from tests.slack.many import (
    BOT_ONE,
    BOT_TWO,
    ONE,
    ORG,
    TWO,
    body_of,
    many_workspaces,
    second_process,
)


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


async def test_two_uses_at_once_open_an_install_once() -> None:
    async with many_workspaces(ONE) as many:
        first, second = await asyncio.gather(many.workspaces.of(ONE), many.workspaces.of(ONE))
        assert first is second


async def test_an_end_does_not_tear_down_what_is_under_way() -> None:
    async with many_workspaces(ONE) as many:
        workspace = await many.workspaces.of(ONE)
        many.slack.fail("users.info", Failure(delay=0.1, landed=True))
        asked = asyncio.ensure_future(workspace.calls("users.info", {"user": ANA}, follow=[]))
        await asyncio.sleep(0.02)
        await many.send.json(body_of(ONE, {"type": "app_uninstalled"}))
        assert await asked


async def test_without_any_install_nothing_is_asked_of_slack() -> None:
    async with many_workspaces() as many:
        assert many.slack.calls == []


async def test_what_is_not_used_for_long_is_closed_when_there_are_many() -> None:
    async with many_workspaces(ONE, TWO, ORG) as many:
        many.workspaces.most_open = 2
        first = await many.workspaces.of(ONE)
        for install in (TWO, ORG):  # all in use: none is closed
            await many.workspaces.of(install)
        assert await many.workspaces.of(ONE) is first
        many.workspaces.changed(ORG)
        many.workspaces.idle = 0
        await many.workspaces.of(ORG)  # TWO was not used for the longest time
        assert await many.workspaces.of(ONE) is first
        assert list(many.workspaces._open) == [ORG, ONE]

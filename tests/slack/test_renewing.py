"""Tokens that run out: renewed once, in time, by one of all tasks and processes, and what it means when that fails."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from pathlib import Path  # noqa: TC003 - pytest reads the annotations

import pytest

from adapters.slack.calls import CallError
from adapters.slack.installation import read_grant, read_kept
from adapters.slack.tokens import InstalledClient
from bot.chat import Undeliverable
from bot.store import open_store
from tests.fakes.slack import ANA, PUBLIC
from tests.fakes.slack_failures import LOST, Failure, rate_limited
from tests.fakes.slack_orgs import FakeOrgs
from tests.fakes.slack_requests import dm_event
from tests.slack.bot import RecordingBot
from tests.slack.conftest import running
from tests.slack.many import (
    GRANTS,
    ONE,
    Many,
    body_of,
    many_platform,
    many_workspaces,
    second_process,
)


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


async def test_a_lost_answer_of_a_post_is_not_posted_twice_by_the_token_keeper() -> None:
    async with many_workspaces(ONE) as many:
        workspace = await many.workspaces.of(ONE)
        many.slack.fail("chat.postMessage", LOST)
        with pytest.raises(Exception, match="postMessage"):
            await workspace.calls("chat.postMessage", {"channel": PUBLIC, "text": "once"})
        assert len(many.slack.called("chat.postMessage")) == 1


@pytest.mark.case("S78")
async def test_two_processes_on_the_real_store_renew_a_token_once(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'keepsake.db'}"
    async with contextlib.AsyncExitStack() as stack:
        slack, bot = await stack.enter_async_context(FakeOrgs(expires_in=43_200)), RecordingBot()
        stores = [await stack.enter_async_context(open_store(url, b"secret")) for _ in range(2)]
        kept = read_grant(slack.grant(GRANTS[ONE]))
        assert kept is not None
        await stores[0].installs("slack").put(ONE, replace(kept, expires_at=time.time() - 1).text())
        platforms = [many_platform(slack, store.installs("slack")) for store in stores]
        for platform in platforms:
            await stack.enter_async_context(running(platform, bot))
        opened = [await platform._workspaces.of(ONE) for platform in platforms if platform._workspaces]
        assert len(opened) == 2
        await asyncio.gather(*(one.calls("users.info", {"user": ANA}) for one in opened for _ in range(2)))
        assert slack.renewals() == 1


async def test_a_store_that_is_down_as_a_token_runs_out_loses_no_post() -> None:
    async with many_workspaces() as many:
        await rotating(many)
        await running_out(many, 60)
        workspace = await many.workspaces.of(ONE)
        many.installs.broken = True
        assert await workspace.calls("users.info", {"user": ANA})
        await running_out_at(workspace.client)
        with pytest.raises(CallError) as caught:
            await workspace.calls("chat.postMessage", {"channel": PUBLIC, "text": "x"}, wait=False)
        assert not caught.value.lost
        many.installs.broken = False
        assert await workspace.calls("chat.postMessage", {"channel": PUBLIC, "text": "x"})
        assert len(many.slack.called("chat.postMessage")) == 1


async def running_out_at(client: object) -> None:
    """Let the token of this client be out now."""
    assert isinstance(client, InstalledClient)
    client.renewing.adopt(replace(client.renewing.kept, expires_at=time.time() - 1))

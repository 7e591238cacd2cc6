"""The platform under test, connected to a Slack of our own: over HTTP (`http`) and over Socket Mode (`socket`)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator  # noqa: TC003 - pytest reads the annotations of fixtures
from dataclasses import dataclass

import pytest

from adapters.slack import SlackPlatform
from adapters.slack.workspace import Workspace  # noqa: TC001 - beside the fixtures, as pytest reads annotations
from adapters.slack.workspaces import OneWorkspace
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, FakeSlack
from tests.fakes.slack_requests import Sender
from tests.slack.bot import RecordingBot


@contextlib.asynccontextmanager
async def running(platform: SlackPlatform, bot: RecordingBot) -> AsyncIterator[asyncio.Task[None]]:
    """Run a platform until the context ends; what `run` raises comes out here."""
    task = asyncio.ensure_future(platform.run(bot))
    ready = asyncio.ensure_future(platform.ready())
    await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED, timeout=5)
    try:
        yield task
    finally:
        ready.cancel()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def the_workspace(platform: SlackPlatform) -> Workspace:
    """The one installation of a connected platform."""
    workspaces = platform._workspaces
    assert isinstance(workspaces, OneWorkspace)
    return workspaces._workspace


def http_platform(slack: FakeSlack) -> SlackPlatform:
    return SlackPlatform(bot_token=BOT_TOKEN, signing_secret=SIGNING_SECRET, port=0, api_url=slack.api_url)


def socket_platform(slack: FakeSlack, *, ping_every: float = 10.0) -> SlackPlatform:
    return SlackPlatform(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=slack.api_url, ping_every=ping_every)


@dataclass
class Http:
    """A platform on HTTP, and Slack's hand on it."""

    platform: SlackPlatform
    bot: RecordingBot
    slack: FakeSlack
    send: Sender


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


@pytest.fixture
def bot() -> RecordingBot:
    return RecordingBot()


@pytest.fixture
async def http(slack: FakeSlack, bot: RecordingBot) -> AsyncIterator[Http]:
    platform = http_platform(slack)
    async with running(platform, bot), Sender(platform.address) as send:
        yield Http(platform, bot, slack, send)


@pytest.fixture
async def platform(slack: FakeSlack, bot: RecordingBot) -> AsyncIterator[SlackPlatform]:
    """A platform on Socket Mode: the quickest to start, for what does not depend on the way in."""
    connected = socket_platform(slack)
    async with running(connected, bot):
        yield connected

"""A platform that many workspaces install by OAuth, and a browser that does it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from adapters.slack import SlackPlatform
from adapters.slack.many import ManyWorkspaces
from tests.fakes.slack import SIGNING_SECRET
from tests.fakes.slack_orgs import CLIENT_ID, CLIENT_SECRET, FakeOrgs, MemoryInstalls, org_grant, team_grant
from tests.fakes.slack_requests import Sender, dm_event, event_body
from tests.slack.bot import RecordingBot
from tests.slack.conftest import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.chat import Installs

Json = dict[str, Any]
ONE, TWO, ORG = "T00ONE", "T00TWO", "E00ORG"
BOT_ONE, BOT_TWO, BOT_ORG = "U00BOTONE", "U00BOTTWO", "U00BOTORG"
GRANTS = {
    ONE: team_grant(ONE, BOT_ONE),
    TWO: team_grant(TWO, BOT_TWO),
    ORG: org_grant(ORG, BOT_ORG),
}


@dataclass
class Many:
    """A platform for many workspaces, and the hands of Slack and of a browser on it."""

    platform: SlackPlatform
    bot: RecordingBot
    slack: FakeOrgs
    installs: MemoryInstalls
    send: Sender
    browser: aiohttp.ClientSession

    @property
    def workspaces(self) -> ManyWorkspaces:
        assert isinstance(self.platform._workspaces, ManyWorkspaces)
        return self.platform._workspaces

    async def get(self, path: str, cookie: str = "", **query: str) -> tuple[int, str, Any]:
        """Open a page: the status, the text and the headers."""
        headers = {"Cookie": cookie} if cookie else {}
        url = f"{self.platform.address}{path}"
        async with self.browser.get(url, params=query, headers=headers, allow_redirects=False) as answer:
            return answer.status, await answer.text(), answer.headers

    async def begin(self, cookie: str = "") -> tuple[str, str]:
        """Set out for Slack: the state, and the cookie that the browser got."""
        status, _, headers = await self.get("/slack/install", cookie)
        assert status == 302
        [state] = parse_qs(urlsplit(headers["Location"]).query)["state"]
        return state, headers["Set-Cookie"].split(";")[0]

    async def install(self, name: str) -> None:
        """Install the app from beginning to end."""
        self.slack.grants["code"] = GRANTS[name]
        state, cookie = await self.begin()
        status, text, _ = await self.get("/slack/oauth_redirect", cookie, code="code", state=state)
        assert (status, "is installed in" in text) == (200, True)


def many_platform(slack: FakeOrgs, installs: Installs) -> SlackPlatform:
    return SlackPlatform(
        signing_secret=SIGNING_SECRET,
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        installs=installs,
        secret=b"the secret",
        port=0,
        api_url=slack.api_url,
    )


@contextlib.asynccontextmanager
async def many_workspaces(*names: str, installs: MemoryInstalls | None = None) -> AsyncIterator[Many]:
    """A platform where these have installed the app."""
    bot, installs = RecordingBot(), installs or MemoryInstalls()
    async with FakeOrgs() as slack, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as browser:
        platform = many_platform(slack, installs)
        async with running(platform, bot), Sender(platform.address) as send:
            many = Many(platform, bot, slack, installs, send, browser)
            for name in names:
                await many.install(name)
            yield many
        await asyncio.sleep(0)


def body_of(install: str, event: Json | None = None, **more: Any) -> Json:  # noqa: ANN401 - any field of a body
    """An event of an install, as Slack sends it."""
    granted, team = GRANTS[install], more.pop("team_id", install if install.startswith("T") else "T00INORG")
    first = {"enterprise_id": None, "team_id": team, "user_id": granted["bot_user_id"], "is_bot": True}
    first["is_enterprise_install"] = install.startswith("E")
    if install.startswith("E"):
        first |= {"enterprise_id": install, "team_id": None}
        more = {"enterprise_id": install, **more}
    return event_body(event or dm_event("hi"), team_id=team, authorizations=[first], **more)


async def second_process(many: Many) -> tuple[ManyWorkspaces, asyncio.Task[None], RecordingBot]:
    """Another process on the same store."""
    bot = RecordingBot()
    platform = many_platform(many.slack, many.installs)
    task = asyncio.ensure_future(platform.run(bot))
    await platform.ready()
    assert isinstance(platform._workspaces, ManyWorkspaces)
    return platform._workspaces, task, bot

"""Looks at what an operator has set for Slack, asks Slack about it, and says what to do. Shows no secret.

What Slack does not tell about an app (its events, its commands, the signing secret) is said to be unknown.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Literal

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from adapters.slack.calls import BAD_TOKEN, open_client
from adapters.slack.manifest import EVENTS_PATH, REDIRECT_PATH, SCOPES
from adapters.slack.payload import text_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterator

    from slack_sdk.web.async_client import AsyncWebClient
    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from adapters.slack.payload import Json

    Found = tuple[Literal["ok", "fix", "note"], str]
    Answer = tuple[Json, str | None]

_NETWORK = (aiohttp.ClientError, SlackClientError, TimeoutError, OSError, json.JSONDecodeError)
_SCOPES_HEADER = "x-oauth-scopes"
_WRONG_CLIENT = {
    "invalid_client_id": "SLACK_CLIENT_ID",
    "bad_client_secret": "SLACK_CLIENT_SECRET",
    "invalid_client": "SLACK_CLIENT_ID and SLACK_CLIENT_SECRET",
}
_RUNS_OUT, _APP_AT = "xoxe.", 2
_ROTATION = "it cannot be turned off again, so make a new app, or use SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"
_OWN_PAGE = "the app's page at api.slack.com/apps"


class _FailedError(Exception):
    """Slack did not do it: the text is Slack's own code for why, or the class of what went wrong on the way.

    `reached` tells whether Slack answered at all.
    """

    def __init__(self, why: str, *, reached: bool) -> None:
        """Keep the code only."""
        super().__init__(why)
        self.reached = reached


async def _asked(call: Awaitable[AsyncSlackResponse], within: float) -> Answer:
    try:
        async with asyncio.timeout(within):
            answer = await call
    except SlackApiError as refused:
        said = getattr(refused.response, "data", None)
        error = text_at(said, "error") if isinstance(said, dict) else ""
        raise _FailedError(error or "it is no answer of Slack's", reached=bool(error)) from None
    except _NETWORK as error:
        raise _FailedError(type(error).__name__, reached=False) from None
    data = answer.data if isinstance(answer.data, dict) else {}
    return data, answer.headers.get(_SCOPES_HEADER)


async def examine_one(
    *, bot_token: str, app_token: str | None, api_url: str, within: float = 10.0
) -> AsyncIterator[Found]:
    """Look at one workspace's tokens; each question waits for `within` seconds at most."""
    async with open_client(bot_token, api_url) as client:
        try:
            answer, scopes = await _asked(client.auth_test(), within)
        except _FailedError as failed:
            yield _no_token(failed, api_url)
        else:
            where = text_at(answer, "team") or text_at(answer, "team_id")
            yield "ok", f"Slack takes SLACK_BOT_TOKEN; it is for {where}."
            for found in _scopes(scopes):
                yield found
            if app_token and await _is_another_apps(app_token, client, text_at(answer, "bot_id"), within):
                yield "fix", f"SLACK_APP_TOKEN and SLACK_BOT_TOKEN are of two apps: copy both of one, from {_OWN_PAGE}."
    if bot_token.startswith(_RUNS_OUT):
        yield "fix", f"SLACK_BOT_TOKEN runs out in some hours, as the app has token rotation on: {_ROTATION}."
    yield await _app_token(app_token, api_url, within) if app_token else _over_http()
    yield _compare("" if app_token else " --url https://your.host")


async def _is_another_apps(app_token: str, client: AsyncWebClient, bot: str, within: float) -> bool:
    """Tell by the id in an app-level token (xapp-1-A…-…); what cannot be found out is taken to be well."""
    try:
        answer, _ = await _asked(client.bots_info(bot=bot), within)
    except _FailedError:
        return False
    app, parts = text_at(answer, "bot", "app_id"), app_token.split("-")
    return bool(app) and len(parts) > _APP_AT and parts[_APP_AT].startswith("A") and parts[_APP_AT] != app


def _no_token(failed: _FailedError, api_url: str) -> Found:
    if not failed.reached:
        return _out_of_reach(failed, api_url)
    if str(failed) in BAD_TOKEN:
        do = f"copy the Bot User OAuth Token of OAuth & Permissions into it, from {_OWN_PAGE}"
        return "fix", f"Slack does not take SLACK_BOT_TOKEN ({failed}): {do}."
    return "fix", f"Slack refuses SLACK_BOT_TOKEN for now ({failed}): try again, and if it stays so, reinstall the app."


def _out_of_reach(failed: _FailedError, api_url: str) -> Found:
    return (
        "fix",
        f"Slack does not answer at {api_url} ({failed}): see that it can be reached, or set SLACK_API_URL.",
    )


def _scopes(header: str | None) -> Iterator[Found]:
    if header is None:
        yield "note", "Slack did not say which scopes SLACK_BOT_TOKEN has, so they were not checked."
        return
    had = {scope.strip() for scope in header.split(",")}
    missing = [name for name in SCOPES if name not in had]
    for name in missing:
        kind: Literal["fix", "note"] = "fix" if SCOPES[name].needed else "note"
        yield kind, f"The bot token has no scope {name}, which would let the bot {SCOPES[name].lets}."
    if missing:
        yield "note", f"Scopes are added on OAuth & Permissions of {_OWN_PAGE}; reinstall the app there afterwards."
    else:
        yield "ok", f"The bot token has all {len(SCOPES)} scopes of the manifest."


async def _app_token(token: str, api_url: str, within: float) -> Found:
    async with open_client(token, api_url) as client:
        try:
            await _asked(client.apps_connections_open(app_token=token), within)
        except _FailedError as failed:
            if not failed.reached:
                return _out_of_reach(failed, api_url)
            do = "turn on Socket Mode, and set an app-level token with the scope connections:write"
            return "fix", f"Slack opens no connection with SLACK_APP_TOKEN ({failed}): {do}, from {_OWN_PAGE}."
    return "ok", "Slack opens a Socket Mode connection with SLACK_APP_TOKEN."


def _over_http() -> Found:
    unseen = "a wrong SLACK_SIGNING_SECRET cannot be seen from here: with it every request is answered with 401"
    return "note", f"Slack must be able to reach the bot at https://your.host{EVENTS_PATH}; {unseen}."


def _compare(how: str) -> Found:
    do = f"compare App Manifest on {_OWN_PAGE} with `python -m bot slack-manifest{how}`"
    return "note", f"Slack tells no token which events, commands and shortcuts the app has: {do}."


async def examine_many(
    *, client_id: str, client_secret: str, api_url: str, within: float = 10.0
) -> AsyncIterator[Found]:
    """Look at the client of an app that many workspaces install: Slack tells by how it refuses a made-up code."""
    async with open_client("", api_url) as client:
        asked = client.oauth_v2_access(client_id=client_id, client_secret=client_secret, code="a-look-by-the-doctor")
        try:
            await _asked(asked, within)
        except _FailedError as failed:
            yield _client(failed, api_url)
    yield _over_http()
    yield "note", f"The app's redirect URL must be https://your.host{REDIRECT_PATH}."
    yield _compare(" --url https://your.host")


def _client(failed: _FailedError, api_url: str) -> Found:
    if not failed.reached:
        return _out_of_reach(failed, api_url)
    if name := _WRONG_CLIENT.get(str(failed)):
        return "fix", f"Slack does not take {name} ({failed}): copy what Basic Information shows, from {_OWN_PAGE}."
    if str(failed) == "invalid_code":
        return "ok", "Slack takes SLACK_CLIENT_ID and SLACK_CLIENT_SECRET."
    return "note", f"Slack did not say whether it takes SLACK_CLIENT_ID and SLACK_CLIENT_SECRET ({failed})."

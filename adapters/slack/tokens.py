"""The token of an installation made by OAuth, and how it is renewed. Refuses to renew the same token twice.

A token that runs out is renewed a little before, by one process and one task alone: Slack takes a refresh token once,
and the second of two at a time would end with a dead token. Tokens are in no repr and no log.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import BAD_TOKEN, CallError, Closed
from adapters.slack.installation import dated, read_kept
from adapters.slack.payload import text_at
from adapters.slack.quiet import sdk_logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from adapters.slack.identity import Own
    from adapters.slack.installation import Installation
    from adapters.slack.payload import Json
    from bot.chat import Installs

_log = logging.getLogger(__name__)
_METHOD = "oauth.v2.access"
_DEAD = BAD_TOKEN | {"invalid_refresh_token"}  # anything else may be the operator's slip, or pass
_EARLY, _PATIENCE = 600.0, 10.0  # seconds: before a token runs out; for Slack's answer
_SOON = 1.0  # after a failed renewal of a token that ran out
_PAUSE = 60.0  # after a failed renewal while the token is still good
_KEEP_TRIES = 3


class AppKeys(NamedTuple):
    """The app as Slack's OAuth knows it."""

    client_id: str
    client_secret: str

    def __repr__(self) -> str:
        """Say nothing of the secret."""
        return "AppKeys()"


async def exchange(client: AsyncWebClient, app: AppKeys, **grant: str) -> Json:
    """Exchange a code or a refresh token.

    Raises:
        Closed: it is good for nothing any more.
        CallError: it did not work; `lost` when Slack could not be reached.
    """
    try:
        async with asyncio.timeout(_PATIENCE):
            answer = await client.oauth_v2_access(client_id=app.client_id, client_secret=app.client_secret, **grant)
    except SlackApiError as error:
        code = _code(error)
        if code in _DEAD:
            raise Closed(_METHOD, code) from None
        raise CallError(_METHOD, code or "no answer", lost=not code) from None
    except (SlackClientError, AttributeError, aiohttp.ClientError, TimeoutError, OSError) as error:
        raise CallError(_METHOD, type(error).__name__, lost=True) from None
    return answer.data if isinstance(answer.data, dict) else {}


def _code(error: SlackApiError) -> str:
    data = getattr(error.response, "data", None)
    return text_at(data, "error") if isinstance(data, dict) else ""


def _later(failed: CallError) -> CallError:
    """What it means to the call that wanted the token: it was not made at all, and may be soon."""
    return CallError(_METHOD, failed.error, waits=_SOON)


class Renewing:
    """The token of one installation, renewed in time."""

    def __init__(
        self, kept: Installation, installs: Installs, app: AppKeys, client: AsyncWebClient, known: Callable[[Own], None]
    ) -> None:
        """Begin with what was kept; `client` asks for new tokens, and `known` is told who we are when that is new."""
        self.kept, self._installs, self._app, self._client, self._known = kept, installs, app, client, known
        self._renewal: asyncio.Task[None] | None = None
        self._rest_until = 0.0

    def adopt(self, kept: Installation) -> None:
        """Use this from now on."""
        self.kept = kept
        self._known(kept.own)

    async def token(self) -> str:
        """A token that is good now.

        Raises:
            Undeliverable: there is none any more.
            CallError: it ran out, and could not be renewed yet.
        """
        left = self.kept.left()
        resting = left > 0 and time.monotonic() < self._rest_until
        if left <= min(_EARLY, self.kept.lasts / 4) and not resting:
            try:
                await self._renewed("")
            except (CallError, Closed) as failed:
                if left <= 0:
                    raise failed if isinstance(failed, Closed) else _later(failed) from None
                self._rest_until = time.monotonic() + _PAUSE
                _log.warning("A token could not be renewed yet: %s", failed.error)
        return self.kept.token

    async def replaced(self, token: str, error: str) -> bool:
        """Whether there is another token by now than this one, which Slack refused with `error`."""
        if self.kept.token == token:
            with contextlib.suppress(CallError, Closed):
                await self._renewed(error)
        return self.kept.token != token

    async def _renewed(self, refused: str) -> None:
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.ensure_future(self._renew(self.kept.token, refused))
            self._renewal.add_done_callback(lambda task: task.cancelled() or task.exception())
        # Whoever waits may be cancelled; a renewal under way is not, or its new token would be lost.
        try:
            await asyncio.shield(self._renewal)
        except (CallError, Closed):
            raise
        except Exception as error:  # noqa: BLE001 - a store of whatever kind; no call was made for all it failed
            raise CallError(_METHOD, type(error).__name__) from None

    async def _renew(self, token: str, refused: str) -> None:
        name = self.kept.own.install
        async with self._installs.alone(name):
            stored = read_kept(await self._installs.get(name))
            if stored is None:
                raise Closed(_METHOD, "not_installed")
            if stored.token != token and (refused or stored.renewed_at >= self.kept.renewed_at):
                self.adopt(stored)  # another process renewed it, or it was installed anew
                if stored.left() > min(_EARLY, stored.lasts / 4):
                    return
            if not self.kept.refresh or refused not in {"", "token_expired"}:
                return
            answer = await exchange(
                self._client, self._app, grant_type="refresh_token", refresh_token=self.kept.refresh
            )
            if not text_at(answer, "access_token"):
                raise CallError(_METHOD, "no token")
            self.adopt(dated(self.kept, answer, time.time()))
            await self._keep(name)

    async def _keep(self, name: str) -> None:
        """Keep the new token: the one before is used up, so this is tried more than once."""
        for tried in range(_KEEP_TRIES):
            try:
                await self._installs.put(name, self.kept.text())
            except Exception as error:  # noqa: BLE001 - a store of whatever kind; the token works meanwhile
                _log.error("A renewed token could not be kept: %s", type(error).__name__)
                await asyncio.sleep(0.2 * 2**tried)
            else:
                return

    async def close(self) -> None:
        """Let a renewal that is under way come to its end."""
        if self._renewal is not None:
            await asyncio.wait({self._renewal}, timeout=_PATIENCE)


class InstalledClient(AsyncWebClient):
    """Slack's Web API with the token of an installation, which may change between two calls."""

    renewing: Renewing

    def __init__(self, session: aiohttp.ClientSession, api_url: str) -> None:
        """Use this session; set `renewing` before the first call."""
        super().__init__(None, base_url=api_url, session=session, logger=sdk_logger(), retry_handlers=[])

    async def api_call(self, api_method: str, **arguments: Any) -> AsyncSlackResponse:  # noqa: ANN401 - the SDK's own
        """Call with a token that is good; once more when Slack refused it and there is another one by now."""
        token = await self.renewing.token()
        self.token = token  # read before the first await of the call below
        try:
            return await super().api_call(api_method, **arguments)
        except SlackApiError as error:
            code = _code(error)
            if code not in BAD_TOKEN or not await self.renewing.replaced(token, code):
                raise
        self.token = self.renewing.kept.token
        return await super().api_call(api_method, **arguments)

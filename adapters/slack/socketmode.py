"""Slack over a websocket (Socket Mode), through the same Bolt app. No acknowledgement for what was not accepted.

The SDK notices a silent socket by its own ping and replaces it, but while it cannot connect it keeps trying one
address whose ticket runs out; so a client that stays unconnected is thrown away and a new one asks for a new address.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import TYPE_CHECKING

from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from adapters.slack.bolt import dispatch
from adapters.slack.calls import CallError
from adapters.slack.payload import text_at
from adapters.slack.quiet import sdk_logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from slack_bolt.async_app import AsyncApp
    from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.calls import Calls

_log = logging.getLogger(__name__)
_DEAD_AFTER = 5  # pings
_CLOSE_WITHIN = 1.0  # seconds; a dead peer does not answer the goodbye


class SocketListener:
    """Listens on one socket after another, for as long as it runs."""

    def __init__(
        self, app: AsyncApp, app_token: str, calls: Calls, client: AsyncWebClient, *, ping_every: float
    ) -> None:
        """Hand every envelope to this app; `calls` and `client` hold the app token."""
        self._app, self._token, self._calls, self._client, self._every = app, app_token, calls, client, ping_every

    async def run(self, connected: Callable[[], None]) -> None:
        """Listen until cancelled; calls `connected` each time a socket is open.

        Raises:
            Closed: Slack does not take the app token.
        """
        while True:
            try:
                answer = await self._calls("apps.connections.open")
                await self._listen(text_at(answer, "url"), connected)
            except CallError as failed:
                _log.warning("No socket address from Slack: %s", failed.error)
            await asyncio.sleep(self._every / 5)

    async def _listen(self, address: str, connected: Callable[[], None]) -> None:
        client = SocketModeClient(self._token, logger=sdk_logger(), web_client=self._client, ping_interval=self._every)
        client.wss_uri = address
        client.socket_mode_request_listeners.append(self._take)
        connecting = asyncio.ensure_future(client.connect())  # type: ignore[no-untyped-call] # the SDK has no annotation
        try:
            await self._until_dead(client, connected)
        finally:
            connecting.cancel()
            await _drop(client)

    async def _until_dead(self, client: SocketModeClient, connected: Callable[[], None]) -> None:
        alive, pause = time.monotonic(), 0.02
        while time.monotonic() - alive < _DEAD_AFTER * self._every:
            if await client.is_connected():
                alive, pause = time.monotonic(), self._every / 10
                connected()
            await asyncio.sleep(pause)
        _log.warning("The socket to Slack was dead for too long; a new one is opened.")

    async def _take(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        started = time.time()
        body = request.payload if isinstance(request.payload, dict) else {}
        await send_async_response(client, request, await dispatch(self._app, body), started)


async def _drop(client: SocketModeClient) -> None:
    """Close a client and all it started, whatever state its socket is in."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(_CLOSE_WITHIN):
            await client.close()  # type: ignore[no-untyped-call] # the SDK has no annotation
    for task in (client.message_processor, client.current_session_monitor, client.message_receiver):
        if task is not None:
            task.cancel()
    await client.aiohttp_client_session.close()

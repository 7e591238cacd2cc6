"""Slack over HTTP: `/slack/events`, `/healthz`, the pages of OAuth. Refuses (401) what Slack did not sign just now.

Signature and JSON are checked before Bolt: Bolt's request reads fields before it checks anything, and a bad signature
makes it log the whole body.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from adapters.slack.bolt import dispatch
from adapters.slack.payload import text_at
from adapters.slack.signed import Reader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator, Sequence

    from slack_bolt.async_app import AsyncApp
    from starlette.requests import Request

    from adapters.slack.payload import Json

_IGNORED = 200
_DELIVERED = frozenset({"event_callback", "url_verification"})  # a row's key, or nothing, makes these safe to repeat
_MOST_AT_ONCE = 1_000  # connections and requests; what is beyond gets 503, and Slack sends events again
_FIRST_WORDS = 10.0  # seconds for the head of a first request
_IDLE = 15  # seconds that a connection is kept between two requests


def web_app(app: AsyncApp, signing_secret: str, pages: Sequence[Route] = ()) -> Starlette:
    """The routes, as an ASGI app; `pages` are more of them."""
    reader = Reader(signing_secret)

    async def events(request: Request) -> Response:
        signed = await reader.read(request)
        if isinstance(signed, int):  # the rest of its body is not waited for
            return Response(status_code=signed, headers={"Connection": "close"})
        body = _body(signed.text)
        if text_at(body, "type") not in _DELIVERED and not reader.is_first(signed):
            return Response(status_code=_IGNORED)
        answer = await dispatch(app, body)
        return Response(answer.body, answer.status, answer.first_headers_without_set_cookie())

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok")

    routes = [Route("/slack/events", events, methods=["POST"]), Route("/healthz", health, methods=["GET"])]
    return Starlette(routes=[*routes, *pages])


def _body(text: str) -> Json:
    """What Slack sent, as an object; empty when it is none. Events come as JSON, all else as a form."""
    if not text.lstrip().startswith(("{", "[")):
        form = dict(parse_qsl(text, keep_blank_values=True))
        if "payload" not in form:
            return dict(form)
        text = form["payload"]
    with contextlib.suppress(ValueError, RecursionError):
        body = json.loads(text)
        return body if isinstance(body, dict) else {}
    return {}


class _Impatient(H11Protocol):
    """Closes a connection on which no whole request head came in time: silent ones would fill all the places."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._late = self.loop.call_later(_FIRST_WORDS, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None:
            self._late.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._late.cancel()
        super().connection_lost(exc)


class _Server(uvicorn.Server):
    """Leaves signals alone, as the command line owns them, and waits to be stopped without polling."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stopped = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield

    async def main_loop(self) -> None:
        """Keep the date header right until stopped."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._stopped.wait()

    def stop(self) -> None:
        """Take no more connections and end what runs."""
        self.should_exit = True
        self._stopped.set()


@contextlib.asynccontextmanager
async def serving(app: Starlette, host: str, port: int) -> AsyncIterator[str]:
    """Serve while the context is open; gives the base address (port 0 finds a free one).

    Raises:
        OSError: the port cannot be listened on; the message says which.
    """
    listener = _listen(host, port)
    config = uvicorn.Config(
        app,
        http=_Impatient,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=_IDLE,
        limit_concurrency=_MOST_AT_ONCE,
    )
    server = _Server(config)
    running = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        yield f"http://{host}:{listener.getsockname()[1]}"
    finally:
        server.stop()
        await asyncio.shield(running)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OSError(error.errno, f"Cannot listen on {host}:{port}: set HOST and PORT to what is free here.") from None

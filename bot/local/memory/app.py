"""The HTTP side of the local memory: keys, request ids, error bodies, and the failures that tests ask for.

It refuses a call without a key, and answers no call with anything but JSON.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import sqlite3
import uuid
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot.local.memory import endpoints, parse, rules, spaces
from bot.local.memory.call import Call
from bot.local.memory.rules import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bot.local.memory.call import Answer
    from bot.local.memory.faults import Fault
    from bot.local.memory.server import LocalMemory

_LOG = logging.getLogger(__name__)


def make(memory: LocalMemory, api_key: str | None) -> ASGIApp:
    """Build the ASGI app in front of a memory."""
    routes = [Route(path, _endpoint(memory, handler), methods=[method]) for method, path, handler in endpoints.ROUTES]
    inner = Starlette(routes=routes, exception_handlers={HTTPException: _unknown})
    inner.router.redirect_slashes = False
    return _Gate(inner, memory, api_key)


def _refusal(refused: Refused) -> Response:
    return JSONResponse({"error": refused.body}, refused.status)


def _unknown(_: Request, error: Exception) -> Response:
    """Answer a path or a method that is not there."""
    status = error.status_code if isinstance(error, HTTPException) else rules.NOT_FOUND[0]
    answers = {rules.NOT_ALLOWED[0]: (rules.NOT_ALLOWED, "This address does not take that method.")}
    return _refusal(Refused(*answers.get(status, (rules.NOT_FOUND, "There is nothing at this address."))))


def _endpoint(
    memory: LocalMemory, handler: Callable[[Call], Awaitable[Answer]]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            status, answer = await handler(Call(memory, request, await _body(request), _space(request)))
        except Refused as refused:
            return _refusal(refused)
        except sqlite3.Error as error:
            _LOG.warning("The memory's database did not answer (%s).", type(error).__name__)
            return _refusal(Refused(rules.UNAVAILABLE, "The memory did not answer. Try again in a moment."))
        except Exception as error:  # noqa: BLE001 - on a port, one call must end neither in plain text nor in a traceback
            _LOG.error("A call to the local memory failed (%s).", type(error).__name__)
            return _refusal(Refused(rules.INTERNAL, "The memory failed at this. It is a fault of the program."))
        return JSONResponse(answer, status)

    return endpoint


def _space(request: Request) -> str:
    """Read whose memory a call is about: the key owner's own one only if no space is named at all."""
    named = request.headers.getlist("x-geniffy-space")
    if not named:
        return spaces.OWN
    return parse.space_name(named[0] if len(named) == 1 else None)


async def _body(request: Request) -> parse.Sent:
    """Read the body of a call that has one, up to a size; a file upload is refused by its endpoint unread."""
    if request.method not in {"POST", "PATCH", "PUT"} or request.url.path.endswith("/file"):
        return {}
    raw = b""
    async for part in request.stream():
        raw += part
        if len(raw) > rules.BODY_BYTES:
            raise Refused(rules.TOO_LONG, "The request is too large. Send it in parts.")
    return parse.body(raw)


class _Gate:
    """Stands before every call: gives it an id, checks its key, and lets faults happen."""

    def __init__(self, inner: ASGIApp, memory: LocalMemory, api_key: str | None) -> None:
        self._inner, self._memory, self._key = inner, memory, api_key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        request_id = str(uuid.uuid4())

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        app = await self._meet(scope)
        await app(scope, receive, send_with_id)

    async def _meet(self, scope: Scope) -> ASGIApp:
        if not self._knows(Headers(scope=scope).get("authorization", "")):
            return _refusal(Refused(rules.BAD_KEY, "This key is missing, wrong or revoked."))
        fault = self._memory.faults.take(scope["method"], scope["path"])
        return (await _faulty(fault) if fault else None) or self._inner

    def _knows(self, authorization: str) -> bool:
        scheme, _, key = authorization.partition(" ")
        if scheme.casefold() != "bearer" or not key.strip():
            return False
        return self._key is None or hmac.compare_digest(key.strip().encode(), self._key.encode())


async def _faulty(fault: Fault) -> Response | None:
    await asyncio.sleep(fault.seconds)
    if fault.malformed:
        return PlainTextResponse("<html>not what you asked for</html>")
    if not fault.code:
        return None
    after = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
    error = Refused((fault.status, fault.code), "This failure was asked for by a test.")
    return JSONResponse({"error": error.body}, fault.status, headers=after)

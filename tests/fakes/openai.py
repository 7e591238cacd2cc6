"""A scriptable OpenAI-compatible server on a real loopback port: what the real SDK does is part of every test.

    async with FakeOpenAI() as server:
        server.say("Hello!")                                # answers the next request
        server.say("A dog.", when="Rex")                    # answers each request whose last user message has that word
        server.say(Answer("Long", finish="length"))         # anything odd is an Answer
        server.say(fail(429, retry_after=0))
        client = model_client(api_key="k", base_url=server.url, ...)
        ...
        assert server.requests[0].last == "Hi"

Without a script it answers "You said: " and the last user message. Use `when` wherever runs are concurrent.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.openai_wire import Answer, Request, error, fail, plain, stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import TracebackType
    from typing import Self


__all__ = ["Answer", "FakeOpenAI", "Request", "Strict", "fail"]


@dataclass
class Strict:
    """Rules of providers beyond what every one has: each can be switched on."""

    names: bool = True  # a `name` is allowed
    several_system: bool = True
    same_role_twice: bool = True


class FakeOpenAI:
    """See the module. `requests` are in order of arrival; `open` and `peak` count requests being answered."""

    def __init__(self, strict: Strict | None = None) -> None:
        self.strict = strict or Strict()
        self.requests: list[Request] = []
        self.open = 0
        self.peak = 0
        self._next: deque[Answer] = deque()
        self._rules: list[tuple[Callable[[Request], bool], Answer]] = []
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner:
            await self._runner.cleanup()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def disconnects(self) -> int:
        return sum(request.disconnected for request in self.requests)

    def say(self, *answers: str | Answer, when: str | Callable[[Request], bool] | None = None) -> None:
        """Script the next requests, one answer each; with `when`, every request that fits it (the newest rule wins)."""
        scripted = [Answer(answer) if isinstance(answer, str) else answer for answer in answers]
        if when is None:
            self._next.extend(scripted)
            return
        fits = when if callable(when) else lambda request, word=when: word in request.last
        self._rules[:0] = [(fits, answer) for answer in scripted]

    def _pick(self, request: Request) -> Answer:
        for fits, answer in self._rules:
            if fits(request):
                return answer
        return self._next.popleft() if self._next else Answer(f"You said: {request.last}")

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        request = Request(await http.json(), {name.lower(): value for name, value in http.headers.items()})
        self.requests.append(request)
        async with self._counted(request):
            if complaint := _complaint(request.body, self.strict):
                return error(400, complaint)
            answer = self._pick(request)
            await asyncio.sleep(answer.delay)
            if answer.status != 200:
                return error(answer.status, answer.text, answer.headers)
            if answer.hang_after == 0:
                await asyncio.Event().wait()
            return await (stream if request.body.get("stream") else plain)(http, request, answer)

    @asynccontextmanager
    async def _counted(self, request: Request) -> AsyncIterator[None]:
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            yield
        except (asyncio.CancelledError, ConnectionError):
            request.disconnected = True
            raise
        finally:
            self.open -= 1


def _complaint(body: dict[str, Any], strict: Strict) -> str | None:
    """Refuse what providers refuse: the first complaint about a body, if any."""
    roles = [message["role"] for message in body["messages"]]
    names = [message["name"] for message in body["messages"] if "name" in message]
    turns = [role for role in roles if role != "system"]
    reasons = body["model"].startswith(("gpt-5", "o1", "o3", "o4"))
    complaints = {
        "stream_options needs stream": "stream_options" in body and not body.get("stream"),
        "parallel_tool_calls needs tools": "parallel_tool_calls" in body and not body.get("tools"),
        "use max_completion_tokens": reasons and "max_tokens" in body,
        "temperature is not supported": reasons and "temperature" in body,
        "a name is not valid": not all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names),
        "name is not supported": bool(names) and not strict.names,
        "content is empty": not all(message.get("content") for message in body["messages"]),
        "only one system message, at the start": not strict.several_system and "system" in roles[1:],
        "roles must alternate": not strict.same_role_twice and any(one == two for one, two in pairwise(turns)),
    }
    return next((text for text, wrong in complaints.items() if wrong), None)

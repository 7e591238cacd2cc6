"""A Slack of one workspace on a loopback port: Web API, response addresses and a Socket Mode websocket.

It keeps what people would see, refuses what Slack refuses (by the limits that others measured), and can be told to
fail the next calls of a method in all the ways a network can.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Self

from aiohttp import WSMsgType, web

from tests.fakes.slack_failures import Failure
from tests.fakes.slack_history import history, replies
from tests.fakes.slack_limits import refusal
from tests.fakes.slack_streams import FakeStreams
from tests.fakes.slack_views import FakeViews

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Json = dict[str, Any]
TEAM, BOT_USER, BOT_ID = "T00FAKE00AA", "U00FAKEBOT01", "B00FAKEBOT01"
BOT_TOKEN, APP_TOKEN, SIGNING_SECRET = "xoxb-fake", "xapp-fake", "shh"
DM, PUBLIC, PRIVATE, GROUP_DM, SHARED = "D00DM", "C00PUBLIC", "C00PRIVATE", "C00GROUP", "C00SHARED"
ANA, BEN = "U00ANA", "U00BEN"


@dataclass
class FakeSlack:
    """`calls` are (method, arguments) in order; `messages` maps (channel, ts) to what stands there."""

    calls: list[tuple[str, Json]] = field(default_factory=list)
    messages: dict[tuple[str, str], Json] = field(default_factory=dict)
    whispers: list[Json] = field(default_factory=list)
    responses: list[Json] = field(default_factory=list)
    statuses: dict[tuple[str, str], str] = field(default_factory=dict)
    acks: dict[str, Json] = field(default_factory=dict)
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    views: FakeViews = field(default_factory=FakeViews)
    update_limit: int | None = None
    most_tables: int | None = None
    most_per_page: int = 999
    """What Slack gives of a conversation at once: 15 for many apps."""
    outage: bool = False
    """No socket opens, and addresses given out meanwhile are of no use later."""
    deaf: bool = False
    """New sockets open, but nothing on them is answered."""
    address: str = ""
    enterprise: str = ""

    def __post_init__(self) -> None:
        self.channels: dict[str, Json] = {
            DM: {"is_im": True},
            PUBLIC: {"is_channel": True, "is_private": False, "name": "general"},
            PRIVATE: {"is_channel": True, "is_private": True, "name": "secret"},
            GROUP_DM: {"is_mpim": True, "is_private": True},
            SHARED: {"is_channel": True, "is_private": False, "is_ext_shared": True, "is_shared": True},
        }
        self.users: dict[str, Json] = {
            ANA: {"team_id": TEAM, "profile": {"display_name": "Ana", "real_name": "Ana Lima"}},
            BEN: {"team_id": TEAM, "profile": {"display_name": "", "real_name": "Ben Okri"}},
            BOT_USER: {"team_id": TEAM, "is_bot": True, "profile": {"real_name": "Keepsake"}},
        }
        self.streams = FakeStreams(self)
        self._dead: set[str] = set()
        self._failures: dict[str, deque[Failure]] = defaultdict(deque)
        self._numbers = count(1)

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_post("/response/{number}", self._response)
        app.router.add_get("/socket", self._socket)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.01)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for socket in self.sockets:
            if not socket.closed:
                socket._req.transport.abort()  # type: ignore[union-attr] # a deaf peer would not shake hands
        await self._runner.cleanup()

    @property
    def api_url(self) -> str:
        return f"{self.address}/api/"

    @property
    def response_url(self) -> str:
        return f"{self.address}/response/1"

    def fail(self, method: str, *failures: Failure) -> None:
        """Let the next calls of a method (or "response_url") fail, one after the other."""
        self._failures[method].extend(failures)

    def called(self, method: str) -> list[Json]:
        """The arguments of every call of a method so far."""
        return [arguments for name, arguments in self.calls if name == method]

    def texts(self, channel: str) -> list[str]:
        """What our messages in a channel show, in order."""
        return [shown(message) for (where, _), message in sorted(self.messages.items()) if where == channel]

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        arguments: Json = dict(request.query)
        if request.can_read_body:
            arguments |= await request.json() if request.content_type == "application/json" else await request.post()
        self.calls.append((method, arguments))
        failure = self._failures[method].popleft() if self._failures[method] else Failure()
        await asyncio.sleep(failure.delay)
        if refused := self.unauthorized(method, request.headers.get("Authorization", "")):
            return web.json_response({"ok": False, "error": refused})
        broken = failure.error or failure.cut or failure.page or failure.status != web.HTTPOk.status_code
        answer = self._do(method, arguments) if not broken or failure.landed else {}
        if failure.cut:
            request.transport.abort()  # type: ignore[union-attr] # an open request has a transport
        if not broken:
            return web.json_response(answer)
        if failure.page:
            return web.Response(text=failure.page, status=failure.status)
        headers = {} if failure.retry_after is None else {"Retry-After": failure.retry_after}
        return web.json_response({"ok": False, "error": failure.error}, status=failure.status, headers=headers)

    def unauthorized(self, method: str, header: str) -> str:
        """Slack's error code when this header lets nobody call this method."""
        return (
            ""
            if header == f"Bearer {APP_TOKEN if method == 'apps.connections.open' else BOT_TOKEN}"
            else "invalid_auth"
        )

    def _do(self, method: str, arguments: Json) -> Json:
        effects: dict[str, Callable[[Json], Json | str]] = {
            "auth.test": self._auth_test,
            "apps.connections.open": self._open,
            "assistant.threads.setStatus": self._set_status,
            "chat.delete": self._delete,
            "chat.postEphemeral": self._post_ephemeral,
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "conversations.history": lambda asked: history(self.messages, asked, self.most_per_page),
            "conversations.info": self._info,
            "conversations.replies": lambda asked: replies(self.messages, asked, self.most_per_page),
            "users.info": self._user,
            **self.streams.effects,
            **self.views.effects,
        }
        result: Json | str = self.streams.refusal(method, arguments)
        if not result:
            result = effects[method](arguments) if method in effects else "unknown_method"
        return {"ok": False, "error": result} if isinstance(result, str) else {"ok": True, **result}

    def _auth_test(self, _: Json) -> Json:
        return {"user_id": BOT_USER, "bot_id": BOT_ID, "team_id": TEAM, "enterprise_id": self.enterprise or None}

    def _open(self, _: Json) -> Json:
        ticket = str(next(self._numbers))
        self._dead |= {ticket} if self.outage else set()
        return {"url": f"{self.address.replace('http', 'ws')}/socket?ticket={ticket}"}

    def _set_status(self, arguments: Json) -> Json:
        self.statuses[arguments["channel_id"], arguments["thread_ts"]] = arguments["status"]
        return {}

    def _post(self, arguments: Json) -> Json | str:
        refused = self._refusal(arguments)
        if refused:
            return refused
        channel, ts = arguments["channel"], f"{int(time.time())}.{next(self._numbers):06d}"
        self.messages[channel, ts] = {**arguments, "ts": ts, "user": BOT_USER, "bot_id": BOT_ID}
        self.statuses[channel, arguments.get("thread_ts", ts)] = ""  # Slack clears it with the first message
        return {"ts": ts, "channel": channel}

    def _update(self, arguments: Json) -> Json | str:
        place = (arguments["channel"], arguments["ts"])
        if place not in self.messages:
            return "message_not_found"
        if self.update_limit is not None and len(shown(arguments)) > self.update_limit:
            return "msg_too_long"
        refused = self._refusal(arguments)
        if not refused:
            self.messages[place] |= arguments
        return refused or {"ts": arguments["ts"]}

    def _delete(self, arguments: Json) -> Json | str:
        return {} if self.messages.pop((arguments["channel"], arguments["ts"]), None) else "message_not_found"

    def _post_ephemeral(self, arguments: Json) -> Json | str:
        refused = self._refusal(arguments)
        if not refused:
            self.whispers.append(arguments)
        return refused or {"message_ts": "1.1"}

    def _refusal(self, arguments: Json) -> str:
        channel = self.channels.get(arguments["channel"])
        if channel is None:
            return "channel_not_found"
        return "is_archived" if channel.get("is_archived") else refusal(arguments, self.most_tables)

    def _info(self, arguments: Json) -> Json | str:
        channel = self.channels.get(arguments["channel"])
        return {"channel": {"id": arguments["channel"], **channel}} if channel else "channel_not_found"

    def _user(self, arguments: Json) -> Json | str:
        user = self.users.get(arguments["user"])
        return {"user": {"id": arguments["user"], **user}} if user else "user_not_found"

    async def _response(self, request: web.Request) -> web.StreamResponse:
        failure = self._failures["response_url"].popleft() if self._failures["response_url"] else Failure()
        if failure.status != web.HTTPOk.status_code:
            return web.Response(status=failure.status, text=failure.error or "used_url")
        content = await request.json()
        if not content.get("delete_original") and (refused := refusal(content, self.most_tables)):
            return web.Response(status=400, text=refused)
        self.responses.append(content)
        return web.Response(text="ok")

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if self.outage or request.query["ticket"] in self._dead:
            return web.Response(status=403)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        self.sockets.append(socket)
        deaf = self.deaf
        if not deaf:
            await socket.send_json({"type": "hello"})
        async for message in socket:
            if message.type is WSMsgType.PING and not deaf and not self.deaf:
                await socket.pong(message.data)
            if message.type is WSMsgType.TEXT:
                ack = json.loads(message.data)
                self.acks[ack["envelope_id"]] = ack.get("payload") or {}
        return socket

    async def envelope(self, kind: str, payload: Json) -> str:
        """Send an envelope (`events_api`, `slash_commands`, `interactive`) over the newest socket; gives its id."""
        number = f"e{next(self._numbers)}"
        await self.sockets[-1].send_json({"type": kind, "envelope_id": number, "payload": payload})
        return number


def shown(message: Json) -> str:
    """What a message shows: its Markdown blocks, or its text."""
    blocks = [block["text"] for block in message.get("blocks") or [] if block["type"] == "markdown"]
    return "\n".join(blocks) or str(message.get("text", ""))

"""The fake Discord: one loopback server with REST and gateway, its failures to be ordered, and people who speak."""

from __future__ import annotations

import asyncio
import fnmatch
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from aiohttp import web

from tests.fakes.discord import payloads
from tests.fakes.discord.channels import CALL, Call, Channels, as_json, refusal, walk
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.payloads import APPLICATION, Json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_ROOT = "/api/v10"
IN_PLACE = 6  # an acknowledgement that leaves the message with the button there, to be changed
# Without these discord.py lets only one call of a kind run at a time, which hides what overtakes what.
_ROOMY = {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "49", "X-RateLimit-Reset-After": "0.05"}


@dataclass(slots=True)
class Failure:
    """What shall go wrong: with a status, or the connection dropped; with a delay alone it is only slow."""

    status: int = 0
    body: Json | str = ""
    """A str is HTML."""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    after: bool = False
    """The effect lands all the same."""
    delay: float = 0.0
    times: float = 1

    def response(self) -> web.Response:
        if isinstance(self.body, str):
            return web.Response(status=self.status, text=self.body, content_type="text/html", headers=self.headers)
        return as_json(self.body, self.status, self.headers)


class FakeDiscord(Channels):
    """`async with FakeDiscord() as discord:` then give `discord.api_url` and `discord.token` to the bot."""

    def __init__(self) -> None:
        super().__init__()
        self.token = "a-made-up-token"
        self.api_url = ""
        self.guilds: dict[str, Json] = {}
        self.calls: list[Call] = []
        self.commands: list[Json] = []
        self.shown: dict[str, Json] = {}
        """What each interaction's token was answered with, by token."""
        self.panels: dict[str, Json] = {}
        """The messages that interactions left, as they are now, by id."""
        self.gateway = Gateway(self.token, self.guilds)
        self._failures: list[tuple[str, str, Failure]] = []
        self._acknowledged: dict[str, Json] = {}
        self._pressed_on: dict[str, tuple[str, str]] = {}
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[self._middleware])
        app.add_routes([*self.routes(), *self._other_routes(), web.get("/gateway", self.gateway.serve)])
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.api_url, self.gateway.url = f"http://127.0.0.1:{port}{_ROOT}", f"ws://127.0.0.1:{port}/gateway"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.gateway.close(1001)
        if self._runner:
            await self._runner.cleanup()

    def fail(self, method: str, path: str, how: Failure) -> None:
        """Let the next calls that fit fail in this way; in `path`, `*` stands for anything."""
        self._failures.append((method, path, how))

    def refuse(self, channel: str, code: int, *, status: int = 403, times: float = float("inf")) -> None:
        """Let every post and typing in a channel be refused with one of Discord's codes."""
        for path in (f"/channels/{channel}/messages", f"/channels/{channel}/typing"):
            self.fail("POST", path, Failure(status, {"code": code, "message": "no"}, times=times))

    def heal(self) -> None:
        """Let nothing fail any more."""
        self._failures.clear()

    def bodies(self, method: str, path: str) -> list[Json]:
        """Every body that came to the paths that fit, oldest first."""
        return [call.body for call in self.calls if call.method == method and fnmatch.fnmatch(call.path, path)]

    def add_guild(self, id_: str, channels: list[Json], *, threads: list[Json] | None = None, self_role: str) -> None:
        """Put the bot into a server; before it connects."""
        self.guilds[id_] = payloads.guild(id_, channels, threads or [], self_role)
        self.channels.update({channel["id"]: channel for channel in [*channels, *(threads or [])]})

    async def say(self, data: Json) -> Json:
        """Let somebody say something: it stands in the channel, and the gateway tells of it."""
        self.messages.setdefault(data["channel_id"], []).append(data)
        await self.gateway.dispatch("MESSAGE_CREATE", data)
        return data

    async def use(self, command: str, *, user: Json, channel: Json, guild: str = "", token: str = "t") -> None:
        """Let somebody use a command."""
        data = {"id": "9", "name": command, "type": 1}
        await self._interact(2, data, user=user, channel=channel, guild=guild, token=token)

    async def press(self, custom_id: str, *, on: Json, user: Json, channel: Json, guild: str = "", token: str) -> None:
        """Let somebody press a button on a message."""
        data = {"custom_id": custom_id, "component_type": 2}
        self._pressed_on[token] = (on["channel_id"], on["id"])
        await self._interact(3, data, user=user, channel=channel, guild=guild, token=token, message=on)

    async def _interact(
        self, kind: int, data: Json, *, user: Json, channel: Json, guild: str, token: str, message: Json | None = None
    ) -> None:
        who = {"guild_id": guild, "member": _member(user), "context": 0} if guild else {"user": user, "context": 1}
        base = {"id": payloads.snowflake(), "application_id": APPLICATION, "type": kind, "token": token, "version": 1}
        more = {"data": data, "channel": channel, "channel_id": channel["id"], "attachment_size_limit": 10485760}
        old = {"message": message} if message else {}
        await self.gateway.dispatch("INTERACTION_CREATE", {**base, **more, **who, **old})

    def _other_routes(self) -> list[web.RouteDef]:
        commands = f"{_ROOT}/applications/{APPLICATION}/commands"
        original = f"{_ROOT}/webhooks/{APPLICATION}/{{token}}/messages/@original"
        return [
            web.get(f"{_ROOT}/users/@me", self._me),
            web.get(f"{_ROOT}/oauth2/applications/@me", self._application),
            web.get(f"{_ROOT}/gateway/bot", self._gateway_bot),
            web.get(commands, self._commands),
            web.put(commands, self._put_commands),
            web.post(f"{_ROOT}/interactions/{{id}}/{{token}}/callback", self._callback),
            web.patch(original, self._original),
        ]

    @web.middleware
    async def _middleware(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not request.path.startswith(_ROOT):
            return await handler(request)
        call = await _read(request)
        self.calls.append(call)
        CALL.set(call)
        if not call.path.startswith(("/interactions", "/webhooks")):
            allowed = request.headers.get("Authorization") == f"Bot {self.token}"
            if not allowed:
                return refusal(401, 0, "401: Unauthorized")
        failure = self._failure_of(call)
        response = await self._failed(failure, request, handler) if failure else await handler(request)
        if not response.prepared:
            response.headers.update(_ROOMY)
        return response

    def _failure_of(self, call: Call) -> Failure | None:
        for entry in self._failures:
            method, path, failure = entry
            if method == call.method and fnmatch.fnmatch(call.path, path):
                failure.times -= 1
                if failure.times <= 0:
                    self._failures.remove(entry)
                return failure
        return None

    async def _failed(
        self, failure: Failure, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        await asyncio.sleep(failure.delay)
        done = await handler(request) if failure.after or not (failure.status or failure.drop) else None
        if failure.drop and request.transport:
            request.transport.abort()
        return failure.response() if failure.status else done or web.Response()

    async def _me(self, _: web.Request) -> web.Response:
        return as_json(payloads.bot_user())

    async def _application(self, _: web.Request) -> web.Response:
        texts = {"name": "Keepsake", "description": "", "icon": None, "verify_key": "", "flags": 0}
        flags = {"bot_public": True, "bot_require_code_grant": False}
        return as_json({"id": APPLICATION, **texts, **flags, "owner": payloads.user("1", "Owner")})

    async def _gateway_bot(self, _: web.Request) -> web.Response:
        limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        return as_json({"url": self.gateway.url, "shards": 1, "session_start_limit": limit})

    async def _commands(self, _: web.Request) -> web.Response:
        return as_json(self.commands)

    async def _put_commands(self, _: web.Request) -> web.Response:
        more = {"application_id": APPLICATION, "version": "1", "nsfw": False, "default_member_permissions": None}
        self.commands = [{**one, "id": payloads.snowflake(), **more} for one in CALL.get().body["list"]]
        return as_json(self.commands)

    async def _callback(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        if token in self._acknowledged:
            return refusal(400, 40060, "Interaction has already been acknowledged.")
        self._acknowledged[token] = CALL.get().body
        return as_json({"interaction": {"id": request.match_info["id"], "type": 2}})

    async def _original(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        if token not in self._acknowledged:
            return refusal(404, 10015, "Unknown Webhook")
        how, body = self._acknowledged[token], CALL.get().body
        self.shown[token] = {**how, "message": body}
        channel, on = self._pressed_on.get(token, ("1", ""))
        flags = (how.get("data") or {}).get("flags", 0)
        shown = payloads.message(channel, payloads.bot_user(), "", flags=flags, components=body.get("components", []))
        if how["type"] == IN_PLACE:
            shown |= {"id": on, "flags": self.panels.get(on, shown)["flags"]}
        self.panels[shown["id"]] = shown
        return as_json(shown)

    def buttons(self, message: Json) -> dict[str, str]:
        """The buttons of a message: label to custom_id."""
        return {part["label"]: part["custom_id"] for part in walk(message["components"]) if part["type"] == 2}


def _member(user: Json) -> Json:
    return {"user": user, "roles": [], "joined_at": "2026-01-04T20:21:10+00:00", "permissions": "0", "flags": 0}


async def _read(request: web.Request) -> Call:
    path = request.path.removeprefix(_ROOT)
    if request.content_type != "multipart/form-data":
        body = json.loads(await request.read() or b"{}")
        return Call(request.method, path, body if isinstance(body, dict) else {"list": body}, [])
    form = await request.post()
    sent = [value for value in form.values() if isinstance(value, web.FileField)]
    files = [(file.filename, file.file.read().decode()) for file in sent]
    return Call(request.method, path, json.loads(str(form["payload_json"])), files)

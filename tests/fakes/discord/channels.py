"""The channels' half of the REST interface: messages with their nonces, edits, deletions, history, typing."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from aiohttp import web

from tests.fakes.discord.payloads import Json, bot_user, message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT = 2000
COMPONENTS_V2 = 1 << 15


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came."""

    method: str
    path: str
    body: Json
    files: list[tuple[str, str]]


CALL: ContextVar[Call] = ContextVar("call")
"""The request that is being answered."""


def as_json(data: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    # Exactly this content type, as Discord sends it: discord.py reads nothing else as JSON.
    exact = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(data).encode(), status=status, headers=exact)


def refusal(status: int, code: int, text: str) -> web.Response:
    return as_json({"code": code, "message": text}, status=status)


class Channels:
    """Every message by channel, oldest first, and the rules by which Discord accepts one."""

    def __init__(self) -> None:
        self.channels: dict[str, Json] = {}
        self.messages: dict[str, list[Json]] = {}
        self.typed: list[str] = []
        self.after_edit: Callable[[Json], None] | None = None
        """What happens to a message right after its next edit."""
        self._nonces: dict[tuple[str, str], str] = {}

    def routes(self) -> list[web.RouteDef]:
        at = "/api/v10/channels/{channel}"
        return [
            web.get(at, self._channel),
            web.post(f"{at}/typing", self._typing),
            web.get(f"{at}/messages", self._history),
            web.post(f"{at}/messages", self._post),
            web.get(f"{at}/messages/{{message}}", self._one),
            web.patch(f"{at}/messages/{{message}}", self._edit),
            web.delete(f"{at}/messages/{{message}}", self._delete),
        ]

    def find(self, channel: str, id_: str) -> Json | None:
        return next((found for found in self.messages.get(channel, []) if found["id"] == id_), None)

    def forget_nonces(self) -> None:
        """Let some minutes pass: the same nonce posts again."""
        self._nonces.clear()

    async def _channel(self, request: web.Request) -> web.Response:
        found = self.channels.get(request.match_info["channel"])
        return as_json(found) if found else refusal(404, 10003, "Unknown Channel")

    async def _typing(self, request: web.Request) -> web.Response:
        self.typed.append(request.match_info["channel"])
        return web.Response(status=204)

    async def _history(self, request: web.Request) -> web.Response:
        after = int(request.query.get("after", 0))
        found = [one for one in self.messages.get(request.match_info["channel"], []) if int(one["id"]) > after]
        return as_json(found[: int(request.query.get("limit", 50))][::-1])

    async def _post(self, request: web.Request) -> web.Response:
        channel, call = request.match_info["channel"], CALL.get()
        body = call.body
        if problem := next(_problems(body, call.files), None):
            return problem
        if known := self._nonces.get((channel, body.get("nonce", ""))):
            found = self.find(channel, known)
            return as_json(found) if found else refusal(404, 10008, "Unknown Message")
        reference = body.get("message_reference")
        if reference and not self.find(channel, reference["message_id"]):
            if reference.get("fail_if_not_exists", True):
                return refusal(400, 50035, "Invalid Form Body")
            reference = None
        posted = message(channel, bot_user(), body.get("content", ""), **_shown(body, call.files))
        if reference:
            posted["message_reference"] = {**reference, "type": 0}
        self.messages.setdefault(channel, []).append(posted)
        if body.get("enforce_nonce"):
            self._nonces[channel, body["nonce"]] = posted["id"]
        return as_json(posted)

    async def _one(self, request: web.Request) -> web.Response:
        found = self.find(request.match_info["channel"], request.match_info["message"])
        return as_json(found) if found else refusal(404, 10008, "Unknown Message")

    async def _edit(self, request: web.Request) -> web.Response:
        found = self.find(request.match_info["channel"], request.match_info["message"])
        if not found:
            return refusal(404, 10008, "Unknown Message")
        call = CALL.get()
        if problem := next(_problems(call.body, call.files), None):
            return problem
        content = call.body.get("content", found["content"])
        stamp = datetime.now(UTC).isoformat()
        found.update(_shown(call.body, call.files), content=content, edited_timestamp=stamp)
        answer = as_json(found)
        if self.after_edit:
            late, self.after_edit = self.after_edit, None
            late(found)
        return answer

    async def _delete(self, request: web.Request) -> web.Response:
        channel, id_ = request.match_info["channel"], request.match_info["message"]
        if not self.find(channel, id_):
            return refusal(404, 10008, "Unknown Message")
        self.messages[channel] = [one for one in self.messages[channel] if one["id"] != id_]
        return web.Response(status=204)


def _shown(body: Json, files: list[tuple[str, str]]) -> Json:
    attachments = [
        {"id": str(n), "filename": name, "size": len(text), "url": "", "proxy_url": "", "content": text}
        for n, (name, text) in enumerate(files)
    ]
    return {"flags": body.get("flags", 0), "components": body.get("components", []), "attachments": attachments}


def _problems(body: Json, files: list[tuple[str, str]]) -> Iterator[web.Response]:
    """What the real server refuses."""
    content, components = body.get("content") or "", body.get("components") or []
    if not content.strip() and not components and not files:
        yield refusal(400, 50006, "Cannot send an empty message")
    if len(content) > LIMIT or len(str(body.get("nonce", ""))) > 25:
        yield refusal(400, 50035, "Invalid Form Body")
    if body.get("flags", 0) & COMPONENTS_V2 and content:
        yield refusal(400, 50035, "Invalid Form Body")
    parts = list(walk(components))
    ids = [part["custom_id"] for part in parts if "custom_id" in part]
    texts = sum(len(part.get("content", "")) for part in parts)
    if len(parts) > 40 or texts > 4000 or len(set(ids)) != len(ids) or any(len(id_) > 100 for id_ in ids):
        yield refusal(400, 50035, "Invalid Form Body")


def walk(components: list[Json]) -> Iterator[Json]:
    """Every component, those inside others included."""
    for part in components:
        yield part
        yield from walk([*part.get("components", []), *([part["accessory"]] if "accessory" in part else [])])

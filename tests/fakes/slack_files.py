"""Slack's file hosts on a loopback port: `files.info`, and what stands at a file's private address."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from aiohttp import web

from tests.fakes.slack import BOT_TOKEN, FakeSlack

if TYPE_CHECKING:
    from types import TracebackType

Json = dict[str, Any]
SIGN_IN = b"<!DOCTYPE html><html><title>Slack</title>Sign in to your workspace</html>"


@dataclass
class Stored:
    """What is answered at a file's address, and how."""

    data: bytes = b""
    content_type: str = "text/plain"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    announced: bool = True
    """With its length; else in pieces, whose sum nobody says."""
    delay: float = 0.0
    cut: bool = False


class FakeFiles:
    """Files by id: `about` is what `files.info` says of one, `stored` what its address answers, the last one for good.

    `asked` are (path, Authorization) of every request for a file, `lookups` (verb, arguments) of every look-up.
    """

    def __init__(self, token: str = BOT_TOKEN) -> None:
        self.token = token
        self.about: dict[str, Json] = {}
        self.stored: dict[str, list[Stored]] = {}
        self.asked: list[tuple[str, str]] = []
        self.lookups: list[tuple[str, Json]] = []
        self.error = ""
        self.address = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/api/files.info", self._api)
        app.router.add_get("/files-pri/{id}", self._file)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.01)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    def put(self, file_id: str, *stored: Stored, **about: object) -> None:
        """Put a file there; what is in `about` replaces what Slack would say of it."""
        self.stored[file_id] = list(stored)
        first = stored[0] if stored else Stored()
        said = {
            "id": file_id,
            "mode": "hosted",
            "file_access": "visible",
            "is_external": False,
            "size": len(first.data),
        }
        said |= {"mimetype": first.content_type, "url_private": f"{self.address}/files-pri/{file_id}"}
        self.about[file_id] = said | about

    def info(self, arguments: Json) -> Json | str:
        """Answer `files.info`: the file, or an error's code."""
        if self.error:
            return self.error
        file = self.about.get(str(arguments.get("file")))
        return {"file": file} if file else "file_not_found"

    async def _api(self, request: web.Request) -> web.Response:
        arguments: Json = dict(request.query)  # Slack takes no JSON here
        self.lookups.append((request.method, arguments))
        answer = self.info(arguments)
        return web.json_response({"ok": False, "error": answer} if isinstance(answer, str) else {"ok": True, **answer})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        sent = request.headers.get("Authorization", "")
        self.asked.append((request.path, sent))
        answers = self.stored[request.match_info["id"]]
        stored = answers.pop(0) if len(answers) > 1 else answers[0]
        await asyncio.sleep(stored.delay)
        if sent != f"Bearer {self.token}":
            return web.Response(body=SIGN_IN, content_type="text/html")
        if stored.cut:
            request.transport.abort()  # type: ignore[union-attr] # an open request has a transport
        response = web.StreamResponse(status=stored.status, headers=stored.headers)
        response.content_type = stored.content_type
        if stored.announced:
            response.content_length = len(stored.data)
        await response.prepare(request)
        await response.write(stored.data)
        return response


class FilingSlack(FakeSlack):
    """A Slack that has files, too; `files.address` is what a platform takes as `files_url`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.files = FakeFiles()

    async def __aenter__(self) -> Self:
        await self.files.__aenter__()
        return await super().__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self.files.__aexit__(kind, error, trace)

    def _do(self, method: str, arguments: Json) -> Json:
        if method != "files.info":
            return super()._do(method, arguments)
        answer = self.files.info(arguments)
        return {"ok": False, "error": answer} if isinstance(answer, str) else {"ok": True, **answer}

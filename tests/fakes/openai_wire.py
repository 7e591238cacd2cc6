"""What the fake OpenAI server puts on the wire: scripted answers, whole or as server-sent events."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Answer:
    """One scripted answer. Times are in seconds; `chunks` are the exact borders of a stream, else `text` by words."""

    text: str = ""
    chunks: Sequence[str] = ()
    delay: float = 0  # before the first byte
    gap: float = 0  # before each further chunk
    finish: str | None = "stop"
    reasoning: Sequence[str] = ()
    refusal: Sequence[str] = ()
    tool_calls: Sequence[dict[str, Any]] = ()
    model: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    break_after: int | None = None  # chunks, then the connection is cut
    error_after: int | None = None  # chunks, then an error event
    hang_after: int | None = None  # chunks, then nothing more
    done: bool = True  # send [DONE]
    hold: asyncio.Event | None = None  # what comes after the first chunk waits for it

    @property
    def whole(self) -> str:
        return "".join(self.chunks) or self.text

    @property
    def pieces(self) -> list[str]:
        return list(self.chunks) or re.findall(r"\s*\S+|\s+\Z", self.text)


def fail(status: int, *, retry_after: float | None = None, text: str = "This is made up to fail.") -> Answer:
    return Answer(text, status=status, headers={} if retry_after is None else {"retry-after": f"{retry_after:g}"})


@dataclass
class Request:
    """What was asked, and whether the other side went away before it had its answer."""

    body: dict[str, Any]
    headers: dict[str, str]
    disconnected: bool = False

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    def texts(self, role: str) -> list[str]:
        return [str(message["content"]) for message in self.messages if message["role"] == role]

    @property
    def system(self) -> str:
        return "\n\n".join(self.texts("system"))

    @property
    def last(self) -> str:
        return (self.texts("user") or [""])[-1]


def error(status: int, text: str, headers: dict[str, str] | None = None) -> web.Response:
    error = {"message": text, "type": "invalid_request_error", "code": None, "param": None}
    return web.json_response({"error": error}, status=status, headers=headers)


async def plain(_: web.Request, request: Request, answer: Answer) -> web.Response:
    message: dict[str, Any] = {"role": "assistant", "content": answer.whole or None}
    message["refusal"] = "".join(answer.refusal) or None
    if answer.tool_calls:
        message["tool_calls"] = list(answer.tool_calls)
    if answer.reasoning:
        message["reasoning_content"] = "".join(answer.reasoning)
    choice = {"index": 0, "message": message, "finish_reason": answer.finish or "stop"}
    return web.json_response(_envelope(request, answer, "chat.completion", [choice], usage=_usage(request, answer)))


async def stream(http: web.Request, request: Request, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(http)
    for number, delta in enumerate(_deltas(answer)):
        if await _interrupted(http, response, answer, number):
            return response
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        await _event(response, _envelope(request, answer, "chat.completion.chunk", [choice]))
    if await _interrupted(http, response, answer, len(_deltas(answer))):
        return response
    if answer.finish:
        end = {"index": 0, "delta": {}, "finish_reason": answer.finish}
        await _event(response, _envelope(request, answer, "chat.completion.chunk", [end]))
    if request.body.get("stream_options", {}).get("include_usage"):
        await _event(response, _envelope(request, answer, "chat.completion.chunk", [], usage=_usage(request, answer)))
    if answer.done:
        await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


async def _interrupted(http: web.Request, response: web.StreamResponse, answer: Answer, sent: int) -> bool:
    """Do what is scripted before the chunk of that number; tell whether the stream ends with it."""
    if sent and answer.gap:
        await asyncio.sleep(answer.gap)
    if sent and answer.hold:
        await answer.hold.wait()
    if sent == answer.hang_after:
        await asyncio.Event().wait()
    if sent == answer.error_after:
        await _event(response, {"error": {"message": "made up, with words", "type": "server_error", "code": None}})
        return True
    if sent == answer.break_after and http.transport:
        http.transport.abort()
        return True
    return False


def _deltas(answer: Answer) -> list[dict[str, Any]]:
    return [
        *({"reasoning_content": piece} for piece in answer.reasoning),
        *({"content": piece} for piece in answer.pieces),
        *({"refusal": piece} for piece in answer.refusal),
        *({"tool_calls": [{"index": index, **call}]} for index, call in enumerate(answer.tool_calls)),
    ]


async def _event(response: web.StreamResponse, data: dict[str, Any]) -> None:
    await response.write(f"data: {json.dumps(data)}\n\n".encode())


def _envelope(
    request: Request, answer: Answer, kind: str, choices: list[dict[str, Any]], usage: dict[str, int] | None = None
) -> dict[str, Any]:
    model = answer.model or request.body["model"]
    return {"id": "c1", "object": kind, "created": 0, "model": model, "choices": choices, "usage": usage}


def _usage(request: Request, answer: Answer) -> dict[str, int]:
    """Count words as tokens."""
    asked = sum(len(str(message["content"]).split()) for message in request.messages)
    answered = len(answer.whole.split())
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}

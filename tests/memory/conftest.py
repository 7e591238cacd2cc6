"""A small Geniffy behind the real client: it records what it is asked, and answers what a test tells it to."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
from geniffy import AsyncGeniffy
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.chat import Audience, Exchange, Message, Reply, Thread, User
from bot.memory import Memories

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request

ANA = User("slack", "T024.U061", "Ana")
SENT = datetime(2026, 10, 4, 9, 30, tzinfo=UTC)


def place(audience: Audience, channel: str = "C1") -> Thread:
    return Thread("slack", "T024", channel, "1.1", audience)


DM = place(Audience.DM, "D1")
PUBLIC = place(Audience.PUBLIC)
PRIVATE = place(Audience.PRIVATE, "G1")
EXTERNAL = place(Audience.EXTERNAL)
UNKNOWN = place(Audience.UNKNOWN)


SYSTEM = SystemMessage(content="You are helpful.")
HELLO = UserMessage(content="Hello.", source="ana")
ANSWER = AssistantMessage(content="Hello, Ana.", source="assistant")
QUESTION = UserMessage(content="Who is Rex?", source="ana")
KNOWN = re.compile(
    r'<memory-[0-9a-f]{8} state="known">\nWhat this person told you in earlier conversations\. .*\n'
    r"- Rex is my dog\.  \[in a direct message, 2026-10-04\]\n</memory-[0-9a-f]{8}>"
)


def context(*messages: LLMMessage) -> UnboundedChatCompletionContext:
    return UnboundedChatCompletionContext(initial_messages=list(messages))


async def block_of(model_context: UnboundedChatCompletionContext) -> str:
    (found,) = [one for one in await model_context.get_messages() if "<memory-" in str(one.content)]
    assert isinstance(found, SystemMessage)
    return found.content


def exchange(text: str = "Rex is my dog.", answer: str = "Noted.", thread: Thread = DM, who: User = ANA) -> Exchange:
    message = Message("1.2", thread, who, text, SENT)
    return Exchange(message, Reply(thread, message.id, ("1.3",)), answer)


def remembered(text: str, label: str | None = "dm", at: int = 1) -> dict[str, Any]:
    """One memory, as the service sends it."""
    labels = {"heard": label} if label else {}
    source = {"id": "a" * 32, "kind": "note", "title": "", "labels": labels}
    return {"id": at, "text": text, "kind": "detail", "said_at": "2026-10-04T09:30:00Z", "source": source}


@dataclass
class Seen:
    space: str | None
    method: str
    path: str
    query: dict[str, str]
    body: Any


@dataclass
class FakeGeniffy:
    """Answers by method and path; a test replaces an answer, or gives a function of the request."""

    seen: list[Seen] = field(default_factory=list)
    answers: dict[str, Response | Callable[[Request], Awaitable[Response]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.remember()
        self.answer("POST /v1/memories", {"source": {"id": "a" * 32, "status": "reading"}}, 201)
        self.answer("DELETE /v1/sources", {"deleted": True})
        self.answer("GET /v1/memories", {"memories": [], "counts": {"all": 0}, "total": 0, "next": None})
        self.answer("GET /v1/sources", {"sources": [], "total": 0, "next": None})
        self.answer("GET /v1/export", {"memories": [], "sources": [], "files": [], "episodes": [], "now": []})
        self.answer(f"DELETE /v1/spaces/{ANA.space}", {"erased": True})

    def answer(self, what: str, body: Any, status: int = 200) -> None:  # noqa: ANN401 - any JSON, or bytes as they are
        self.answers[what] = Response(body, status) if isinstance(body, bytes) else JSONResponse(body, status)

    def remember(self, *memories: dict[str, Any]) -> None:
        found = {"context": "", "used": len(memories), "empty": not memories, "memories": list(memories)}
        self.answer("POST /v1/context", found)
        self.answer("POST /v1/briefing", found | {"briefing": ""})

    def fail(self, what: str, status: int) -> None:
        """Fail with a message that repeats what was sent, as a service may."""
        self.answer(what, {"error": {"code": "wrong", "message": "Rex is my dog."}}, status)

    async def handle(self, request: Request) -> Response:
        body = await request.body()
        space = request.headers.get("X-Geniffy-Space")
        seen = Seen(space, request.method, request.url.path, dict(request.query_params), json.loads(body or b"null"))
        self.seen.append(seen)
        answer = self.answers.get(f"{seen.method} {seen.path}", JSONResponse({}, 404))
        return answer if isinstance(answer, Response) else await answer(request)

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self.handle, methods=["GET", "POST", "PATCH", "DELETE"])])

    def asked(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.seen]


@pytest.fixture
def geniffy() -> FakeGeniffy:
    return FakeGeniffy()


@pytest.fixture
async def client(geniffy: FakeGeniffy) -> AsyncIterator[AsyncGeniffy]:
    http = httpx.AsyncClient(transport=httpx.ASGITransport(geniffy.app))
    async with AsyncGeniffy("key", base_url="http://memory.test", http_client=http, max_retries=0) as client:
        yield client


@pytest.fixture
def memories(client: AsyncGeniffy) -> Memories:
    return Memories(client)

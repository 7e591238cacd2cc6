"""No failure of the memory fails the answer: the block says that it could not be read."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING

import httpx
import pytest
from geniffy import AsyncGeniffy
from starlette.responses import Response

from bot.memory import Memories
from bot.recall import State
from tests.fakes.poll import until
from tests.memory.conftest import (
    ANA,
    DM,
    PUBLIC,
    QUESTION,
    SYSTEM,
    FakeGeniffy,
    block_of,
    context,
)

if TYPE_CHECKING:
    from starlette.requests import Request


STATUSES = [400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 429, 500, 502, 503, 504]
MALFORMED = [
    b"",
    b"<html>Welcome</html>",
    b"[]",
    b'{"memories": null}',
    b'{"memories": [{"text": "x"}]}',
    b'{"memories":',
]


async def unread(memories: Memories, caplog: pytest.LogCaptureFixture) -> None:
    """Recall, and expect the answer to go on with a block that says it could not be read."""
    caplog.set_level(logging.DEBUG)
    for thread in (DM, PUBLIC):
        memory, model_context = memories.at(ANA, thread), context(SYSTEM, QUESTION)
        await memory.update_context(model_context)
        assert (memory.state, memory.known) == (State.UNREAD, ())
        assert "could not be read" in await block_of(model_context)
        assert (await model_context.get_messages())[-1] == QUESTION
    assert "The memory could not be read" in caplog.text
    assert not re.search(r"Rex|U061", "".join(one.getMessage() for one in caplog.records if one.name.startswith("bot")))


@pytest.mark.parametrize("status", STATUSES)
async def test_a_memory_that_is_down_never_fails_the_answer(
    memories: Memories, geniffy: FakeGeniffy, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    geniffy.fail("POST /v1/context", status)
    await unread(memories, caplog)


@pytest.mark.parametrize("body", MALFORMED)
async def test_a_malformed_memory_never_fails_the_answer(
    memories: Memories, geniffy: FakeGeniffy, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    geniffy.answer("POST /v1/context", body)
    await unread(memories, caplog)


async def test_a_memory_out_of_reach_never_fails_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    def cut(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Rex", request=request)

    http = httpx.AsyncClient(transport=httpx.MockTransport(cut))
    async with AsyncGeniffy("key", base_url="http://memory.test", http_client=http, max_retries=0) as client:
        await unread(Memories(client), caplog)


async def hang(request: Request) -> Response:
    del request
    await asyncio.sleep(60)
    return Response()


async def test_a_slow_memory_is_waited_for_only_so_long(
    client: AsyncGeniffy, geniffy: FakeGeniffy, caplog: pytest.LogCaptureFixture
) -> None:
    geniffy.answers["POST /v1/context"] = hang
    async with asyncio.timeout(5):
        await unread(Memories(client, patience=0.02), caplog)


async def test_a_recall_can_be_cancelled(memories: Memories, geniffy: FakeGeniffy) -> None:
    geniffy.answers["POST /v1/context"] = hang
    model_context = context(SYSTEM, QUESTION)
    recall = asyncio.create_task(memories.at(ANA, DM).update_context(model_context))
    await until(lambda: geniffy.seen)
    recall.cancel()
    with pytest.raises(asyncio.CancelledError):
        await recall
    assert await model_context.get_messages() == [SYSTEM, QUESTION]


async def test_a_briefing_that_is_down_is_not_asked_for_in_another_way(
    client: AsyncGeniffy, geniffy: FakeGeniffy, caplog: pytest.LogCaptureFixture
) -> None:
    geniffy.fail("POST /v1/briefing", 503)
    geniffy.fail("POST /v1/context", 503)
    await unread(Memories(client, fast=True), caplog)
    assert geniffy.asked() == ["POST /v1/briefing", "POST /v1/context"]  # one for each of the two places

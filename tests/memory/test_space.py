"""What is saved, taken back, forgotten and listed, and what each failure means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from geniffy import AsyncGeniffy
from starlette.responses import JSONResponse, Response

from bot.chat import User
from bot.memory import Memories, MemoryDown, NotForgotten, SaveRefused, SpaceMemory
from tests.memory.conftest import ANA, DM, EXTERNAL, PRIVATE, PUBLIC, SENT, UNKNOWN, FakeGeniffy, exchange, remembered

if TYPE_CHECKING:
    from starlette.requests import Request

    from bot.chat import Thread

FINAL = [400, 413, 422]
PASSING = [401, 402, 403, 404, 405, 408, 409, 429, 500, 502, 503, 504]
MALFORMED = [b"", b"<html>Welcome</html>", b"[]", b'{"source": null}', b'{"source": {}}']


@pytest.fixture
def memory(client: AsyncGeniffy) -> SpaceMemory:
    return Memories(client).of(ANA.space)


async def test_what_is_said_and_answered_is_saved_under_its_key(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    await memory.save(exchange())
    (seen,) = geniffy.seen
    assert (seen.space, seen.method, seen.path) == ("slack.T024.U061", "POST", "/v1/memories")
    assert seen.body == {
        "messages": [{"role": "user", "content": "Rex is my dog."}, {"role": "assistant", "content": "Noted."}],
        "external_id": "slack:T024:D1:1.2",
        "said_at": SENT.isoformat(),
        "labels": {"heard": "dm"},
    }


@pytest.mark.parametrize(("thread", "label"), [(PUBLIC, "public.T024"), (PRIVATE, "private.T024.G1")])
async def test_what_is_saved_carries_where_it_was_heard(
    memory: SpaceMemory, geniffy: FakeGeniffy, thread: Thread, label: str
) -> None:
    await memory.save(exchange(thread=thread))
    assert geniffy.seen[0].body["labels"] == {"heard": label}


@pytest.mark.parametrize("thread", [EXTERNAL, UNKNOWN])
async def test_what_strangers_may_read_is_not_saved(memory: SpaceMemory, geniffy: FakeGeniffy, thread: Thread) -> None:
    with pytest.raises(ValueError, match="may not be saved"):
        await memory.save(exchange(thread=thread))
    assert not geniffy.seen


async def test_another_persons_words_are_not_saved(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    with pytest.raises(ValueError, match="another person's"):
        await memory.save(exchange(who=User("slack", "T024.U062")))
    assert not geniffy.seen


async def test_a_message_edited_to_nothing_is_taken_back(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    await memory.save(exchange(text=" \n"))
    assert geniffy.asked() == ["DELETE /v1/sources"]
    assert geniffy.seen[0].query == {"external_id": "slack:T024:D1:1.2"}


async def test_an_empty_answer_is_left_out(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    await memory.save(exchange(answer=""))
    assert [turn["role"] for turn in geniffy.seen[0].body["messages"]] == ["user"]


async def test_text_that_cannot_be_sent_is_mended(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    await memory.save(exchange(text="Rex \ud83d is\0mine 🐕"))
    assert geniffy.seen[0].body["messages"][0]["content"] == "Rex ? is mine 🐕"


@pytest.mark.parametrize("status", FINAL)
async def test_a_refused_save_is_final(memory: SpaceMemory, geniffy: FakeGeniffy, status: int) -> None:
    geniffy.fail("POST /v1/memories", status)
    with pytest.raises(SaveRefused) as refused:
        await memory.save(exchange())
    assert str(refused.value) == f"BadRequestError {status}"
    assert not isinstance(refused.value, MemoryDown)


@pytest.mark.parametrize("status", PASSING)
async def test_any_other_failed_save_is_to_be_tried_again(
    memory: SpaceMemory, geniffy: FakeGeniffy, status: int
) -> None:
    geniffy.fail("POST /v1/memories", status)
    with pytest.raises(MemoryDown) as down:
        await memory.save(exchange())
    assert str(down.value).endswith(f"Error {status}")
    assert "Rex" not in str(down.value)
    assert down.value.__suppress_context__


@pytest.mark.parametrize("body", MALFORMED)
async def test_a_save_without_a_proper_receipt_is_to_be_tried_again(
    memory: SpaceMemory, geniffy: FakeGeniffy, body: bytes
) -> None:
    geniffy.answer("POST /v1/memories", body, 201)
    with pytest.raises(MemoryDown, match=r"^(KeyError|TypeError)$"):
        await memory.save(exchange())


async def test_a_service_out_of_reach_is_to_be_tried_again() -> None:
    def cut(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("Rex is my dog.", request=request)

    http = httpx.AsyncClient(transport=httpx.MockTransport(cut))
    async with AsyncGeniffy("key", base_url="http://memory.test", http_client=http, max_retries=0) as client:
        memory = Memories(client).of(ANA.space)
        for call in (memory.save(exchange()), memory.retract("key"), memory.forget(), memory.list(5)):
            with pytest.raises(MemoryDown, match=r"^APIConnectionError$"):
                await call


async def test_only_the_sdk_retries(geniffy: FakeGeniffy) -> None:
    busy = [429, 201, 503]

    async def answer(request: Request) -> Response:
        del request
        return JSONResponse({"source": {"id": "a"}}, busy.pop(0), headers={"Retry-After": "0"})

    geniffy.answers["POST /v1/memories"] = answer
    http = httpx.AsyncClient(transport=httpx.ASGITransport(geniffy.app))
    async with AsyncGeniffy("key", base_url="http://memory.test", http_client=http) as client:
        memory = Memories(client).of(ANA.space)
        await memory.save(exchange())
        assert len(geniffy.seen) == 2
        with pytest.raises(MemoryDown):
            await memory.save(exchange())
    assert len(geniffy.seen) == 3


async def test_a_deleted_message_is_taken_back(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    await memory.retract("slack:T024:D1:1.2")
    assert geniffy.seen[0].query == {"external_id": "slack:T024:D1:1.2"}
    assert geniffy.seen[0].space == ANA.space
    geniffy.fail("DELETE /v1/sources", 404)
    await memory.retract("slack:T024:D1:1.2")  # already gone
    geniffy.fail("DELETE /v1/sources", 503)
    with pytest.raises(MemoryDown):
        await memory.retract("slack:T024:D1:1.2")


@pytest.mark.parametrize("blank", ["", " ", "\n"])
async def test_taking_back_nothing_is_not_taking_back_everything(
    memory: SpaceMemory, geniffy: FakeGeniffy, blank: str
) -> None:
    with pytest.raises(ValueError, match="without a key"):
        await memory.retract(blank)
    assert not geniffy.seen


async def test_forget_me_is_read_back(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    await memory.forget()
    first, *read = geniffy.seen
    assert (first.space, first.method, first.path) == (None, "DELETE", "/v1/spaces/slack.T024.U061")
    assert [one.path for one in read] == ["/v1/export", "/v1/sources", "/v1/memories"]
    assert {(one.space, one.method) for one in read} == {(ANA.space, "GET")}


async def test_a_person_the_service_does_not_know_is_forgotten(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    for what in list(geniffy.answers):
        geniffy.fail(what, 404)
    await memory.forget()
    assert len(geniffy.seen) == 4


SOURCE = {"id": "a", "kind": "note", "title": "", "status": "reading"}


@pytest.mark.parametrize(
    ("what", "left"),
    [
        ("GET /v1/export", {"memories": [remembered("Rex")], "sources": []}),
        ("GET /v1/export", {"memories": [], "sources": [SOURCE]}),
        ("GET /v1/export", {"memories": [], "sources": [], "lessons": [{"text": "Rex"}]}),
        ("GET /v1/export", {"memories": [], "sources": [], "now": [{"text": "Rex"}]}),
        ("GET /v1/sources", {"sources": [SOURCE], "total": 1}),
        ("GET /v1/sources", {"sources": [], "total": 1}),
        ("GET /v1/memories", {"memories": [remembered("Rex")], "total": 1}),
    ],
)
async def test_what_is_still_there_is_not_forgotten(
    memory: SpaceMemory, geniffy: FakeGeniffy, what: str, left: object
) -> None:
    geniffy.fail("GET /v1/export", 404)  # one list that says "nothing" does not speak for the others
    geniffy.answer(what, left)
    with pytest.raises(NotForgotten) as still:
        await memory.forget()
    assert str(still.value) == "1 things are still there."


@pytest.mark.parametrize("status", [*FINAL, *sorted({*PASSING} - {404})])
@pytest.mark.parametrize("what", [f"DELETE /v1/spaces/{ANA.space}", "GET /v1/export", "GET /v1/memories"])
async def test_a_forget_that_fails_is_never_final(
    memory: SpaceMemory, geniffy: FakeGeniffy, what: str, status: int
) -> None:
    geniffy.fail(what, status)
    with pytest.raises(MemoryDown) as down:
        await memory.forget()
    assert not isinstance(down.value, NotForgotten)


@pytest.mark.parametrize("body", [b"", b"<html>Welcome</html>", b'{"memories": null, "sources": []}'])
async def test_an_export_that_says_nothing_proves_nothing(
    memory: SpaceMemory, geniffy: FakeGeniffy, body: bytes
) -> None:
    geniffy.answer("GET /v1/export", body)
    with pytest.raises(MemoryDown):
        await memory.forget()


async def test_what_is_known_is_listed_newest_first(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    everything = [remembered(f"Fact {at}", "public.T024", at) for at in range(250, 0, -1)]

    async def page(request: Request) -> Response:
        limit, cursor = (int(request.query_params[name]) for name in ("limit", "cursor"))
        after = cursor + limit if cursor + limit < len(everything) else None
        found = everything[cursor : cursor + limit]
        return JSONResponse({"memories": found, "total": len(everything), "next": after})

    geniffy.answers["GET /v1/memories"] = page
    assert [one.id for one in await memory.list(150)] == list(range(250, 100, -1))
    assert [one.id for one in await memory.list(1_000)] == list(range(250, 0, -1))
    assert await memory.list(0) == ()
    (newest,) = await memory.list(1)
    assert (newest.text, newest.heard, newest.said_at) == ("Fact 250", "public.T024", SENT)
    assert {one.space for one in geniffy.seen} == {ANA.space}


async def test_an_endless_list_ends(memory: SpaceMemory, geniffy: FakeGeniffy) -> None:
    geniffy.answer("GET /v1/memories", {"memories": [], "total": 9, "next": 5})
    assert await memory.list(5) == ()


@pytest.mark.parametrize("said_at", [None, "", "soon", 5])
async def test_a_memory_without_a_readable_date_has_none(
    memory: SpaceMemory, geniffy: FakeGeniffy, said_at: object
) -> None:
    odd = remembered("Rex") | {"said_at": said_at, "source": None}
    geniffy.answer("GET /v1/memories", {"memories": [odd], "total": 1, "next": None})
    (one,) = await memory.list(5)
    assert (one.text, one.heard, one.said_at) == ("Rex", None, None)


@pytest.mark.parametrize(
    "space",
    ["", ".", "..", "slack", "slack.", ".U1", "slack./..", "slack.U1\n", "slack.U 1", "slack.é", "slack." + "1" * 123],
)
def test_a_space_that_is_not_one_is_refused_before_any_call(
    client: AsyncGeniffy, geniffy: FakeGeniffy, space: str
) -> None:
    with pytest.raises(ValueError, match="cannot name a memory space"):
        Memories(client).of(space)
    assert not geniffy.seen


@pytest.mark.parametrize("user", [User("slack", ""), User("", "U1"), User("slack", "T1:U1"), User("slack", "../x")])
def test_a_person_without_a_proper_id_has_no_memory(client: AsyncGeniffy, user: User) -> None:
    with pytest.raises(ValueError, match="cannot name a memory space"):
        Memories(client).at(user, DM)

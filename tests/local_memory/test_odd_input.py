"""Whatever JSON arrives is answered: taken, or refused with a sentence, and never a crash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.local_memory.kit import AUTH, House, house, known, recalled, until

if TYPE_CHECKING:
    import httpx

LONE = "a\ud800b\udfff\x00"
HEADERS = {"X-Geniffy-Space": "ana", **AUTH}


async def send(home: House, path: str, body: object) -> httpx.Response:
    """Send a body as JSON that escapes everything, as a program with a broken text does."""
    return await home.http.post(path, content=json.dumps(body).encode(), headers=HEADERS)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/memories", {"text": f"I like tea {LONE}."}),
        ("/v1/memories", {"messages": [{"role": "user", "content": f"I like tea {LONE}."}]}),
        (
            "/v1/memories",
            {"messages": [{"role": "user", "content": [{"type": "text", "text": f"I like {LONE} tea."}]}]},
        ),
        ("/v1/memories", {"text": "I like tea.", "title": LONE}),
        ("/v1/context", {"question": f"tea {LONE}?"}),
        ("/v1/search", {"q": f"tea {LONE}?"}),
        ("/v1/ask", {"question": f"tea {LONE}?"}),
        ("/v1/briefing", {"cue": f"tea {LONE}", "project": LONE}),
        ("/v1/briefing", {"project": {LONE: [float("nan"), LONE]}}),
    ],
)
async def test_a_broken_character_in_what_is_said_is_replaced(home: House, path: str, body: object) -> None:
    assert (await send(home, path, body)).status_code in {200, 201}

    async def settled() -> bool:
        return all(source.status == "learned" for source in (await home.of("ana").sources.list()).sources)

    await until(settled)
    assert all("tea" in text for text in await known(home.of("ana")))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/memories", {"text": "I like tea.", "external_id": LONE}),
        ("/v1/memories", {"messages": [{"role": "user", "content": "I like tea."}], "session": LONE}),
        ("/v1/memories", {"text": "I like tea.", "labels": {LONE: "x"}}),
        ("/v1/memories", {"text": "I like tea.", "labels": {"heard": LONE}}),
        ("/v1/memories", {"text": "I like tea.", "said_at": LONE}),
        ("/v1/memories", {"messages": [{"role": "user", "content": "I like tea.", "time": LONE}], "external_id": LONE}),
        ("/v1/context", {"question": "tea?", "labels": {"heard": LONE}}),
        ("/v1/context", {"question": "tea?", "labels": {LONE: ["x"]}}),
        ("/v1/context", {"question": "tea?", "kind": LONE}),
        ("/v1/context", {"question": "tea?", "limit": LONE}),
    ],
)
async def test_a_broken_character_in_what_names_something_is_refused(home: House, path: str, body: object) -> None:
    answer = await send(home, path, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert await known(home.of("ana")) == []


async def test_a_broken_space_in_a_batch_is_refused_alone(home: House) -> None:
    items = [{"text": "I like tea.", "space": LONE}, {"text": "I like milk.", "space": "ana"}]
    results = (await send(home, "/v1/memories/batch", {"items": items})).json()["results"]
    assert results[0]["error"]["code"] == "bad_space"
    await home.of("ana").sources.wait(results[1]["source"]["id"])
    assert await recalled(home.of("ana"), "milk") == ["I like milk."]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8)
    | st.sampled_from([LONE, "user", "dm", "2026-01-01", 10**40]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["heard", "role", "content", LONE]), inner),
    max_leaves=5,
)  # fmt: skip
FIELDS = ["text", "messages", "question", "q", "cue", "labels", "limit", "kind", "said_at", "title", "external_id",
          "session", "project", "budget_chars", "items"]  # fmt: skip
PATHS = ["/v1/memories", "/v1/memories/batch", "/v1/context", "/v1/search", "/v1/ask", "/v1/briefing"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PATHS), st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=5))
async def test_no_body_is_too_odd(path: str, body: dict[str, Any]) -> None:
    async with house() as home:
        answer = await send(home, path, body)
        assert answer.status_code in {200, 201, 202, 413, 422}
        answer.json()


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["sources", "memories", "spaces"]), st.binary(max_size=12))
async def test_no_address_is_too_odd(what: str, name: bytes) -> None:
    path = f"/v1/{what}/" + "".join(f"%{byte:02X}" for byte in name)
    async with house() as home:
        for method in ("GET", "DELETE"):
            answer = await home.http.request(method, path + "?external_id=%ED%A0%80&label=%FF:%FF&wait=%F0")
            assert answer.status_code in {200, 404, 405, 422}
            answer.json()

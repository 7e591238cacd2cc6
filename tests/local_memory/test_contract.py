"""Errors, request ids, keys, names of spaces, and the walls between them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import httpx
import pytest
from geniffy import AsyncGeniffy, AuthenticationError, NotFoundError

from bot.local.memory import open_memory
from tests.local_memory.kit import AUTH, House, known, note, recalled

if TYPE_CHECKING:
    from typing import Any


def code(response: httpx.Response) -> tuple[int, str]:
    error = response.json()["error"]
    assert error["message"].endswith((".", "…")), "An error is a sentence."
    return response.status_code, error["code"]


async def test_every_answer_carries_its_own_request_id(home: House) -> None:
    paths = ("/v1/me", "/v1/memories/9", "/v1/nothing", "/v1/sources/%20", "/")
    ids = {(await home.http.get(path)).headers["x-request-id"] for path in paths}
    ids.add(
        (await httpx.AsyncClient(transport=home.http._transport).get("http://memory/v1/me")).headers["x-request-id"]
    )
    assert len({uuid.UUID(one) for one in ids}) == 6


@pytest.mark.parametrize(
    "header", [{}, {"Authorization": ""}, {"Authorization": "Bearer "}, {"Authorization": "Basic x"}]
)
async def test_a_call_without_a_key_is_refused(home: House, header: dict[str, str]) -> None:
    async with httpx.AsyncClient(transport=home.http._transport, base_url="http://memory") as http:
        assert code(await http.get("/v1/me", headers=header)) == (401, "bad_key")


async def test_a_given_key_must_match() -> None:
    async with open_memory(None, api_key="gnf_live_right") as memory:
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app=memory.app))
        with pytest.raises(AuthenticationError) as caught:
            await AsyncGeniffy("gnf_live_wrong", base_url="http://m", http_client=http).me()
        assert caught.value.code == "bad_key"
        assert caught.value.request_id
        assert (await AsyncGeniffy("gnf_live_right", base_url="http://m", http_client=http).me())["memory"] == "local"
        odd = await http.get("http://m/v1/me", headers=[(b"Authorization", "Bearer gnf_live_wr\u00f6ng".encode())])
        assert odd.status_code == 401


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a b",
        "a:b",
        "a/b",
        "..",
        ".",
        "a\n",
        "\na",
        "a\r\nb",
        "x" * 129,
        "jürgen",
        "\u0430na",
        "a%2Fb",
        "a@b.example",
    ],
)
async def test_a_name_that_is_no_id_is_refused_everywhere(home: House, name: str) -> None:
    headers = [(b"X-Geniffy-Space", name.encode())]
    for method, path in (("GET", "/v1/memories"), ("POST", "/v1/context"), ("DELETE", "/v1/sources")):
        assert code(await home.http.request(method, path, headers=headers, json={"question": "x"})) == (
            422,
            "bad_space",
        )
    batch = await home.http.post("/v1/memories/batch", json={"items": [{"text": "I am here.", "space": name}]})
    assert batch.json()["results"][0]["error"]["code"] == "bad_space"
    assert (await home.client.spaces()) == []


async def test_a_space_named_twice_in_one_call_is_refused(home: House) -> None:
    headers = [("X-Geniffy-Space", "a"), ("X-Geniffy-Space", "b")]
    assert code(await home.http.get("/v1/memories", headers=headers)) == (422, "bad_space")


@pytest.mark.parametrize(
    "path", ["/v1/spaces/", "/v1/spaces/%20", "/v1/spaces/%2E%2E", "/v1/spaces/a%2Fb", "/v1/spaces/a%0A"]
)
async def test_forgetting_no_one_in_particular_forgets_no_one(home: House, path: str) -> None:
    await note(home.of("a"), "I like tea.")
    assert (await home.http.delete(httpx.URL("http://memory" + path))).status_code in {405, 422}
    assert await known(home.of("a")) == ["I like tea."]


async def test_every_letter_a_name_may_have_works(home: House) -> None:
    name = "AZaz09._-" + "x" * 119
    await note(home.of(name), "I like tea.")
    assert [space["space"] for space in await home.client.spaces()] == [name]
    assert (await home.client.forget_space(name))["erased"] is True


async def test_no_space_reads_or_reaches_another(home: House) -> None:
    spaces = [home.of("ana"), home.of("Ana"), home.of("ana."), home.of("ana-"), home.client]
    sources = [await note(space, f"My secret word is number{place}.") for place, space in enumerate(spaces)]
    for place, space in enumerate(spaces):
        assert await known(space) == [f"My secret word is number{place}."]
        assert await recalled(space, "What is my secret word?") == [f"My secret word is number{place}."]
        others = [source.id for source in sources if source is not sources[place]]
        memory = (await spaces[place - 1].memories.list()).memories[0]
        for call in (space.memories.get, space.memories.delete):
            with pytest.raises(NotFoundError):
                await call(memory.id)
        with pytest.raises(NotFoundError):
            await space.memories.correct(memory.id, "I was here.")
        for other in others:
            with pytest.raises(NotFoundError):
                await space.sources.get(other)
            with pytest.raises(NotFoundError):
                await space.sources.delete(other)


async def test_an_unknown_space_reads_empty_and_is_not_made_by_reading(home: House) -> None:
    nobody = home.of("nobody")
    assert await known(nobody) == []
    assert (await nobody.context_full("Who am I?"))["empty"] is True
    assert (await nobody.export())["memories"] == []
    assert await nobody.briefing() == ""
    assert (await home.client.forget_space("nobody"))["sources_removed"] == 0
    assert await home.client.spaces() == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404), ("PUT", "/v1/memories", 405), ("POST", "/v1/me", 405), ("GET", "/v1/context", 405),
        ("GET", "/v1/memories/x", 404), ("GET", "/v1/memories/", 422),
        ("GET", "/v1/memories/99999999999999999999", 404),
        ("GET", "/v1/sources/", 422), ("DELETE", "/v1/sources/%20", 422), ("DELETE", "/v1/sources/", 422),
        ("GET", "/v1/sources/unknown", 404),
    ],
)  # fmt: skip
async def test_addresses_that_are_not_there_answer_in_json(home: House, method: str, path: str, status: int) -> None:
    response = await home.http.request(method, path)
    assert code(response)[0] == status


BAD_BODIES: list[tuple[str, Any]] = [
    ("/v1/memories", {}), ("/v1/memories", {"text": " "}), ("/v1/memories", {"text": "a", "messages": []}),
    ("/v1/memories", {"messages": []}), ("/v1/memories", {"messages": [{"role": "user", "content": 7}]}),
    ("/v1/memories", {"messages": ["hello"]}), ("/v1/memories", {"text": 7}), ("/v1/memories", []),
    ("/v1/memories", {"text": "a", "said_at": "yesterday"}), ("/v1/memories", {"text": "a", "external_id": " "}),
    ("/v1/memories", {"text": "a", "external_id": "file:a"}), ("/v1/memories", {"text": "a", "session": "s"}),
    ("/v1/memories", {"text": "a", "labels": {"a:b": "c"}}), ("/v1/memories", {"text": "a", "labels": {"": "c"}}),
    ("/v1/memories", {"text": "a", "labels": {"a": 1}}),
    ("/v1/memories", {"text": "a", "labels": {f"n{n}": "v" for n in range(21)}}),
    ("/v1/memories/batch", {"items": []}), ("/v1/memories/batch", {"items": [{"text": "a"}] * 101}),
    ("/v1/context", {}), ("/v1/context", {"question": ""}), ("/v1/context", {"question": "a", "limit": 0}),
    ("/v1/context", {"question": "a", "limit": True}), ("/v1/context", {"question": "a", "kind": "secrets"}),
    ("/v1/context", {"question": "a", "labels": {}}), ("/v1/context", {"question": "a", "labels": {"heard": []}}),
    ("/v1/context", {"question": "a", "labels": {"heard": [1]}}), ("/v1/context", {"question": "a", "labels": "heard"}),
    ("/v1/search", {"question": "a"}), ("/v1/briefing", {"budget_chars": "many"}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body"), BAD_BODIES)
async def test_what_is_missing_or_malformed_is_refused(home: House, path: str, body: object) -> None:
    assert code(await home.http.post(path, json=body))[0] == 422


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'"text"'])
async def test_a_body_that_is_no_json_object_is_refused(home: House, raw: bytes) -> None:
    assert code(await home.http.post("/v1/memories", content=raw)) == (422, "invalid_request")


async def test_what_is_too_large_is_refused(home: House) -> None:
    assert code(await home.http.post("/v1/memories", json={"text": "a" * 200_001})) == (413, "too_long")
    assert code(await home.http.post("/v1/memories", content=b" " * 8_000_001)) == (413, "too_long")
    many = [{"role": "user", "content": "I like tea."}] * 501
    assert code(await home.http.post("/v1/memories", json={"messages": many})) == (422, "invalid")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?external_id=",
        "?external_id=%20",
        "?label=heard",
        "?label=:x",
        "?label=",
        "?external_id=a&label=b:c",
        "?labels=a:b",
    ],
)
async def test_a_delete_without_a_filter_never_means_all(home: House, query: str) -> None:
    await note(home.of("a"), "I like tea.", {"heard": "dm"})
    response = await home.http.delete("/v1/sources" + query, headers={"X-Geniffy-Space": "a"})
    assert code(response) == (422, "invalid_request")
    assert await known(home.of("a")) == ["I like tea."]


async def test_links_and_files_are_honestly_refused(home: House) -> None:
    person = home.of("a")
    for attempt in (
        person.memories.add(url="https://example.com"),
        person.memories.add_file(b"text", filename="a.txt"),
        person.files.put("/a", "text"),
    ):
        with pytest.raises(Exception, match="does not read links or files"):
            await attempt


async def test_odd_characters_do_no_harm(home: House) -> None:
    odd = '{"text": "My odd word is quaxo\\ud800 and \\u0000 that."}'
    response = await home.http.post("/v1/memories", content=odd.encode(), headers={"X-Geniffy-Space": "a", **AUTH})
    assert response.status_code == 201
    await home.of("a").sources.wait(response.json()["source"]["id"])
    assert "quaxo" in (await recalled(home.of("a"), "odd word?"))[0]


async def test_the_small_reads_answer(home: House, ana: AsyncGeniffy) -> None:
    assert await ana.now() == []
    assert await ana.episodes() == []
    assert await ana.lessons() == []
    assert await ana.intentions() == []
    assert (await ana.me())["space"] == "slack.T024.U061"
    assert (await home.client.me())["space"] is None
    assert (await ana.usage())["state"] == "ok"

"""What is refused before it is read, what runs once, and where answers are sent to."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from adapters.slack import web
from adapters.slack.signed import TOO_LARGE, TOO_SLOW, UNSIGNED, Reader, Signed
from tests.fakes.poll import until
from tests.fakes.slack import SIGNING_SECRET
from tests.fakes.slack_requests import command_body, dm_event, event_body, press_body

if TYPE_CHECKING:
    from starlette.types import Message, Scope

    from tests.slack.conftest import Http

FORM = "application/x-www-form-urlencoded"


def signed(body: bytes, *, age: float = 0) -> dict[str, str]:
    stamp = str(int(time.time() - age))
    digest = hmac.new(SIGNING_SECRET.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def request(headers: dict[str, str], *parts: bytes, endless: bool = False) -> tuple[Request, list[int]]:
    """A request whose body comes in these parts; the list counts how many were read."""
    left, read = list(parts), [0]

    async def receive() -> Message:
        if not left and endless:
            await asyncio.Event().wait()
        read[0] += 1
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or endless}

    raw = [(key.lower().encode(), value.encode()) for key, value in headers.items()]
    scope: Scope = {"type": "http", "method": "POST", "headers": raw, "path": "/slack/events"}
    return Request(scope, receive), read


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Slack-Signature": "v0=" + "0" * 64},
        {"X-Slack-Signature": "v0=00", "X-Slack-Request-Timestamp": str(int(time.time()))},
        {"X-Slack-Signature": "v0=" + "0" * 64, "X-Slack-Request-Timestamp": str(int(time.time()) - 400)},
        {"X-Slack-Signature": "v0=" + "0" * 64, "X-Slack-Request-Timestamp": "9" * 400},
    ],
)
async def test_a_request_that_slack_cannot_have_signed_now_is_not_even_read(headers: dict[str, str]) -> None:
    asked, read = request(headers, b"x" * 1000, endless=True)
    assert await Reader(SIGNING_SECRET).read(asked) == UNSIGNED
    assert read == [0]


async def test_a_body_that_is_too_large_is_not_held_in_memory() -> None:
    asked, read = request({**signed(b""), "Content-Length": "4194304"}, b"x")
    assert await Reader(SIGNING_SECRET).read(asked) == TOO_LARGE
    assert read == [0]
    asked, read = request(signed(b""), *[b"x" * 100_000] * 20)
    assert await Reader(SIGNING_SECRET).read(asked) == TOO_LARGE
    assert read == [6]


async def test_a_body_that_does_not_come_is_given_up() -> None:
    asked, _ = request(signed(b"{}"), b"{", endless=True)
    assert await Reader(SIGNING_SECRET, read_within=0.05).read(asked) == TOO_SLOW


async def test_what_slack_signed_is_read_whole() -> None:
    asked, _ = request(signed(b'{"a": 1}'), b'{"a"', b": 1}")
    got = await Reader(SIGNING_SECRET).read(asked)
    assert isinstance(got, Signed)
    assert got.text == '{"a": 1}'


async def test_an_unsigned_connection_is_answered_and_closed_while_it_still_sends(http: Http) -> None:
    host, _, port = http.platform.address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\n\r\n" + b"x" * 1000)
    async with asyncio.timeout(3):
        answer = await reader.read()  # to the end: it is closed
    assert answer.startswith(b"HTTP/1.1 401")
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def test_a_replayed_command_or_press_runs_once(http: Http) -> None:
    command = urlencode(command_body("/forget-me", "fresh")).encode()
    press = urlencode({"payload": json.dumps(press_body("keepsake.0.forget-me", "fresh"))}).encode()
    for body in (command, press):
        headers = signed(body)
        for _ in range(3):
            assert (await http.send.raw(body, FORM, headers))[0] == 200
    await until(lambda: len(http.bot.asked) >= 2)
    await asyncio.sleep(0.1)
    assert len(http.bot.asked) == 2
    await http.send.raw(command, FORM, signed(command, age=60))  # asked anew, with a stamp of its own
    await until(lambda: len(http.bot.asked) == 3)


async def test_a_replayed_event_is_left_to_its_row(http: Http) -> None:
    body = json.dumps(event_body(dm_event("hi"))).encode()
    http.bot.refuse = []
    headers = signed(body)
    for _ in range(2):
        assert (await http.send.raw(body, "application/json", headers))[0] == 200
    assert [message.text for message in http.bot.said] == ["hi"]


def test_signatures_are_remembered_within_bounds() -> None:
    reader = Reader(SIGNING_SECRET)
    assert all(reader.is_first(Signed("", str(number))) for number in range(10_500))
    assert len(reader._seen) == 10_000
    assert not reader.is_first(Signed("", "10499"))


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/internal",
        "http://hooks.slack.com/x",
        "https://hooks.slack.com.evil.example/x",
        "https://hooks.slack.com@127.0.0.1:{port}/x",
        "https://hooks.slack.com:{port}/x",
        "https://[/x",
        "file:///etc/passwd",
        "",
    ],
)
async def test_an_answer_goes_to_slacks_addresses_only(http: Http, address: str) -> None:
    hits: list[bytes] = []

    async def hit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hits.append(await reader.read(100))
        writer.close()

    async with await asyncio.start_server(hit, "127.0.0.1", 0) as server:
        url = address.replace("{port}", str(server.sockets[0].getsockname()[1]))
        await http.send.press(press_body("keepsake.0.memory", response_url=url))
        await until(lambda: bool(http.slack.whispers))  # it is shown another way
    assert hits == []
    assert http.slack.responses == []


async def test_silent_connections_are_closed_and_keep_nobody_out(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_FIRST_WORDS", 0.2)
    host, port = http.platform.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /slack/events HTTP/1.1\r\nHost: x\r\n")  # a head that never ends
    assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()
    assert await http.send.event(dm_event("hi")) == 200

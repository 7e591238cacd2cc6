"""Files come from Slack's own hosts only; the token goes nowhere else."""

from __future__ import annotations

import socket
import time
from collections.abc import AsyncIterator  # noqa: TC003 - pytest reads the annotations of fixtures
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import Calls
from adapters.slack.files import Files
from bot.chat import Attachment, Unreadable
from tests.fakes.slack_files import SIGN_IN, FakeFiles, Stored

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKEN = "xoxb-fake"
FILE = Attachment("F1", "a.txt", "text/plain", 5)
SLACKS_OWN = ("files.slack.com", "slack-files.com")


@dataclass
class Nowhere(AbstractResolver):
    """Knows no name, and which it was asked for."""

    asked: list[str] = field(default_factory=list)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del port, family
        self.asked.append(host)
        raise OSError(host)

    async def close(self) -> None:
        pass


@dataclass
class Reader:
    """The files of one installation, through the real SDK."""

    files: Files
    slack: FakeFiles
    names: Nowhere

    async def refused(self, words: str) -> None:
        with pytest.raises(Unreadable, match=words):
            await self.files.fetch(FILE)


@asynccontextmanager
async def reading(slack: FakeFiles, *, seconds: float = 5, stand_in: bool = True) -> AsyncIterator[Reader]:
    names = Nowhere()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=names)) as session:
        client = AsyncWebClient(TOKEN, base_url=f"{slack.address}/api/", session=session, retry_handlers=[])
        files = Files(Calls(client), client, slack.address if stand_in else None, seconds=seconds)
        yield Reader(files, slack, names)


@pytest.fixture
async def slack() -> AsyncIterator[FakeFiles]:
    async with FakeFiles(TOKEN) as fake:
        yield fake


@pytest.fixture
async def reader(slack: FakeFiles) -> AsyncIterator[Reader]:
    async with reading(slack) as reader:
        yield reader


async def test_a_file_is_looked_up_by_its_id_each_time_and_fetched_with_the_token(reader: Reader) -> None:
    reader.slack.put("F1", Stored(b"hello"))
    assert [await reader.files.fetch(FILE), await reader.files.fetch(FILE)] == [b"hello", b"hello"]
    assert reader.slack.lookups == [("GET", {"file": "F1"})] * 2
    assert reader.slack.asked == [("/files-pri/F1", f"Bearer {TOKEN}")] * 2


async def test_the_address_for_downloads_comes_first(reader: Reader) -> None:
    reader.slack.put("F1", Stored(b"hello"), url_private_download=f"{reader.slack.address}/files-pri/F1?download")
    reader.slack.about["F1"]["url_private"] = "https://evil.example/F1"
    assert await reader.files.fetch(FILE) == b"hello"


@pytest.mark.case("S70")
@pytest.mark.parametrize(
    "url",
    [
        "https://files.slack.com.evil.com/F1",
        "https://files.slack.com@evil.com/F1",
        "https://files.slack.com:443@evil.com/F1",
        "https://user:word@files.slack.com/F1",
        "https://@files.slack.com/F1",
        "https://evil.com/files.slack.com/F1",
        "https://evil.com#files.slack.com",
        "https://evil.com?x=files.slack.com",
        "https://evil.com\\@files.slack.com/F1",
        "https://files.slack.com\\.evil.com/F1",
        "https://files.slack.com\t.evil.com/F1",
        "https://files.slack.com%2eevil.com/F1",
        "https://files.slack.com./F1",
        "https://evilfiles.slack.com/F1",
        "https://a.files.slack.com/F1",
        "https://slack-files.com.evil.com/F1",
        "https://slack.com/api/files.info",
        "https://hooks.slack.com/F1",
        "https://files.slack.com:8443/F1",
        "http://files.slack.com/F1",
        "http://files.slack.com:443/F1",
        "ftp://files.slack.com/F1",
        "file:///etc/passwd",
        "//files.slack.com/F1",
        "files.slack.com/F1",
        "https://127.0.0.1/F1",
        "http://127.0.0.1:1/F1",
        "http://localhost/F1",
        "https://[::1]/F1",
        "https://169.254.169.254/F1",
        "https://files.slack.com:99999/F1",
        "https://[files.slack.com/F1",
        "",
    ],
)
async def test_s70_no_other_host_is_ever_asked(reader: Reader, url: str) -> None:
    reader.slack.put("F1", Stored(b"hello"), url_private=url, url_private_download=url)
    await reader.refused("outside Slack")
    assert reader.names.asked == []
    assert reader.slack.asked == []


@pytest.mark.case("S70")
@pytest.mark.parametrize("host", SLACKS_OWN)
async def test_s70_slacks_own_hosts_are_asked_with_or_without_a_stand_in(slack: FakeFiles, host: str) -> None:
    slack.put("F1", url_private=f"https://{host.upper()}:443/files-pri/F1/größe.txt")
    for stand_in in (True, False):
        async with reading(slack, stand_in=stand_in) as reader:
            await reader.refused("just now")
            assert set(reader.names.asked) == {host}


@pytest.mark.case("S70")
async def test_s70_a_stand_in_counts_only_where_the_operator_set_it(slack: FakeFiles) -> None:
    slack.put("F1", Stored(b"hello"))
    async with reading(slack, stand_in=False) as reader:
        await reader.refused("outside Slack")
    assert slack.asked == []


@pytest.mark.case("S70")
@pytest.mark.parametrize("files_url", ["http://files.example", "http://192.0.2.1:80", "http://[2001:db8::1]"])
async def test_s70_a_stand_in_without_encryption_is_on_this_machine_or_not_used(
    slack: FakeFiles, files_url: str
) -> None:
    slack.put("F1", url_private=f"{files_url}/F1")
    async with reading(slack) as reader:
        reader.files = Files(reader.files._calls, reader.files._client, files_url)
        await reader.refused("outside Slack")
        assert reader.names.asked == []


@pytest.mark.case("S70")
@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"mode": "external"}, "outside Slack"),
        ({"is_external": True}, "outside Slack"),
        ({"external_type": "gdrive"}, "outside Slack"),
        ({"mode": "tombstone"}, "no longer in Slack"),
        ({"mode": "hidden_by_limit"}, "no longer shows it"),
        ({"file_access": "access_denied"}, "does not let me see"),
        ({"file_access": "check_file_info"}, "does not let me see"),
        ({"file_access": "file_not_found"}, "does not let me see"),
        ({"id": "F2"}, "does not let me see"),
        ({"size": 10_000_001}, "bigger than 10 MB"),
    ],
)
async def test_s70_what_is_not_ours_to_fetch_is_refused_before_any_request(
    reader: Reader, about: dict[str, object], words: str
) -> None:
    reader.slack.put("F1", Stored(b"hello"), **about)
    await reader.refused(words)
    assert reader.slack.asked == []


@pytest.mark.case("S70")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_s70_no_redirect_is_followed(reader: Reader, status: int) -> None:
    async with FakeFiles("other") as elsewhere:
        elsewhere.put("F1", Stored(b"hello"))
        to = {"Location": f"{elsewhere.address}/files-pri/F1"}
        reader.slack.put("F1", Stored(status=status, headers=to))
        await reader.refused("does not let me see")
        assert elsewhere.asked == []


@pytest.mark.parametrize("content_type", ["text/plain", "image/png", "application/pdf", "text/html", ""])
async def test_the_page_for_signing_in_is_not_the_file(reader: Reader, content_type: str) -> None:
    reader.slack.token = "another"
    reader.slack.put("F1", Stored(b"hello"), mimetype=content_type)
    await reader.refused("does not let me see")


async def test_a_web_page_that_somebody_attached_is_a_file(reader: Reader) -> None:
    reader.slack.put("F1", Stored(SIGN_IN, "text/html"))
    assert await reader.files.fetch(FILE) == SIGN_IN


@pytest.mark.parametrize("announced", [True, False])
async def test_a_file_that_is_bigger_than_it_was_said_to_be_is_left(reader: Reader, *, announced: bool) -> None:
    reader.slack.put("F1", Stored(bytes(10_000_001), announced=announced), size=5)
    await reader.refused("bigger than 10 MB")


async def test_a_file_of_exactly_the_cap_is_fetched(reader: Reader) -> None:
    reader.slack.put("F1", Stored(bytes(10_000_000), announced=False))
    assert len(await reader.files.fetch(FILE)) == 10_000_000


async def test_a_file_that_drips_is_left_after_a_while(slack: FakeFiles) -> None:
    slack.put("F1", Stored(b"hello", delay=30))
    async with reading(slack, seconds=0.2) as reader:
        started = time.monotonic()
        await reader.refused("just now")
        assert time.monotonic() - started < 5


@pytest.mark.parametrize("failure", [Stored(status=503), Stored(status=429), Stored(cut=True)])
async def test_what_fails_once_is_tried_again(reader: Reader, failure: Stored) -> None:
    reader.slack.put("F1", failure, Stored(b"hello"), mimetype="text/plain", size=5)
    assert await reader.files.fetch(FILE) == b"hello"


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ([Stored(status=500)] * 2, "just now"),
        ([Stored(status=404)], "no longer in Slack"),
        ([Stored(status=403)], "does not let me see"),
    ],
)
async def test_what_slack_does_not_give_is_told(reader: Reader, stored: Sequence[Stored], words: str) -> None:
    reader.slack.put("F1", *stored)
    await reader.refused(words)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("missing_scope", "files:read"),
        ("file_not_found", "no longer in Slack"),
        ("file_deleted", "no longer in Slack"),
        ("token_revoked", "does not let me see"),
        ("ekm_access_denied", "does not let me see"),
        ("fatal_error", "just now"),
        ("something_new", "just now"),
    ],
)
async def test_what_slack_says_of_a_file_is_put_into_words(reader: Reader, error: str, words: str) -> None:
    reader.slack.error = error
    await reader.refused(words)


@pytest.mark.parametrize("file_id", ["", "F1&x=1", "../F1", "F" * 200, "f1"])
async def test_what_is_no_id_is_not_looked_up(reader: Reader, file_id: str) -> None:
    with pytest.raises(Unreadable, match="no longer"):
        await reader.files.fetch(Attachment(file_id, "a", "text/plain", 1))
    assert reader.slack.lookups == []


async def test_a_new_token_is_used_at_once(reader: Reader) -> None:
    reader.slack.put("F1", Stored(b"hello"))
    reader.slack.token = reader.files._client.token = "xoxe.renewed"
    assert await reader.files.fetch(FILE) == b"hello"


async def test_an_odd_answer_about_a_file_is_no_crash(reader: Reader) -> None:
    for about in ({"url_private": None}, {"url_private": ["x"]}, {"size": "many"}, {"mode": 7, "mimetype": None}):
        reader.slack.put("F1", Stored(b"hello"), **about)
        try:
            assert await reader.files.fetch(FILE) == b"hello"
        except Unreadable as refused:
            assert str(refused)  # noqa: PT017 - either is fine

"""Files come from Slack's own hosts only; the token goes nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.slack.files import Files
from tests.fakes.slack_files import FakeFiles, Stored
from tests.slack.files_kit import FILE, TOKEN, Reader, reading

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SLACKS_OWN = ("files.slack.com", "slack-files.com")


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

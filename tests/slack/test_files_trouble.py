"""What Slack answers instead of a file: its page for signing in, too much, too little, nothing, or something odd."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from bot.chat import Attachment, Unreadable
from tests.fakes.slack_files import SIGN_IN, FakeFiles, Stored
from tests.slack.files_kit import FILE, TOKEN, Reader, reading

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence


@pytest.fixture
async def slack() -> AsyncIterator[FakeFiles]:
    async with FakeFiles(TOKEN) as fake:
        yield fake


@pytest.fixture
async def reader(slack: FakeFiles) -> AsyncIterator[Reader]:
    async with reading(slack) as reader:
        yield reader


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

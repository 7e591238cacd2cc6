from __future__ import annotations

import asyncio
import os
import time

import pytest

from bot.chat import Unreadable
from bot.files import Text, read
from bot.files.pdfs import pdf
from bot.files.pdfworker import lines
from tests.files import samples
from tests.files.samples import attached

SLOW = samples.pdf(*(["many words on each page " * 200] * 3_000))


async def test_the_words_of_a_pdf_are_read_page_by_page() -> None:
    told = await read(attached("a", "image/png"), samples.pdf("The budget is 12.\nSigned", "Page two"))
    assert told == Text("The budget is 12.\nSigned\n\nPage two")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (samples.pdf("secret", password="p"), "password"),
        (samples.pdf("x")[:200], "broken"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 20, "broken"),
        (samples.pdf("", ""), "no text.*a scan"),
    ],
    ids=["locked", "cut", "junk", "scan"],
)
async def test_a_pdf_that_cannot_be_read_says_why(data: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        await read(attached("a.pdf", "application/pdf"), data)


async def test_what_only_claims_to_be_a_pdf_is_told() -> None:
    with pytest.raises(Unreadable, match="the PDF is broken"):
        await read(attached("a.pdf", "application/pdf"), b"Hello")


async def test_pages_and_characters_are_capped_and_it_says_so() -> None:
    book = samples.pdf("one", "two", "three", "four")
    assert await pdf(book, pages=2) == Text("one\n\ntwo", "the first 2 of 4 pages")
    assert await pdf(book, limit=6) == Text("one\n\nt", "the first 6 characters of 4 pages")


async def test_a_pdf_that_takes_for_ever_ends_with_what_was_read_and_leaves_no_process() -> None:
    before = time.monotonic()
    try:
        told = await pdf(SLOW, seconds=1.5, pages=10_000, limit=10**9)
        assert "of 3000 pages" in told.part
    except Unreadable as late:  # on a busy machine not even one page
        assert "too long" in str(late)  # noqa: PT017
    assert time.monotonic() - before < 8
    await _no_child()


async def test_a_cancelled_reader_leaves_no_process() -> None:
    reading = asyncio.ensure_future(pdf(SLOW, pages=10_000, limit=10**9))
    await asyncio.sleep(0.3)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await _no_child()


async def _no_child() -> None:
    async with asyncio.timeout(5):
        while _has_child():  # noqa: ASYNC110 - the system's own state
            await asyncio.sleep(0.02)


def _has_child() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


async def test_the_reader_sees_no_setting_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    assert await pdf(samples.pdf("from elsewhere")) == Text("from elsewhere")


async def test_a_page_that_cannot_be_read_does_not_hide_the_others_and_is_told() -> None:
    data = samples.pdf("one", "two").replace(b"<</Length", b"<</Filter/Odd/Length", 1)
    told = list(lines(data, 10, 1_000))
    assert told[0] == {"pages": 2}
    assert told[1] == {"text": "", "unread": True}
    assert told[2:] == [{"text": "two"}, {"end": True}]
    assert await pdf(data) == Text("two", "without 1 that cannot be read")


async def test_a_pdf_of_which_no_page_can_be_read_is_not_called_a_scan() -> None:
    with pytest.raises(Unreadable, match="broken"):
        await pdf(samples.pdf("one").replace(b"<</Length", b"<</Filter/Odd/Length"))


def test_the_reader_stops_at_its_cap() -> None:
    told = list(lines(samples.pdf("x" * 50, "y" * 50, "z" * 50), 10, 60))
    assert [len(str(line["text"])) for line in told if "text" in line] == [50, 11]

from __future__ import annotations

import os
import time

import pytest

from bot.chat import Unreadable
from bot.files import Text, read
from tests.files.samples import attached

WORDS = "Größe;Preis\n„Ähre“;3 €\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "cp1252"])
async def test_a_text_is_read_in_whatever_encoding_it_came(encoding: str) -> None:
    assert await read(attached("a.csv", "text/csv"), WORDS.encode(encoding)) == Text(WORDS)


@pytest.mark.parametrize(
    "media_type", ["application/json", "text/x-python", "application/octet-stream", "", "image/png"]
)
async def test_the_claimed_type_decides_nothing(media_type: str) -> None:
    assert await read(attached("a", media_type), b'{"a": 1}') == Text('{"a": 1}')


async def test_line_ends_of_every_system_become_one_and_what_shows_nothing_goes() -> None:
    assert await read(attached(), b"alpha\r\nbeta\rgam\x07ma and a longer line\n") == Text(
        "alpha\nbeta\ngamma and a longer line\n"
    )


async def test_a_long_text_is_cut_and_says_so() -> None:
    told = await read(attached(), "ä".encode() * 123_456)
    assert told == Text("ä" * 30_000, "the first 30,000 of 123,456 characters")


async def test_an_odd_byte_far_behind_makes_no_text_unreadable() -> None:
    told = await read(attached(), b"Stra\xdfe " * 9_000 + b"\x81 \x9d")
    assert isinstance(told, Text)
    assert told.text.startswith("Stra\u00dfe Stra")
    assert told.part == "the first 30,000 of 63,003 characters"


async def test_ten_megabytes_of_text_are_read_in_no_time() -> None:
    data = b"a\r\n\x07" * 100 + "wörter und\r\n".encode() * 700_000
    started = time.process_time()
    assert isinstance(await read(attached(), data), Text)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("data", [b"", b" \r\n\t ", b"\xef\xbb\xbf"])
async def test_an_empty_file_is_told(data: bytes) -> None:
    with pytest.raises(Unreadable, match="empty"):
        await read(attached(), data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04" + os.urandom(100), "Office document"),
        (b"\x7fELF" + bytes(100), "program"),
        (b"plain words, then\x00\x01\x02\x03 not", "not text"),
        (bytes(range(1, 256)) * 9, "not text"),
        (b"\xff\xfe\x00\xd8", "damaged"),
    ],
    ids=["zip", "program", "zeros", "controls", "half a character"],
)
async def test_what_is_no_text_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        await read(attached("a.txt", "text/plain"), data)


async def test_no_bytes_break_the_reader() -> None:
    for size in range(200):
        try:
            assert await read(attached(), os.urandom(size))
        except Unreadable as refused:
            assert str(refused)  # noqa: PT017 - most are no text


async def test_a_file_over_the_cap_is_refused_whatever_its_size_was_said_to_be() -> None:
    with pytest.raises(Unreadable, match="10 MB"):
        await read(attached(size=1), b"x" * 10_000_001)

from __future__ import annotations

import struct
import time

import pytest

from bot.chat import Unreadable
from bot.files import Picture, read
from bot.files.pictures import picture
from tests.files.samples import attached, gif, jpeg, png, webp

EXTENDED = webp(b"VP8X", bytes(4) + (99).to_bytes(3, "little") + (49).to_bytes(3, "little"))
LOSSLESS = webp(b"VP8L", b"\x2f" + (99 | 49 << 14).to_bytes(4, "little") + bytes(4))
LOSSY = webp(b"VP8 ", b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", 100, 50))


@pytest.mark.parametrize(
    ("data", "media_type", "sides"),
    [
        (png(), "image/png", (3, 2)),
        (jpeg(), "image/jpeg", (640, 480)),
        (gif(), "image/gif", (5, 4)),
        (EXTENDED, "image/webp", (100, 50)),
        (LOSSLESS, "image/webp", (100, 50)),
        (LOSSY, "image/webp", (100, 50)),
    ],
    ids=["png", "jpeg", "gif", "webp extended", "webp lossless", "webp lossy"],
)
async def test_a_picture_is_known_by_its_bytes_and_stays_as_it_came(
    data: bytes, media_type: str, sides: tuple[int, int]
) -> None:
    seen = await read(attached("notes.txt", "text/plain"), data)
    assert seen == Picture(data, media_type, *sides)


@pytest.mark.parametrize(
    "data", [png()[:20], png(0, 5), jpeg()[:30], gif()[:7], EXTENDED[:22], b"\xff\xd8\xff\xda\x00"]
)
async def test_a_broken_picture_is_told(data: bytes) -> None:
    with pytest.raises(Unreadable, match="broken"):
        await read(attached("a.png", "image/png"), data)


@pytest.mark.parametrize("data", [png(20_000, 1), png(15_000, 15_000), jpeg(65_535, 65_535)])
async def test_a_picture_of_too_many_pixels_is_refused_by_its_header(data: bytes) -> None:
    with pytest.raises(Unreadable, match="too large"):
        await read(attached("a.png", "image/png"), data)


def test_no_bytes_at_all_break_the_reader() -> None:
    whole = jpeg()
    for end in range(len(whole)):
        for data in (whole[:end], whole[:end] + b"\xff" * 40, whole[:end] + bytes(40)):
            try:
                picture(data)
            except Unreadable as refused:
                assert "picture" in str(refused)  # noqa: PT017 - most of them are none, and that is fine


@pytest.mark.parametrize("data", [b"\xff\xd8" + b"\xff" * 9_000_000, b"\xff\xd8" + b"\xff\xe1\x00\x02" * 2_000_000])
def test_a_picture_made_to_be_walked_for_ever_is_left_soon(data: bytes) -> None:
    started = time.process_time()
    with pytest.raises(Unreadable, match="broken"):
        picture(data)
    assert time.process_time() - started < 0.2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x00\x00\x00\x18ftypheic" + bytes(9), "HEIC"),
        (b"II*\x00" + bytes(9), "TIFF"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "sound"),
    ],
)
async def test_other_formats_are_named_and_what_can_be_sent_instead(data: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=f"{words}.*JPEG"):
        await read(attached("a.jpg", "image/jpeg"), data)

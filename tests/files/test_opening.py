from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from bot.chat import Unreadable
from bot.files import Opened, Picture, Text, Unread, open_all
from tests.files.samples import attached, png

if TYPE_CHECKING:
    from bot.chat import Attachment


class Shelf:
    """Files by id; an exception there is raised."""

    def __init__(self, **files: bytes | Exception) -> None:
        self.files, self.asked = files, list[str]()
        self.open = self.peak = 0
        self.slow = 0.0

    async def __call__(self, attachment: Attachment) -> bytes:
        self.asked.append(attachment.id)
        self.open += 1
        self.peak = max(self.peak, self.open)
        await asyncio.sleep(self.slow)
        self.open -= 1
        found = self.files[attachment.id]
        if isinstance(found, Exception):
            raise found
        return found


async def test_each_file_is_read_or_says_why_not_in_their_order() -> None:
    shelf = Shelf(F1=b"words", F2=png(), F3=Unreadable("I may not see it."), F4=OSError("secret words"))
    files = [attached(id=f"F{number}") for number in range(1, 6)]
    assert await open_all(files, shelf) == (
        Opened(files[0], Text("words")),
        Opened(files[1], Picture(png(), "image/png", 3, 2)),
        Opened(files[2], Unread("I may not see it")),
        Opened(files[3], Unread("it could not be fetched just now")),
        Opened(files[4], Unread("it could not be fetched just now")),
    )


async def test_nothing_of_a_failure_but_its_class_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await open_all([attached("salary.txt")], Shelf(F1=OSError("secret words")))
    assert "OSError" in caplog.text
    assert "secret" not in caplog.text
    assert "salary" not in caplog.text


async def test_what_cannot_be_opened_anyway_is_not_fetched() -> None:
    shelf = Shelf()
    files = [attached("a.mp4", "video/mp4"), attached("b.txt", size=10_000_001), attached("c.m4a", "audio/mp4")]
    whys = [one.content for one in await open_all(files, shelf)]
    assert shelf.asked == []
    assert [isinstance(why, Unread) and why.why.split(";")[0] for why in whys] == [
        "it is a video",
        "it is bigger than 10 MB",
        "it is a sound",
    ]


async def test_many_files_are_fetched_a_few_at_once_and_only_so_many() -> None:
    shelf = Shelf(**{f"F{number}": b"words" for number in range(15)})
    shelf.slow = 0.01
    opened = await open_all([attached(id=f"F{number}") for number in range(15)], shelf)
    assert shelf.peak == 3
    assert len(shelf.asked) == 10
    assert opened[-1].content == Unread("only the first 10 files are read")


async def test_a_file_that_never_comes_does_not_hold_the_answer() -> None:
    shelf = Shelf(F1=b"words")
    shelf.slow = 60
    (one,) = await open_all([attached()], shelf, seconds=0.05)
    assert one.content == Unread("it took too long")


async def test_cancelling_ends_every_fetch() -> None:
    shelf = Shelf(F1=b"words")
    shelf.slow = 60
    opening = asyncio.ensure_future(open_all([attached(), attached(id="F2")], shelf))
    await asyncio.sleep(0.01)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert len(asyncio.all_tasks()) == 1


async def test_four_pictures_are_looked_at_and_the_fifth_says_so() -> None:
    shelf = Shelf(**{f"F{number}": png(number, 1) for number in range(1, 6)})
    opened = await open_all([attached(id=f"F{number}") for number in range(1, 6)], shelf)
    assert [isinstance(one.content, Picture) for one in opened] == [True] * 4 + [False]
    assert opened[4].content == Unread("only 4 pictures are looked at at once")


async def test_pictures_together_stay_under_their_cap() -> None:
    shelf = Shelf(**{f"F{number}": png() + bytes(9_000_000) for number in range(1, 4)}, F4=png())
    opened = await open_all([attached(id=f"F{number}") for number in range(1, 5)], shelf)
    assert [isinstance(one.content, Picture) for one in opened] == [True, True, False, True]


async def test_texts_together_stay_under_their_cap() -> None:
    shelf = Shelf(F1=b"a" * 25_000, F2=b"b" * 25_000, F3=b"c" * 25_000, F4=b"d")
    contents = [one.content for one in await open_all([attached(id=f"F{number}") for number in range(1, 5)], shelf)]
    assert sum(len(text.text) for text in contents if isinstance(text, Text)) == 60_000
    assert isinstance(contents[2], Text)
    assert contents[2].part == "only the first 10,000 characters"
    assert isinstance(contents[3], Unread)

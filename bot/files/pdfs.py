"""Reads the text of a PDF in a process of its own, with limits of time, memory, pages and characters.

The process gets no environment and no address of ours: whatever a PDF does to its reader, there is nothing to take.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from bot.chat import Unreadable
from bot.files.texts import LIMIT
from bot.files.words import Text

if TYPE_CHECKING:
    from asyncio.subprocess import Process

SECONDS = 10.0
PAGES = 100
_AT_ONCE = 2  # processes, over all people
_LONGEST_LINE = 2**21
_WHY = {
    "locked": "the PDF is locked with a password",
    "broken": "the PDF is broken",
    "heavy": "the PDF needs too much memory to be read",
}
_LATE = "the PDF takes too long to be read"
_NO_TEXT = "the PDF holds no text that I can read; perhaps it is a scan"
_START = """\
import runpy, sys
count = int(sys.argv.pop(1))
sys.path[:] = [sys.argv.pop(1) for _ in range(count)]
runpy.run_module("bot.files.pdfworker", run_name="__main__")
"""
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def pdf(data: bytes, *, seconds: float = SECONDS, pages: int = PAGES, limit: int = LIMIT) -> Text:
    """Read a PDF; what was read when the time is over counts.

    Raises:
        Unreadable: locked, broken, without text, or too slow.
    """
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE)):
        told: list[dict[str, object]] = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await _ask(data, told, (str(int(seconds) + 1), str(pages), str(limit)))
    return _result(told, limit)


def _result(told: list[dict[str, object]], limit: int) -> Text:
    texts = [str(line["text"]) for line in told if "text" in line]
    unread = sum("unread" in line for line in told)
    ended = "end" in (told[-1] if told else {})
    whole = _whole("\n\n".join(filter(None, texts)))
    why = next((str(line["why"]) for line in told if "why" in line), "broken" if unread else "")
    if not whole.strip():
        raise Unreadable(_WHY.get(why) or (_NO_TEXT if ended else _LATE))
    count = next((line["pages"] for line in told if "pages" in line), 0)
    parts = []
    if len(whole) > limit:
        parts.append(f"the first {limit:,} characters of {count} pages")
    elif len(texts) != count:
        parts.append(f"the first {len(texts)} of {count} pages")
    if unread:
        parts.append(f"without {unread} that cannot be read")
    return Text(whole[:limit], " ".join(parts))


def _whole(text: str) -> str:
    """Only whole characters that show something or part lines."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(letter for letter in text if letter >= " " or letter in "\n\t")


async def _ask(data: bytes, told: list[dict[str, object]], arguments: tuple[str, ...]) -> None:
    process = await _started(arguments)
    try:
        await _answered(process, data, told)
        await process.wait()
    except BaseException:  # late or cancelled: it must not run on
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())
        raise


async def _started(arguments: tuple[str, ...]) -> Process:
    """Start the reader on this interpreter's own search path, wherever it was started from."""
    path = list(map(os.path.abspath, sys.path))
    environment = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-IB",
            "-c",
            _START,
            str(len(path)),
            *path,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
            limit=_LONGEST_LINE,
        )
    except OSError:
        raise Unreadable("PDFs cannot be read just now") from None


async def _answered(process: Process, data: bytes, told: list[dict[str, object]]) -> None:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("The reader of PDFs has no pipes.")
    with contextlib.suppress(ConnectionError):
        process.stdin.write(data)
        await process.stdin.drain()
        process.stdin.close()
    while (line := await process.stdout.readline()).endswith(b"\n"):
        told.append(json.loads(line))
    if not told:
        told.append({"why": "heavy" if await process.wait() < 0 else "broken"})

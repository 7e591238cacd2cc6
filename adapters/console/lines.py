"""Lines of a person or of a pipe, without ever holding up the loop or the end of the program.

Owns what a terminal needs beside: its settings given back at the end, Ctrl-C as an event, arrow keys.
"""

from __future__ import annotations

import asyncio
import io
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

_ENDS = (EOFError, OSError, RuntimeError, ValueError)
"""What reading raises when there is nothing more to read: the end, a terminal that is gone, a stream that is closed."""


def standard(stream: TextIO | None) -> TextIO:
    """Take a standard stream: what it cannot read or show is replaced, and one that is closed is empty."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    return stream or io.StringIO()


def asking(stream: TextIO, prompt: str) -> Callable[[], str]:
    """Give the call that reads one line of a terminal ("" at its end), with arrow keys where the system has readline.

    Nothing of what was typed is written to a history file.
    """
    if stream is not sys.stdin:
        return stream.readline
    with suppress(ImportError):  # Windows edits lines by itself
        import_module("readline")
    return lambda: f"{input(prompt)}\n"


async def lines(ask: Callable[[], str]) -> AsyncIterator[str]:
    """Ask for a line whenever one is wanted, in a daemon thread; end with the first one that is ""."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[str]()
    wanted = threading.Event()

    def post(line: str) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(queue.put_nowait, line)

    def read() -> None:
        try:
            with suppress(*_ENDS):
                while wanted.wait() and (line := ask()):
                    wanted.clear()
                    post(line)
        finally:
            post("")

    threading.Thread(target=read, daemon=True).start()
    while True:
        wanted.set()
        if not (line := await queue.get()):
            return
        yield line


@contextmanager
def given_back(stream: TextIO) -> Iterator[None]:
    """Leave the terminal as it was: whoever ends the program in the middle of a line would have no echo afterwards."""
    try:
        termios = import_module("termios")
        before = termios.tcgetattr(stream)
    except (ImportError, OSError, ValueError):  # Windows; not a terminal after all
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError, termios.error):  # the terminal is gone
            termios.tcsetattr(stream, termios.TCSANOW, before)


@contextmanager
def on_interrupt(call: Callable[[], None]) -> Iterator[None]:
    """Make Ctrl-C a call on the loop instead of the end of the program, for as long as this is open."""
    loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
    try:
        loop.add_signal_handler(signal.SIGINT, call)
    except NotImplementedError:  # Windows
        signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(call))
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)

"""The command line as an operator or a newcomer runs it: a process of its own, over a pipe or in a terminal."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tests.fakes.poll import until

if TYPE_CHECKING:
    from types import TracebackType

ROOT = Path(__file__).parents[2]
CHAT = (sys.executable, "-m", "bot", "chat")


def environment(**settings: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **settings}


def bot(home: Path, *arguments: str, lines: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in an empty folder with only these settings."""
    done = raw(home, *arguments, lines=lines.encode(), PYTHONUTF8="1", **settings)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def raw(home: Path, *arguments: str, lines: bytes = b"", **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Do the same with any bytes for input."""
    command = [sys.executable, "-m", "bot", *arguments]
    return subprocess.run(  # noqa: S603 - our own program
        command, cwd=home, env=environment(**settings), input=lines, capture_output=True, timeout=60, check=False
    )


class Terminal:
    """`python -m bot chat` in a terminal of its own. `screen` is all that it has shown, `keys` types."""

    def __init__(self, home: Path, *arguments: str, **settings: str) -> None:
        self.screen = ""
        self._home, self._arguments, self._settings = home, arguments, settings

    async def __aenter__(self) -> Self:
        self._person, self._terminal = os.openpty()
        os.set_blocking(self._person, False)
        name = os.ttyname(self._terminal)
        # The leader of a new session that opens a terminal gets it as its own, so that Ctrl-C reaches it.
        opened = 'exec "$@" <"$0" >"$0" 2>&1'
        self.process = await asyncio.create_subprocess_exec(
            *("sh", "-c", opened, name, *CHAT, *self._arguments),
            cwd=self._home,
            env=environment(TERM="xterm", **self._settings),
            start_new_session=True,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        os.close(self._person)
        os.close(self._terminal)

    def keys(self, typed: str) -> None:
        os.write(self._person, typed.encode())

    async def shows(self, text: str) -> None:
        """Wait until it has shown this since the last `clear`."""
        await until(lambda: text in self._look(), 20)

    def clear(self) -> None:
        self._look()
        self.screen = ""

    def _look(self) -> str:
        with suppress(BlockingIOError):
            self.screen += os.read(self._person, 65536).decode(errors="replace")
        return self.screen

    def mode(self) -> list[object]:
        """Give how the terminal is set: with or without echo, by lines or by letters."""
        import termios  # noqa: PLC0415 - Windows has none, and no such terminal

        return list(termios.tcgetattr(self._terminal))

    async def ends(self) -> int:
        code = await asyncio.wait_for(self.process.wait(), 20)
        self._look()
        return code

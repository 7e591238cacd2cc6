"""The bot as a process of its own, as an operator runs it: started, killed, frozen, thawed, told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Self

import aiohttp

from tests.fakes.poll import until

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class BotProcess:
    """`python -m bot run` with these settings and nothing else from the environment."""

    command: tuple[str, ...] = ("-m", "bot", "run")

    def __init__(self, home: Path, **settings: str) -> None:
        self.home, self.port = home, free_port()
        self._settings = {"PORT": str(self.port), "KEEPSAKE_HOME": str(home / ".keepsake"), **settings}
        self._process: asyncio.subprocess.Process | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> Self:
        """Start it; see `up` for when it is ready."""
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **self._settings}
        log = (self.home / "log.txt").open("ab")
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *self.command, cwd=self.home, env=environment, stdout=log, stderr=log
        )
        log.close()
        return self

    async def up(self) -> Self:
        """Wait until Slack's requests are answered."""
        await until(self._healthy, 30)
        return self

    async def _healthy(self) -> bool:
        assert self.process.returncode is None, (self.home / "log.txt").read_text()
        try:
            async with aiohttp.ClientSession() as session, session.get(f"{self.address}/healthz") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self._process is not None
        return self._process

    async def freeze(self) -> None:
        """Freeze it between two of its writes: while it holds SQLite's lock nobody else can write."""
        await until(self._frozen_at_rest)

    def _frozen_at_rest(self) -> bool:
        self.process.send_signal(signal.SIGSTOP)
        if self._can_write():
            return True
        self.thaw()
        return False

    def _can_write(self) -> bool:
        path = self.home / ".keepsake" / "keepsake.db"
        with closing(sqlite3.connect(path, timeout=0.2, isolation_level=None)) as database:
            try:
                database.execute("BEGIN IMMEDIATE")
                database.execute("ROLLBACK")
            except sqlite3.OperationalError:
                return False
            return True

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    async def kill(self) -> None:
        """Kill it as a power cut does."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def stop(self) -> int:
        """Ask it to stop, and give its exit code."""
        self.process.terminate()
        return await asyncio.wait_for(self.process.wait(), 30)

    def log(self) -> str:
        """Give what it has logged so far."""
        return (self.home / "log.txt").read_text()

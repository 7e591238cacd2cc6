"""The files of one installation, fetched by the real SDK's session from a loopback Slack; no name leads anywhere."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import Calls
from adapters.slack.files import Files
from bot.chat import Attachment, Unreadable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.slack_files import FakeFiles

TOKEN = "xoxb-fake"
FILE = Attachment("F1", "a.txt", "text/plain", 5)


@dataclass
class Nowhere(AbstractResolver):
    """Knows no name, and which it was asked for."""

    asked: list[str] = field(default_factory=list)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del port, family
        self.asked.append(host)
        raise OSError(host)

    async def close(self) -> None:
        pass


@dataclass
class Reader:
    """The files of one installation, through the real SDK."""

    files: Files
    slack: FakeFiles
    names: Nowhere

    async def refused(self, words: str) -> None:
        with pytest.raises(Unreadable, match=words):
            await self.files.fetch(FILE)


@asynccontextmanager
async def reading(slack: FakeFiles, *, seconds: float = 5, stand_in: bool = True) -> AsyncIterator[Reader]:
    names = Nowhere()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=names)) as session:
        client = AsyncWebClient(TOKEN, base_url=f"{slack.address}/api/", session=session, retry_handlers=[])
        files = Files(Calls(client), client, slack.address if stand_in else None, seconds=seconds)
        yield Reader(files, slack, names)

"""The bot as `python -m bot run` composes it, in this process: real SDKs, the local memory, a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator  # noqa: TC003 - pytest reads the annotations of fixtures
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.compose import open_bot
from bot.memory import MemoryDown
from bot.settings import Settings
from tests.fakes.openai import FakeOpenAI
from tests.fakes.poll import until

if TYPE_CHECKING:
    from bot.chat import Platform, User
    from bot.service import Service

EVENTS = Path(__file__).parents[1] / "events"


def recorded(path: str) -> dict[str, Any]:
    """Read a recorded payload below tests/events."""
    body: dict[str, Any] = json.loads((EVENTS / path).read_text())
    return body


@dataclass
class Home:
    """Where the bot keeps things, and the model it asks."""

    path: Path
    openai: FakeOpenAI

    @asynccontextmanager
    async def running(self, platform: Platform) -> AsyncIterator[Service]:
        """Run the whole bot on one platform."""
        values = {"KEEPSAKE_HOME": self.path, "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": self.openai.url}
        settings = Settings.model_validate({**values, "PRIVACY_URL": "https://example.org/privacy"})
        async with open_bot(settings, [platform]) as service:
            task = asyncio.create_task(service.run())
            try:
                yield service
            finally:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    def files_with(self, *words: str) -> list[str]:
        """List the files that hold one of these words."""
        files = [file for file in self.path.iterdir() if file.is_file()]
        return [file.name for file in files if any(word.encode() in file.read_bytes() for word in words)]


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    async with FakeOpenAI() as openai:
        yield Home(tmp_path / "home", openai)


async def remembers(service: Service, user: User, *texts: str) -> None:
    """Wait until exactly these are known of a person, newest first."""

    async def so() -> bool:
        try:
            return [one.text for one in await service.wishes.known(user, 50)] == list(texts)
        except MemoryDown:  # what was taken back is not gone yet: nothing is shown until it is
            return False

    await until(so)

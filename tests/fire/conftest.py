"""The bot as an operator runs it, on a Slack, a model and a memory of our own."""

from __future__ import annotations

from collections.abc import AsyncIterator  # noqa: TC003 - pytest reads the annotations of fixtures
from dataclasses import dataclass, field
from pathlib import Path  # noqa: TC003 - pytest reads the annotations of fixtures
from typing import Any

import pytest

from tests.fakes.memory import PortMemory, port_memory
from tests.fakes.openai import FakeOpenAI
from tests.fakes.process import BotProcess
from tests.fakes.slack import ANA, BOT_TOKEN, DM, SIGNING_SECRET, TEAM, FakeSlack
from tests.fakes.slack_requests import Sender, event_body

SPACE = f"slack.{TEAM}.{ANA}"


@dataclass
class Field:
    """Where the fire is."""

    path: Path
    slack: FakeSlack
    openai: FakeOpenAI
    memory: PortMemory
    processes: list[BotProcess] = field(default_factory=list)

    async def bot(self) -> BotProcess:
        """Start one more process over the same home."""
        process = BotProcess(
            self.path,
            SLACK_BOT_TOKEN=BOT_TOKEN,
            SLACK_SIGNING_SECRET=SIGNING_SECRET,
            SLACK_API_URL=self.slack.api_url,
            OPENAI_API_KEY="k",
            OPENAI_BASE_URL=self.openai.url,
            GENIFFY_API_KEY="k",
            GENIFFY_BASE_URL=self.memory.url,
        )
        self.processes.append(process)
        return await (await process.start()).up()

    async def send(self, process: BotProcess, event: dict[str, Any], *, retry: int = 0) -> int:
        """Send an event as Slack does; 0 when the process died over it."""
        headers = {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"} if retry else {}
        try:
            async with Sender(process.address) as sender:
                return (await sender.json({**event_body(event), "event_id": f"Ev{event['ts']}"}, headers))[0]
        except OSError:
            return 0

    def answers(self, channel: str = DM) -> list[str]:
        """Give what our messages show, but for the first-contact notice."""
        return [text for text in self.slack.texts(channel) if "I am an AI" not in text]


@pytest.fixture
async def fire(tmp_path: Path) -> AsyncIterator[Field]:
    async with FakeSlack() as slack, FakeOpenAI() as openai, port_memory(tmp_path / "memory.db") as memory:
        made = Field(tmp_path, slack, openai, memory)
        yield made
        for process in made.processes:
            await process.kill()

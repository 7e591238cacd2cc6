"""`python -m bot run` against platforms that refuse it: one sentence and a code that tells a supervisor what to do."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import aiohttp

from adapters.slack.manifest import SCOPES
from tests.cli.kit import bot
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.process import BotProcess, free_port
from tests.fakes.slack import BOT_TOKEN, SIGNING_SECRET, FakeSlack

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Refused


async def test_a_refused_discord_token_ends_quietly_with_the_code_for_a_wrong_set_up(tmp_path: Path) -> None:
    async with FakeDiscord() as discord:
        done = await asyncio.to_thread(bot, tmp_path, "run", DISCORD_TOKEN="wrong", DISCORD_API_URL=discord.api_url)
    assert done.returncode == 2
    assert "DISCORD_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr
    assert "wrong" not in done.stderr.replace("Discord", "")


async def test_a_refused_slack_token_ends_the_same_way(refused: Refused) -> None:
    async with FakeSlack() as slack:
        settings = {"SLACK_BOT_TOKEN": "xoxb-wrong", "SLACK_SIGNING_SECRET": SIGNING_SECRET, "PORT": str(free_port())}
        said = await asyncio.to_thread(refused, "run", SLACK_API_URL=slack.api_url, **settings)
    assert "SLACK_BOT_TOKEN" in said
    assert "xoxb-wrong" not in said


async def test_a_port_in_use_is_one_sentence_and_worth_another_try(refused: Refused) -> None:
    refused.code = 1
    async with FakeSlack() as slack:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            settings = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_SIGNING_SECRET": SIGNING_SECRET, "PORT": port}
            said = await asyncio.to_thread(refused, "run", SLACK_API_URL=slack.api_url, **settings)
    assert said == f"Cannot listen on 127.0.0.1:{port}: set HOST and PORT to what is free here."


async def test_many_workspaces_install_the_app_at_the_address_that_run_serves(tmp_path: Path) -> None:
    async with FakeSlack() as slack:
        settings = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s", "SLACK_SIGNING_SECRET": SIGNING_SECRET}
        process = BotProcess(tmp_path, SLACK_API_URL=slack.api_url, **settings)
        try:
            await (await process.start()).up()
            async with aiohttp.ClientSession() as session:
                async with session.get(f"{process.address}/slack/install", allow_redirects=False) as answer:
                    asked = parse_qs(urlsplit(answer.headers["Location"]).query)
                async with session.post(f"{process.address}/slack/events", data="{}") as unsigned:
                    assert unsigned.status == 401
            assert await process.stop() == 0
        finally:
            await process.kill()
    assert answer.status == 302
    assert asked["client_id"] == ["1.2"]
    assert set(asked["scope"][0].split(",")) == set(SCOPES)

"""Crashes, several processes on one file, and a real port."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn
from geniffy import APIConnectionError, AsyncGeniffy, AuthenticationError

from bot.local.memory import open_memory
from tests.local_memory.kit import house, known, recalled, say, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.local.memory import LocalMemory

ROOT = Path(__file__).parents[2]


async def start(path: Path, task: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.local_memory.worker", str(path), task, cwd=ROOT
    )


async def test_what_was_saved_before_a_crash_is_learned_after_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    assert await (await start(path, "die")).wait() == 9
    async with house(path) as home:
        source = await home.of("ana").sources.get(external_id="1")
        assert (await home.of("ana").sources.wait(source.id)).status == "learned"
        assert await known(home.of("ana")) == ["I like tea."]


async def test_two_processes_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    workers = [await start(path, task) for task in ("left", "right")]
    async with house(path) as home:
        ana = home.of("ana")
        for n in range(5):
            await say(ana, f"My middle{n} is box {n}. I like tea.", key=f"middle{n}")
            await ana.sources.delete(external_id=f"middle{n}")
        assert [await worker.wait() for worker in workers] == [0, 0]
        expected = {f"My {task}{n} is box {n}." for task in ("left", "right") for n in range(20)} | {"I like tea."}
        assert set(await known(ana)) == expected
        assert (await ana.sources.list()).total == 40
        await home.client.forget_space("ana")
        assert await known(ana) == []


async def test_one_process_learns_what_another_saved_and_the_other_sees_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with house(path, learning_delay=3600) as slow:
        source = await slow.of("ana").memories.add("I like tea.")
        async with house(path):
            assert (await slow.of("ana").sources.wait(source.id, timeout=10)).status == "learned"
        assert await recalled(slow.of("ana"), "tea") == ["I like tea."]


async def test_processes_that_start_together_make_one_file(tmp_path: Path) -> None:
    async def one(n: int) -> None:
        async with house(tmp_path / "memory.db") as home:
            await say(home.of("ana"), f"I own {n} hats.", key=str(n))

    await asyncio.gather(*(one(n) for n in range(6)))
    async with house(tmp_path / "memory.db") as home:
        assert len(await known(home.of("ana"))) == 6


async def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with house(path):
        pass
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(RuntimeError, match="newer version"):
        async with house(path):
            pass


async def test_a_database_that_is_busy_is_said_to_be_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with house(path) as home:
        await home.memory.database._writer.run(lambda db: db.execute("PRAGMA busy_timeout = 50").fetchall())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = await home.http.post("/v1/memories", json={"text": "I like tea."})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "memory_unavailable")
        other.execute("ROLLBACK")
        other.close()
        await say(home.of("ana"), "I like tea.")
        assert await known(home.of("ana")) == ["I like tea."]


@asynccontextmanager
async def on_a_port(memory: LocalMemory) -> AsyncIterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(memory.app, log_level="warning", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve([listener]))

        async def started() -> bool:
            return server.started

        await until(started)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        await serving


async def test_it_serves_the_real_client_on_a_real_port() -> None:
    async with open_memory(None, api_key="gnf_live_port") as memory, on_a_port(memory) as url:
        async with AsyncGeniffy("gnf_live_port", base_url=url) as client:
            await say(client.space("ana"), "My favourite colour is green.", labels={"heard": "dm"})
            assert await recalled(client.space("ana"), "favourite colour?", {"heard": "dm"}) == [
                "My favourite colour is green."
            ]
            assert await client.space("ana").sources.delete_labelled({"heard": "dm"}) == 1
            assert (await client.forget_space("ana"))["erased"] is True
        async with AsyncGeniffy("gnf_live_other", base_url=url) as stranger:
            with pytest.raises(AuthenticationError):
                await stranger.space("ana").memories.list()


async def test_a_slow_answer_on_a_port_times_the_client_out() -> None:
    async with (
        open_memory(None) as memory,
        on_a_port(memory) as url,
        AsyncGeniffy("k", base_url=url, timeout=0.2, max_retries=0) as client,
    ):
        memory.faults.slow(0.6, path="/v1/context")
        with pytest.raises(APIConnectionError):
            await client.context("tea")
        assert (await client.context_full("tea"))["empty"] is True

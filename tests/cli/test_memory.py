"""`python -m bot memory`: a bot can use it once it says that it listens, and it says how."""

from __future__ import annotations

import asyncio
import re
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.cli.kit import environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@asynccontextmanager
async def serving(home: Path, **settings: str) -> AsyncIterator[tuple[str, str]]:
    """Start it on a free port; gives what it said and the address in it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "memory", "--port", "0"),
        cwd=home,
        env=environment(**settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    said = "".join([(await asyncio.wait_for(process.stdout.readline(), 30)).decode() for _ in range(2)])
    found = re.search(r"GENIFFY_BASE_URL=(http://127\.0\.0\.1:\d+)", said)
    assert found, said
    yield said, found[1]
    process.terminate()
    _, trouble = await asyncio.wait_for(process.communicate(), 20)
    assert (process.returncode, trouble) == (0, b"")


async def status(address: str, key: str) -> int:
    async with httpx.AsyncClient() as client:
        return (await client.get(f"{address}/v1/spaces", headers={"Authorization": f"Bearer {key}"})).status_code


@pytest.mark.parametrize(("settings", "any_key"), [({"GENIFFY_API_KEY": "gnf-hush"}, 401), ({}, 200)])
async def test_it_says_where_it_is_and_which_key_it_takes(
    tmp_path: Path, settings: dict[str, str], any_key: int
) -> None:
    async with serving(tmp_path, **settings) as (said, address):
        assert await status(address, "gnf-hush") == 200
        assert await status(address, "another") == any_key
        assert ("any key" in said) == (any_key == 200)
        assert ("the same GENIFFY_API_KEY" in said) == (any_key == 401)
        assert "hush" not in said

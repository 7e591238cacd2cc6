from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.store import Store, open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

SECRET = b"a secret of the tests"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path / 'keepsake.db'}"


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    async with open_store(url, SECRET) as opened:
        yield opened

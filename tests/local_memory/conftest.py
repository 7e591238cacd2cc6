from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.local_memory.kit import House, house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from geniffy import AsyncGeniffy


@pytest.fixture
async def home() -> AsyncIterator[House]:
    async with house() as built:
        yield built


@pytest.fixture
def ana(home: House) -> AsyncGeniffy:
    return home.of("slack.T024.U061")


@pytest.fixture
def ben(home: House) -> AsyncGeniffy:
    return home.of("discord.1033044521375764530")

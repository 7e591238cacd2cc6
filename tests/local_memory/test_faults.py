"""The switches that let other tests see the service fail."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from geniffy import InternalServerError, NotFoundError, RateLimitError, UsageLimitError

from tests.local_memory.kit import House, known, note, until

if TYPE_CHECKING:
    from geniffy import AsyncGeniffy


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (402, UsageLimitError, "allowance_used"), (500, InternalServerError, "internal"),
        (503, InternalServerError, "memory_unavailable"), (404, NotFoundError, "not_switched_on"),
    ],
)  # fmt: skip
async def test_the_next_call_fails_as_asked(
    home: House, ana: AsyncGeniffy, status: int, error: type[Exception], code: str
) -> None:
    home.memory.faults.fail(status, path="/v1/briefing")
    await ana.context("tea")
    with pytest.raises(error) as caught:
        await ana.briefing()
    assert getattr(caught.value, "code", None) == code
    assert getattr(caught.value, "request_id", None)
    assert await ana.briefing() == ""


async def test_the_client_tries_a_busy_memory_again(home: House, ana: AsyncGeniffy) -> None:
    home.memory.faults.fail(429, times=2, retry_after=0)
    await note(ana, "I like tea.")
    assert await known(ana) == ["I like tea."]
    home.memory.faults.fail(429, times=None, retry_after=0)
    with pytest.raises(RateLimitError):
        await ana.context("tea")
    home.memory.faults.clear()
    assert (await ana.context_full("tea"))["used"] == 1


async def test_a_malformed_answer_is_none_of_the_clients_errors(home: House, ana: AsyncGeniffy) -> None:
    home.memory.faults.malform(method="POST")
    assert (await ana.memories.list()).total == 0
    with pytest.raises(KeyError):
        await ana.context("tea")


async def test_a_slow_answer_is_slow_and_right(home: House, ana: AsyncGeniffy) -> None:
    home.memory.faults.slow(0.1)
    began = time.monotonic()
    assert (await ana.context_full("tea"))["empty"] is True
    assert time.monotonic() - began >= 0.1


async def test_past_the_months_use_additions_wait(home: House, ana: AsyncGeniffy) -> None:
    home.memory.faults.waiting = True
    source = await ana.memories.add("I like tea.")
    assert source.status == "waiting"
    assert (await ana.sources.wait(source.id, timeout=0.1)).status == "waiting"
    assert await known(ana) == []
    home.memory.faults.clear()

    async def learned() -> bool:
        return await known(ana) == ["I like tea."]

    await until(learned)


async def test_a_briefing_can_be_empty(home: House, ana: AsyncGeniffy) -> None:
    await note(ana, "I like tea.")
    home.memory.faults.empty_briefing = True
    assert await ana.briefing() == ""

"""Wait for something to come true, with a deadline."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


async def until(true: Callable[[], object] | Callable[[], Awaitable[object]], seconds: float = 10.0) -> None:
    """Return once `true()` is; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = true()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return
        if time.monotonic() > deadline:
            message = f"It did not come true within {seconds} s: {true}"
            raise AssertionError(message)
        await asyncio.sleep(0.01)

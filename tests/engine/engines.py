"""The engines under the contract suite; a second one is one line more. Few lanes at once, so that all work."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bot.engine import LocalEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.engine import Engine

ENGINES: dict[str, Callable[[], Engine]] = {"local": partial(LocalEngine, limit=3, sweep_every=0.3)}

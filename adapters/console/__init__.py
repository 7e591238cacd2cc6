"""The bot in a terminal, or over lines piped into it. See `platform`."""

from adapters.console.person import NAME, person
from adapters.console.platform import Console

__all__ = ("NAME", "Console", "person")

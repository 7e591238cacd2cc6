"""A memory of one's own machine that speaks the Geniffy API, over SQLite, for when there is no key for the service.

It finds by words and meanings it knows, where the service understands; it says nothing about the service's quality.
"""

from bot.local.memory.faults import Fault, Faults
from bot.local.memory.server import LocalMemory, open_memory

__all__ = ["Fault", "Faults", "LocalMemory", "open_memory"]

"""AutoGen's `Memory` over one person's Geniffy space, and what is saved, taken back and forgotten there.

Refuses to be anybody's memory by accident: a space is checked whole before any call, and a memory that recalls is bound
to one person and one thread.
"""

from bot.memory.space import MemoryDown, NotForgotten, SaveRefused, SpaceMemory
from bot.memory.turn import GeniffyMemory, Memories

__all__ = ["GeniffyMemory", "Memories", "MemoryDown", "NotForgotten", "SaveRefused", "SpaceMemory"]

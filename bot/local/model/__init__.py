"""Stands in for a model when none is configured: it answers only from the memory block and the conversation.

It refuses to pretend: it says what it is, and that it does not know when it was given nothing.
"""

from bot.local.model.client import LocalModel

__all__ = ["LocalModel"]

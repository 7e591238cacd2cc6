"""Discord, through discord.py. Nothing of that library leaves this package."""

from adapters.discord.pace import Pace
from adapters.discord.platform import DiscordPlatform

__all__ = ["DiscordPlatform", "Pace"]

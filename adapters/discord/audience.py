"""Who can read a channel, from its real permissions, and whether we may write there.

Refuses to guess: what cannot be determined is unknown, and a server that we are no member of is external.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import discord
from discord.abc import GuildChannel

from bot.chat import Audience

if TYPE_CHECKING:
    from discord.abc import PrivateChannel

_POLL = 0.05


async def audience(client: discord.Client, channel_id: int, *, wait: float) -> Audience:
    """Find out who can read a channel; asks Discord where the cache does not know it.

    Raises:
        discord.DiscordException: Discord could not be asked; try again later.
    """
    try:
        channel = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
        return await _of(client, channel, wait)
    except (discord.Forbidden, discord.NotFound, discord.InvalidData):
        return Audience.UNKNOWN


async def _of(client: discord.Client, channel: GuildChannel | PrivateChannel | discord.Thread, wait: float) -> Audience:
    if isinstance(channel, discord.DMChannel):
        return Audience.DM
    if not isinstance(channel, GuildChannel | discord.Thread) or client.get_guild(channel.guild.id) is None:
        return Audience.EXTERNAL
    guild = await known_guild(client, channel.guild.id, wait=wait)
    if guild is None:
        return Audience.UNKNOWN
    if isinstance(channel, discord.Thread):
        return await _of_thread(client, channel, guild)
    return _everyone_reads(channel, guild)


async def _of_thread(client: discord.Client, thread: discord.Thread, guild: discord.Guild) -> Audience:
    if thread.is_private():
        return Audience.PRIVATE
    parent = guild.get_channel(thread.parent_id) or await client.fetch_channel(thread.parent_id)
    return _everyone_reads(parent, guild) if isinstance(parent, GuildChannel) else Audience.UNKNOWN


def _everyone_reads(channel: GuildChannel, guild: discord.Guild) -> Audience:
    everyone = channel.permissions_for(guild.default_role)
    hears = everyone.connect or not isinstance(channel, discord.VoiceChannel | discord.StageChannel)
    return Audience.PUBLIC if everyone.view_channel and hears else Audience.PRIVATE


async def known_guild(client: discord.Client, guild_id: int, *, wait: float) -> discord.Guild | None:
    """Return a server with its roles and channels, which come after READY; None when not within `wait` seconds."""
    deadline = time.monotonic() + wait
    while True:
        guild = client.get_guild(guild_id)
        if guild is not None and not guild.unavailable and guild.roles:
            return guild
        if time.monotonic() > deadline:
            return None
        await asyncio.sleep(_POLL)


def may_write(client: discord.Client, channel_id: int) -> bool:
    """Tell whether our permissions let us write there; what the cache does not know may be tried."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.Thread | GuildChannel) or channel.guild.me is None:
        return True
    try:
        ours = channel.permissions_for(channel.guild.me)
    except discord.ClientException:  # a thread whose parent is not cached
        return True
    sends = ours.send_messages_in_threads if isinstance(channel, discord.Thread) else ours.send_messages
    return ours.view_channel and sends

"""The discord.py client of one connection: hears events, hands them on, and knows who and where we are.

No privileged intent, no message cache. Nothing happens in `on_ready`, which comes many times. Refuses to let the
library log what people write.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

import discord

from adapters.discord import events, interactions
from adapters.discord.audience import audience, known_guild
from adapters.discord.commands import by_name, keep_registered
from adapters.discord.errors import TROUBLE
from adapters.discord.rest import Rest
from bot.chat import Audience, message_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from adapters.discord.inbox import Inbox
    from adapters.discord.pace import Pace
    from bot.chat import Bot

_log = logging.getLogger(__name__)
_EVENTS = ("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK")
_EDITS_KEPT = 4096
_CLOSING = 5.0  # seconds for a polite end


class Connection(discord.AutoShardedClient):
    """One log-in to Discord, from start to close."""

    def __init__(self, bot: Bot, inbox: Inbox, pace: Pace, api_url: str, online: Callable[[Connection], None]) -> None:
        """Tell `bot` what is heard; `online` is called once, when calls can be made."""
        super().__init__(
            intents=discord.Intents(guilds=True, guild_messages=True, dm_messages=True),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            enable_debug_events=True,  # for the payloads as they come: see on_socket_raw_receive
        )
        self.rest = Rest(self.loop, api_url, patience=pace.ratelimit_patience, ban=pace.ban)
        self.http = self.rest
        self._connection.http = self.rest
        for event in _EVENTS:  # read by us alone: a message that discord.py cannot read would end the connection
            self._connection.parsers.pop(event, None)
        self._bot = bot
        self._inbox = inbox
        self._pace = pace
        self._online = online
        self._edits: OrderedDict[str, datetime] = OrderedDict()
        self._shards_greeted: set[int] = set()
        self._greeted = asyncio.Event()
        self._sync: asyncio.Task[None] | None = None

    @property
    def me(self) -> events.Me | None:
        """Who we are; None before the log-in."""
        return events.Me(str(self.user.id), str(self.application_id)) if self.user and self.application_id else None

    async def setup_hook(self) -> None:
        """Once per log-in: calls can be made from here on, and the commands are registered in the background."""
        if me := self.me:
            self.rest.me = me.user
            self._online(self)
            self._sync = asyncio.create_task(
                keep_registered(self.rest, me.application, by_name(self._bot.commands), retry=self._pace.sync_retry)
            )

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for our turn to open a session, as discord.py does."""
        del shard_id
        if not initial:
            await asyncio.sleep(self._pace.identify_every)

    async def close(self) -> None:
        """Close everything that this connection opened."""
        if self._sync:
            self._sync.cancel()
        try:
            async with asyncio.timeout(_CLOSING):
                await super().close()
        except TimeoutError:  # the gateway did not say good-bye
            await self.rest.close()

    async def on_ready(self) -> None:
        """Say so; it comes again after every new session."""
        _log.info("Discord is ready: %d servers.", len(self.guilds))

    async def on_shard_connect(self, shard: int) -> None:
        """Remember that a shard has told us its servers."""
        self._shards_greeted.add(shard)
        if len(self._shards_greeted) >= (self.shard_count or 1):
            self._greeted.set()

    async def on_error(self, event_method: str, /, *_args: object, **_kwargs: object) -> None:
        """Log what failed, not what it was about."""
        error = sys.exc_info()[0]
        _log.error("%s failed (%s).", event_method, error.__name__ if error else "?")

    async def on_socket_raw_receive(self, raw: str) -> None:
        """Take messages as the gateway sends them: the parser is pure, and nothing is lost to discord.py's objects."""
        if not any(f'"{name}"' in raw for name in _EVENTS):
            return
        event = json.loads(raw)
        hear = {
            "MESSAGE_CREATE": self._created,
            "MESSAGE_UPDATE": self._updated,
            "MESSAGE_DELETE": self._deleted,
            "MESSAGE_DELETE_BULK": self._deleted,
        }.get(event.get("t"))
        if hear and self.me:
            await hear(event["d"], self.me)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Answer a command or a button; discord.py's own views are not used, so none of it is dropped unanswered."""
        await interactions.answer(interaction, self._bot, self._interaction_audience)

    async def _created(self, data: events.Payload, me: events.Me) -> None:
        # A role may be ours: to know that may take a wait, which must not let the message's deletion overtake it.
        ignored = events.classify(data, me, events.Known())
        if ignored is None or (ignored is events.Ignored.NOT_CALLED and data.get("mention_roles")):
            await self._inbox.deliver(_key(data, me), lambda: self._accept(data, me))

    async def _accept(self, data: events.Payload, me: events.Me) -> None:
        known = await self._known(data)
        if events.classify(data, me, known) is None:
            await self._bot.message(events.parse(data, me, known))

    async def _updated(self, data: events.Payload, me: events.Me) -> None:
        at = events.edited_at(data)
        if at is not None and self._is_new_edit(data["id"], at):
            await self._inbox.deliver(_key(data, me), lambda: self._follow(data, me))

    async def _follow(self, data: events.Payload, me: events.Me) -> None:
        known = await self._known(data)
        ignored = events.classify(data, me, known)
        # Where an edit takes our mention away, Discord hides the words from us: they are not what was told any more,
        # and the bot follows that as an edit to nothing. Of a message that it never heard of it keeps nothing.
        if ignored in (None, events.Ignored.NOT_CALLED):
            await self._bot.edited(events.parse(data, me, known), calls=ignored is None)

    async def _deleted(self, data: events.Payload, me: events.Me) -> None:
        for id_ in events.deleted_ids(data):
            key = message_key(events.PLATFORM, me.application, data["channel_id"], id_)
            await self._inbox.deliver(key, partial(self._bot.deleted, key))

    def _is_new_edit(self, id_: str, at: datetime) -> bool:
        """Tell whether this is an edit not seen before: a link preview's update repeats the time of the last one."""
        if self._edits.get(id_) == at:
            return False
        self._edits[id_] = at
        if len(self._edits) > _EDITS_KEPT:
            self._edits.popitem(last=False)
        return True

    async def _known(self, data: events.Payload) -> events.Known:
        """Look up what the payload leaves out; waits for the server only when its roles decide whether it calls us."""
        if data.get("guild_id") is None:
            return events.Known()
        wait = self._pace.guild_wait if data.get("mention_roles") else 0
        guild = await known_guild(self, int(data["guild_id"]), wait=wait)
        if guild is None:
            return events.Known()
        ids = [int(id_) for id_ in events.tagged(data)]
        roles = {str(role.id): events.one_line(role.name) for role in map(guild.get_role, ids) if role}
        channels = map(guild.get_channel_or_thread, ids)
        names = {str(channel.id): events.one_line(channel.name) for channel in channels if channel}
        return events.Known(str(guild.self_role.id) if guild.self_role else "", roles, names)

    async def audience(self, channel: str) -> Audience:
        """Find out who can read a channel, once every shard has told us which servers we are in."""
        await self._met_all_servers()
        return await audience(self, int(channel), wait=self._pace.guild_wait)

    async def _met_all_servers(self) -> None:
        async with asyncio.timeout(self._pace.online_wait):  # wait_for can lose a cancellation on Python 3.11
            await self._greeted.wait()

    async def _interaction_audience(self, interaction: discord.Interaction) -> Audience:
        if interaction.context.dm_channel:
            return Audience.DM
        if interaction.context.private_channel or interaction.channel_id is None:
            return Audience.EXTERNAL
        try:
            await self._met_all_servers()
            if interaction.guild_id and self.get_guild(interaction.guild_id) is None:
                return Audience.EXTERNAL  # installed by the person, not by the server
            return await self.audience(str(interaction.channel_id))
        except TROUBLE:
            return Audience.UNKNOWN


def _key(data: events.Payload, me: events.Me) -> str:
    return message_key(events.PLATFORM, me.application, data["channel_id"], data["id"])

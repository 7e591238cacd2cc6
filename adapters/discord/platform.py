"""Discord as the bot sees it: the port of `bot.chat.Platform` over one connection at a time.

Refuses to go on with a token or an intent that Discord refused: a loop of log-ins would get the token reset.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import discord

from adapters.discord import events, panels, render
from adapters.discord.audience import may_write
from adapters.discord.client import Connection
from adapters.discord.doors import Doors
from adapters.discord.errors import TROUBLE
from adapters.discord.inbox import Inbox
from adapters.discord.pace import Pace
from adapters.discord.poster import Poster
from adapters.discord.quiet import quiet_logs
from adapters.discord.replies import Replies
from adapters.discord.rest import use_for_interactions
from bot.chat import Audience, Undeliverable, Unreadable

if TYPE_CHECKING:
    from datetime import datetime

    from adapters.discord.rest import Rest
    from bot.chat import Action, Attachment, Bot, Message, Panel, Quoted, Reply, Thread, User

_log = logging.getLogger(__name__)
_BAD_TOKEN, _BAD_INTENTS = 4004, 4013
_REFUSED = "Discord refused the bot token: set DISCORD_TOKEN to a valid one."
_NO_INTENTS = (
    "Discord refused the intents of the bot behind DISCORD_TOKEN, though Keepsake needs no privileged one: "
    "look at its Bot page in the developer portal."
)
_LONGEST_PAUSE = 300.0
_STEADY = 300.0  # a connection that held so long starts the pauses anew


class DiscordPlatform:
    """The Discord adapter."""

    name = events.PLATFORM

    def __init__(
        self,
        *,
        token: str,
        secret: bytes,
        api_url: str = "https://discord.com/api/v10",
        pace: Pace | None = None,
    ) -> None:
        """Nothing is opened before `run`.

        Args:
            token: the bot's token.
            secret: keys the hashes by which the log names messages.
            api_url: the REST address, ending in /api/v10; the gateway is taken from its /gateway/bot.
            pace: waiting times, for tests.
        """
        self._token = token
        self._api_url = api_url
        self._pace = pace or Pace()
        self.update_every = self._pace.update_every
        self._doors = Doors(closed_for=self._pace.closed_for)
        self._poster = Poster(self._rest, self._doors, self._pace)
        self._replies = Replies(self._poster, self._pace)
        self._inbox = Inbox(secret, patience=self._pace.accept_for)
        self._connection: Connection | None = None
        self._is_online = asyncio.Event()

    def __repr__(self) -> str:
        """Name the platform; never its token."""
        return "DiscordPlatform()"

    def serves(self, install: str) -> bool:
        """See `bot.chat.Platform`: our own application, once we are logged in."""
        me = self._connection.me if self._connection else None
        return me is not None and me.application == install

    async def run(self, bot: Bot) -> None:
        """Connect and listen until cancelled; a lost connection is taken up again.

        Raises:
            PermissionError: Discord refused the token or the intents; trying again would not help.
        """
        pause = self._pace.reconnect
        use_for_interactions(self._api_url)
        with quiet_logs():
            while True:
                started = time.monotonic()
                wait = await self._connect_once(bot)
                pause = self._pace.reconnect if time.monotonic() - started > _STEADY else pause
                await asyncio.sleep(max(wait, pause * random.uniform(0.8, 1.2)))  # noqa: S311 - spreads load
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def _connect_once(self, bot: Bot) -> float:
        """Hold one connection until it ends; returns the least pause before the next, in seconds."""
        connection = Connection(bot, self._inbox, self._pace, self._api_url, self._online)
        try:
            async with connection:
                await connection.start(self._token)
        except discord.LoginFailure:
            raise PermissionError(_REFUSED) from None
        except discord.PrivilegedIntentsRequired:
            raise PermissionError(_NO_INTENTS) from None
        except discord.ConnectionClosed as error:
            _stop_if_refused(error)
            _log.warning("Discord closed the connection (code %s).", error.code)
        except discord.RateLimited as error:
            _log.warning("Discord asks for a pause of %d s.", error.retry_after)
            return error.retry_after
        except Exception as error:  # noqa: BLE001 - whatever ended a connection, the next one may hold
            _log.warning("The connection to Discord ended (%s).", type(error).__name__)
        finally:
            self._connection = None
            self._is_online.clear()
            await self._replies.close()
        return 0.0

    def _online(self, connection: Connection) -> None:
        self._connection = connection
        self._is_online.set()

    async def _connected(self) -> Connection:
        """Wait for a connection for a while.

        Raises:
            TimeoutError: there is none yet; try again later.
        """
        async with asyncio.timeout(self._pace.online_wait):  # wait_for can lose a cancellation on Python 3.11
            await self._is_online.wait()
        if self._connection is None:
            raise TimeoutError("The connection to Discord was lost a moment ago: try again later.")
        return self._connection

    async def _rest(self) -> Rest:
        return (await self._connected()).rest

    async def resolve(self, message: Message) -> Message | None:
        """See `bot.chat.Platform`: fills in the audience, which may ask Discord."""
        thread = message.thread
        if thread.audience is not Audience.UNKNOWN:
            return message
        audience = await (await self._connected()).audience(thread.channel)
        if audience in {Audience.PUBLIC, Audience.PRIVATE} and not thread.workspace:
            audience = (
                Audience.UNKNOWN
            )  # without its server's id, one server's readers could not be told from another's
        return replace(message, thread=replace(thread, audience=audience))

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """See `bot.chat.Platform`: we are seen typing; nothing is posted yet."""
        self._doors.check(message.thread.channel)
        if not may_write(await self._connected(), int(message.thread.channel)):
            raise Undeliverable("We may not write in this channel.")
        return await self._replies.start(message, again=again)

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        """See `bot.chat.Platform`: one capped preview, from two seconds on."""
        return await self._replies.update(reply, text)

    async def earlier(self, message: Message, since: datetime | None, limit: int) -> tuple[Quoted, ...]:
        """Give nothing: only the message replied to is read, and that comes with the message."""
        del message, since, limit
        return ()

    async def fetch(self, message: Message, attachment: Attachment) -> bytes:
        """Refuse.

        Raises:
            Unreadable: always.
        """
        del message, attachment
        raise Unreadable("I cannot open files here yet.")

    async def finish_reply(
        self, reply: Reply, text: str, *, again: bool = False, actions: tuple[Action, ...] = ()
    ) -> Reply:
        """See `bot.chat.Platform`."""
        del actions  # nothing is drawn under an answer here yet
        return await self._replies.finish(reply, text, again=again)

    async def remove_reply(self, reply: Reply) -> None:
        """See `bot.chat.Platform`: what fails is tried again for up to a minute; ids that are not known are looked for.

        Raises:
            Undeliverable: the channel lets us delete nothing.
        """
        await self._replies.remove(reply)

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        """See `bot.chat.Platform`: the panel itself in a DM; elsewhere a small line with a button that opens it."""
        in_dm = thread.audience is Audience.DM
        content, view = ("", panels.layout(panel)) if in_dm else panels.notice()
        nonce = render.nonce("tell", user.id, thread.channel, repr(panel))

        async def post(rest: Rest) -> None:
            await rest.post(thread.channel, content, nonce=nonce, view=view, silent=True)

        try:
            await self._poster.ask(thread.channel, post)
        except TROUBLE as error:
            raise Undeliverable(f"The panel could not be shown ({type(error).__name__}).") from error


def _stop_if_refused(error: discord.ConnectionClosed) -> None:
    if error.code == _BAD_TOKEN:
        raise PermissionError(_REFUSED) from None
    if error.code == _BAD_INTENTS:
        raise PermissionError(_NO_INTENTS) from None

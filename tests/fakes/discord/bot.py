"""A bot that only writes down what a platform tells it, and one running Discord platform with two places to talk in."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adapters.discord import DiscordPlatform, Pace
from bot.chat import Action, Ask, Command, Message, NotAccepted, Panel, Reply, Thread, User
from tests.fakes.discord import payloads
from tests.fakes.discord.server import FakeDiscord

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.fakes.discord.payloads import Json

GUILD, CHANNEL, SECRET_CHANNEL, FORUM, POST = "300", "400", "401", "402", "500"
PRIVATE_THREAD, ROLE = "501", "600"
DM = "700"
ANN = payloads.user("1033044521375764530", "Ann")
BOB = payloads.user("1033044521375764531", "Bob")
QUICK = Pace(
    update_every=0.05,
    preview_after=0.0,
    typing_every=0.2,
    accept_for=1.0,
    guild_wait=1.0,
    online_wait=3.0,
    reconnect=0.02,
    identify_every=0.02,
    sync_retry=0.02,
)


async def _panel(ask: Ask) -> Panel:
    return Panel(f"For {ask.user.id} only.", actions=(Action("Yes", "forget-me", "yes", danger=True),))


@dataclass
class RecordingBot:
    """Implements `bot.chat.Bot`."""

    commands: tuple[Command, ...] = (
        Command("forget-me", "Forget me.", _panel),
        Command("memory", "Show my memory.", _panel),
    )
    messages: list[Message] = field(default_factory=list)
    edits: list[tuple[Message, bool]] = field(default_factory=list)
    deletions: list[str] = field(default_factory=list)
    asks: list[tuple[str, Ask]] = field(default_factory=list)
    refusals: float = 0
    """How many messages are not accepted before one is."""
    slow: float = 0.0

    async def message(self, message: Message) -> None:
        await asyncio.sleep(self.slow)
        if self.refusals > 0:
            self.refusals -= 1
            raise NotAccepted
        self.messages.append(message)

    async def edited(self, message: Message, *, calls: bool) -> None:
        self.edits.append((message, calls))

    async def deleted(self, key: str) -> None:
        self.deletions.append(key)

    async def command(self, name: str, ask: Ask) -> Panel:
        self.asks.append((name, ask))
        await asyncio.sleep(self.slow)
        return await _panel(ask)

    async def installed(self, platform: str, install: str) -> None:
        del platform, install

    async def removed(self, platform: str, install: str) -> None:
        del platform, install

    async def left(self, user: User, *, at_once: bool) -> None:
        del user, at_once

    async def returned(self, user: User) -> None:
        del user

    async def stopped(self, thread: Thread, user: User) -> None:
        """Nothing runs here that could be stopped."""


@dataclass
class Scene:
    """A connected platform, its bot, and the Discord around it: a public and a private channel, a forum, a DM."""

    discord: FakeDiscord
    bot: RecordingBot
    platform: DiscordPlatform
    task: asyncio.Task[None]

    async def ask(self, text: str = "hello", *, channel: str = CHANNEL, **more: object) -> Message:
        """Let Ann call the bot, and return what the bot is told."""
        before = len(self.bot.messages)
        await self.discord.say({**mention(text, channel=channel), **more})
        await until(lambda: len(self.bot.messages) > before)
        return self.bot.messages[-1]

    async def answer(self, message: Message, text: str, *shown: str) -> Reply:
        """Answer as the service would: resolve, start, glimpses, finish."""
        resolved = await self.platform.resolve(message)
        assert resolved
        reply = await self.platform.start_reply(resolved)
        for glimpse in shown:
            reply = await self.platform.update_reply(reply, glimpse)
            await asyncio.sleep(0.06)
        return await self.platform.finish_reply(reply, text)

    def texts(self, channel: str = CHANNEL) -> list[str]:
        """What the bot has said in a channel."""
        said = self.discord.messages.get(channel, [])
        return [message["content"] for message in said if message["author"]["id"] == payloads.BOT]


def mention(text: str, *, author: Json = ANN, channel: str = CHANNEL, **more: object) -> Json:
    """Somebody mentions the bot in the server."""
    tagged: Json = {"mentions": [payloads.bot_user()], "guild_id": GUILD, "channel_type": 0}
    return payloads.message(channel, author, f"<@{payloads.BOT}> {text}", **(tagged | more))


def said(text: str, *, author: Json = ANN, channel: str = CHANNEL, **more: object) -> Json:
    """Somebody says something in the server, not to the bot."""
    return payloads.message(channel, author, text, **{"guild_id": GUILD, "channel_type": 0, **more})


def whispered(text: str, *, author: Json = ANN, **more: object) -> Json:
    """Somebody writes to the bot in private."""
    return payloads.message(DM, author, text, **{"channel_type": 1, **more})


def furnish(discord: FakeDiscord) -> None:
    """Put the server and the DM there."""
    hidden = payloads.channel(SECRET_CHANNEL, GUILD, deny_everyone=payloads.VIEW)
    forum = payloads.channel(FORUM, GUILD, type_=15, available_tags=[])
    secret_thread = payloads.thread(PRIVATE_THREAD, GUILD, CHANNEL, type_=12)
    threads = [payloads.thread(POST, GUILD, FORUM), secret_thread]
    discord.add_guild(GUILD, [payloads.channel(CHANNEL, GUILD), hidden, forum], threads=threads, self_role=ROLE)
    discord.channels[DM] = payloads.dm_channel(DM, ANN)


@contextlib.asynccontextmanager
async def scene(
    *, pace: Pace = QUICK, bot: RecordingBot | None = None, prepare: Callable[[FakeDiscord], None] = furnish
) -> AsyncIterator[Scene]:
    """Connect a platform to a fresh fake Discord."""
    async with FakeDiscord() as discord:
        prepare(discord)
        bot = bot or RecordingBot()
        platform = DiscordPlatform(token=discord.token, secret=b"s", api_url=discord.api_url, pace=pace)
        task = asyncio.create_task(platform.run(bot))
        try:
            await until(lambda: discord.gateway.connected or task.done())
            yield Scene(discord, bot, platform, task)
        finally:
            task.cancel()
            await asyncio.wait({task})


async def until(true: Callable[[], object], *, within: float = 5.0) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + within
    while not true():
        assert time.monotonic() < deadline, "It did not happen in time."
        await asyncio.sleep(0.01)

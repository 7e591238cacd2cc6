"""A chat platform in memory that keeps what people would see, and can be told to fail, stall or hide who can read."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

from bot.chat import (
    Action,
    Attachment,
    Audience,
    Bot,
    Crowded,
    Message,
    Panel,
    Quoted,
    Reply,
    Thread,
    Undeliverable,
    User,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_ids = count(1)
ANA, BEN = User("test", "ana", "Ana"), User("test", "ben", "Ben")


def said(text: str, by: User = ANA, where: str = "dm", root: str = "1", **more: object) -> Message:
    """Make a message; `where` is `dm`, `public`, `private-x`, `external` or `unknown`; each is a channel of its own."""
    number = next(_ids)
    channel = f"dm-{by.id}" if where == "dm" else where
    thread = Thread("test", "home", channel, root)
    sent_at = datetime.now(UTC) + timedelta(microseconds=number)
    return replace(Message(f"m{number}", thread, by, text, sent_at), **more)  # type: ignore[arg-type]


def audience(channel: str) -> Audience:
    """Tell who can read a channel, by its name."""
    name = channel.split("-", maxsplit=1)[0]
    return Audience(name) if name in set(Audience) else Audience.UNKNOWN


@dataclass
class FakePlatform:
    """`shown` maps a message id of ours to its text; `posts` counts posts to each question; `told` holds notices."""

    name: str = "test"
    update_every: float = 0.01
    shown: dict[str, str] = field(default_factory=dict)
    posts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    answers: dict[str, str] = field(default_factory=dict)
    finals: list[str] = field(default_factory=list)
    told: list[tuple[User, Panel]] = field(default_factory=list)
    before: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    """Awaited before a call of that name has its effect; it may raise or wait."""
    places: dict[str, Audience] = field(default_factory=dict)
    """Who can read a channel, where that is not told by its name."""
    overheard: dict[str, tuple[Quoted, ...]] = field(default_factory=dict)
    """What others said in a thread, by its key."""
    files: dict[str, bytes] = field(default_factory=dict)
    crowded: set[str] = field(default_factory=set)
    """Channels in which a follow-up meets several people."""
    offered: dict[str, tuple[Action, ...]] = field(default_factory=dict)
    """The actions under the answer to a message."""
    ours: Callable[[Message], bool] = lambda _: True

    def serves(self, install: str) -> bool:
        return install == "home"

    async def run(self, bot: Bot) -> None:
        del bot
        await asyncio.Event().wait()

    async def _before(self, call: str) -> None:
        if call in self.before:
            await self.before[call]()

    async def resolve(self, message: Message) -> Message | None:
        await self._before("resolve")
        if not self.ours(message):
            return None
        if not message.called and message.thread.channel in self.crowded:
            raise Crowded
        return replace(message, thread=replace(message.thread, audience=self._audience(message)))

    def _audience(self, message: Message) -> Audience:
        channel = message.thread.channel
        return self.places.get(channel) or audience(channel)

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """Only a sign of life, as on real platforms: no message of ours stands there yet, unless one was found."""
        await self._before("start_reply")
        found = (f"r-{message.id}",) if again and f"r-{message.id}" in self.shown else ()
        return Reply(message.thread, message.id, found)

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        await self._before("update_reply")
        return self._put(reply, text)

    async def earlier(self, message: Message, since: datetime | None, limit: int) -> tuple[Quoted, ...]:
        del since
        await self._before("earlier")
        return self.overheard.get(message.thread.key, ())[-limit:]

    async def fetch(self, message: Message, attachment: Attachment) -> bytes:
        del message
        await self._before("fetch")
        return self.files[attachment.id]

    async def finish_reply(
        self, reply: Reply, text: str, *, again: bool = False, actions: tuple[Action, ...] = ()
    ) -> Reply:
        self.offered[reply.to] = actions
        await self._before("finish_reply")
        if again and not reply.ids and f"r-{reply.to}" in self.shown:
            reply = replace(reply, ids=(f"r-{reply.to}",))
        reply = self._put(reply, text)
        self.answers[reply.to] = text
        self.finals.append(reply.to)
        await self._before("finish_reply_returns")
        return reply

    def _put(self, reply: Reply, text: str) -> Reply:
        if not reply.ids:
            self.posts[reply.to] += 1
        self.shown[f"r-{reply.to}"] = text
        return replace(reply, ids=(f"r-{reply.to}",))

    async def remove_reply(self, reply: Reply) -> None:
        await self._before("remove_reply")
        for one in reply.ids or (f"r-{reply.to}",):
            self.shown.pop(one, None)

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        del thread
        await self._before("tell")
        self.told.append((user, panel))


async def refuse() -> None:
    """Stand in `before`: there is nowhere to reply."""
    raise Undeliverable


def fails(times: int) -> Callable[[], Awaitable[None]]:
    """Stand in `before`: the platform is down for that many calls."""
    left = times

    async def down() -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            raise OSError

    return down

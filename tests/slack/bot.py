"""A bot that remembers what the platform told it, and does as it is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.chat import Action, Ask, Command, Message, NotAccepted, Panel, Thread, User

if TYPE_CHECKING:
    from collections.abc import Callable


class RecordingBot:
    """Messages are kept once by their key, as the real one's rows are; `refuse` and `slow` disturb what comes next."""

    def __init__(self) -> None:
        self.messages: dict[str, Message] = {}
        self.follow_ups: list[Message] = []
        self.edits: list[tuple[Message, bool]] = []
        self.deletions: list[str] = []
        self.stops: list[tuple[Thread, User]] = []
        self.asked: list[tuple[str, Ask]] = []
        self.news: list[tuple[str, object]] = []
        """What was told of installs and accounts: (method, install or user)."""
        self.refuse: list[Exception] = []
        self.slow = 0.0
        self.panel: Callable[[str, Ask], Panel] = lambda name, _: Panel(f"This is {name}.")

    @property
    def said(self) -> list[Message]:
        return list(self.messages.values())

    @property
    def commands(self) -> tuple[Command, ...]:
        async def run(ask: Ask) -> Panel:
            return await self.command("", ask)

        windows = tuple(Command(name, f"About {name}", run, window=True) for name in ("forget-me", "memory"))
        plain = tuple(Command(name, f"About {name}", run) for name in ("new", "help"))
        on_message = (Command("keep", "Remember this", run, on_message=True),)
        return windows + plain + on_message

    async def _disturbed(self) -> None:
        await asyncio.sleep(self.slow)
        if self.refuse:
            raise self.refuse.pop(0)

    async def message(self, message: Message) -> None:
        await self._disturbed()
        if not message.author.space:
            raise NotAccepted
        if message.key not in self.messages:
            self.messages[message.key] = message
            self.follow_ups += [] if message.called else [message]

    async def edited(self, message: Message, *, calls: bool) -> None:
        await self._disturbed()
        self.edits.append((message, calls))

    async def deleted(self, key: str) -> None:
        await self._disturbed()
        self.deletions.append(key)

    async def command(self, name: str, ask: Ask) -> Panel:
        await self._disturbed()
        self.asked.append((name, ask))
        return self.panel(name, ask)

    async def installed(self, platform: str, install: str) -> None:
        self.news.append(("installed", f"{platform} {install}"))

    async def removed(self, platform: str, install: str) -> None:
        await self._disturbed()
        self.news.append(("removed", f"{platform} {install}"))

    async def left(self, user: User, *, at_once: bool) -> None:
        await self._disturbed()
        self.news.append(("forgotten" if at_once else "left", user.id))

    async def returned(self, user: User) -> None:
        await self._disturbed()
        self.news.append(("returned", user.id))

    async def stopped(self, thread: Thread, user: User) -> None:
        await self._disturbed()
        self.stops.append((thread, user))


CONFIRM = Panel("Forget everything?", actions=(Action("Forget me", "forget-me", "fresh", danger=True),))

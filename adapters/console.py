"""Talk to the bot in a terminal, or pipe lines into it: each line is answered before the next is read.

A panel's actions are numbered, and `/1` presses the first; a bare number stays something said. One person, one
terminal: `__main__` refuses a second one for the same person, since it would show this one's answers.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO
from uuid import uuid4

from bot.chat import Ask, Audience, Message, NotAccepted, Reply, Thread, User

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from bot.chat import Action, Bot, Panel

NAME = "console"


def person(name: str) -> User:
    """Make the user that `--as NAME` names: the id is the name in lower case.

    Raises:
        ValueError: the name cannot name a memory space.
    """
    user = User(NAME, name.strip().lower(), name.strip())
    _ = user.space
    return user


async def _at_once() -> None:
    """Wait for nothing."""


@dataclass(slots=True)
class Console:
    """The terminal as a platform. `run` returns when the input ends."""

    user: User
    lines: TextIO = field(default_factory=lambda: sys.stdin)
    out: TextIO = field(default_factory=lambda: sys.stdout)
    name: str = NAME
    update_every: float = 0.05
    settled: Callable[[], Awaitable[object]] = _at_once
    """Awaited after each line: until the notice is shown and what was said is saved, for a short while."""
    _thread: Thread = field(init=False)
    _actions: tuple[Action, ...] = ()
    _printed: dict[str, str] = field(default_factory=dict)
    _answered: dict[str, asyncio.Event] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin a conversation; its install is the person, so that no other terminal takes up its turns."""
        self._thread = Thread(NAME, self.user.id, "terminal", uuid4().hex, Audience.DM)

    def serves(self, install: str) -> bool:
        """See `Platform.serves`."""
        return install == self.user.id

    async def run(self, bot: Bot) -> None:
        """Read lines until the input ends; each is answered before the next is read."""
        tty = self.lines.isatty()
        if tty:
            self._write("Talk to me; /help lists the commands, Ctrl-D ends.\n")
        async for line in self._read(prompt="you> " if tty else ""):
            if text := line.strip():
                await self._line(bot, text, echo=not tty)

    async def _read(self, *, prompt: str) -> AsyncIterator[str]:
        """Read lines in a daemon thread: one that waits for a person must not hold up the end of the program."""
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[str]()
        wanted = threading.Event()

        def read() -> None:
            line = "..."
            while line:
                wanted.wait()
                wanted.clear()
                line = self.lines.readline()
                loop.call_soon_threadsafe(queue.put_nowait, line)

        threading.Thread(target=read, daemon=True).start()
        while True:
            self._write(prompt)
            wanted.set()
            if not (line := await queue.get()):
                return
            yield line

    async def _line(self, bot: Bot, text: str, *, echo: bool) -> None:
        if echo:
            self._write(f"you> {text}\n")
        if not text.startswith("/"):
            await self._say(bot, text)
            return
        name, _, argument = text[1:].partition(" ")
        if name.isdecimal() and 0 < int(name) <= len(self._actions):
            action = self._actions[int(name) - 1]
            name, argument = action.command, action.argument
        await self._command(bot, name, argument.strip())

    async def _command(self, bot: Bot, name: str, argument: str) -> None:
        self._panel(await bot.command(name, Ask(self.user, self._thread, argument)))

    async def _say(self, bot: Bot, text: str) -> None:
        message = Message(uuid4().hex, self._thread, self.user, text, datetime.now(UTC))
        done = self._answered.setdefault(message.id, asyncio.Event())
        try:
            await bot.message(message)
        except NotAccepted:
            self._write("bot> Sorry, I could not take that down. Please say it again.\n")
            return
        await done.wait()
        await self.settled()

    async def resolve(self, message: Message) -> Message | None:
        """See `Platform.resolve`: a terminal is a direct message."""
        return replace(message, thread=replace(message.thread, audience=Audience.DM))

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """See `Platform.start_reply`. A message of an earlier terminal is shown once more before its answer."""
        if again or message.thread.root != self._thread.root:
            self._write(f'\n(Earlier you said: "{message.text}")\n')
        self._write("bot> ")
        self._printed[message.id] = ""
        return Reply(message.thread, message.id, (message.id,))

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        """See `Platform.update_reply`: print what is new."""
        printed = self._printed.get(reply.to, "")
        if text.startswith(printed):
            self._write(text[len(printed) :])
            self._printed[reply.to] = text
        return reply

    async def finish_reply(self, reply: Reply, text: str, *, again: bool = False) -> Reply:
        """See `Platform.finish_reply`: print the rest, or all of it where the text is another than the one shown."""
        printed = self._printed.pop(reply.to, None)
        if printed is None or again:
            self._write("bot> ")
        elif printed and not text.startswith(printed):
            self._write("\nbot> ")
        self._write(text.removeprefix(printed or "") + "\n")
        self._over(reply)
        return reply

    async def remove_reply(self, reply: Reply) -> None:
        """See `Platform.remove_reply`: what a terminal has printed cannot be taken back."""
        self._printed.pop(reply.to, None)
        self._over(reply)

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:  # noqa: ARG002 - one person, one terminal
        """See `Platform.tell`."""
        self._panel(panel)

    def _over(self, reply: Reply) -> None:
        if done := self._answered.pop(reply.to, None):
            done.set()

    def _panel(self, panel: Panel) -> None:
        lines = [panel.text]
        lines += [f"  - {item.text}" + (f"  [{item.note}]" if item.note else "") for item in panel.items]
        self._actions = tuple(action for item in panel.items for action in item.actions) + panel.actions
        lines += [f"  /{number}  {action.label}" for number, action in enumerate(self._actions, 1)]
        self._write("\n".join(lines) + "\n")

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()

"""Talk to the bot in a terminal, or pipe lines into it: each line is answered before the next is read.

A panel's actions are numbered, and `/1` presses the first; a bare number stays something said. One person, one
terminal: `__main__` refuses a second one for the same person, since it would show this one's answers.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TextIO
from uuid import uuid4

from adapters.console.lines import asking, given_back, lines, on_interrupt, standard
from adapters.console.names import ENDS, asked
from adapters.console.person import NAME
from adapters.console.render import clean, panel_text, render
from bot.chat import Ask, Audience, Message, NotAccepted, Reply, Thread, Unreadable, User

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import Action, Attachment, Bot, Panel, Quoted

_PROMPT = "you> "
_EARLIER = "(To something you said in an earlier terminal:)\n"
_FAILED = "That did not work just now ({}). Please try it again in a moment."


async def _at_once() -> None:
    """Wait for nothing."""


class _HungUp(Exception):  # noqa: N818 - what a pipe does, not an error to be mended
    """Nobody reads the output any more."""


@dataclass(slots=True)
class Console:
    """The terminal as a platform. `run` returns when the input ends, or when nobody reads the output any more.

    In a terminal Ctrl-C stops the answer that is being written; a second one, or one at the prompt, ends the program.
    """

    user: User
    source: TextIO = field(default_factory=lambda: standard(sys.stdin))
    out: TextIO = field(default_factory=lambda: standard(sys.stdout))
    name: str = NAME
    update_every: float = 0.05
    bold: bool = True
    """Whether a terminal understands the codes for bold type; a pipe never gets them."""
    settled: Callable[[], Awaitable[object]] = _at_once
    """Awaited after each line: until the notice is shown and what was said is saved, for a short while."""
    hung_up: Callable[[], object] = field(default=lambda: None)
    """Called once nobody reads the output any more."""
    ended_early: bool = field(init=False, default=False)
    """Ended by Ctrl-C or by a closed output: nobody waits for what is left to be done."""
    _thread: Thread = field(init=False)
    _actions: tuple[Action, ...] = ()
    _printed: dict[str, str] = field(default_factory=dict)
    _earlier: dict[str, str] = field(default_factory=dict)
    _answered: dict[str, asyncio.Event] = field(default_factory=dict)
    _talk: asyncio.Task[None] | None = None
    _busy: bool = False
    _stopping: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        """Begin a conversation; its install is the person, so that no other terminal takes up its turns."""
        self._thread = Thread(NAME, self.user.id, "terminal", uuid4().hex, Audience.DM)
        self.bold = self.bold and self.out.isatty()

    def serves(self, install: str) -> bool:
        """See `Platform.serves`."""
        return install == self.user.id

    async def run(self, bot: Bot) -> None:
        """Read lines until the input ends; each is answered before the next is read."""
        self._talk = asyncio.create_task(self._all(bot))
        with ExitStack() as stack:
            if tty := self.source.isatty():
                stack.enter_context(given_back(self.source))
                stack.enter_context(on_interrupt(partial(self._interrupted, bot)))
            try:
                await asyncio.wait({self._talk})
            finally:
                if tty and (self.ended_early or not self._busy):  # the cursor stands behind a prompt or in an answer
                    with suppress(_HungUp):
                        self._write("\n")
                self._talk.cancel()
                await asyncio.gather(self._talk, return_exceptions=True)
        if not self._talk.cancelled():
            self._talk.result()

    async def _all(self, bot: Bot) -> None:
        tty = self.source.isatty()
        if tty:
            self._write("Talk to me; /help lists the commands, /quit or Ctrl-D ends.\n")
        async for line in lines(asking(self.source, _PROMPT) if tty else self.source.readline):
            self._busy = True
            text = line.strip()
            if text.lower() in ENDS:
                return
            with suppress(_HungUp):  # `_write` has seen to the end
                await self._line(bot, text, echo=not tty)
            self._busy, self._stopping = False, None

    def _interrupted(self, bot: Bot) -> None:
        if self._busy and self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(bot))
        else:
            self._end()

    async def _stop(self, bot: Bot) -> None:
        with suppress(NotAccepted, _HungUp):  # a second Ctrl-C ends the program all the same
            if self._answered:
                await bot.stopped(self._thread, self.user)
            else:
                self._write("\n(Ctrl-C once more ends the program.)\n")

    def _end(self) -> None:
        self.ended_early = True
        if self._talk:
            self._talk.cancel()

    async def _line(self, bot: Bot, text: str, *, echo: bool) -> None:
        if echo and text:
            self._write(f"{_PROMPT}{clean(text)}\n")
        try:
            await (self._command if text.startswith("/") else self._say)(bot, text)
        except NotAccepted:
            self._write("bot> Sorry, I could not take that down. Please say it again.\n")
        except _HungUp:
            raise
        except Exception as error:  # noqa: BLE001 - the person gets a sentence, and the terminal goes on
            self._write(_FAILED.format(type(error).__name__) + "\n")

    async def _command(self, bot: Bot, text: str) -> None:
        try:
            name, argument = asked(text, [command.name for command in bot.commands], self._actions)
        except LookupError as none:
            self._write(f"{none}\n")
            return
        self._panel(await bot.command(name, Ask(self.user, self._thread, argument)))

    async def _say(self, bot: Bot, text: str) -> None:
        if not text:
            return
        message = Message(uuid4().hex, self._thread, self.user, text, datetime.now(UTC))
        done = self._answered.setdefault(message.id, asyncio.Event())
        try:
            await bot.message(message)
            await done.wait()
        finally:
            self._answered.pop(message.id, None)
            done.set()
        await self.settled()

    async def resolve(self, message: Message) -> Message | None:
        """See `Platform.resolve`: a terminal is a direct message."""
        return replace(message, thread=replace(message.thread, audience=Audience.DM))

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """See `Platform.start_reply`. What was said in an earlier terminal is answered in one piece, when it is."""
        if message.id in self._answered and not again:
            self._write("bot> ")
            self._printed[message.id] = ""
        else:
            self._printed.pop(message.id, None)
            self._earlier[message.id] = f'(Earlier you said: "{clean(message.text)}")\n'
        return Reply(message.thread, message.id, (message.id,))

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        """See `Platform.update_reply`: print what is new."""
        printed, text = self._printed.get(reply.to), render(text, bold=self.bold, growing=True)
        if printed is not None and text.startswith(printed):
            self._write(text[len(printed) :])
            self._printed[reply.to] = text
        return reply

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
        """See `Platform.finish_reply`: print the rest, or all of it where the text is another than the one shown."""
        del actions  # a line of text has nothing to press
        await self._line_free(reply.to)
        printed, text = self._printed.pop(reply.to, None), render(text, bold=self.bold)
        if printed and not text.startswith(printed):
            printed = printed.rstrip()  # a stopped answer ends without its last blank
        if again:
            printed = None
        if printed is None:
            self._write(
                self._earlier.pop(reply.to, _EARLIER if reply.thread.root != self._thread.root else "") + "bot> "
            )
        elif not text.startswith(printed):
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
        await self._line_free()
        self._panel(panel)

    async def _line_free(self, mine: str = "") -> None:
        """Wait until no other answer is half written on the screen."""
        while others := [done for key, done in self._answered.items() if key in self._printed and key != mine]:
            await others[0].wait()

    def _over(self, reply: Reply) -> None:
        if done := self._answered.pop(reply.to, None):
            done.set()

    def _panel(self, panel: Panel) -> None:
        self._actions = tuple(action for item in panel.items for action in item.actions) + panel.actions
        self._write(panel_text(panel, self._actions, bold=self.bold))

    def _write(self, text: str) -> None:
        try:
            self.out.write(text)
            self.out.flush()
        except OSError:
            self.hung_up()
            self._end()
            raise _HungUp from None

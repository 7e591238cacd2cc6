"""The line between the bot and a platform: what a platform tells the bot, and what it must be able to do.

A question that only its author shall see answered (`/ask`) is a message like any other. Its thread is a private one
that the platform names (audience DM when resolved), and the platform shows the reply to that person alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime

    from bot.chat.panels import Action, Ask, Command, Panel
    from bot.chat.words import Attachment, Message, Quoted, Reply, Thread, User


class Bot(Protocol):
    """What a platform tells the bot. Ids in it come from the signed platform event alone."""

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands to offer, in the order to show them."""
        ...

    async def message(self, message: Message) -> None:
        """Accept a message that calls the bot. Returns once its row is committed; the same key again changes nothing.

        One that does not call the bot (`called` is False) is taken only where the bot has answered in its thread; the
        platform's `resolve` then says whether it is for us.

        Raises:
            NotAccepted: the row could not be written; the platform shall send the event again.
            ValueError: the author's id cannot name a space.
        """
        ...

    async def edited(self, message: Message, *, calls: bool) -> None:
        """Follow an edit by the author. `calls`: the new text calls the bot, so it may be a first message."""
        ...

    async def deleted(self, key: str) -> None:
        """Follow the deletion of a message (see `message_key`); a key never seen is fine."""
        ...

    async def command(self, name: str, ask: Ask) -> Panel:
        """Run a command, or the press of an action, and answer what only that person shall see. May take 20 s."""
        ...

    async def stopped(self, thread: Thread, user: User) -> None:
        """Stop this person's running turn in this thread: they pressed stop."""
        ...

    async def installed(self, platform: str, install: str) -> None:
        """An install is there, or there again: what its end would have erased stays."""
        ...

    async def removed(self, platform: str, install: str) -> None:
        """An install ended. What its people said there is erased after a grace, unless it comes back."""
        ...

    async def left(self, user: User, *, at_once: bool) -> None:
        """A person's account ended: they are forgotten within 30 days, or at once if the platform says so."""
        ...

    async def returned(self, user: User) -> None:
        """A person's account is there again."""
        ...


class Installs(Protocol):
    """Where a platform keeps what it needs to post for an install: one text for each, sealed while it rests."""

    async def get(self, install: str) -> str | None:
        """Read the text of an install; None when there is none (any more), or it cannot be unsealed."""
        ...

    async def put(self, install: str, text: str) -> None:
        """Keep the text of an install, over the one before."""
        ...

    async def drop(self, install: str) -> None:
        """Delete the text of an install."""
        ...

    async def names(self) -> tuple[str, ...]:
        """List the installs that have a text."""
        ...

    def alone(self, install: str) -> AbstractAsyncContextManager[None]:
        """Wait for and hold the one lock of an install, over all processes: for what only one may renew."""
        ...


class Platform(Protocol):
    """What an adapter must be able to do. Every call may run twice (`again`) and must then change nothing more."""

    name: str
    update_every: float
    """Seconds between two glimpses of a reply that is being written."""

    def serves(self, install: str) -> bool:
        """Tell whether this process holds a token that can post for that install."""
        ...

    async def run(self, bot: Bot) -> None:
        """Connect, listen, tell the bot; return when cancelled."""
        ...

    async def resolve(self, message: Message) -> Message | None:
        """Fill in audience and names, which may ask the platform; None means the message was not for us.

        Raises:
            Crowded: a follow-up in a thread of several people.
        """
        ...

    async def earlier(self, message: Message, since: datetime | None, limit: int) -> tuple[Quoted, ...]:
        """Give what others said in the message's thread before it (and after `since`), oldest first, with names.

        With `message.about`, what was said in that conversation instead. At most the last `limit` messages. Neither
        what the author said to the bot nor the bot's own answers are among them.

        Raises:
            Unreadable: it cannot be read; the text says why in a few words.
        """
        ...

    async def fetch(self, message: Message, attachment: Attachment) -> bytes:
        """Fetch a file from the platform's own hosts.

        Raises:
            Unreadable: it cannot be had; the text says why in a few words.
        """
        ...

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """Show a sign of life. `again`: an earlier attempt may have posted already; find it instead of posting."""
        ...

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        """Show the text SO FAR, never a delta. May be lost; the reply returned names every message it fills."""
        ...

    async def finish_reply(
        self, reply: Reply, text: str, *, again: bool = False, actions: tuple[Action, ...] = ()
    ) -> Reply:
        """Show the whole text, split as the platform needs, and end the sign of life.

        `actions` are offered quietly under its end; whoever presses one, the command is told who.
        """
        ...

    async def remove_reply(self, reply: Reply) -> None:
        """Delete the messages of a reply, and end its sign of life; those already gone are fine."""
        ...

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        """Show a panel to that person only, or, where a platform cannot, a way to open it privately.

        Raises:
            Undeliverable: it could not be shown.
        """
        ...

"""The line between the bot and a platform: what a platform tells the bot, and what it must be able to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.chat.panels import Ask, Command, Panel
    from bot.chat.words import Message, Reply, Thread, User


class Bot(Protocol):
    """What a platform tells the bot. Ids in it come from the signed platform event alone."""

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands to offer, in the order to show them."""
        ...

    async def message(self, message: Message) -> None:
        """Accept a message that calls the bot. Returns once its row is committed; the same key again changes nothing.

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
        """Fill in audience and names, which may ask the platform; None means the message was not for us."""
        ...

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """Show a sign of life. `again`: an earlier attempt may have posted already; find it instead of posting."""
        ...

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        """Show the text SO FAR, never a delta. May be lost; the reply returned names every message it fills."""
        ...

    async def finish_reply(self, reply: Reply, text: str, *, again: bool = False) -> Reply:
        """Show the whole text, split as the platform needs, and end the sign of life."""
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

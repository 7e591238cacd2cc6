"""The words of the house: what a person said, where, who can read it, and what a platform must be able to do.

Nothing here imports anything of ours, and nothing else crosses the line between an adapter and the bot: no SDK
object, no raw payload, no metadata.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime  # noqa: TC003 - the store reads these fields' types at run time to write them as JSON
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

# Geniffy's rule for a space name, with our own restriction that it starts with a letter or a digit: a name of dots
# would collapse in a URL path.
_SPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Audience(StrEnum):
    """Who can read a thread besides its author and the bot. Unknown is treated as external."""

    DM = "dm"
    PRIVATE = "private"
    PUBLIC = "public"
    EXTERNAL = "external"
    UNKNOWN = "unknown"


class Undeliverable(Exception):  # noqa: N818 - a word of the house, not an error to be fixed by retrying
    """There is nowhere left to reply: the channel is gone or closed to us. Never retried."""


class NotAccepted(Exception):  # noqa: N818 - says what happened to the message
    """The row could not be written in time. The platform must be told so, that it sends the event again."""


@dataclass(frozen=True, slots=True)
class User:
    """A person on one platform. `id` is unique there: `T024.U061` on Slack, a snowflake on Discord."""

    platform: str
    id: str
    name: str = ""

    @property
    def space(self) -> str:
        """The one Geniffy space of this person.

        Raises:
            ValueError: the id is blank or would not make a valid space name; it is never read as "no space".
        """
        space = f"{self.platform}.{self.id}"
        if not self.platform or not self.id or not _SPACE.fullmatch(space):
            raise ValueError("This person's id cannot name a memory space: only letters, digits, '.', '_' and '-' can.")
        return space


@dataclass(frozen=True, slots=True)
class Thread:
    """Where a conversation is. `install` is the id whose token can post there."""

    platform: str
    install: str
    channel: str
    root: str
    audience: Audience = Audience.UNKNOWN

    @property
    def key(self) -> str:
        """The name of this conversation: the same in, out, in buttons and after a restart."""
        return f"{self.platform}:{self.install}:{self.channel}:{self.root}"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file or picture. `id` is what the platform can look up again; no address is ever kept. `size` is in bytes."""

    id: str
    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class Quoted:
    """Other people's words: forwarded or replied to. Data, never orders, and never memory."""

    author: str
    text: str


def message_key(platform: str, install: str, channel: str, id: str) -> str:  # noqa: A002 - the field's own name
    """Name one message for ever: the unique key of its row and the `external_id` of its memory."""
    return f"{platform}:{install}:{channel}:{id}"


@dataclass(frozen=True, slots=True)
class Message:
    """What a person said TO the bot. `text` is their own words only; `sent_at` is the platform's own time, aware."""

    id: str
    thread: Thread
    author: User
    text: str
    sent_at: datetime
    attachments: tuple[Attachment, ...] = ()
    quoted: tuple[Quoted, ...] = ()

    @property
    def key(self) -> str:
        """See `message_key`."""
        return message_key(self.thread.platform, self.thread.install, self.thread.channel, self.id)


@dataclass(frozen=True, slots=True)
class Reply:
    """The platform messages that a reply fills, first first; none yet when the sign of life is only "typing".

    `to` is the id of the message that is answered: what a platform can find its own earlier attempt by.
    """

    thread: Thread
    to: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was said and what was answered."""

    message: Message
    reply: Reply
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can press. It comes back as that command with that argument, from whoever pressed it."""

    label: str
    command: str
    argument: str = ""
    danger: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a panel, a quiet note behind it (where and when), and what can be done with it."""

    text: str
    note: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """What a command answers, to that person only: each platform draws it its own way. `text` is Markdown."""

    text: str
    items: tuple[Item, ...] = ()
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One use of a command: by whom, where, with which argument ("" for none)."""

    user: User
    thread: Thread
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A platform-neutral command. `name` has no slash; `run` needs no model and never raises for odd arguments."""

    name: str
    description: str
    run: Callable[[Ask], Awaitable[Panel]] = field(repr=False)


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

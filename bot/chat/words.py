"""The words of the house: what a person said, where, and who can read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 - the store reads these fields' types at run time to write them as JSON
from enum import StrEnum

# Geniffy's rule for a space name (letters, digits, dots, dashes, underscores, at most 128), with our own restriction
# that no part between dots is empty: a half-built id such as "T024." names nobody, and a name of dots would collapse
# in a URL path.
_SPACE = re.compile(r"(?=.{1,128}$)[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+")


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


class Unreadable(Exception):  # noqa: N818 - a state: the answer does without it, and says so
    """What others said, or a file, cannot be read: no right, too often, gone, too big, or of a kind we do not open."""


class Crowded(Exception):  # noqa: N818 - says why a message is not for us
    """A message that does not call us came in a thread where several people talk: they may be told once, no more."""


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
        if not _SPACE.fullmatch(space):
            raise ValueError("This person's id cannot name a memory space: only letters, digits, '.', '_' and '-' can.")
        return space


@dataclass(frozen=True, slots=True)
class Thread:
    """Where a conversation is. `install` is the id whose token can post there.

    `workspace` is whose members can read a public channel, where that is less than the install: a Discord guild, one
    workspace of a Slack organisation.
    """

    platform: str
    install: str
    channel: str
    root: str
    audience: Audience = Audience.UNKNOWN
    workspace: str = ""

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
    """What a person said TO the bot. `text` is their own words only; `sent_at` is the platform's own time, aware.

    `edited_at` is when the platform says these words came to be, if later than the message: of two edits the later
    wins, whichever arrives last. `about` is a conversation of others that the answer shall be about: it is read for
    this answer alone, and nothing of the exchange is saved. Its root is "" for a whole channel. `called`: it calls the
    bot by itself; else it is a follow-up, in a thread where the bot answered before.
    """

    id: str
    thread: Thread
    author: User
    text: str
    sent_at: datetime
    attachments: tuple[Attachment, ...] = ()
    quoted: tuple[Quoted, ...] = ()
    edited_at: datetime | None = None
    about: Thread | None = None
    called: bool = True

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

"""What a gateway payload says, and nothing more: whether it calls us, who spoke, and their own words.

Pure: what the payload leaves out (our own role here, names of roles and channels) is passed in as plain values. Refuses
to take @everyone, other roles, bots, webhooks and the platform's own lines for a call.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from adapters.text import own_words, plain_name
from bot.chat import Attachment, Audience, Message, Quoted, Thread, User

Payload: TypeAlias = Mapping[str, Any]

PLATFORM = "discord"
_SPEECH = frozenset({0, 19})  # an ordinary message (also a forum post's first) and a reply; all else is the platform's
_FORWARD = 1
_AUDIENCES = {1: Audience.DM, 3: Audience.EXTERNAL}  # a channel's type says no more than that
_TAG = re.compile(r"<(@[!&]?|#)(\d{1,20})>")
_NAME_LIMIT = 80


class Ignored(StrEnum):
    """Why a message is not for us."""

    OURS = "our own message"
    WEBHOOK = "a webhook, which may speak for anybody"
    BOT = "another bot"
    SYSTEM = "not speech: a join, a pin and the like"
    NOT_CALLED = "does not call us"


@dataclass(frozen=True, slots=True)
class Me:
    """Who we are: the bot user that is mentioned, and the application that owns it (other ids on old applications)."""

    user: str
    application: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the client knows about a payload's guild: our own managed role ("" for none), names by id."""

    self_role: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)


def classify(data: Payload, me: Me, known: Known) -> Ignored | None:
    """Tell why a message is not for us, or None when it calls us: in a DM, by our own id, or by our own role."""
    author = data.get("author") or {}
    if author.get("id") == me.user:
        return Ignored.OURS
    if data.get("webhook_id"):
        return Ignored.WEBHOOK
    if author.get("bot") or author.get("system") or not author:
        return Ignored.BOT
    if data.get("type", 0) not in _SPEECH:
        return Ignored.SYSTEM
    return None if _calls(data, me, known) else Ignored.NOT_CALLED


def _calls(data: Payload, me: Me, known: Known) -> bool:
    # A reply with ping names us in `mentions` too, without a tag in the text.
    return (
        data.get("guild_id") is None
        or any(user["id"] == me.user for user in data.get("mentions", ()))
        or (known.self_role != "" and known.self_role in data.get("mention_roles", ()))
    )


def tagged(data: Payload) -> frozenset[str]:
    """Return the ids of the channels and roles whose names the text needs."""
    return frozenset(id_ for kind, id_ in _TAG.findall(data.get("content") or "") if kind in {"#", "@&"})


def parse(data: Payload, me: Me, known: Known) -> Message:
    """Read one message. The text is the author's own words with our tag cut out and other tags turned into names."""
    channel = data["channel_id"]
    text, quotations = own_words(_readable(_without_us(data.get("content") or "", me, known), data, known))
    return Message(
        id=data["id"],
        thread=thread(me.application, channel, _audience(data), data.get("guild_id") or ""),
        author=person(data["author"]),
        text=text.strip(),
        sent_at=datetime.fromisoformat(data["timestamp"]),
        attachments=(*_files(data), *_stickers(data), *_poll(data)),
        quoted=(
            *_forwarded(data, known),
            *_replied_to(data, me, known),
            *(Quoted("a quotation", one) for one in quotations),
        ),
        edited_at=edited_at(data),
    )


def _audience(data: Payload) -> Audience:
    return _AUDIENCES.get(data.get("channel_type", -1), Audience.UNKNOWN)


def thread(application: str, channel: str, audience: Audience = Audience.UNKNOWN, guild: str = "") -> Thread:
    """Name a conversation: a channel, a thread or a forum post is one each. A server's members are its readers."""
    return Thread(PLATFORM, application, channel, root=channel, audience=audience, workspace=guild)


def person(data: Payload) -> User:
    """Read a user: the id is for ever, the name is what others see."""
    return User(PLATFORM, data["id"], one_line(data.get("global_name") or data.get("username") or ""))


def one_line(name: str) -> str:
    """Make a name that somebody else chose safe to print: one short line."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:_NAME_LIMIT].rstrip()


def edited_at(data: Payload) -> datetime | None:
    """Return when a person last edited the text; None for the platform's own updates, such as a link preview's."""
    stamp = data.get("edited_timestamp")
    return datetime.fromisoformat(stamp) if stamp and "content" in data and data.get("author") else None


def deleted_ids(data: Payload) -> tuple[str, ...]:
    """Return every message id that a deletion names, one or many."""
    return tuple(data["ids"]) if "ids" in data else (data["id"],)


def _without_us(text: str, me: Me, known: Known) -> str:
    ours = rf"<@!?{me.user}> ?" + (rf"|<@&{known.self_role}> ?" if known.self_role else "")
    return re.sub(ours, "", text).strip()


def _readable(text: str, data: Payload, known: Known) -> str:
    users = {user["id"]: one_line(user.get("global_name") or user["username"]) for user in data.get("mentions", ())}
    names = {"@": users, "@!": users, "@&": known.roles, "#": known.channels}

    def name(tag: re.Match[str]) -> str:
        kind, id_ = tag.groups()
        found = names[kind].get(id_)
        return tag[0] if found is None else f"{kind[0]}{plain_name(found)}"

    return _TAG.sub(name, text)


def _at(data: Payload, rest: str) -> str:
    return f"{data['channel_id']}/{data['id']}/{rest}"


def _files(data: Payload) -> list[Attachment]:
    return [
        Attachment(_at(data, file["id"]), _file_name(file), _media_type(file), int(file.get("size", 0)))
        for file in data.get("attachments", ())
    ]


def _file_name(file: Payload) -> str:
    return one_line(file.get("filename") or "file")


def _media_type(file: Payload) -> str:
    given = file.get("content_type") or mimetypes.guess_type(file.get("filename") or "")[0]
    return (given or "application/octet-stream").partition(";")[0].strip()


def _stickers(data: Payload) -> list[Attachment]:
    stickers = data.get("sticker_items") or ()
    return [Attachment(_at(data, item["id"]), one_line(item.get("name", "")), "sticker", 0) for item in stickers]


def _poll(data: Payload) -> list[Attachment]:
    poll = data.get("poll")
    return [Attachment(_at(data, "poll"), one_line(poll["question"].get("text") or ""), "poll", 0)] if poll else []


def _forwarded(data: Payload, known: Known) -> list[Quoted]:
    # A snapshot names no author: whoever wrote it, it was not the person who forwards it.
    snapshots = (snapshot.get("message") or {} for snapshot in data.get("message_snapshots") or ())
    texts = (_quotable(snapshot, known) for snapshot in snapshots)
    return [Quoted("forwarded message", text) for text in texts if text]


def _replied_to(data: Payload, me: Me, known: Known) -> list[Quoted]:
    other = data.get("referenced_message")
    if not other or (data.get("message_reference") or {}).get("type") == _FORWARD:
        return []
    author = other.get("author") or {}
    text = _quotable(other, known)
    return [Quoted(person(author).name or "someone", text)] if text and author.get("id", me.user) != me.user else []


def _quotable(data: Payload, known: Known) -> str:
    files = " ".join(f"[{_file_name(file)}]" for file in data.get("attachments", ()))
    return "\n".join(filter(None, (_readable(data.get("content") or "", data, known).strip(), files)))

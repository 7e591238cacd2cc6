"""The platform's own doors: `/ask` and "Catch me up" become messages that only their author sees answered. Pure."""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from adapters.slack.asks import private_root
from adapters.slack.messages import is_channel, is_ts
from adapters.slack.payload import dict_at, number_at, text_at
from adapters.slack.words import parted
from bot.chat import Message

if TYPE_CHECKING:
    from adapters.slack.clerk import Visitor
    from adapters.slack.payload import Json
    from bot.chat import Quoted, Thread

ASK, CATCH_UP = "ask", "catch-up"
USAGE = (
    "Write your question behind the command: `/ask what is left to do?` or `/ask catch me up`. Only you see the answer."
)
_CATCH_UP = "Catch me up on this conversation."
_WANTED = re.compile(
    r"\bcatch(?:ing)?\s+me\s+up\b|\bbring\s+me\s+up\s+to\s+(?:speed|date)\b|\btl;?\s?dr\b|\bsummari[sz]e\b"
    r"|\b(?:a|the)\s+summary(?:\s+of\s+(?:this|the|what)\b|\W*$)|\bwhat\s+(?:did|have)\s+i\s+miss(?:ed)?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Used:
    """A shortcut that was used: its name and, for one on a message, the channel and that message as Slack sent it."""

    name: str
    channel: str
    said: dict[str, object]


def wants_catch_up(text: str) -> bool:
    """Whether a question is about what was said in the channel where it is asked."""
    return _WANTED.search(text) is not None


def used(body: Json) -> Used:
    """What shortcut a body says was used."""
    return Used(text_at(body, "callback_id"), text_at(body, "channel", "id"), dict_at(body, "message"))


def asked(body: Json, who: Visitor, own_id: str) -> Message | None:
    """The question in a `/ask` command, without our own mention; None when there is none."""
    channel = text_at(body, "channel_id")
    text, quoted = parted({"text": text_at(body, "text")}, own_id)
    if not is_channel(channel) or not (text or quoted):
        return None
    about = who.thread(channel, "") if wants_catch_up(text) else None
    return _question(body, who, channel, text, about, quoted=quoted)


def caught_up(body: Json, who: Visitor) -> Message | None:
    """The question that the shortcut on a message stands for; None when the body names no message."""
    shortcut = used(body)
    ts, root = text_at(shortcut.said, "ts"), text_at(shortcut.said, "thread_ts")
    if not is_channel(shortcut.channel) or not is_ts(ts):
        return None
    has_thread = number_at(shortcut.said, "reply_count") > 0
    root = root if is_ts(root) else ts if has_thread else ""
    return _question(body, who, shortcut.channel, _CATCH_UP, who.thread(shortcut.channel, root))


def _question(
    body: Json, who: Visitor, channel: str, text: str, about: Thread | None, *, quoted: tuple[Quoted, ...] = ()
) -> Message:
    # The trigger is one for each use, and the same when Slack sends that again; as it opens windows it is not kept.
    seed = text_at(body, "trigger_id") or uuid.uuid4().hex
    number = hashlib.sha256(f"{channel} {who.user.id} {seed}".encode()).hexdigest()[:24]
    thread = who.thread(channel, private_root(who.slack_id))
    return Message(f"ask.{number}", thread, who.user, text, datetime.now(UTC), quoted=quoted, about=about)

"""Parses a Slack event into what it means to the bot. Pure; says only what the payload says, and None for all else.

Refused: bots, Slackbot, ourselves, other apps, link previews and other edits that no person made, unknown subtypes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from adapters.slack.identity import PLATFORM, own_in_event
from adapters.slack.messages import TALK, author_of, is_channel, is_shared, is_ts, message_in, message_of, thread_in
from adapters.slack.payload import dict_at, dicts_at, is_true, text_at
from adapters.slack.words import addresses_others, all_text, mentions, raw_text
from bot.chat import message_key

if TYPE_CHECKING:
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from bot.chat import Message, Thread, User

__all__ = (
    "Deleted",
    "Edited",
    "Heard",
    "Said",
    "Stopped",
    "changed_channel",
    "message_in",
    "read_event",
)

_DEEPEST = 40
# After these, what is known of a channel may be out of date (who can read it, above all): events of their own, and
# subtypes of a message.
_CHANNEL_NEWS = frozenset(
    {
        "channel_archive",
        "channel_convert_to_private",
        "channel_convert_to_public",
        "channel_name",
        "channel_rename",
        "channel_shared",
        "channel_unarchive",
        "channel_unshared",
        "group_archive",
        "group_name",
        "group_rename",
        "group_unarchive",
    }
)


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said this: to us, or (`message.called` is False) perhaps to us, as it follows up in a thread."""

    message: Message


@dataclass(frozen=True, slots=True)
class Edited:
    """The author changed a message; `calls`: as it reads now, it calls us."""

    message: Message
    calls: bool


@dataclass(frozen=True, slots=True)
class Deleted:
    """A message was deleted."""

    key: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """Somebody pressed stop in this thread."""

    thread: Thread
    user: User


Heard: TypeAlias = Said | Edited | Deleted | Stopped


def changed_channel(body: Json) -> str:
    """The channel about which this body says something that may not be known yet; "" for none."""
    event = dict_at(body, "event")
    news = {text_at(event, "type"), text_at(event, "subtype")} & _CHANNEL_NEWS
    return text_at(event, "channel") or text_at(event, "channel", "id") if news or is_shared(body) else ""


def read_event(body: Json, own: Own) -> Heard | None:
    """What an Events API body means; None when it is nothing that the bot follows."""
    own = own_in_event(body, own)
    event = dict_at(body, "event")
    if not is_channel(text_at(event, "channel")) or not own.install:
        return None
    match text_at(event, "type"), text_at(event, "subtype"):
        case "message", "message_changed":
            return _changed(body, event, own)
        case "message", "message_deleted":
            return _deleted(event, text_at(event, "deleted_ts") or text_at(event, "previous_message", "ts"), own)
        case "agent_session_stopped", _:
            return _stopped(body, event, own)
        case (("message" | "app_mention"), subtype) if subtype in TALK:
            return _said(body, event, own)
        case _:
            return None


def _said(body: Json, event: Json, own: Own) -> Heard | None:
    message = message_of(body, event, event, own)
    if message is None or is_true(event, "hidden", "is_ephemeral"):
        return None
    calls = _calls(event, event, own)
    if not calls and not _may_follow_up(message, event, own):
        return None
    message = replace(message, called=calls)
    # Slack repeats the mention when its author edits it; the message itself came before.
    return Edited(message, calls=calls) if dict_at(event, "edited") else Said(message)


def _may_follow_up(message: Message, event: Json, own: Own) -> bool:
    """Whether somebody goes on in a thread without speaking to anybody by name."""
    return message.thread.root != message.id and not addresses_others(all_text(event), own.user)


def _calls(event: Json, said: Json, own: Own) -> bool:
    """Whether this is addressed to us: anything in a DM, and elsewhere what mentions us."""
    direct = text_at(event, "channel_type") == "im" or text_at(event, "channel").startswith("D")
    return direct or text_at(event, "type") == "app_mention" or mentions(raw_text(said), own.user)


def _changed(body: Json, event: Json, own: Own) -> Heard | None:
    said, before = dict_at(event, "message"), dict_at(event, "previous_message")
    if text_at(said, "subtype") == "tombstone":
        return _deleted(event, text_at(said, "ts"), own)
    by = text_at(said, "edited", "user")
    if text_at(said, "subtype") not in TALK or (by and by != text_at(said, "user")):
        return None
    # Previews, metadata and our own streaming come as edits, too: only other words are an edit by a person. Without
    # the words before, Slack's own mark of an edit has to do.
    if not (_content(said) != _content(before) if before else by):
        return None
    message, calls = message_of(body, event, said, own), _calls(event, said, own)
    return Edited(replace(message, called=calls), calls=calls) if message else None


def _content(message: Json) -> object:
    return raw_text(message), _without_block_ids(dicts_at(message, "blocks"))  # the text with its pasted tables


def _without_block_ids(value: object, depth: int = 0) -> object:
    """Blocks as they read: Slack makes new ids for them at will. What is nested beyond reason is not looked at."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {key: _without_block_ids(inner, depth + 1) for key, inner in value.items() if key != "block_id"}
    return [_without_block_ids(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def _deleted(event: Json, ts: str, own: Own) -> Deleted | None:
    if not is_ts(ts):
        return None
    return Deleted(message_key(PLATFORM, own.install, text_at(event, "channel"), ts))


def _stopped(body: Json, event: Json, own: Own) -> Heard | None:
    user, root = author_of(body, event, event, own), text_at(event, "thread_ts")
    return Stopped(thread_in(body, event, root, own), user) if user and is_ts(root) else None

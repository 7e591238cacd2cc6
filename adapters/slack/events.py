"""Parses a Slack event into what it means to the bot. Pure; says only what the payload says, and None for all else.

Refused: bots, Slackbot, ourselves, other apps, link previews and other edits that no person made, unknown subtypes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from adapters.slack.identity import PLATFORM, SLACKBOT, Own, home_org, own_in_event, person, workspace_of
from adapters.slack.payload import Json, dict_at, dicts_at, is_true, number_at, text_at
from adapters.slack.words import mentions, parted, raw_text
from bot.chat import Attachment, Audience, Message, Thread, message_key

if TYPE_CHECKING:
    from bot.chat import User

# An allow-list: Slack adds subtypes, and most of them are not a person talking.
_TALK = frozenset({"", "file_share", "thread_broadcast", "me_message"})
_TS = re.compile(r"\d{1,11}\.\d{1,9}")
_CHANNEL = re.compile(r"[CDG][A-Z0-9]{1,30}")
# After these, who can read a channel may be another question: events of their own, and subtypes of a message.
_CHANNEL_NEWS = frozenset(
    {"channel_shared", "channel_unshared", "channel_convert_to_private", "channel_convert_to_public"}
)


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said this to us."""

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
    return text_at(event, "channel") if news or _is_shared(body) else ""


def _is_shared(body: Json) -> bool:
    return is_true(body, "is_ext_shared_channel")


def read_event(body: Json, own: Own) -> Heard | None:
    """What an Events API body means; None when it is nothing that the bot follows."""
    own = own_in_event(body, own)
    event = dict_at(body, "event")
    if not _CHANNEL.fullmatch(text_at(event, "channel")) or not own.install:
        return None
    match text_at(event, "type"), text_at(event, "subtype"):
        case "message", "message_changed":
            return _changed(body, event, own)
        case "message", "message_deleted":
            return _deleted(event, text_at(event, "deleted_ts") or text_at(event, "previous_message", "ts"), own)
        case "agent_session_stopped", _:
            return _stopped(body, event, own)
        case (("message" | "app_mention"), subtype) if subtype in _TALK:
            return _said(body, event, own)
        case _:
            return None


def _said(body: Json, event: Json, own: Own) -> Heard | None:
    message = _message(body, event, event, own)
    if message is None or is_true(event, "hidden") or not _calls(event, event, own):
        return None
    # Slack repeats the mention when its author edits it; the message itself came before.
    return Edited(message, calls=True) if dict_at(event, "edited") else Said(message)


def _calls(event: Json, said: Json, own: Own) -> bool:
    """Whether this is addressed to us: anything in a DM, and elsewhere what mentions us."""
    direct = text_at(event, "channel_type") == "im" or text_at(event, "channel").startswith("D")
    return direct or text_at(event, "type") == "app_mention" or mentions(raw_text(said), own.user)


def _changed(body: Json, event: Json, own: Own) -> Heard | None:
    said, before = dict_at(event, "message"), dict_at(event, "previous_message")
    if text_at(said, "subtype") == "tombstone":
        return _deleted(event, text_at(said, "ts"), own)
    by = text_at(said, "edited", "user")
    if text_at(said, "subtype") not in _TALK or (by and by != text_at(said, "user")):
        return None
    # Previews, metadata and our own streaming come as edits, too: only other words are an edit by a person. Without
    # the words before, Slack's own mark of an edit has to do.
    if not (_content(said) != _content(before) if before else by):
        return None
    message = _message(body, event, said, own)
    return Edited(message, calls=_calls(event, said, own)) if message else None


def _content(message: Json) -> object:
    return text_at(message, "text"), _without_block_ids(dicts_at(message, "blocks"))


def _without_block_ids(value: object) -> object:
    """Blocks as they read: Slack makes new ids for them at will."""
    if isinstance(value, dict):
        return {key: _without_block_ids(inner) for key, inner in value.items() if key != "block_id"}
    return [_without_block_ids(inner) for inner in value] if isinstance(value, list) else value


def _deleted(event: Json, ts: str, own: Own) -> Deleted | None:
    if not _TS.fullmatch(ts):
        return None
    return Deleted(message_key(PLATFORM, own.install, text_at(event, "channel"), ts))


def _stopped(body: Json, event: Json, own: Own) -> Heard | None:
    user, root = _author(body, event, event, own), text_at(event, "thread_ts")
    return Stopped(_thread(body, event, root, own), user) if user and _TS.fullmatch(root) else None


def _thread(body: Json, event: Json, root: str, own: Own) -> Thread:
    # What Slack signed outranks what it may have told us about the channel before.
    audience = Audience.EXTERNAL if _is_shared(body) else Audience.UNKNOWN
    return Thread(PLATFORM, own.install, text_at(event, "channel"), root, audience, workspace_of(body, own.install))


def _message(body: Json, event: Json, said: Json, own: Own) -> Message | None:
    """The message in `said` (the event itself, or the message inside it); None when no person said it."""
    ts = text_at(said, "ts")
    author = _author(body, event, said, own)
    if author is None or not _TS.fullmatch(ts):
        return None
    root = text_at(said, "thread_ts")
    text, quoted = parted(said, own.user)
    return Message(
        ts,
        _thread(body, event, root if _TS.fullmatch(root) else ts, own),
        author,
        text,
        _time(ts),
        tuple(_attachment(file) for file in dicts_at(said, "files") if text_at(file, "id")),
        quoted,
        _edited_at(event, said),
    )


def _edited_at(event: Json, said: Json) -> datetime | None:
    """When these words came to be, for an edit: by Slack's mark, else (words changed without one) its event's."""
    if _TS.fullmatch(stamp := text_at(said, "edited", "ts")):
        return _time(stamp)
    if text_at(event, "subtype") != "message_changed" or not _TS.fullmatch(stamp := text_at(event, "ts")):
        return None
    return _time(stamp).replace(microsecond=0)  # as exact as the mark: of two in one second both count


def _time(ts: str) -> datetime:
    return datetime.fromtimestamp(float(ts), UTC)


def _author(body: Json, event: Json, said: Json, own: Own) -> User | None:
    user = text_at(said, "user")
    by_app = text_at(said, "bot_id") or text_at(event, "bot_id") or dict_at(said, "bot_profile")
    if by_app or user in {own.user, SLACKBOT}:
        return None
    actor = next(filter(None, (text_at(said, key) for key in ("user_team", "source_team", "team"))), "")
    return person(home_org(actor, own, shared=_is_shared(body)), user)


def _attachment(file: Json) -> Attachment:
    name = text_at(file, "name") or text_at(file, "title")
    return Attachment(text_at(file, "id"), name, text_at(file, "mimetype"), number_at(file, "size"))

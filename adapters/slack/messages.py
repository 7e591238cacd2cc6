"""Makes a message of a Slack payload: who said what, where and when. Pure; says only what the payload says.

Refused: what no person said (bots, Slackbot, ourselves), and ids that are not Slack's. `message_in` alone reads
what a shortcut was used on, whoever wrote it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from adapters.slack.identity import PLATFORM, SLACKBOT, home_org, person, pressed_install, workspace_of
from adapters.slack.payload import dict_at, dicts_at, is_true, number_at, text_at
from adapters.slack.words import parted
from bot.chat import Attachment, Audience, Message, Thread, User

if TYPE_CHECKING:
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json

# An allow-list: Slack adds subtypes, and most of them are not a person talking.
TALK = frozenset({"", "file_share", "thread_broadcast", "me_message"})
_TS = re.compile(r"\d{1,11}\.\d{1,9}")
_CHANNEL = re.compile(r"[CDG][A-Z0-9]{1,30}")
_BOT = re.compile(r"B[A-Z0-9]{1,30}")
_NO_FILE = frozenset({"tombstone", "hidden_by_limit"})


def is_ts(text: str) -> bool:
    """Whether this is the id of a Slack message: the time when it was posted."""
    return _TS.fullmatch(text) is not None


def is_channel(text: str) -> bool:
    """Whether this is the id of a channel or a direct message."""
    return _CHANNEL.fullmatch(text) is not None


def is_private_root(root: str) -> bool:
    """Whether this names the private conversation of one person in a channel, which nobody else sees (`/ask`)."""
    return root.startswith("ask.")


def time_of(ts: str) -> datetime:
    """The time that a message id is."""
    return datetime.fromtimestamp(float(ts), UTC)


def is_shared(body: Json) -> bool:
    """Whether Slack says that people of another organisation are in this channel."""
    return is_true(body, "is_ext_shared_channel")


def by_app(message: Json) -> bool:
    """Whether an app posted this, by itself or for somebody."""
    return bool(text_at(message, "bot_id") or dict_at(message, "bot_profile"))


def thread_in(body: Json, event: Json, root: str, own: Own) -> Thread:
    """The thread with this root in the event's channel."""
    # What Slack signed outranks what it may have told us about the channel before.
    audience = Audience.EXTERNAL if is_shared(body) else Audience.UNKNOWN
    return Thread(PLATFORM, own.install, text_at(event, "channel"), root, audience, workspace_of(body, own.install))


def message_of(body: Json, event: Json, said: Json, own: Own) -> Message | None:
    """The message in `said` (the event itself, or the message inside it); None when no person said it."""
    author = author_of(body, event, said, own)
    return _message(body, event, said, own, author) if author else None


def message_in(body: Json, own: Own) -> Message | None:
    """The message that a shortcut was used on, as whoever wrote it did: perhaps an app, or we ourselves.

    `own` is filled up from the body. None when the body holds no message that could be named.
    """
    team = text_at(body, "team", "id") or text_at(body, "user", "team_id") or own.team
    install = pressed_install(body, own)
    enterprise = text_at(body, "enterprise", "id") or own.enterprise
    own = replace(own, team=team, enterprise=enterprise, org_wide=bool(enterprise) and install == enterprise)
    said, channel = dict_at(body, "message"), text_at(body, "channel", "id")
    if not is_channel(channel) or not install:
        return None
    author = _writer(body, said, own)
    return _message(body, {"channel": channel}, said, own, author) if author else None


def _writer(body: Json, said: Json, own: Own) -> User | None:
    user, bot = text_at(said, "user"), text_at(said, "bot_id")
    actor = next(filter(None, (text_at(said, key) for key in ("user_team", "source_team", "team"))), "")
    if user and user == text_at(body, "user", "id"):  # whoever used it wrote it: two names of one organisation, at most
        actor = text_at(body, "user", "team_id") or actor
    org = home_org(actor, own, shared=False)
    by_person = not by_app(said) and text_at(said, "subtype") in TALK
    if (by_person or user == own.user) and (found := person(org, user)):  # an app may post under a person's name
        return found
    return User(PLATFORM, f"{org}.{bot}") if org and _BOT.fullmatch(bot) else None


def _message(body: Json, event: Json, said: Json, own: Own, author: User) -> Message | None:
    ts, root = text_at(said, "ts"), text_at(said, "thread_ts")
    if not is_ts(ts):
        return None
    text, quoted = parted(said, own.user)
    return Message(
        ts,
        thread_in(body, event, root if is_ts(root) else ts, own),
        author,
        text,
        time_of(ts),
        tuple(_attachment(file) for file in dicts_at(said, "files") if _is_there(file)),
        quoted,
        _edited_at(event, said),
    )


def _edited_at(event: Json, said: Json) -> datetime | None:
    """When these words came to be, for an edit: by Slack's mark, else (words changed without one) its event's."""
    if is_ts(stamp := text_at(said, "edited", "ts")):
        return time_of(stamp)
    if text_at(event, "subtype") != "message_changed" or not is_ts(stamp := text_at(event, "ts")):
        return None
    return time_of(stamp).replace(microsecond=0)  # as exact as the mark: of two in one second both count


def author_of(body: Json, event: Json, said: Json, own: Own) -> User | None:
    """The person who said or did this; None for apps, Slackbot and ourselves."""
    user = text_at(said, "user")
    if by_app(said) or text_at(event, "bot_id") or user in {own.user, SLACKBOT}:
        return None
    actor = next(filter(None, (text_at(said, key) for key in ("user_team", "source_team", "team"))), "")
    return person(home_org(actor, own, shared=is_shared(body)), user)


def _is_there(file: Json) -> bool:
    return bool(text_at(file, "id")) and text_at(file, "mode") not in _NO_FILE


def _attachment(file: Json) -> Attachment:
    name = text_at(file, "name") or text_at(file, "title")
    return Attachment(text_at(file, "id"), name, text_at(file, "mimetype"), number_at(file, "size"))

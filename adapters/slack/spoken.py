"""Reads the messages of a conversation that Slack gives back: who wrote each, and its words for somebody else. Pure.

Refused: what is no talk (joins, topics, what was deleted), and our own answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from adapters.slack.identity import SLACKBOT, person
from adapters.slack.messages import TALK, by_app, is_ts, time_of
from adapters.slack.payload import dicts_at, is_true, text_at
from adapters.slack.words import attached_words, mentions, one_line, raw_text, readable

if TYPE_CHECKING:
    from datetime import datetime

    from adapters.slack.identity import Own
    from adapters.slack.payload import Json

_LONGEST, _LONGEST_FORWARD = 4_000, 500
_ANY_ORG = "T0"


class Post(NamedTuple):
    """One message of others. `token` is how its author is looked up ("" for an app); `name` came with it."""

    at: datetime
    token: str
    name: str
    text: str


def human(post: Json, own: Own) -> str:
    """The id of the person who wrote this; "" when no person did."""
    user = text_at(post, "user")
    if by_app(post) or text_at(post, "subtype") not in TALK or user in {own.user, SLACKBOT}:
        return ""
    return user if person(_ANY_ORG, user) else ""


def post_of(post: Json, own: Own, asker: str) -> Post | None:
    """What others said with this; None for what is no talk, is ours, or was said to us by `asker` (a user id)."""
    ts, subtype, user = text_at(post, "ts"), text_at(post, "subtype"), text_at(post, "user")
    if not is_ts(ts) or subtype not in TALK | {"bot_message"} or is_true(post, "hidden", "is_ephemeral"):
        return None
    if user == SLACKBOT or _is_ours(post, own) or (user == asker and mentions(raw_text(post), own.user)):
        return None
    text = _words(post)
    who = human(post, own)
    return Post(time_of(ts), f"@{who}" if who else "", _person(post) if who else _app(post), text) if text else None


def _is_ours(post: Json, own: Own) -> bool:
    by_us = own.user and text_at(post, "user") == own.user
    return bool(by_us or (own.bot and text_at(post, "bot_id") == own.bot))


def _person(post: Json) -> str:
    names = (text_at(post, "user_profile", key) for key in ("display_name", "real_name", "name"))
    return one_line(next(filter(None, names), ""))


def _app(post: Json) -> str:
    names = (text_at(post, "username"), text_at(post, "bot_profile", "name"))
    return f"{one_line(next(filter(None, names), '')) or 'an app'} (app)"


def _words(post: Json) -> str:
    """Everything in it that can be read, shortened."""
    own = _cut(readable(raw_text(post)).strip(), _LONGEST)
    found = [quoted for quoted, is_forward in attached_words(post) if is_forward or not own]
    others = [f"[{quoted.author}: {_cut(quoted.text, _LONGEST_FORWARD)}]" for quoted in found if quoted.text]
    files = [f"[file: {one_line(text_at(file, 'name') or text_at(file, 'title'))}]" for file in dicts_at(post, "files")]
    return "\n".join(filter(None, [own, *others, *files]))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit].rstrip()}…"

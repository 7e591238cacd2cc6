"""Asks Slack who can read a channel and what people are called; remembers it for ten minutes. Fails closed.

What could not be asked is unknown, which is treated as external; a failure is never remembered.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from adapters.slack.calls import CallError, Closed
from adapters.slack.payload import dict_at, is_true, text_at, texts_at
from adapters.slack.words import one_line
from adapters.text import plain_name
from bot.chat import Audience

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adapters.slack.calls import Calls
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json

_KEPT_FOR = 600.0
_MOST_KEPT = 10_000
_MOST_NAMES = 10  # in one message
_MOST_AT_A_TIME, _AT_ONCE = 60, 8  # in a whole conversation
_PATIENCE = 8.0
_MENTION = re.compile(r"<([@#][A-Z0-9]+)>")
_FAILED = "failed"  # in the place of an answer: no field of Slack's
_Value = TypeVar("_Value")


class _Kept(Generic[_Value]):
    """Values by id, for ten minutes each, the oldest dropped first."""

    def __init__(self) -> None:
        self._values: OrderedDict[str, tuple[float, _Value]] = OrderedDict()

    def get(self, key: str) -> _Value | None:
        until, value = self._values.get(key, (0.0, None))
        return value if time.monotonic() < until else None

    def drop(self, key: str) -> None:
        self._values.pop(key, None)

    def keep(self, key: str, value: _Value) -> _Value:
        self._values.pop(key, None)
        self._values[key] = (time.monotonic() + _KEPT_FOR, value)
        if len(self._values) > _MOST_KEPT:
            self._values.popitem(last=False)
        return value


def tokens_in(text: str) -> list[str]:
    """The people (`@U…`) and channels (`#C…`) that a text mentions."""
    return _MENTION.findall(text)


def with_names(text: str, names: dict[str, str]) -> str:
    """The text with these names in the place of what it mentions; what has no name stays as it is."""
    plain = {token: plain_name(name) for token, name in names.items()}
    # In one go: a name that reads like a mention is no mention.
    return _MENTION.sub(lambda found: f"{found[1][0]}{plain[found[1]]}" if plain.get(found[1]) else found[0], text)


class About(NamedTuple):
    """What Slack says about a person in a channel; the name is "" when it could not be asked."""

    audience: Audience
    name: str
    is_bot: bool


PRIVATE_VIEW = ""
"""In the place of a channel: what only the person and the bot see, wherever that is shown."""


class Directory:
    """Channels and people of one installation."""

    def __init__(self, calls: Calls) -> None:
        """Ask through these calls."""
        self._calls = calls
        self._channels: _Kept[Json] = _Kept()
        self._people: _Kept[Json] = _Kept()

    def forget_channel(self, channel: str) -> None:
        """Ask anew about this channel: something about it may have changed."""
        self._channels.drop(channel)

    def forget_person(self, user: str) -> None:
        """Ask anew about this person (a user id): something about them may have changed."""
        self._people.drop(user)

    async def about(self, channel: str, org: str, user: str, own: Own) -> About:
        """Who can read what this person says in this channel; a stranger of another organisation makes it external."""
        info, person = await asyncio.gather(self._channel(channel), self._person(user))
        stranger = not own.is_home(org) or _stranger(person, own)
        audience = Audience.EXTERNAL if stranger else _audience(info, channel)
        return About(audience, _name(person), is_true(person, "is_bot"))

    async def named(self, text: str, *, private: bool = False) -> str:
        """The text with the names of the people and channels it mentions; what has no name stays as it is.

        Private channels are named only with `private`: Slack shows their names to nobody who is not in them.
        """
        tokens = list(dict.fromkeys(tokens_in(text)))[:_MOST_NAMES]
        return with_names(text, {token: await self._called(token, private=private) for token in tokens})

    async def names(self, tokens: Iterable[str], within: float) -> dict[str, str]:
        """The names of people (`@U…`) and channels (`#C…`) that can be had within so many seconds, the first first."""
        found: dict[str, str] = {}
        room = asyncio.Semaphore(_AT_ONCE)

        async def ask(token: str) -> None:
            async with room:
                found[token] = await self._called(token)

        wanted = list(dict.fromkeys(tokens))[:_MOST_AT_A_TIME]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await asyncio.gather(*map(ask, wanted))
        return found

    async def _called(self, token: str, *, private: bool = False) -> str:
        if token[0] == "@":
            return _name(await self._person(token[1:]))
        channel = await self._channel(token[1:])
        return text_at(channel, "name") if private or channel.get("is_private") is False else ""

    async def _channel(self, channel: str) -> Json:
        if channel == PRIVATE_VIEW:
            return {"is_im": True}
        return await self._ask(self._channels, "conversations.info", "channel", channel)

    async def _person(self, user: str) -> Json:
        return await self._ask(self._people, "users.info", "user", user)

    async def _ask(self, kept: _Kept[Json], method: str, key: str, value: str) -> Json:
        known = kept.get(value)
        if known is not None:
            return known
        try:
            answer = await self._calls(method, {key: value}, patience=_PATIENCE)
        except (CallError, Closed) as failed:
            return {_FAILED: failed.error}
        return kept.keep(value, dict_at(answer, key))


def _audience(channel: Json, id_: str) -> Audience:
    if channel.get(_FAILED) == "missing_scope" and id_.startswith("D"):
        # The id, which is in the signed event, is that of a direct message, and these have two members: us and the
        # author, who is one of ours. Without im:read nothing else could ever be learned about it. Any other failure
        # stays unknown, as it passes; and one shared with another organisation is external by its event.
        return Audience.DM
    invited = texts_at(channel, "pending_shared") or texts_at(channel, "pending_connected_team_ids")
    if (
        invited
        or is_true(channel, "is_ext_shared", "is_pending_ext_shared")
        or (is_true(channel, "is_shared") and not is_true(channel, "is_org_shared"))
    ):
        return Audience.EXTERNAL
    if is_true(channel, "is_im"):
        return Audience.DM
    if is_true(channel, "is_mpim", "is_private", "is_group"):
        return Audience.PRIVATE
    # Only what Slack says outright is public: a field that is missing closes the door.
    return Audience.PUBLIC if channel.get("is_private") is False else Audience.UNKNOWN


def _stranger(person: Json, own: Own) -> bool:
    """Whether Slack says that this person belongs to another organisation. What it does not say is not read as yes."""
    if is_true(person, "is_stranger"):
        return True
    orgs = {text_at(person, "team_id"), text_at(person, "enterprise_user", "enterprise_id")} - {""}
    return bool(orgs) and not any(own.is_home(org) for org in orgs)


def _name(person: Json) -> str:
    profile = dict_at(person, "profile")
    names = (text_at(profile, "display_name"), text_at(profile, "real_name"), text_at(person, "real_name"))
    return one_line(next(filter(None, names), "") or text_at(person, "name"))

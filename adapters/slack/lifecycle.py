"""The ends of installations and of accounts, as Slack tells them. Refuses events of an install we hold no token for.

It is asked before anything else reads an event. Slack gets its acknowledgement only after the bot took the news, and
repeats it otherwise; everything here may happen twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from adapters.slack.identity import PLATFORM, Own, home_org, is_install, own_in_event, person
from adapters.slack.payload import Json, dict_at, is_true, number_at, text_at, texts_at

if TYPE_CHECKING:
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Bot, User

_LATEST = 10**11  # seconds: no time that Slack tells is later
_RETRIED = 3600.0  # seconds in which a repeat of an old end may still come, after a new installation


@dataclass(frozen=True, slots=True)
class Ended:
    """An installation ended, at that time (0: not said)."""

    install: str
    at: float


@dataclass(frozen=True, slots=True)
class NoAccess:
    """An installation for an organisation lost these workspaces."""

    install: str
    teams: tuple[str, ...]
    at: float


@dataclass(frozen=True, slots=True)
class Account:
    """Something about a person changed; `ended`: they are deactivated, and `forgotten`: Slack erased them."""

    install: str
    slack_id: str
    user: User | None
    ended: bool
    forgotten: bool


News: TypeAlias = Ended | NoAccess | Account


def read_news(body: Json, own: Own) -> News | None:
    """What an event says about installations and accounts; None for every other event."""
    # An end is of what the event itself names: one workspace that goes must not end the organisation it is in.
    ended = own_in_event(body, Own()).install or own.install
    event, own = dict_at(body, "event"), own_in_event(body, own)
    at = float(min(number_at(body, "event_time"), _LATEST))
    match text_at(event, "type"):
        case "app_uninstalled":
            return Ended(ended, at)
        case "tokens_revoked" if texts_at(dict_at(event, "tokens"), "bot"):  # a person's own token is not ours
            return Ended(ended, at)
        case "team_access_revoked":
            return NoAccess(own.install, tuple(filter(is_install, texts_at(event, "team_ids"))), at)
        case "user_change":
            return _account(body, dict_at(event, "user"), own)
        case _:
            return None


def _account(body: Json, user: Json, own: Own) -> Account:
    org, team = text_at(user, "enterprise_user", "enterprise_id"), text_at(user, "team_id")
    stranger = is_true(user, "is_stranger") or not own.is_home(home_org(org or team, own, shared=False))
    elsewhere = set(texts_at(dict_at(user, "enterprise_user"), "teams")) - {text_at(body, "team_id"), team}
    forgotten = is_true(user, "is_forgotten")
    return Account(
        own.install,
        text_at(user, "id"),
        None if stranger else person(home_org(org or team, own, shared=False), text_at(user, "id")),
        # In an organisation, who left one workspace may be in others.
        forgotten or (is_true(user, "deleted") and not elsewhere),
        forgotten,
    )


async def take(body: Json, bot: Bot, workspaces: Workspaces) -> bool:
    """Take in what is about installations and accounts; True when nothing else has to read the event.

    Raises:
        Exception: the bot or the store could not take it; Slack shall send it again.
    """
    own = workspaces.own(body)
    news = read_news(body, own)
    if isinstance(news, Ended):
        await _end(news.install, news.at, bot, workspaces)
        return True
    install = own_in_event(body, own).install
    if not await workspaces.holds(install):
        return True  # nothing could be answered there
    if isinstance(news, NoAccess):
        for team in news.teams:
            if await workspaces.is_apart(team):
                await _end(team, news.at, bot, workspaces)
        workspaces.changed(news.install)
    if isinstance(news, Account):
        await _follow(news, bot, workspaces)
    return news is not None


async def _end(install: str, at: float, bot: Bot, workspaces: Workspaces) -> None:
    if not is_install(install) or (at and time.time() - _RETRIED < at < await workspaces.since(install)):
        return  # it was installed again after that
    await bot.removed(PLATFORM, install)
    await workspaces.end(install)


async def _follow(account: Account, bot: Bot, workspaces: Workspaces) -> None:
    workspaces.person_changed(account.install, account.slack_id)
    if account.user is None:
        return
    if account.ended:
        await bot.left(account.user, at_once=account.forgotten)
    else:
        await bot.returned(account.user)

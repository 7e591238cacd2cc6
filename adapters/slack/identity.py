"""Who we are on Slack, and who somebody is: a home organisation and a user id. Refuses ids that are not Slack's.

Slack's own rules: an id starts with its kind (`T` workspace, `E` Grid organisation, `U` or `W` person), and in a Grid
a person belongs to the organisation rather than to one of its workspaces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.slack.payload import dict_at, dicts_at, is_true, text_at
from bot.chat import Audience, User

if TYPE_CHECKING:
    from adapters.slack.payload import Json
    from bot.chat import Thread

PLATFORM = "slack"
_PERSON = re.compile(r"[UW][A-Z0-9]{1,30}")
_ORG = re.compile(r"[TE][A-Z0-9]{1,30}")
_WORKSPACE = re.compile(r"T[A-Z0-9]{1,30}")
SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Own:
    """Our own ids in one installation; each is "" while it is not known."""

    user: str = ""
    bot: str = ""
    team: str = ""
    enterprise: str = ""
    org_wide: bool = False

    @property
    def install(self) -> str:
        """The id whose token posts here: the organisation of an org-wide install, else the workspace."""
        return self.enterprise if self.org_wide and self.enterprise else self.team

    def is_home(self, org: str) -> bool:
        """Whether an organisation is ours; what is not known is not ours."""
        return bool(org) and org in {self.team, self.enterprise}


def own_from_auth_test(answer: Json) -> Own:
    """Read what `auth.test` says about us."""
    return Own(
        text_at(answer, "user_id"),
        text_at(answer, "bot_id"),
        text_at(answer, "team_id"),
        text_at(answer, "enterprise_id"),
        is_true(answer, "is_enterprise_install"),
    )


def own_in_event(body: Json, own: Own) -> Own:
    """Our ids as the event itself gives them (`authorizations[0]`), filled up with what is known already."""
    first = next(iter(dicts_at(body, "authorizations")), {})
    user = text_at(first, "user_id") if first.get("is_bot") is not False else ""
    team = text_at(first, "team_id") or text_at(body, "team_id")
    return replace(
        own,
        user=user or own.user,
        team=team or own.team,
        enterprise=text_at(first, "enterprise_id") or text_at(body, "enterprise_id") or own.enterprise,
        org_wide=is_true(first or body, "is_enterprise_install") or own.org_wide,
    )


def is_install(name: str) -> bool:
    """Whether this is the id of a workspace or an organisation."""
    return bool(_ORG.fullmatch(name))


def workspace_of(body: Json, install: str) -> str:
    """The workspace in whose channel something happened; "" where the install is that workspace, or nothing says it.

    It is told by the body (`context_team_id`, `team_id`, `team.id`), never by `team` within an event: that is where the
    author comes from, who may be at home elsewhere in the organisation.
    """
    if not install.startswith("E"):
        return ""
    told = (text_at(body, "context_team_id"), text_at(body, "team_id"), text_at(body, "team", "id"))
    return next((team for team in told if _WORKSPACE.fullmatch(team)), "")


def placed(thread: Thread, audience: Audience) -> Thread:
    """The thread with its audience: unknown where a whole organisation is installed and nothing says which workspace.

    Its public channels are read by one workspace's members, and not by those of every other.
    """
    somewhere = thread.install.startswith("E") and not thread.workspace
    if somewhere and audience in {Audience.PUBLIC, Audience.PRIVATE}:
        audience = Audience.UNKNOWN
    return replace(thread, audience=audience)


def home_org(actor: str, own: Own, *, shared: bool) -> str:
    """The home organisation of a person whose payload names `actor` (a workspace, an organisation or "").

    In a channel shared with other organisations (`shared`) a workspace that is not ours is a stranger's; anywhere
    else everybody in a Grid belongs to its one organisation.
    """
    if actor.startswith("E"):
        return actor
    if own.enterprise and (not actor or actor == own.team or not shared):
        return own.enterprise
    return actor or own.team


def person(org: str, user: str) -> User | None:
    """The person with these ids; None when they are not a person's ids (Slackbot is none)."""
    if user == SLACKBOT or not _PERSON.fullmatch(user) or not _ORG.fullmatch(org):
        return None
    return User(PLATFORM, f"{org}.{user}")


def slack_ids(user: User) -> tuple[str, str]:
    """The home organisation and the user id of a person, as Slack knows them."""
    org, _, id_ = user.id.rpartition(".")
    return org, id_


def presser(body: Json, own: Own) -> User | None:
    """Who pressed a button or typed a slash command: from the signed body alone, never from the button.

    `team` may be null in an org-wide install; then the person's own `team_id` tells.
    """
    user = dict_at(body, "user")
    team = text_at(user, "team_id") or text_at(body, "team", "id") or text_at(body, "team_id")
    enterprise = text_at(body, "enterprise", "id") or text_at(body, "enterprise_id") or own.enterprise
    org = home_org(team, replace(own, team=own.team or team, enterprise=enterprise), shared=False)
    return person(org, text_at(user, "id") or text_at(body, "user_id"))


def pressed_install(body: Json, own: Own) -> str:
    """The installation that an interactive payload or a slash command belongs to.

    A window may be opened in another workspace than the one whose app opened it: then the view names the latter.
    """
    named = (text_at(body, "view", "app_installed_team_id"), text_at(body, "team", "id"), text_at(body, "team_id"))
    team = next(filter(None, named), "") or text_at(body, "user", "team_id") or text_at(body, "view", "team_id")
    if team.startswith("E"):
        return team
    enterprise = text_at(body, "enterprise", "id") or text_at(body, "enterprise_id") or own.enterprise
    org_wide = body.get("is_enterprise_install") in (True, "true") or own.org_wide
    return Own(team=team or own.team, enterprise=enterprise, org_wide=org_wide).install

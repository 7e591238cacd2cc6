"""A Slack of many workspaces: it grants tokens by OAuth, renews them, lets them run out and takes them back."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.slack import FakeSlack

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Json = dict[str, Any]
CLIENT_ID, CLIENT_SECRET = "11.22", "client-secret"


def team_grant(team: str, bot_user: str) -> Json:
    """What Slack grants when a workspace installs the app."""
    named = {"id": team, "name": f"Team {team}"}
    return {"team": named, "enterprise": None, "is_enterprise_install": False, "bot_user_id": bot_user}


def org_grant(enterprise: str, bot_user: str) -> Json:
    """What Slack grants when a whole organisation does."""
    org = {"id": enterprise, "name": "Org"}
    return {**team_grant("", bot_user), "team": None, "enterprise": org, "is_enterprise_install": True}


@dataclass
class FakeOrgs(FakeSlack):
    """`used` are (method, install of the token) in order; `grants` maps a code to what it grants, once."""

    grants: dict[str, Json] = field(default_factory=dict)
    used: list[tuple[str, str]] = field(default_factory=list)
    tokens: dict[str, Json] = field(default_factory=dict)
    refreshes: dict[str, Json] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)
    expired: set[str] = field(default_factory=set)
    expires_in: int | None = None
    """Seconds for which a token is good; None when tokens are not rotated."""

    def unauthorized(self, method: str, header: str) -> str:
        if method == "oauth.v2.access":
            known = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
            return "" if header == f"Basic {known}" else "bad_client_secret"
        token = header.removeprefix("Bearer ")
        if token not in self.tokens:
            return "invalid_auth"
        granted = self.tokens[token]
        self.used.append((method, (granted["team"] or granted["enterprise"])["id"]))
        return "token_revoked" if token in self.revoked else "token_expired" if token in self.expired else ""

    def _do(self, method: str, arguments: Json) -> Json:
        if method != "oauth.v2.access":
            return super()._do(method, arguments)
        if arguments.get("grant_type") == "refresh_token":
            granted = self.refreshes.pop(arguments["refresh_token"], None)
            return self.grant(granted) if granted else {"ok": False, "error": "invalid_refresh_token"}
        granted = self.grants.pop(arguments["code"], None)
        return self.grant(granted) if granted else {"ok": False, "error": "invalid_code"}

    def grant(self, granted: Json) -> Json:
        """Make a new token."""
        number = next(self._numbers)
        token, refresh = f"xoxe.xoxb-{number}", f"xoxe-1-{number}"
        self.tokens[token] = granted
        answer = {"ok": True, "access_token": token, "token_type": "bot", "scope": "chat:write", **granted}
        if self.expires_in is None:
            return answer
        self.refreshes[refresh] = granted
        return {**answer, "refresh_token": refresh, "expires_in": self.expires_in}

    def revoke(self, install: str) -> None:
        """Take back all tokens of an install."""
        for token, granted in self.tokens.items():
            if (granted["team"] or granted["enterprise"])["id"] == install:
                self.revoked.add(token)

    def renewals(self) -> int:
        """How often a token was renewed."""
        return sum(asked.get("grant_type") == "refresh_token" for asked in self.called("oauth.v2.access"))


class MemoryInstalls:
    """Keeps texts in memory; `broken` lets every call fail, as a database that is down."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.broken = False
        self._locks: dict[str, asyncio.Lock] = {}

    def _work(self) -> None:
        if self.broken:
            raise ConnectionError

    async def get(self, install: str) -> str | None:
        self._work()
        await asyncio.sleep(0)
        return self.texts.get(install)

    async def put(self, install: str, text: str) -> None:
        self._work()
        self.texts[install] = text

    async def drop(self, install: str) -> None:
        self._work()
        self.texts.pop(install, None)

    async def names(self) -> tuple[str, ...]:
        self._work()
        return tuple(self.texts)

    @contextlib.asynccontextmanager
    async def alone(self, install: str) -> AsyncIterator[None]:
        async with self._locks.setdefault(install, asyncio.Lock()):
            yield

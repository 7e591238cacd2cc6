"""What is kept of an installation made by OAuth, and how it is read. Refuses a grant without a bot or a place.

It holds tokens: its repr does not, and it may rest only where it is sealed.
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from adapters.slack.identity import Own, is_install
from adapters.slack.payload import is_true, number_at, text_at

if TYPE_CHECKING:
    from adapters.slack.payload import Json


@dataclass(frozen=True, slots=True)
class Installation:
    """What is kept of an installation. Times are in seconds since 1970; `expires_at` is 0 when it never runs out."""

    own: Own
    token: str = field(repr=False)
    refresh: str = field(default="", repr=False)
    expires_at: float = 0.0
    lasts: float = 0.0
    made_at: float = 0.0
    renewed_at: float = 0.0

    def left(self) -> float:
        """How many more seconds the token is good."""
        return self.expires_at - time.time() if self.expires_at else float("inf")

    def text(self) -> str:
        """Write it as it is kept; only sealed may it rest."""
        return json.dumps(asdict(self))


def read_kept(text: str | None) -> Installation | None:
    """Read what `Installation.text` wrote; None for nothing, or for what cannot be read."""
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        kept = json.loads(text or "")
        return Installation(**{**kept, "own": Own(**kept["own"])})
    return None


def read_grant(answer: Json) -> Installation | None:
    """Read Slack's answer to a finished OAuth; None when it grants no bot token for a workspace or organisation."""
    own = Own(
        text_at(answer, "bot_user_id"),
        "",
        text_at(answer, "team", "id"),
        text_at(answer, "enterprise", "id"),
        is_true(answer, "is_enterprise_install"),
    )
    token, kind, now = text_at(answer, "access_token"), text_at(answer, "token_type"), time.time()
    if not token or kind not in {"", "bot"} or not own.user or not is_install(own.install):
        return None
    return dated(Installation(own, token, made_at=now), answer, now)


def dated(installation: Installation, answer: Json, now: float) -> Installation:
    """The installation with the token that Slack answered at this time."""
    lasts = float(number_at(answer, "expires_in"))
    return replace(
        installation,
        token=text_at(answer, "access_token"),
        refresh=text_at(answer, "refresh_token") or installation.refresh,
        expires_at=now + lasts if lasts else 0.0,
        lasts=lasts,
        renewed_at=now,
    )

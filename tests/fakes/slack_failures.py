"""The ways in which a call to Slack can go wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Failure:
    """What goes wrong with one call. `landed`: it had its effect, only the answer is lost."""

    error: str = ""
    status: int = 200
    retry_after: str | None = None
    cut: bool = False
    landed: bool = False
    delay: float = 0.0
    page: str = ""
    """Answered instead of JSON, as a proxy would."""


def rate_limited(after: str = "0", *, status: int = 429) -> Failure:
    """Slack says "too fast": by 429, or (status 200) in a body only."""
    return Failure("ratelimited", status, after)


LOST = Failure(cut=True, landed=True)

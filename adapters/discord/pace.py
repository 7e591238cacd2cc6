"""Every waiting time of the Discord adapter in one place, in seconds; tests pass shorter ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take, wait and are remembered."""

    update_every: float = 1.5
    """Between two edits of a preview: Discord's limit is per channel, and the last edit must never wait long."""
    preview_after: float = 2.0
    """A shorter answer appears at once and whole."""
    typing_every: float = 8.0
    """The indicator lasts ten seconds."""
    typing_at_most: float = 300.0
    call_timeout: float = 60.0
    """One call to Discord, its own waits for rate limits included."""
    ratelimit_patience: float = 30.0
    """A longer rate limit is an error to try again later (discord.py takes nothing below 30)."""
    ban: float = 60.0
    """The least pause after a 429 that is not Discord's own."""
    closed_for: float = 300.0
    """A channel that turned us away is not asked again for so long."""
    remove_for: float = 60.0
    """An answer that has to go is tried again for so long, its last preview on its way included."""
    remove_again: float = 0.5
    """The first pause between two such tries; it doubles up to ten seconds."""
    accept_for: float = 30.0
    """An event that cannot be stored is tried again for so long."""
    guild_wait: float = 5.0
    """For a server's roles and channels, which come some time after READY."""
    online_wait: float = 10.0
    identify_every: float = 5.0
    """Discord takes one new session in so long."""
    reconnect: float = 2.0
    """The first pause after a failed connection; it doubles up to five minutes."""
    sync_retry: float = 15.0
    """The first pause after a failed command sync; it doubles up to an hour."""

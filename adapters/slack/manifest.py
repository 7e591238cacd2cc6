"""What Slack must know of the app: the reviewed list in `manifest.json`, as it is for Socket Mode or made for HTTP.

Each scope has its reason here, and each event the scope that lets it come. Refuses an address that is not https.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from typing import Any

EVENTS_PATH, REDIRECT_PATH = "/slack/events", "/slack/oauth_redirect"
_FORM = "https://api.slack.com/apps?new_app=1&manifest_json="


class Scope(NamedTuple):
    """A bot token scope. `lets` completes the sentence "It lets the bot …"; without a `needed` one nothing goes."""

    lets: str
    needed: bool = False


SCOPES: dict[str, Scope] = {
    "app_mentions:read": Scope("hear who mentions it", needed=True),
    "chat:write": Scope("answer", needed=True),
    "commands": Scope("offer its slash commands and message shortcuts", needed=True),
    "im:history": Scope("hear direct messages, and their edits and deletions", needed=True),
    "im:read": Scope("be sure that a direct message is one, without which it remembers nothing there", needed=True),
    "im:write": Scope("open a direct message, for what only one person shall see", needed=True),
    "users:read": Scope("know people's names, who is a bot, and whose account has ended", needed=True),
    "channels:read": Scope("know who reads a public channel, without which it remembers nothing there", needed=True),
    "groups:read": Scope("know who reads a private channel, without which it remembers nothing there", needed=True),
    "mpim:read": Scope("know who reads a group message, without which it remembers nothing there", needed=True),
    "assistant:write": Scope("show that it is working, be stopped, suggest prompts, and stream its answers"),
    "channels:history": Scope(
        "read the thread it is called into, be asked on without a mention, catch people up, and follow edits and "
        "deletions in public channels"
    ),
    "groups:history": Scope("do the same in private channels"),
    "mpim:history": Scope("do the same in group messages"),
    "files:read": Scope("open the pictures, text files and PDFs that people send it"),
}
"""Every scope that the manifest asks for, and what it is for; the README shows this table."""

EVENT_SCOPES: dict[str, frozenset[str]] = {
    "agent_session_stopped": frozenset({"assistant:write"}),
    "app_context_changed": frozenset({"assistant:write"}),
    "app_home_opened": frozenset(),
    "app_mention": frozenset({"app_mentions:read"}),
    "app_uninstalled": frozenset(),
    "channel_shared": frozenset({"channels:read", "groups:read"}),
    "channel_unshared": frozenset({"channels:read", "groups:read"}),
    "message.channels": frozenset({"channels:history"}),
    "message.groups": frozenset({"groups:history"}),
    "message.im": frozenset({"im:history"}),
    "message.mpim": frozenset({"mpim:history"}),
    "team_access_revoked": frozenset(),
    "tokens_revoked": frozenset(),
    "user_change": frozenset({"users:read"}),
}
"""The scopes that an event needs to come for every kind of place; Slack's event reference says which."""


def manifest(url: str | None = None) -> dict[str, Any]:
    """Give the manifest: for Socket Mode, or for Slack to reach the bot over HTTP under this address.

    Raises:
        ValueError: the address is not a plain https one.
    """
    found: dict[str, Any] = json.loads(files("adapters.slack").joinpath("manifest.json").read_text(encoding="utf-8"))
    if url is None:
        return found
    base = _base(url)
    events, settings = f"{base}{EVENTS_PATH}", found["settings"]
    settings["socket_mode_enabled"] = False
    settings["event_subscriptions"] = {"request_url": events, **settings["event_subscriptions"]}
    settings["interactivity"]["request_url"] = events
    found["oauth_config"] = {"redirect_urls": [f"{base}{REDIRECT_PATH}"], **found["oauth_config"]}
    for command in found["features"]["slash_commands"]:
        command["url"] = events
    return found


def _base(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    plain = not (parts.username or parts.password or parts.query or parts.fragment or set(url) & set(" \t\r\n?#\\"))
    if parts.scheme != "https" or not parts.hostname or not plain or port == 0 or not url.isascii():
        raise ValueError(
            "Give the https:// address under which Slack reaches the bot, such as https://bot.example.com."
        )
    return url.rstrip("/").removesuffix(EVENTS_PATH).rstrip("/")


def form(found: dict[str, Any]) -> str:
    """Give the address that opens Slack's form for a new app, filled in with a manifest."""
    return f"{_FORM}{quote(json.dumps(found, separators=(',', ':')), safe='')}"

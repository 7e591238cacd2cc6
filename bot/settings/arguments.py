"""The command line, read into what it asks for. A wrong one is one sentence, or argparse's usage, and code 2."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bot.settings.fields import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

_PORTS = range(65536)
_NOTHING_TO_DO = {
    "": "There is no platform to talk on: set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET), or "
    "DISCORD_TOKEN, in .env; `python -m bot chat` talks here without any.",
    "web": "The role web is Slack over HTTP: it needs SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET, and SLACK_APP_TOKEN "
    "unset (with that one Slack is the role worker's, over Socket Mode); or, for many workspaces, SLACK_CLIENT_ID, "
    "SLACK_CLIENT_SECRET and SLACK_SIGNING_SECRET.",
    "worker": "The role worker is Discord and Slack's Socket Mode: it needs DISCORD_TOKEN, or SLACK_BOT_TOKEN and "
    "SLACK_APP_TOKEN (without that one Slack is the role web's, over HTTP).",
}


class Arguments(argparse.Namespace):
    """One verb (`chat`, `run`, `memory`, `slack-manifest` or `doctor`) and what was said beside it."""

    verb: str
    name: str = ""
    role: str | None = None
    port: int = 0
    url: str | None = None


def read_arguments(argv: Sequence[str] | None = None) -> Arguments:
    """Read the command line (`sys.argv` when None).

    Raises:
        SettingsError: the port is none.
        SystemExit: argparse has shown its help, or what it could not understand.
    """
    arguments = _parser().parse_args(argv, namespace=Arguments())
    if arguments.port not in _PORTS:
        raise SettingsError("--port must be a whole number from 1 to 65535, or 0 for any port that is free.")
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot", description="A chat bot that remembers each person.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    chat = verbs.add_parser("chat", help="talk to the bot here, or pipe lines into it; needs no key")
    who = "the person who talks: letters a-z, digits, - and _; case and accents do not matter (default: you)"
    chat.add_argument("--as", dest="name", default="you", metavar="NAME", help=who)
    run = verbs.add_parser("run", help="run on every platform whose tokens are set")
    run.add_argument("--role", choices=("web", "worker"), help="only Slack over HTTP, or only what needs no port")
    memory = verbs.add_parser("memory", help="serve the local memory on a port of this machine")
    memory.add_argument("--port", type=int, default=8765, help="the port, 0 for any that is free (default: 8765)")
    manifest = verbs.add_parser("slack-manifest", help="print what Slack must know to create the app")
    manifest.add_argument("--url", help="the https:// address of the bot (default: Socket Mode, no address)")
    verbs.add_parser("doctor", help="check settings, tokens, scopes and services, and say what to do")
    return parser


def nothing_to_do(role: str | None) -> SettingsError:
    """Say what a role needs, where the settings give it no platform."""
    return SettingsError(_NOTHING_TO_DO[role or ""])

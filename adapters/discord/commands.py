"""The bot's commands as Discord's application commands: what to register, and the one task that keeps it registered.

Refuses to write when nothing has changed: Discord allows few creations a day, and two deployments would fight.
"""

from __future__ import annotations

import asyncio
import logging
import random
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.errors import TROUBLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.discord.events import Payload
    from adapters.discord.rest import Rest
    from bot.chat import Command

_log = logging.getLogger(__name__)
_CHAT_INPUT = 1
_EVERYWHERE = [0, 1, 2]  # a server, a DM with the bot, any other private channel
_INSTALLS = [0, 1]  # for a server, for a person
_DESCRIPTION_LIMIT = 100
_LONGEST_PAUSE = 3600.0


def by_name(commands: Sequence[Command]) -> tuple[Command, ...]:
    """The commands that a person types; those used on a message have no menu here yet."""
    return tuple(command for command in commands if not command.on_message)


def registration(commands: Sequence[Command]) -> list[dict[str, Any]]:
    """Return what to register. Contexts and installs are explicit: left out, they do not mean "everywhere"."""
    return [
        {
            "type": _CHAT_INPUT,
            "name": command.name,
            "description": command.description[:_DESCRIPTION_LIMIT],
            "options": [],
            "contexts": _EVERYWHERE,
            "integration_types": _INSTALLS,
        }
        for command in commands
    ]


def same(registered: Sequence[Payload], wanted: Sequence[Payload]) -> bool:
    """Tell whether Discord already has exactly these commands."""
    return sorted(map(_plain, registered)) == sorted(map(_plain, wanted))


def _plain(command: Payload) -> tuple[str, ...]:
    lists = (sorted(command.get(name) or ()) for name in ("contexts", "integration_types"))
    texts = (str(command.get("type", _CHAT_INPUT)), command["name"], command.get("description", ""))
    return (*texts, *map(str, lists), str(len(command.get("options") or ())))


async def keep_registered(rest: Rest, application: str, commands: Sequence[Command], *, retry: float) -> None:
    """Register the commands if they differ; tried until it worked, `retry` seconds apart at first, an hour at most."""
    wanted = registration(commands)
    while True:
        try:
            registered = await rest.get_global_commands(application)
            if not same(registered, wanted):
                await rest.bulk_upsert_global_commands(application, wanted)
                _log.info("Registered %d commands.", len(wanted))
        except TROUBLE as error:
            pause = error.retry_after if isinstance(error, discord.RateLimited) else retry
            _log.warning("The commands could not be registered (%s); trying again.", type(error).__name__)
        else:
            return
        await asyncio.sleep(pause * random.uniform(1.0, 1.3))  # noqa: S311 - spreads load, guards nothing
        retry = min(2 * retry, _LONGEST_PAUSE)

"""Answers commands and buttons, to the person who used them alone.

Everybody who presses is answered, whoever the button was drawn for, and only ever about themselves: whose data it is
comes from the signed event. Refuses to do anything before Discord has its acknowledgement (three seconds).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import discord

from adapters.discord import events, panels
from adapters.discord.errors import TROUBLE
from bot.chat import Ask, Audience, Panel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import Bot

_log = logging.getLogger(__name__)
_OLD_BUTTON = Panel("This button is from an older version of me. Please use the command again.")
_UNKNOWN = Panel("I do not know this command any more. Your Discord may need a restart to see the current ones.")
_FAILED = Panel("That did not work just now. Please try again in a minute.")


@dataclass(frozen=True, slots=True)
class _Use:
    """What was used: a command with an argument, or nothing that we know."""

    command: str
    argument: str = ""
    button: bool = False


async def answer(
    interaction: discord.Interaction, bot: Bot, audience: Callable[[discord.Interaction], Awaitable[Audience]]
) -> None:
    """Acknowledge an interaction, run its command, and show the panel; other kinds of interaction are left alone."""
    use = _read(interaction)
    if use is None:
        return
    if not await _acknowledged(interaction, in_place=use.button and _is_private(interaction)):
        return
    panel = await _run(interaction, bot, use, audience)
    try:
        await interaction.edit_original_response(view=panels.layout(panel))
    except TROUBLE as error:
        _log.warning("The answer to an interaction could not be shown (%s).", type(error).__name__)


def _read(interaction: discord.Interaction) -> _Use | None:
    data: events.Payload = interaction.data or {}
    if interaction.type is discord.InteractionType.application_command:
        return _Use(data["name"], " ".join(str(option.get("value", "")) for option in data.get("options", ())))
    if interaction.type is discord.InteractionType.component:
        command, argument = panels.pressed(data["custom_id"]) or ("", "")
        return _Use(command, argument, button=True)
    return None


def _is_private(interaction: discord.Interaction) -> bool:
    """Tell whether the message with the button is seen by the presser alone: then the panel changes in its place."""
    return interaction.context.dm_channel or bool(interaction.message and interaction.message.flags.ephemeral)


async def _acknowledged(interaction: discord.Interaction, *, in_place: bool) -> bool:
    try:
        await interaction.response.defer(ephemeral=True, thinking=not in_place)
    except TROUBLE as error:
        # Too late (10062), or another process with our token was first (40060): either way it is not ours to answer.
        _log.info("An interaction could not be acknowledged (%s).", type(error).__name__)
        return False
    return True


async def _run(
    interaction: discord.Interaction,
    bot: Bot,
    use: _Use,
    audience: Callable[[discord.Interaction], Awaitable[Audience]],
) -> Panel:
    if not use.command:
        return _OLD_BUTTON
    known = {command.name for command in bot.commands}
    if not use.button and use.command not in known:
        return _UNKNOWN
    try:
        return await bot.command(use.command, await _ask(interaction, use, audience))
    except Exception as error:  # noqa: BLE001 - the person is waiting: whatever went wrong, they get an answer
        _log.error("A command failed (%s).", type(error).__name__)
        return _FAILED


async def _ask(
    interaction: discord.Interaction, use: _Use, audience: Callable[[discord.Interaction], Awaitable[Audience]]
) -> Ask:
    user = interaction.user
    person = events.person({"id": str(user.id), "global_name": user.global_name, "username": user.name})
    channel = str(interaction.channel_id or 0)
    guild = str(interaction.guild_id or "")
    thread = events.thread(str(interaction.application_id), channel, await audience(interaction), guild)
    return Ask(person, thread, use.argument)

"""Runs a command for one person, as a signed body names them. Refuses to take from a body who anybody else is."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.slack.identity import (
    PLATFORM,
    home_org,
    own_in_event,
    person,
    placed,
    pressed_install,
    presser,
    slack_ids,
    workspace_of,
)
from adapters.slack.payload import text_at
from bot.chat import Ask, Audience, Panel, Thread

if TYPE_CHECKING:
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Bot, Message, User

_log = logging.getLogger(__name__)
FAILED = Panel("Something went wrong on our side. Please try again in a minute.")
NOBODY = Panel("Slack did not say who you are, so I can do nothing for you here.")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who came to the desk, and at which installation."""

    user: User
    install: str
    workspace: str = ""

    @property
    def slack_id(self) -> str:
        """Their id as Slack knows it."""
        return slack_ids(self.user)[1]

    def thread(self, channel: str, root: str) -> Thread:
        """A conversation with them."""
        return Thread(PLATFORM, self.install, channel, root, workspace=self.workspace)


def visitor(body: Json, own: Own) -> Visitor | None:
    """Who pressed a button, or used a command or a shortcut; None when the body does not say."""
    user, install = presser(body, own), pressed_install(body, own)
    return Visitor(user, install, workspace_of(body, install)) if user and install else None


def opener(body: Json, own: Own) -> Visitor | None:
    """Who an event is about that happened to one person alone, as opening App Home; None when it does not say."""
    own = own_in_event(body, own)
    user = person(home_org("", own, shared=False), text_at(body, "event", "user"))
    return Visitor(user, own.install, workspace_of(body, own.install)) if user and own.install else None


class Clerk:
    """Runs commands in the place where somebody asked for them."""

    def __init__(self, bot: Bot, workspaces: Workspaces) -> None:
        """Ask this bot, and these workspaces about people and channels."""
        self._bot, self._workspaces = bot, workspaces

    def who(self, body: Json) -> Visitor | None:
        """See `visitor`."""
        return visitor(body, self._workspaces.own(body))

    def has_window(self, name: str) -> bool:
        """Whether a command's answer belongs in a window of its own."""
        return any(command.window for command in self._bot.commands if command.name == name)

    def works_on_messages(self, name: str) -> bool:
        """Whether a command is used on a message."""
        return any(command.on_message for command in self._bot.commands if command.name == name)

    async def audience(self, who: Visitor, channel: str) -> Audience:
        """Who can read what this person says in a channel.

        Raises:
            Undeliverable: we are not installed there (any more).
        """
        workspace = await self._workspaces.of(who.install)
        return (await workspace.directory.about(channel, *slack_ids(who.user), workspace.own)).audience

    async def panel(
        self, who: Visitor | None, name: str, argument: str, thread: Thread | None, message: Message | None = None
    ) -> Panel:
        """What the command answers; a sentence when it fails."""
        if who is None or thread is None:
            return NOBODY
        try:
            audience = await self.audience(who, thread.channel) if thread.channel else Audience.UNKNOWN
            thread = placed(thread, audience)
            if message is not None:
                message = replace(message, thread=placed(message.thread, audience))
            return await self._bot.command(name, Ask(who.user, thread, argument, message))
        except Exception as error:  # noqa: BLE001 - whatever it is, the person is told that it failed
            _log.error("The command %s failed: %s", name, type(error).__name__)
            return FAILED

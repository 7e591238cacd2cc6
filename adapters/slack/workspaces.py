"""Which installations there are. With one bot token there is one; by OAuth as many as installed the app (`many`)."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Protocol

from adapters.slack.calls import BAD_TOKEN, Closed
from adapters.slack.identity import PLATFORM
from bot.chat import Undeliverable

if TYPE_CHECKING:
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from adapters.slack.workspace import Workspace
    from bot.chat import Bot

_log = logging.getLogger(__name__)


class Workspaces(Protocol):
    """The installations that this process can post for."""

    def own(self, body: Json) -> Own:
        """Who we are where this body comes from, as far as it is known without asking anybody."""
        ...

    def serves(self, install: str) -> bool:
        """Whether we hold a token for this install, as far as it is known without asking anybody."""
        ...

    def channel_changed(self, install: str, channel: str) -> None:
        """What is remembered of this channel may be out of date."""
        ...

    def person_changed(self, install: str, user: str) -> None:
        """What is remembered of this person (a user id) may be out of date."""
        ...

    def changed(self, install: str) -> None:
        """All that is remembered there may be out of date."""
        ...

    async def holds(self, install: str) -> bool:
        """Whether there is a token for this install, also when another process has just got it."""
        ...

    async def is_apart(self, install: str) -> bool:
        """Whether this one is installed by itself, and not as a part of its organisation."""
        ...

    async def since(self, install: str) -> float:
        """When the installation is known to have been there, in seconds since 1970; 0 when it is not known."""
        ...

    async def end(self, install: str) -> None:
        """The installation is over: its token and all that was remembered of it goes."""
        ...

    async def run(self, bot: Bot) -> None:
        """Keep what is known of the installations up to date, and tell the bot, until there is nothing left to learn.

        Raises:
            PermissionError: Slack does not take the token.
        """
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...

    async def of(self, install: str) -> Workspace:
        """The installation with this id.

        Raises:
            Undeliverable: there is none (any more).
        """
        ...


class OneWorkspace:
    """The one installation of the operator's own bot token."""

    def __init__(self, workspace: Workspace) -> None:
        """Give this one, whoever asks."""
        self._workspace, self._ended, self._known_at = workspace, False, 0.0

    async def run(self, bot: Bot) -> None:
        """See `Workspaces.run`: Slack is asked who we are; events do not wait for it."""
        try:
            await self._workspace.introduce()
        except Closed as closed:
            raise refused("SLACK_BOT_TOKEN", closed) from None
        self._known_at = time.time()
        await bot.installed(PLATFORM, self._workspace.own.install)

    async def close(self) -> None:
        """See `Workspaces.close`."""
        await self._workspace.close()

    def own(self, body: Json) -> Own:  # noqa: ARG002 - it is the same in all
        """See `Workspaces.own`."""
        return self._workspace.own

    def serves(self, install: str) -> bool:
        """See `Workspaces.serves`: known once Slack told us who we are."""
        own = self._workspace.own
        return bool(install) and not self._ended and install in {own.team, own.install}

    def channel_changed(self, install: str, channel: str) -> None:  # noqa: ARG002 - there is only one
        """See `Workspaces.channel_changed`."""
        self._workspace.directory.forget_channel(channel)

    def person_changed(self, install: str, user: str) -> None:  # noqa: ARG002 - there is only one
        """See `Workspaces.person_changed`."""
        self._workspace.directory.forget_person(user)

    def changed(self, install: str) -> None:
        """See `Workspaces.changed`: what is remembered is so for minutes, and a token without access reads nothing."""

    async def holds(self, install: str) -> bool:  # noqa: ARG002 - there is only one
        """See `Workspaces.holds`: what comes to the operator's own app is taken to be for it."""
        return not self._ended

    async def is_apart(self, install: str) -> bool:
        """See `Workspaces.is_apart`."""
        return self.serves(install) and install == self._workspace.own.install

    async def since(self, install: str) -> float:
        """See `Workspaces.since`."""
        return self._known_at if self.serves(install) else 0.0

    async def end(self, install: str) -> None:
        """See `Workspaces.end`: the token is the operator's setting, so all that can be done is not to use it."""
        if self.serves(install):
            self._ended = True
            _log.warning("The app was removed from its workspace: install it again, set the new token, and restart.")

    async def of(self, install: str) -> Workspace:  # noqa: ARG002 - `serves` keeps other installs' work away
        """See `Workspaces.of`."""
        if self._ended:
            raise Undeliverable("The app was removed from this workspace.")
        return self._workspace


def refused(setting: str, closed: Closed) -> PermissionError:
    """The sentence for the operator whose token Slack does not take."""
    if closed.error in BAD_TOKEN:
        return PermissionError(f"Slack does not take {setting} ({closed.error}): copy the app's current token into it.")
    return PermissionError(f"Slack refuses {setting} ({closed.error}): reinstall the app with the scopes it asks for.")

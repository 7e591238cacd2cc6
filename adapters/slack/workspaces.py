"""Which installations there are. With one bot token there is one; its token is the operator's."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from adapters.slack.calls import open_client
from adapters.slack.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.slack.identity import Own
    from adapters.slack.payload import Json


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
        self._workspace = workspace

    def own(self, body: Json) -> Own:  # noqa: ARG002 - it is the same in all
        """See `Workspaces.own`."""
        return self._workspace.own

    def serves(self, install: str) -> bool:
        """See `Workspaces.serves`: known once Slack told us who we are."""
        own = self._workspace.own
        return bool(install) and install in {own.team, own.install}

    def channel_changed(self, install: str, channel: str) -> None:  # noqa: ARG002 - there is only one
        """See `Workspaces.channel_changed`."""
        self._workspace.directory.forget_channel(channel)

    async def of(self, install: str) -> Workspace:  # noqa: ARG002 - `serves` keeps other installs' work away
        """See `Workspaces.of`."""
        return self._workspace


@contextlib.asynccontextmanager
async def open_one(token: str, api_url: str, *, update_every: float, files_url: str | None) -> AsyncIterator[Workspace]:
    """Open the installation of a token."""
    async with open_client(token, api_url) as client:
        workspace = Workspace(client, update_every=update_every, files_url=files_url)
        try:
            yield workspace
        finally:
            await workspace.close()

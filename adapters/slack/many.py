"""The installations that OAuth made, each opened at its first use. Refuses an install that we hold no token for.

Which there are is asked again every half minute, as other processes add and end some, and at once where it matters.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from adapters.slack.identity import PLATFORM, Own, own_in_event, pressed_install
from adapters.slack.installation import read_kept
from adapters.slack.payload import dict_at, dicts_at, text_at
from adapters.slack.tokens import InstalledClient, Renewing
from adapters.slack.workspace import Workspace
from bot.chat import Undeliverable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import aiohttp
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.installation import Installation
    from adapters.slack.payload import Json
    from adapters.slack.tokens import AppKeys
    from bot.chat import Bot, Installs

_log = logging.getLogger(__name__)
_REFRESH_EVERY = 30.0
_MOST_OPEN, _IDLE = 500, 600.0  # installations; seconds after which one may be closed when there are more
_RETIRED = 300.0  # seconds from the end of an installation's use to its closing


class Terms(NamedTuple):
    """How an installation is worked with; see `SlackPlatform`."""

    api_url: str
    update_every: float
    files_url: str | None
    follow_ups: str

    def workspace(self, client: AsyncWebClient, own: Own | None = None) -> Workspace:
        """An installation, opened on these terms."""
        return Workspace(
            client, update_every=self.update_every, own=own, files_url=self.files_url, follow_ups=self.follow_ups
        )


class _Open:
    """An open installation, and when it was used last."""

    def __init__(self, workspace: Workspace, renewing: Renewing) -> None:
        self.workspace, self.renewing, self.used_at = workspace, renewing, time.monotonic()

    async def close(self) -> None:
        await self.workspace.close()
        await self.renewing.close()


class ManyWorkspaces:
    """The installations of an app, as many as there are."""

    def __init__(
        self, installs: Installs, app: AppKeys, session: aiohttp.ClientSession, client: AsyncWebClient, terms: Terms
    ) -> None:
        """Read what `installs` keeps; `client` needs no token: it asks for new ones."""
        self._installs, self._app, self._session, self._client, self._terms = installs, app, session, client, terms
        self._names: set[str] = set()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._opening = asyncio.Lock()
        self._ended = asyncio.Event()
        self.most_open, self.idle = _MOST_OPEN, _IDLE
        self._closing: set[asyncio.Task[None]] = set()

    async def run(self, bot: Bot) -> None:
        """See `Workspaces.run`: keep up with what other processes add and end, until cancelled."""
        del bot  # was told when they were installed
        while True:
            await asyncio.sleep(_REFRESH_EVERY)
            await self.refresh()

    async def refresh(self) -> None:
        """Ask which installations there are; on failure what was known stays."""
        try:
            self._names = set(await self._installs.names())
        except Exception as error:  # noqa: BLE001 - a store of whatever kind; it is asked again
            _log.warning("Which workspaces are installed could not be read: %s", type(error).__name__)
            return
        for gone in self._open.keys() - self._names:
            self._shut(gone)

    def own(self, body: Json) -> Own:
        """See `Workspaces.own`."""
        told = next((name for name in _told(body) if name in self._names or name in self._open), "")
        opened = self._open.get(told)
        if opened is not None:
            return opened.workspace.own
        return Own(enterprise=told, org_wide=True) if told.startswith("E") else Own()

    def serves(self, install: str) -> bool:
        """See `Workspaces.serves`."""
        return install in self._names

    def channel_changed(self, install: str, channel: str) -> None:
        """See `Workspaces.channel_changed`."""
        if opened := self._open.get(install):
            opened.workspace.directory.forget_channel(channel)

    def person_changed(self, install: str, user: str) -> None:
        """See `Workspaces.person_changed`."""
        if opened := self._open.get(install):
            opened.workspace.directory.forget_person(user)

    def changed(self, install: str) -> None:
        """See `Workspaces.changed`."""
        self._shut(install)

    async def holds(self, install: str) -> bool:
        """See `Workspaces.holds`."""
        if install not in self._names and await self._read(install) is not None:
            self._names.add(install)
        return install in self._names

    async def is_apart(self, install: str) -> bool:
        """See `Workspaces.is_apart`."""
        return await self.holds(install)

    async def since(self, install: str) -> float:
        """See `Workspaces.since`."""
        kept = await self._read(install)
        return kept.made_at if kept else 0.0

    async def _read(self, install: str) -> Installation | None:
        return read_kept(await self._installs.get(install)) if install else None

    async def keep(self, installation: Installation, bot: Bot) -> None:
        """Keep a new installation, over the one before: no renewal of the old token may come in between."""
        install = installation.own.install
        async with self._installs.alone(install):
            await self._installs.put(install, installation.text())
        await bot.installed(PLATFORM, install)  # only from now on a text counts that was kept after an end
        self._names.add(install)
        if opened := self._open.get(install):
            opened.renewing.adopt(installation)

    async def end(self, install: str) -> None:
        """See `Workspaces.end`."""
        self._names.discard(install)
        self._shut(install)
        await self._installs.drop(install)

    async def of(self, install: str) -> Workspace:
        """See `Workspaces.of`."""
        opened = self._open.get(install)
        if opened is None:
            async with self._opening:  # two at a time must not get two of it
                opened = self._open.get(install) or await self._opened(install)
        opened.used_at = time.monotonic()
        if install in self._open:
            self._open.move_to_end(install)
        return opened.workspace

    async def _opened(self, install: str) -> _Open:
        kept = await self._read(install)
        if kept is None or kept.own.install != install:
            self._names.discard(install)
            raise Undeliverable("The app is not installed there (any more).")
        client = InstalledClient(self._session, self._terms.api_url)
        workspace = self._terms.workspace(client, kept.own)

        def known(own: Own) -> None:
            workspace.own = own

        client.renewing = Renewing(kept, self._installs, self._app, self._client, known)
        self._names.add(install)
        self._make_room()
        self._open[install] = opened = _Open(workspace, client.renewing)
        return opened

    def _make_room(self) -> None:
        oldest = next(iter(self._open), "")
        if len(self._open) >= self.most_open and time.monotonic() - self._open[oldest].used_at >= self.idle:
            self._shut(oldest)

    def _shut(self, install: str) -> None:
        if opened := self._open.pop(install, None):
            task = asyncio.ensure_future(self._retire(opened))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _retire(self, opened: _Open) -> None:
        # A turn may still be using it; what it does there ends by itself, or as Slack refuses it.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_RETIRED):
                await self._ended.wait()
        await opened.close()

    async def close(self) -> None:
        """Close all that are open."""
        self._ended.set()
        for install in list(self._open):
            self._shut(install)
        await asyncio.gather(*self._closing, return_exceptions=True)


def _told(body: Json) -> Iterator[str]:
    """The installations that a body may belong to, the likeliest first."""
    nobody = Own()
    is_event = bool(dict_at(body, "event"))
    yield own_in_event(body, nobody).install if is_event else pressed_install(body, nobody)
    # An installation for a whole organisation, where the body does not say that it is one.
    first = next(iter(dicts_at(body, "authorizations")), {})
    yield text_at(first, "enterprise_id") or text_at(body, "enterprise_id") or text_at(body, "enterprise", "id")

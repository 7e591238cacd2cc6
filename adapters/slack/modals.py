"""Windows: opened at once, filled when the answer is there, changed in place. They keep a channel and a root only.

What a window carries about where it was opened comes back in a signed body; who somebody is never comes from it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.panel import view_blocks
from adapters.slack.payload import dict_at, is_true, text_at
from bot.chat import Panel, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from adapters.slack.calls import Calls
    from adapters.slack.payload import Json
    from adapters.slack.workspaces import Workspaces

_log = logging.getLogger(__name__)
_LONGEST_TITLE, _LONGEST_METADATA = 24, 3_000
_OPEN_WITHIN = 2.5  # seconds: Slack takes a trigger for three
_SHOWS_AFTER = 0.5
_PATIENCE = 20.0
_TRIES, _PAUSE = 3, 0.2
_CLOSED = frozenset({"not_found", "view_not_found"})
_REFUSED = frozenset({"invalid_blocks", "invalid_arguments", "view_too_large", "msg_too_long"})
LOADING = Panel("One moment…")
DONE = Panel("Done.")
CUT = Panel("This could not be shown here. Please ask me for it in a direct message.")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a window was opened. `home`: on App Home, which shows the same and has to follow."""

    channel: str = ""
    root: str = ""
    home: bool = False

    def written(self) -> str:
        """As a window's private metadata."""
        text = json.dumps({"channel": self.channel, "root": self.root, "home": self.home})
        return text if len(text) <= _LONGEST_METADATA else "{}"


def place_of(body: Json) -> Place:
    """Where the window was opened in which a button was pressed; nowhere when it does not say."""
    try:
        data = json.loads(text_at(body, "view", "private_metadata") or "{}")
    except ValueError:
        return Place()
    if not isinstance(data, dict):
        return Place()
    return Place(text_at(data, "channel"), text_at(data, "root"), is_true(data, "home"))


def is_window(body: Json) -> bool:
    """Whether a button was pressed in a window."""
    return text_at(body, "view", "type") == "modal"


def title_of(name: str) -> str:
    """A window's title, from the name of its command."""
    return name.replace("-", " ").strip().capitalize()[:_LONGEST_TITLE] or "…"


def modal_view(title: str, panel: Panel, place: Place, external_id: str = "") -> Json:
    """A panel as a window."""
    view: Json = {
        "type": "modal",
        "title": {"type": "plain_text", "text": title[:_LONGEST_TITLE] or "…"},
        "close": {"type": "plain_text", "text": "Close"},
        "private_metadata": place.written(),
        "blocks": view_blocks(panel if panel != Panel("") else DONE),
    }
    return view | ({"external_id": external_id} if external_id else {})


@dataclass(frozen=True, slots=True)
class Opened:
    """A window that was opened; not `sure` when Slack's answer was lost."""

    external_id: str
    sure: bool = True


class Modals:
    """The windows of all installations."""

    def __init__(self, workspaces: Workspaces) -> None:
        """Open them through these workspaces."""
        self._workspaces = workspaces
        self._turns: dict[str, int] = {}

    async def open(self, body: Json, install: str, title: str, place: Place) -> Opened | None:
        """Open a window that says to wait, while its trigger is good; None when it did not open."""
        external_id = uuid.uuid4().hex
        view = modal_view(title, LOADING, place, external_id)
        arguments: Json = {"trigger_id": text_at(body, "trigger_id"), "view": view}
        if not arguments["trigger_id"]:
            return None
        try:
            calls = await self._calls(install)
            await calls("views.open", arguments, patience=_OPEN_WITHIN, wait=False)
        except CallError as failed:
            _log.info("A window was not opened: %s", failed.error)
            return Opened(external_id, sure=False) if failed.lost else None  # it may stand there: `fill` finds out
        except Undeliverable:
            return None
        return Opened(external_id)

    async def fill(self, install: str, opened: Opened, title: str, panel: Panel, place: Place) -> bool:
        """Show a panel in a window; False when it has still to be shown. Whoever closed the window has seen enough."""
        view = modal_view(title, panel, place, opened.external_id)
        error = await self._update(install, {"external_id": opened.external_id}, view)
        return not error or (error in _CLOSED and opened.sure)

    async def change(self, body: Json, install: str, running: Awaitable[Panel]) -> None:
        """Show what a press in a window led to, in the same window; of two presses at once the later one stays."""
        view = dict_at(body, "view")
        where, title, place = {"view_id": text_at(view, "id")}, text_at(view, "title", "text"), place_of(body)
        external_id = text_at(view, "external_id")
        turn = self._turns[where["view_id"]] = self._turns.get(where["view_id"], 0) + 1
        work = asyncio.ensure_future(running)
        try:
            await asyncio.wait({work}, timeout=_SHOWS_AFTER)
            if not work.done() and self._turns[where["view_id"]] == turn:
                await self._update(install, {**where}, modal_view(title, LOADING, place, external_id))
            panel = await work
            if self._turns[where["view_id"]] == turn:
                await self._update(install, {**where}, modal_view(title, panel, place, external_id))
        finally:
            if self._turns.get(where["view_id"]) == turn:
                del self._turns[where["view_id"]]

    async def _update(self, install: str, where: Json, view: Json) -> str:
        """Why a window was not changed; "" when it was. To show the same twice changes nothing more."""
        error = ""
        for _ in range(_TRIES):
            try:
                calls = await self._calls(install)
                await calls("views.update", {**where, "view": view}, patience=_PATIENCE)
            except Undeliverable:
                return "undeliverable"
            except CallError as failed:
                error = failed.error
                if failed.lost:
                    await asyncio.sleep(_PAUSE)
                    continue
            else:
                return ""
            break
        return await self._cut(install, where, view) if error in _REFUSED else error

    async def _cut(self, install: str, where: Json, view: Json) -> str:
        _log.warning("A window could not be filled as it is.")
        cut = view_blocks(CUT)
        return "refused" if view["blocks"] == cut else await self._update(install, where, {**view, "blocks": cut})

    async def _calls(self, install: str) -> Calls:
        return (await self._workspaces.of(install)).calls

"""App Home: the page of one person's memory, which only that person sees. Refuses to show anybody another's.

It is published when it is opened and after each press on it; a failure leaves what stood there before.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.clerk import FAILED
from adapters.slack.modals import Place
from adapters.slack.panel import view_blocks
from adapters.slack.payload import dict_at, text_at
from bot.chat import Action, Audience, Panel, Undeliverable

if TYPE_CHECKING:
    from adapters.slack.clerk import Clerk, Visitor
    from adapters.slack.payload import Json
    from adapters.slack.workspaces import Workspaces

_log = logging.getLogger(__name__)
PAGE = "home"
_TITLE = "Your memory"
_ALONE = "Only you see this page."
_MOST_ON_TOP = 20
_PATIENCE = 20.0
_LOADING = Panel("Looking up what I remember about you…")
_UNREAD = Panel("I could not read your memory just now. Please try again.", actions=(Action("Try again", PAGE),))
_REFRESH = Action("Refresh", PAGE)
_STRANGER = Panel(
    "You belong to another organisation than the one I work for here, so I keep no memory of you and have none to show."
)


def is_home(body: Json) -> bool:
    """Whether a button was pressed on App Home."""
    return text_at(body, "view", "type") == "home"


def home_view(panel: Panel, channel: str, told: Panel | None = None) -> Json:
    """The page, under what a press on it led to (`told`)."""
    top: list[Json] = [
        {"type": "header", "text": {"type": "plain_text", "text": _TITLE}},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": _ALONE}]},
    ]
    if told and (told.text or told.items):
        top += [*view_blocks(told, _MOST_ON_TOP, place="top"), {"type": "divider"}]
    blocks = top + view_blocks(panel, 100 - len(top))
    return {"type": "home", "private_metadata": Place(channel, channel, home=True).written(), "blocks": blocks}


class Home:
    """The pages of all installations."""

    def __init__(self, clerk: Clerk, workspaces: Workspaces) -> None:
        """Ask this clerk, publish through these workspaces."""
        self._clerk, self._workspaces = clerk, workspaces
        self._turns: dict[tuple[str, str], int] = {}

    async def opened(self, body: Json, who: Visitor) -> None:
        """Show the page to whoever opened it; a word to wait only where nothing stands there yet."""
        channel = text_at(body, "event", "channel")
        if not dict_at(body, "event", "view"):
            await self._publish(who, home_view(_LOADING, channel))
        await self.show(who, channel)

    async def pressed(self, who: Visitor, channel: str, name: str, argument: str) -> None:
        """Run what was pressed for whoever pressed it, then show the page anew, with what came of it on top."""
        if name == PAGE:
            await self.show(who, channel, argument)
            return
        told = await self._clerk.panel(who, name, argument, who.thread(channel, channel))
        await self.show(who, channel, told=told)

    async def show(self, who: Visitor, channel: str, argument: str = "", told: Panel | None = None) -> None:
        """Publish the page as it is now; when several are on their way, the last one stays."""
        key = who.install, who.user.id
        turn = self._turns[key] = self._turns.get(key, 0) + 1
        try:
            panel = await self._panel(who, channel, argument)
            if self._turns[key] == turn:
                await self._publish(who, home_view(panel, channel, told))
        finally:
            if self._turns.get(key) == turn:
                del self._turns[key]

    async def _panel(self, who: Visitor, channel: str, argument: str) -> Panel:
        try:
            if channel and await self._clerk.audience(who, channel) is Audience.EXTERNAL:
                return _STRANGER
        except Undeliverable:
            return _UNREAD
        panel = await self._clerk.panel(who, PAGE, argument, who.thread(channel, channel))
        if panel is FAILED:
            return _UNREAD
        return Panel(panel.text, panel.items, (*panel.actions, _REFRESH))

    async def _publish(self, who: Visitor, view: Json) -> None:
        try:
            calls = (await self._workspaces.of(who.install)).calls
            await calls("views.publish", {"user_id": who.slack_id, "view": view}, patience=_PATIENCE)
        except (CallError, Undeliverable) as failed:
            _log.warning("App Home was not published: %s", getattr(failed, "error", type(failed).__name__))

"""Takes in Slack's events: the row first, the acknowledgement after. Refuses to acknowledge what was not accepted.

It runs before Bolt authorizes anything, so that a slow or failing `auth.test` can neither delay the acknowledgement
nor lose an event (Bolt answers 200 when it cannot authorize). Retry headers say nothing here: the row's key does.
"""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, TypeAlias

from adapters.slack.events import Deleted, Edited, Said, Stopped, changed_channel, read_event
from adapters.slack.identity import own_in_event
from adapters.slack.payload import text_at
from bot.chat import NotAccepted, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.slack.events import Heard
    from adapters.slack.payload import Json
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Bot

    Opened: TypeAlias = Callable[[Json], Awaitable[None]]

_log = logging.getLogger(__name__)
TAKEN, SEND_AGAIN = 200, 503
_OPENINGS = frozenset({"app_home_opened", "app_context_changed"})


class Inbox:
    """The way in for everything that people say. The bot bounds how long it takes to accept something."""

    def __init__(
        self, bot: Bot, workspaces: Workspaces, opened: Opened | None = None, *, follow_ups: str = "one-human"
    ) -> None:
        """Tell this bot what comes from these workspaces, and `opened` when somebody opens our page or chat.

        With `follow_ups` "never", nothing is told of what does not call us.
        """
        self._bot, self._workspaces, self._opened = bot, workspaces, opened
        self._follows_up = follow_ups != "never"

    async def take(self, body: Json) -> int:
        """Take in one Events API body; the HTTP status that tells Slack whether to send it again."""
        own = self._workspaces.own(body)
        if channel := changed_channel(body):
            self._workspaces.channel_changed(own_in_event(body, own).install, channel)
        if self._opened and text_at(body, "event", "type") in _OPENINGS:
            await self._opened(body)
            return TAKEN
        try:
            heard = read_event(body, own)
        except RecursionError:  # nested deeper than anybody writes: there is nothing in it to follow
            _log.info("An event that is nested too deep was ignored.")
            return TAKEN
        if heard is None or (isinstance(heard, Said) and not (heard.message.called or self._follows_up)):
            return TAKEN
        try:
            await self._tell(heard)
        except NotAccepted:
            _log.warning("An event was not accepted; Slack will send it again.")
            return SEND_AGAIN
        except ValueError:
            _log.warning("An event named somebody whose id cannot name a memory space; it was ignored.")
        return TAKEN

    async def _tell(self, heard: Heard) -> None:
        match heard:
            case Said(message):
                await self._bot.message(message)
            case Edited(message, calls):
                await self._bot.edited(message, calls=calls)
            case Deleted(key):
                await self._bot.deleted(key)
            case Stopped(thread, user):
                await self._bot.stopped(thread, user)
                with contextlib.suppress(Undeliverable):
                    (await self._workspaces.of(thread.install)).sessions.stopped(thread)

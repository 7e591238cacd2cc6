"""Takes in Slack's events: the row first, the acknowledgement after. Refuses to acknowledge what was not accepted.

It runs before Bolt authorizes anything, so that a slow or failing `auth.test` can neither delay the acknowledgement
nor lose an event (Bolt answers 200 when it cannot authorize). Retry headers say nothing here: the row's key does.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.events import Deleted, Edited, Said, Stopped, changed_channel, read_event
from bot.chat import NotAccepted

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.slack.directory import Directory
    from adapters.slack.events import Heard
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from adapters.slack.status import Sessions
    from bot.chat import Bot

_log = logging.getLogger(__name__)
TAKEN, SEND_AGAIN = 200, 503


class Inbox:
    """The way in for everything that people say. The bot bounds how long it takes to accept something."""

    def __init__(self, bot: Bot, directory: Directory, sessions: Sessions, own: Callable[[], Own]) -> None:
        """Tell this bot; `own` says who we are, as far as it is known yet."""
        self._bot, self._directory, self._sessions, self._own = bot, directory, sessions, own

    async def take(self, body: Json) -> int:
        """Take in one Events API body; the HTTP status that tells Slack whether to send it again."""
        if channel := changed_channel(body):
            self._directory.forget_channel(channel)
        heard = read_event(body, self._own())
        if heard is None:
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
                self._sessions.stopped(thread)

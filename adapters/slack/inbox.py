"""Takes in Slack's events: the row first, the acknowledgement after. Refuses to acknowledge what was not accepted.

It runs before Bolt authorizes anything, so that a slow or failing `auth.test` can neither delay the acknowledgement
nor lose an event (Bolt answers 200 when it cannot authorize). Retry headers say nothing here: the row's key does.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from adapters.slack.events import Deleted, Edited, Said, read_event
from bot.chat import NotAccepted

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.slack.events import Heard
    from adapters.slack.identity import Own
    from adapters.slack.payload import Json
    from bot.chat import Bot

_log = logging.getLogger(__name__)
_ACCEPT_WITHIN = 2.0  # Slack waits three seconds
TAKEN, SEND_AGAIN = 200, 503


class Inbox:
    """The way in for everything that people say."""

    def __init__(self, bot: Bot, own: Callable[[], Own], *, accept_within: float = _ACCEPT_WITHIN) -> None:
        """Tell this bot; `own` says who we are, as far as it is known yet."""
        self._bot, self._own, self._within = bot, own, accept_within

    async def take(self, body: Json) -> int:
        """Take in one Events API body; the HTTP status that tells Slack whether to send it again."""
        heard = read_event(body, self._own())
        if heard is None:
            return TAKEN
        try:
            async with asyncio.timeout(self._within):
                await self._tell(heard)
        except (NotAccepted, TimeoutError) as error:
            _log.warning("An event was not accepted (%s); Slack will send it again.", type(error).__name__)
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

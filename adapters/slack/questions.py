"""Takes in questions that only their author sees answered. Refuses those that name nobody, or could not be kept."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.clerk import FAILED, NOBODY
from adapters.slack.panel import panel_bodies
from adapters.slack.shortcuts import USAGE, asked, caught_up
from bot.chat import NotAccepted, Panel, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from adapters.slack.asks import Whispers
    from adapters.slack.clerk import Visitor
    from adapters.slack.payload import Json
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Bot, Message

    Ack: TypeAlias = Callable[..., Awaitable[object]]

_log = logging.getLogger(__name__)
_THINKING = "_Thinking… only you will see the answer._"
_READING = Panel("_Reading this conversation… only you will see the answer._")
_BUSY = Panel("I could not take that just now. Please ask again in a minute.")


class Questions:
    """The platform's own doors to an answer."""

    def __init__(self, bot: Bot, workspaces: Workspaces, whispers: Whispers) -> None:
        """Hand them to this bot; remember in `whispers` where each can be answered."""
        self._bot, self._workspaces, self._whispers = bot, workspaces, whispers

    async def ask(self, body: Json, ack: Ack, who: Visitor) -> None:
        """Take in what `/ask` asks, as any message; its answer comes in the place of the acknowledgement."""
        message = asked(body, who, self._workspaces.own(body).user)
        if message is None:
            await ack({"response_type": "ephemeral", "text": USAGE})
            return
        door = self._whispers.opened(message, body, replaces=True)
        trouble = await self._tell_bot(message)
        first: Json = panel_bodies(trouble)[0] if trouble else {"text": _THINKING}
        await ack({"response_type": "ephemeral", **first})
        door.show()

    async def catch_up(self, body: Json, who: Visitor) -> None:
        """Take in that the conversation of a message shall be summed up for whoever used the shortcut."""
        message = caught_up(body, who)
        if message is None:
            return
        door = self._whispers.opened(message, body, replaces=False)
        bodies = panel_bodies(await self._tell_bot(message) or _READING)
        try:
            await self._whispers.tell(message.thread, bodies)
        except (CallError, Undeliverable) as error:
            _log.info("A sign of life was not shown: %s", type(error).__name__)
        finally:
            door.show()

    async def _tell_bot(self, message: Message) -> Panel | None:
        """Hand a question over; what to say when it was not taken."""
        try:
            await self._bot.message(message)
        except NotAccepted:
            return _BUSY
        except ValueError:
            return NOBODY
        except Exception as error:  # noqa: BLE001 - whatever it is, the person is told that it failed
            _log.error("A private question failed: %s", type(error).__name__)
            return FAILED
        return None

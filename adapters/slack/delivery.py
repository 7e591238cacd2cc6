"""Brings panels to one person: by the address that came with a request, as a whisper, or as a message in their DM."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.asks import is_private_root
from adapters.slack.calls import CallError
from adapters.slack.history import panel_metadata
from adapters.slack.identity import slack_ids
from adapters.slack.messages import is_ts
from adapters.slack.panel import panel_bodies
from bot.chat import Audience, Panel, Undeliverable

if TYPE_CHECKING:
    from adapters.slack.asks import Whispers
    from adapters.slack.clerk import Visitor
    from adapters.slack.payload import Json
    from adapters.slack.responder import Responder
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Thread, User

_log = logging.getLogger(__name__)


class Delivery:
    """The ways to one person, in all installations."""

    def __init__(self, workspaces: Workspaces, whispers: Whispers, respond: Responder) -> None:
        """Answer through the address of a request, else through these workspaces."""
        self._workspaces, self._whispers, self._respond = workspaces, whispers, respond

    async def send(
        self, body: Json, who: Visitor | None, panel: Panel, thread: Thread | None, *, replace: bool
    ) -> None:
        """The answer, to that person only; if Slack's address is spent, as a whisper. Nothing when it says nothing."""
        if not replace and panel == Panel(""):
            return
        bodies = panel_bodies(panel)
        in_thread = {"thread_ts": thread.root} if thread and not replace and is_ts(thread.root) else {}
        if await self._respond(body, {**bodies[0], **in_thread, "replace_original": replace}):
            await self.send_rest(body, [{**content, **in_thread} for content in bodies[1:]])
            return
        try:
            if thread is not None and thread.channel:
                await self._whisper(who, thread, bodies)
        except (CallError, Undeliverable) as error:
            _log.warning("An answer to a command could not be shown: %s", type(error).__name__)

    async def send_rest(self, body: Json, bodies: list[Json]) -> None:
        """Further messages, after the first one."""
        for content in bodies:
            await self._respond(body, {**content, "replace_original": False})

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        """Show a panel to one person: in a DM as a message, elsewhere as one that only they see.

        Raises:
            Undeliverable: Slack said for good that it cannot be shown.
            CallError: anything else.
        """
        bodies = panel_bodies(panel)
        private = is_private_root(thread.root)
        if not private and (thread.audience is Audience.DM or thread.channel.startswith("D")):
            calls = (await self._workspaces.of(thread.install)).calls
            for content in bodies:
                post = {"channel": thread.channel, **_in_thread(thread), **content, "metadata": panel_metadata()}
                await calls("chat.postMessage", post)
            return
        await self._whisper_to(slack_ids(user)[1], thread, bodies)

    async def _whisper(self, who: Visitor | None, thread: Thread, bodies: list[Json]) -> None:
        if who:
            await self._whisper_to(who.slack_id, thread, bodies)

    async def _whisper_to(self, user: str, thread: Thread, bodies: list[Json]) -> None:
        if is_private_root(thread.root):
            await self._whispers.tell(thread, bodies)
            return
        calls = (await self._workspaces.of(thread.install)).calls
        for content in bodies:
            await calls(
                "chat.postEphemeral", {"channel": thread.channel, "user": user, **_in_thread(thread), **content}
            )


def _in_thread(thread: Thread) -> Json:
    """What puts a message into its thread, where it is one."""
    return {"thread_ts": thread.root} if is_ts(thread.root) else {}

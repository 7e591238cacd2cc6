"""Slash commands, buttons and notices: what only one person shall see. Acknowledges first; refuses other apps' buttons.

Who asks is taken from the signed body (`user_id`, `user.id`), never from the button: it acts for whoever pressed it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.identity import PLATFORM, placed, pressed_install, presser, slack_ids, workspace_of
from adapters.slack.panel import panel_bodies, pressed
from adapters.slack.payload import is_true, text_at
from bot.chat import Ask, Audience, Panel, Thread, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.slack.payload import Json
    from adapters.slack.responder import Responder
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Bot, User

_log = logging.getLogger(__name__)
_AT_ONCE = 0.5  # seconds in which an answer still comes as the acknowledgement itself
_GRACE = 5.0
_WAIT = "Just a moment…"
_FAILED = Panel("Something went wrong on our side. Please try again in a minute.")
_NOBODY = Panel("Slack did not say who you are, so I can do nothing for you here.")


class Desk:
    """Answers one person at a time, each in the background of its acknowledgement."""

    def __init__(self, bot: Bot, workspaces: Workspaces, respond: Responder) -> None:
        """Ask this bot; answer through these workspaces, or through the address that Slack gives with each request."""
        self._bot, self._workspaces, self._respond = bot, workspaces, respond
        self._running: set[asyncio.Task[None]] = set()

    async def command(self, body: Json, ack: Callable[..., Awaitable[object]]) -> None:
        """Answer a slash command; it has no thread, as Slack has none for it."""
        channel = text_at(body, "channel_id")
        name = text_at(body, "command").removeprefix("/").lower()
        running = asyncio.ensure_future(self._panel(body, name, text_at(body, "text").strip(), channel, channel))
        await asyncio.wait({running}, timeout=_AT_ONCE)
        bodies = panel_bodies(running.result()) if running.done() else []
        first = bodies[0] if bodies else {"text": _WAIT}
        await ack({"response_type": "ephemeral", **first})
        self._spawn(self._send_rest(body, bodies[1:]) if bodies else self._send(body, running, channel, channel))

    async def action(self, body: Json, ack: Callable[..., Awaitable[object]]) -> None:
        """Run what a button stands for; the answer takes the place of the message with the button."""
        await ack()
        press, channel = pressed(body), text_at(body, "channel", "id") or text_at(body, "container", "channel_id")
        if press is None or not channel:
            return
        root = _root(body) or channel
        running = asyncio.ensure_future(self._panel(body, *press, channel, root))
        self._spawn(self._send(body, running, channel, root))

    def _spawn(self, work: Awaitable[None]) -> None:
        # Bolt keeps no reference to its own tasks; these must not be collected, and shall end with us.
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """Let what is running finish, within a few seconds."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=_GRACE)
            for task in late:
                task.cancel()

    async def _panel(self, body: Json, name: str, argument: str, channel: str, root: str) -> Panel:
        own = self._workspaces.own(body)
        user, install = presser(body, own), pressed_install(body, own)
        if user is None:
            return _NOBODY
        workspace = await self._workspaces.of(install)
        about = await workspace.directory.about(channel, *slack_ids(user), workspace.own)
        thread = Thread(PLATFORM, install, channel, root, workspace=workspace_of(body, install))
        try:
            return await self._bot.command(name, Ask(user, placed(thread, about.audience), argument))
        except Exception as error:  # noqa: BLE001 - whatever it is, the person is told that it failed
            _log.error("The command %s failed: %s", name, type(error).__name__)
            return _FAILED

    async def _send(self, body: Json, running: asyncio.Future[Panel], channel: str, root: str) -> None:
        """The answer in the place of what the person saw so far; if Slack's address is spent, beside it."""
        bodies = panel_bodies(await running)
        if await self._respond(body, {**bodies[0], "replace_original": True}):
            await self._send_rest(body, bodies[1:])
            return
        own = self._workspaces.own(body)
        user = presser(body, own)
        try:
            if user is not None:
                await self._whisper(user, Thread(PLATFORM, pressed_install(body, own), channel, root), bodies)
        except (CallError, Undeliverable) as error:
            _log.warning("An answer to a command could not be shown: %s", type(error).__name__)

    async def _send_rest(self, body: Json, bodies: list[Json]) -> None:
        for content in bodies:
            await self._respond(body, content)

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        """Show a panel to one person: in a DM as a message, elsewhere as one that only they see.

        Raises:
            Undeliverable: Slack said for good that it cannot be shown.
            CallError: anything else.
        """
        bodies, calls = panel_bodies(panel), (await self._workspaces.of(thread.install)).calls
        if thread.audience is Audience.DM or thread.channel.startswith("D"):
            for content in bodies:
                await calls("chat.postMessage", {"channel": thread.channel, **_in_thread(thread), **content})
            return
        await self._whisper(user, thread, bodies)

    async def _whisper(self, user: User, thread: Thread, bodies: list[Json]) -> None:
        calls = (await self._workspaces.of(thread.install)).calls
        to = {"channel": thread.channel, "user": slack_ids(user)[1], **_in_thread(thread)}
        for content in bodies:
            await calls("chat.postEphemeral", {**to, **content})


def _in_thread(thread: Thread) -> Json:
    """A slash command knows no thread: its root is the channel."""
    return {"thread_ts": thread.root} if thread.root != thread.channel else {}


def _root(body: Json) -> str:
    """The thread that a button stands in: the same root as the message's own. An ephemeral message starts none."""
    thread = text_at(body, "container", "thread_ts") or text_at(body, "message", "thread_ts")
    container = body.get("container")
    if thread or (isinstance(container, dict) and is_true(container, "is_ephemeral")):
        return thread
    return text_at(body, "message", "ts") or text_at(body, "container", "message_ts")

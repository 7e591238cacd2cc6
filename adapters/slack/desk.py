"""Commands, shortcuts, buttons, windows and notices: what only one person shall see. Acknowledges first.

Who asks is taken from the signed body (`user_id`, `user.id`), never from a button or a window: these act for whoever
pressed them. Refuses other apps' buttons, and to put anything of one person's in the place of what others can read.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from adapters.slack.agentview import AgentView
from adapters.slack.asks import Whispers, private_root
from adapters.slack.clerk import Clerk, opener
from adapters.slack.delivery import Delivery
from adapters.slack.foot import read_foot
from adapters.slack.home import Home, is_home
from adapters.slack.messages import message_in
from adapters.slack.modals import Modals, Place, is_window, place_of, title_of
from adapters.slack.panel import is_foot, panel_bodies, pressed
from adapters.slack.payload import is_true, text_at
from adapters.slack.questions import Questions
from adapters.slack.shortcuts import ASK, CATCH_UP, used
from bot.chat import Panel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from adapters.slack.clerk import Visitor
    from adapters.slack.payload import Json
    from adapters.slack.responder import Responder
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Bot, Message, Thread, User

    Ack: TypeAlias = Callable[..., Awaitable[object]]

_log = logging.getLogger(__name__)
_AT_ONCE = 0.5  # seconds in which an answer still comes as the acknowledgement itself
_GRACE = 5.0
_WAIT = "Just a moment…"
_NO_MESSAGE = Panel("Slack did not say which message that was, so I can do nothing with it.")


class Desk:
    """Answers one person at a time, each in the background of its acknowledgement."""

    def __init__(self, bot: Bot, workspaces: Workspaces, respond: Responder) -> None:
        """Ask this bot; answer through these workspaces, or through the address that Slack gives with each request."""
        self._workspaces = workspaces
        self._clerk, self._modals = Clerk(bot, workspaces), Modals(workspaces)
        self._home = Home(self._clerk, workspaces)
        self.whispers, self.agents = Whispers(workspaces, respond), AgentView(workspaces)
        self._questions = Questions(bot, workspaces, self.whispers)
        self._delivery = Delivery(workspaces, self.whispers, respond)
        self._running: set[asyncio.Task[None]] = set()

    async def command(self, body: Json, ack: Ack) -> None:
        """Answer a slash command; it has no thread, as Slack has none for it."""
        name, who = text_at(body, "command").removeprefix("/").lower(), self._clerk.who(body)
        argument, channel = text_at(body, "text").strip(), text_at(body, "channel_id")
        if name == ASK and who:
            await self._questions.ask(body, ack, who)
            return
        thread = who.thread(channel, private_root(who.slack_id)) if who else None
        if who and thread and self._clerk.has_window(name) and text_at(body, "trigger_id"):
            await ack()
            self._spawn(self._window(body, who, name, argument, thread))
            return
        running = asyncio.ensure_future(self._clerk.panel(who, name, argument, thread))
        await asyncio.wait({running}, timeout=_AT_ONCE)
        bodies = panel_bodies(running.result()) if running.done() else []
        await ack({"response_type": "ephemeral", **(bodies[0] if bodies else {"text": _WAIT})})
        self._spawn(
            self._delivery.send_rest(body, bodies[1:])
            if bodies
            else self._later(body, who, running, thread, replace=True)
        )

    async def shortcut(self, body: Json, ack: Ack) -> None:
        """Answer a shortcut: "Catch me up", a command used on a message, or one that has a window."""
        await ack()
        who, shortcut = self._clerk.who(body), used(body)
        if who is None:
            return
        if shortcut.name == CATCH_UP and text_at(body, "type") == "message_action":
            self._spawn(self._questions.catch_up(body, who))
        elif self._clerk.works_on_messages(shortcut.name):
            self._spawn(self._on_message(body, who, shortcut.name))
        elif self._clerk.has_window(shortcut.name):
            self._spawn(self._window(body, who, shortcut.name, "", who.thread("", private_root(who.slack_id))))

    async def _on_message(self, body: Json, who: Visitor, name: str) -> None:
        message = message_in(body, self._workspaces.own(body))
        thread = message.thread if message else who.thread("", "")
        await self._window(body, who, name, "", thread, message)

    async def _window(
        self, body: Json, who: Visitor, name: str, argument: str, thread: Thread, message: Message | None = None
    ) -> None:
        """The answer in a window that was opened before anything was looked up; without one, as a whisper."""
        place, title = Place(thread.channel, thread.root, home=is_home(body)), title_of(name)
        opened = await self._modals.open(body, who.install, title, place)
        if self._clerk.works_on_messages(name) and message is None:
            panel = _NO_MESSAGE
        else:
            panel = await self._clerk.panel(who, name, argument, thread, message)
        if opened is None or not await self._modals.fill(who.install, opened, title, panel, place):
            await self._delivery.send(body, who, panel, thread, replace=False)
        if place.home:
            await self._home.show(who, place.channel)

    async def view(self, body: Json, ack: Ack) -> None:
        """Acknowledge that a window was closed; none of ours has anything to submit."""
        del body
        await ack()

    async def opened(self, body: Json) -> None:
        """Follow somebody who opened App Home or the chat with us, in the background."""
        who, event = opener(body, self._workspaces.own(body)), text_at(body, "event", "type")
        if who is None or event != "app_home_opened":
            return
        match text_at(body, "event", "tab"):
            case "home":
                self._spawn(self._home.opened(body, who))
            case "messages":
                self._spawn(self.agents.opened(body, who))

    async def action(self, body: Json, ack: Ack) -> None:
        """Run what a button stands for; the answer takes the place of the panel with the button."""
        await ack()
        press, who = read_foot(body) or pressed(body), self._clerk.who(body)
        if press is None:
            return
        if is_window(body) or is_home(body):
            if who:
                self._spawn(self._in_view(body, who, *press))
            return
        channel = text_at(body, "channel", "id") or text_at(body, "container", "channel_id")
        if not channel:
            return
        thread = who.thread(channel, _root(body) or private_root(who.slack_id)) if who else None
        running = asyncio.ensure_future(self._clerk.panel(who, *press, thread))
        self._spawn(self._later(body, who, running, thread, replace=_is_panel(body, channel)))

    async def _in_view(self, body: Json, who: Visitor, name: str, argument: str) -> None:
        place = place_of(body)
        thread = who.thread(place.channel, place.root or private_root(who.slack_id))
        if is_window(body):
            await self._modals.change(body, who.install, self._clerk.panel(who, name, argument, thread))
            if place.home:
                await self._home.show(who, place.channel)
        elif self._clerk.has_window(name):
            await self._window(body, who, name, argument, thread)
        else:
            await self._home.pressed(who, place.channel, name, argument)

    async def _later(
        self, body: Json, who: Visitor | None, running: Awaitable[Panel], thread: Thread | None, *, replace: bool
    ) -> None:
        await self._delivery.send(body, who, await running, thread, replace=replace)

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        """See `Delivery.tell`.

        Raises:
            Undeliverable: Slack said for good that it cannot be shown.
            CallError: anything else.
        """
        await self._delivery.tell(user, thread, panel)

    def _spawn(self, work: Awaitable[None]) -> None:
        # Bolt keeps no reference to its own tasks; these must not be collected, and shall end with us.
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("Something at the desk failed: %s", type(error).__name__)

    async def close(self) -> None:
        """Let what is running finish, within a few seconds."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=_GRACE)
            for task in late:
                task.cancel()
        await self.agents.close()


def _is_ephemeral(body: Json) -> bool:
    container = body.get("container")
    return isinstance(container, dict) and is_true(container, "is_ephemeral")


def _is_panel(body: Json, channel: str) -> bool:
    """Whether a button stands in a panel of one person, which its answer replaces; never in an answer, which stays."""
    return not is_foot(body) and (_is_ephemeral(body) or channel.startswith("D"))


def _root(body: Json) -> str:
    """The thread that a button stands in: the same root as the message's own. An ephemeral message starts none."""
    thread = text_at(body, "container", "thread_ts") or text_at(body, "message", "thread_ts")
    if thread or _is_ephemeral(body):
        return thread
    return text_at(body, "message", "ts") or text_at(body, "container", "message_ts")

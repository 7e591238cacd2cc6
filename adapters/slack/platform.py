"""Slack as a platform of the bot: wires the parts together and opens and closes them. Holds tokens, in no repr."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from adapters.slack.asks import is_private_root
from adapters.slack.bolt import bolt_app
from adapters.slack.calls import Calls, Closed, open_client
from adapters.slack.desk import Desk
from adapters.slack.identity import PLATFORM
from adapters.slack.inbox import Inbox
from adapters.slack.many import ManyWorkspaces, Terms
from adapters.slack.oauth import OAuth, States
from adapters.slack.responder import Responder
from adapters.slack.socketmode import SocketListener
from adapters.slack.tokens import AppKeys
from adapters.slack.web import serving, web_app
from adapters.slack.workspaces import OneWorkspace, refused
from bot.chat import Reply

if TYPE_CHECKING:
    from datetime import datetime

    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient
    from starlette.routing import Route

    from adapters.slack.workspace import Workspace
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Action, Attachment, Bot, Installs, Message, Panel, Quoted, Thread, User

_log = logging.getLogger(__name__)
_UNSET = (
    "Set SLACK_BOT_TOKEN (one workspace), or SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_SIGNING_SECRET (as many as "
    "install the app)."
)


class SlackPlatform:
    """Slack over HTTP, for one installation or many, or with an app token over Socket Mode, for one."""

    name = PLATFORM
    update_every = 1.0

    def __init__(  # noqa: PLR0913 - each is a setting of the operator, given by its name
        self,
        *,
        bot_token: str | None = None,
        signing_secret: str | None = None,
        app_token: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        installs: Installs | None = None,
        secret: bytes = b"",
        follow_ups: str = "one-human",
        host: str = "127.0.0.1",
        port: int = 3000,
        api_url: str = "https://slack.com/api/",
        files_url: str | None = None,
        ping_every: float = 10.0,
    ) -> None:
        """Keep the settings; nothing is opened before `run`. `ping_every`: seconds between two looks at the socket.

        With `bot_token` there is one workspace. Without it there are as many as install the app by OAuth: then
        `client_id`, `client_secret`, `installs` and `secret` (who holds it can make a valid OAuth state) are needed.

        Raises:
            ValueError: something of that is missing; the sentence names the settings.
        """
        if not signing_secret and not app_token:
            raise ValueError("Set SLACK_SIGNING_SECRET (Slack over HTTP) or SLACK_APP_TOKEN (Socket Mode).")
        if not bot_token and not (client_id and client_secret and signing_secret and installs and secret):
            raise ValueError(_UNSET)
        self._bot_token, self._signing_secret, self._app_token = bot_token or "", signing_secret or "", app_token or ""
        self._app_keys = AppKeys(client_id or "", client_secret or "")
        self._installs, self._secret, self._follow_ups = installs, secret, follow_ups
        self._host, self._port, self._api_url, self._ping_every = host, port, api_url, ping_every
        self._files_url = files_url
        self._ready = asyncio.Event()
        self._workspaces: Workspaces | None = None
        self._desk: Desk | None = None
        self.address = ""
        """Where HTTP is served, once it is: `http://host:port`."""

    def __repr__(self) -> str:
        """Say nothing of tokens."""
        return f"SlackPlatform({'Socket Mode' if self._app_token else 'HTTP'})"

    def serves(self, install: str) -> bool:
        """Tell whether our token can post for that install: known once Slack told us who we are."""
        return self._workspaces is not None and self._workspaces.serves(install)

    async def ready(self) -> None:
        """Wait until events can arrive."""
        await self._ready.wait()

    async def run(self, bot: Bot) -> None:
        """Listen and tell the bot, until cancelled.

        Raises:
            PermissionError: Slack does not take a token; the sentence names the setting.
            OSError: the port cannot be listened on.
        """
        try:
            async with open_client(self._bot_token, self._api_url) as client, asyncio.TaskGroup() as tasks:
                workspaces = self._workspaces = await self._made(client)
                desk = self._desk = Desk(bot, workspaces, Responder(client.session, self._api_url))
                inbox = Inbox(bot, workspaces, desk.opened, follow_ups=self._follow_ups)
                learning = tasks.create_task(workspaces.run(bot))
                try:
                    await self._listen(bolt_app(client, inbox, desk, bot, workspaces), self._pages(client, bot))
                finally:
                    await desk.close()
                    learning.cancel()
                    await workspaces.close()
        except ExceptionGroup as group:
            said = next((error for error in group.exceptions if isinstance(error, OSError)), None)
            raise (said or group) from None  # PermissionError is an OSError: either is a sentence for the operator
        finally:
            self._workspaces = self._desk = None
            self._ready.clear()

    async def _made(self, client: AsyncWebClient) -> OneWorkspace | ManyWorkspaces:
        terms = Terms(self._api_url, self.update_every, self._files_url, self._follow_ups)
        if self._bot_token or not self._installs or not client.session:
            return OneWorkspace(terms.workspace(client))
        many = ManyWorkspaces(self._installs, self._app_keys, client.session, client, terms)
        await many.refresh()
        return many

    def _pages(self, client: AsyncWebClient, bot: Bot) -> list[Route]:
        if not isinstance(self._workspaces, ManyWorkspaces):
            return []
        return OAuth(self._app_keys, client, self._workspaces, bot, States(self._secret)).routes()

    async def _listen(self, app: AsyncApp, pages: list[Route]) -> None:
        if self._app_token:
            await self._listen_on_socket(app)  # until cancelled
        async with serving(web_app(app, self._signing_secret, pages), self._host, self._port) as self.address:
            self._ready.set()
            _log.info("Slack is served on %s", self.address)
            await asyncio.Event().wait()

    async def _listen_on_socket(self, app: AsyncApp) -> None:
        async with open_client(self._app_token, self._api_url) as client:
            listener = SocketListener(app, self._app_token, Calls(client), client, ping_every=self._ping_every)
            try:
                await listener.run(self._ready.set)
            except Closed as closed:
                raise refused("SLACK_APP_TOKEN", closed) from None

    async def _at(self, thread: Thread) -> Workspace:
        if self._workspaces is None:
            raise RuntimeError("Slack is not connected: call run() first.")
        return await self._workspaces.of(thread.install)

    def _at_desk(self) -> Desk:
        if self._desk is None:
            raise RuntimeError("Slack is not connected: call run() first.")
        return self._desk

    async def resolve(self, message: Message) -> Message | None:
        """Fill in audience and names; None when Slack says that a bot (or we ourselves) said it.

        Raises:
            TimeoutError: Slack has not told us yet who we are; try again.
        """
        return await (await self._at(message.thread)).resolve(message)

    async def earlier(self, message: Message, since: datetime | None, limit: int) -> tuple[Quoted, ...]:
        """What others said before, or in the conversation that the message is about.

        Raises:
            Unreadable: Slack does not let us read it (now).
        """
        return await (await self._at(message.thread)).threads.earlier(message, since, limit)

    async def fetch(self, message: Message, attachment: Attachment) -> bytes:
        """A file, from Slack's own hosts.

        Raises:
            Unreadable: it cannot be had.
        """
        return await (await self._at(message.thread)).files.fetch(attachment)

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """Show a working status; after a crash, find what an earlier attempt posted."""
        workspace = await self._at(message.thread)
        if is_private_root(message.thread.root):
            return await self._at_desk().whispers.start(message)
        if again:
            await workspace.introduced()
        else:
            self._at_desk().agents.titled(message)
        return await workspace.replies.start(Reply(message.thread, message.id), again=again, author=message.author)

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        """Show the text so far: the first post holds answer text already, as that is what the phone shows."""
        if is_private_root(reply.thread.root):
            return await self._at_desk().whispers.update(reply, text)
        return await (await self._at(reply.thread)).replies.update(reply, text)

    async def finish_reply(
        self, reply: Reply, text: str, *, again: bool = False, actions: tuple[Action, ...] = ()
    ) -> Reply:
        """Show the whole text, in as many messages of the thread as it takes.

        Raises:
            Undeliverable: there is nowhere left to reply.
        """
        workspace = await self._at(reply.thread)
        if is_private_root(reply.thread.root):
            return await self._at_desk().whispers.finish(reply, text, actions=actions)
        if again:
            await workspace.introduced()
        return await workspace.replies.finish(reply, text, again=again, actions=actions)

    async def remove_reply(self, reply: Reply) -> None:
        """Delete the messages of a reply, also those whose ids nobody learned; those already gone are fine.

        Raises:
            Undeliverable: we can do nothing there any more.
            CallError: Slack could not be reached for about a minute; try again.
        """
        workspace = await self._at(reply.thread)
        if is_private_root(reply.thread.root):
            return await self._at_desk().whispers.remove(reply)
        await workspace.introduced()  # what is ours cannot be told from its mark alone
        return await workspace.replies.remove(reply)

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        """Show a panel to one person: a message in a DM, elsewhere one that only they see.

        Raises:
            Undeliverable: it could not be shown.
        """
        await self._at_desk().tell(user, thread, panel)

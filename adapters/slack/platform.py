"""Slack as a platform of the bot: wires the parts together and opens and closes them. Holds one workspace's token."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.slack.bolt import bolt_app
from adapters.slack.calls import BAD_TOKEN, CallError, Calls, Closed, open_client
from adapters.slack.desk import Desk
from adapters.slack.directory import Directory
from adapters.slack.identity import PLATFORM, Own, own_from_auth_test, placed, slack_ids
from adapters.slack.inbox import Inbox
from adapters.slack.replies import Replies
from adapters.slack.responder import Responder
from adapters.slack.socketmode import SocketListener
from adapters.slack.status import Sessions
from adapters.slack.web import serving, web_app
from adapters.slack.words import without_mention
from bot.chat import Audience, Message, Reply

if TYPE_CHECKING:
    from slack_bolt.async_app import AsyncApp

    from bot.chat import Bot, Panel, Thread, User

_log = logging.getLogger(__name__)
_NAMES_WITHIN, _KNOWN_WITHIN = 5.0, 5.0
_START_PATIENCE = 20.0


class SlackPlatform:
    """One Slack workspace (or org-wide install), over HTTP or, with an app token, over Socket Mode."""

    name = PLATFORM
    update_every = 1.0

    def __init__(
        self,
        *,
        bot_token: str,
        signing_secret: str | None = None,
        app_token: str | None = None,
        host: str = "127.0.0.1",
        port: int = 3000,
        api_url: str = "https://slack.com/api/",
        ping_every: float = 10.0,
    ) -> None:
        """Keep the settings; nothing is opened before `run`. `ping_every`: seconds between two looks at the socket.

        Raises:
            ValueError: neither a signing secret nor an app token is given.
        """
        if not signing_secret and not app_token:
            raise ValueError("Set SLACK_SIGNING_SECRET (Slack over HTTP) or SLACK_APP_TOKEN (Socket Mode).")
        self._bot_token, self._signing_secret, self._app_token = bot_token, signing_secret or "", app_token or ""
        self._host, self._port, self._api_url, self._ping_every = host, port, api_url, ping_every
        self._own = Own()
        self._known, self._ready = asyncio.Event(), asyncio.Event()
        self._parts: tuple[Directory, Replies, Desk] | None = None
        self.address = ""
        """Where HTTP is served, once it is: `http://host:port`."""

    def __repr__(self) -> str:
        """Say nothing of tokens."""
        return f"SlackPlatform({'Socket Mode' if self._app_token else 'HTTP'})"

    def serves(self, install: str) -> bool:
        """Tell whether our token can post for that install: known once Slack told us who we are."""
        return bool(install) and install in {self._own.team, self._own.install}

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
                calls = Calls(client)
                directory, sessions = Directory(calls), Sessions(calls)
                desk = Desk(bot, calls, directory, self._me, Responder(client.session, self._api_url))
                self._parts = directory, Replies(calls, self._me, update_every=self.update_every), desk
                app = bolt_app(client, Inbox(bot, directory, sessions, self._me), desk, self._me)
                tasks.create_task(self._introduce(calls))
                try:
                    await self._listen(app)
                finally:
                    await asyncio.gather(desk.close(), sessions.close())
                    await calls.close()
        except ExceptionGroup as group:
            said = next((error for error in group.exceptions if isinstance(error, OSError)), None)
            raise (said or group) from None  # PermissionError is an OSError: either is a sentence for the operator
        finally:
            self._parts = None
            self._ready.clear()

    def _me(self) -> Own:
        return self._own

    async def _introduce(self, calls: Calls) -> None:
        """Ask Slack once who we are; events do not wait for it, they carry our ids themselves."""
        while not self._known.is_set():
            try:
                self._own = own_from_auth_test(await calls("auth.test", patience=_START_PATIENCE))
                self._known.set()
            except Closed as closed:
                raise _refused("SLACK_BOT_TOKEN", closed) from None
            except CallError as failed:
                _log.warning("Slack did not say who we are (%s); asking again.", failed.error)
                await asyncio.sleep(max(1.0, failed.waits))

    async def _listen(self, app: AsyncApp) -> None:
        if self._app_token:
            await self._listen_on_socket(app)  # until cancelled
        async with serving(web_app(app, self._signing_secret), self._host, self._port) as self.address:
            self._ready.set()
            _log.info("Slack is served on %s", self.address)
            await asyncio.Event().wait()

    async def _listen_on_socket(self, app: AsyncApp) -> None:
        async with open_client(self._app_token, self._api_url) as client:
            listener = SocketListener(app, self._app_token, Calls(client), client, ping_every=self._ping_every)
            try:
                await listener.run(self._ready.set)
            except Closed as closed:
                raise _refused("SLACK_APP_TOKEN", closed) from None

    def _running(self) -> tuple[Directory, Replies, Desk]:
        if self._parts is None:
            raise RuntimeError("Slack is not connected: call run() first.")
        return self._parts

    async def resolve(self, message: Message) -> Message | None:
        """Fill in audience and names; None when Slack says that a bot (or we ourselves) said it.

        Raises:
            TimeoutError: Slack has not told us yet who we are; try again.
        """
        directory, _, _ = self._running()
        await self._introduced()
        org, user = slack_ids(message.author)
        external = message.thread.audience is Audience.EXTERNAL  # as its signed event says
        about = await directory.about(message.thread.channel, org, user, self._own)
        if external:  # whatever else was answered just now is out of date
            directory.forget_channel(message.thread.channel)
        if about.is_bot or user == self._own.user:
            return None
        return replace(
            message,
            thread=placed(message.thread, Audience.EXTERNAL if external else about.audience),
            author=replace(message.author, name=about.name or message.author.name),
            text=await self._named(directory, without_mention(message.text, self._own.user)),
            quoted=tuple([replace(q, text=await self._named(directory, q.text)) for q in message.quoted]),
        )

    async def _introduced(self) -> None:
        """Wait until Slack has told us who we are: what is ours cannot be told apart before."""
        async with asyncio.timeout(_KNOWN_WITHIN):
            await self._known.wait()

    async def _named(self, directory: Directory, text: str) -> str:
        """Names where they can be had in time: the question does not wait for them."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_NAMES_WITHIN):
                return await directory.named(text)
        return text

    async def start_reply(self, message: Message, *, again: bool = False) -> Reply:
        """Show a working status; after a crash, find what an earlier attempt posted."""
        if again:
            await self._introduced()
        return await self._running()[1].start(Reply(message.thread, message.id), again=again)

    async def update_reply(self, reply: Reply, text: str) -> Reply:
        """Show the text so far: the first post holds answer text already, as that is what the phone shows."""
        return await self._running()[1].update(reply, text)

    async def finish_reply(self, reply: Reply, text: str, *, again: bool = False) -> Reply:
        """Show the whole text, in as many messages of the thread as it takes.

        Raises:
            Undeliverable: there is nowhere left to reply.
        """
        if again:
            await self._introduced()
        return await self._running()[1].finish(reply, text, again=again)

    async def remove_reply(self, reply: Reply) -> None:
        """Delete the messages of a reply, also those whose ids nobody learned; those already gone are fine.

        Raises:
            Undeliverable: we can do nothing there any more.
            CallError: Slack could not be reached for about a minute; try again.
        """
        await self._introduced()  # what is ours cannot be told from its mark alone
        await self._running()[1].remove(reply)

    async def tell(self, user: User, thread: Thread, panel: Panel) -> None:
        """Show a panel to one person: a message in a DM, elsewhere one that only they see.

        Raises:
            Undeliverable: it could not be shown.
        """
        await self._running()[2].tell(user, thread, panel)


def _refused(setting: str, closed: Closed) -> Exception:
    if closed.error in BAD_TOKEN:
        return PermissionError(f"Slack does not take {setting} ({closed.error}): copy the app's current token into it.")
    return PermissionError(f"Slack refuses {setting} ({closed.error}): reinstall the app with the scopes it asks for.")

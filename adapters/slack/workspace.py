"""One installation of ours: what its token can do, and what is known through it. Nothing is shared between two."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError, Calls, Closed
from adapters.slack.directory import PRIVATE_VIEW, Directory
from adapters.slack.files import Files
from adapters.slack.identity import Own, own_from_auth_test, placed, slack_ids
from adapters.slack.messages import is_private_root
from adapters.slack.replies import Replies
from adapters.slack.status import Sessions
from adapters.slack.threads import Threads
from adapters.slack.words import addresses_others, without_mention
from bot.chat import Audience, Crowded

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.chat import Message

_log = logging.getLogger(__name__)
_NAMES_WITHIN, _KNOWN_WITHIN = 5.0, 5.0
_START_PATIENCE = 20.0


class Workspace:
    """One installation. `own` is who we are in it, as far as it is known."""

    def __init__(
        self,
        client: AsyncWebClient,
        *,
        update_every: float,
        own: Own | None = None,
        files_url: str | None = None,
        follow_ups: str = "one-human",
    ) -> None:
        """Use this client, whose session is open; with `own` given, nobody has to be asked who we are.

        `follow_ups` says where a message in a thread is for us though it does not call us: "one-human", "thread" (in
        any thread where we answered) or "never".
        """
        self._follow_ups = follow_ups
        self.client, self.calls = client, Calls(client)
        self.own = own or Own()
        self.directory, self.sessions = Directory(self.calls), Sessions(self.calls)
        self.replies = Replies(self.calls, lambda: self.own, update_every=update_every)
        self.threads = Threads(self.calls, self.directory, lambda: self.own)
        self.files = Files(self.calls, client, files_url)
        self._known = asyncio.Event()
        if own:
            self._known.set()

    async def introduce(self) -> None:
        """Ask Slack once who we are; events do not wait for it, they carry our ids themselves.

        Raises:
            Closed: Slack does not take the token.
        """
        while not self._known.is_set():
            try:
                self.own = own_from_auth_test(await self.calls("auth.test", patience=_START_PATIENCE))
                self._known.set()
            except CallError as failed:
                _log.warning("Slack did not say who we are (%s); asking again.", failed.error)
                await asyncio.sleep(max(1.0, failed.waits))

    async def introduced(self) -> None:
        """Wait until Slack has told us who we are: what is ours cannot be told apart before.

        Raises:
            TimeoutError: it has not yet; try again.
        """
        async with asyncio.timeout(_KNOWN_WITHIN):
            await self._known.wait()

    async def resolve(self, message: Message) -> Message | None:
        """Fill in audience and names; None when Slack says that a bot (or we ourselves) said it, or it is not for us.

        Raises:
            Crowded: it does not call us, and several people talk in its thread.
            TimeoutError: Slack has not told us yet who we are; try again.
            CallError: Slack could not be asked whether it is for us; try again.
        """
        await self.introduced()
        org, user = slack_ids(message.author)
        private = is_private_root(message.thread.root)
        external = not private and message.thread.audience is Audience.EXTERNAL  # as its signed event says
        channel = PRIVATE_VIEW if private else message.thread.channel
        about = await self.directory.about(channel, org, user, self.own)
        if external:  # whatever else was answered just now is out of date
            self.directory.forget_channel(channel)
        if about.is_bot or user == self.own.user or not await self._is_for_us(message, user):
            return None
        audience = Audience.EXTERNAL if external else about.audience
        alone = audience is Audience.DM  # with us: what they named themselves they know
        return replace(
            message,
            thread=placed(message.thread, audience),
            author=replace(message.author, name=about.name or message.author.name),
            text=await self._named(without_mention(message.text, self.own.user), private=alone),
            quoted=tuple([replace(q, text=await self._named(q.text)) for q in message.quoted]),
        )

    async def _is_for_us(self, message: Message, user: str) -> bool:
        """Whether a message calls us or, in a thread that holds nobody else, follows up."""
        thread = message.thread
        self.threads.spoke(thread, user)
        if message.called or is_private_root(thread.root) or thread.channel.startswith("D"):
            return True
        if self._follow_ups == "never" or thread.root == message.id or addresses_others(message.text, self.own.user):
            return False
        if self._follow_ups == "thread":
            return True
        try:
            people = await self.threads.humans(thread, user)
        except Closed:  # nobody can be told apart there
            return False
        except CallError as failed:
            if failed.lost or failed.waits:
                raise
            return False
        if len(people) > 1:
            raise Crowded
        return True

    async def _named(self, text: str, *, private: bool = False) -> str:
        """Names where they can be had in time: the question does not wait for them."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_NAMES_WITHIN):
                return await self.directory.named(text, private=private)
        return text

    async def close(self) -> None:
        """End what is still under way."""
        await self.sessions.close()
        await self.calls.close()

"""Answers that only the person who asked shall see: `/ask` and "Catch me up". Refuses to post them for anybody else.

Such a conversation has a root of its own, `ask.<user id>`: one for each person and channel, as Slack gives a slash
command no thread. The address that Slack gave with a question is kept in this process only, while it is good.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from adapters.slack import messages
from adapters.slack.calls import CallError
from adapters.slack.history import panel_metadata
from adapters.slack.output import pieces, plain_body, plain_pieces, rich_body
from adapters.slack.panel import foot_blocks
from adapters.slack.payload import text_at
from bot.chat import Reply, Undeliverable

if TYPE_CHECKING:
    from adapters.slack.payload import Json
    from adapters.slack.responder import Responder
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Action, Message, Thread

_ROOT = "ask."
_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long"})
_USES, _GOOD_FOR = 5, 29 * 60.0  # of an address, by Slack's rule (half an hour)
_SETTLED = 0.25  # seconds after which an acknowledgement shows, so that what replaces it does not come before it
_SHOWN_WITHIN = 5.0
_MOST_KEPT = 1_000
_Value = TypeVar("_Value")


def private_root(user: str) -> str:
    """The root of the private conversation of the person with this Slack user id, in any channel."""
    return f"{_ROOT}{user}"


def is_private_root(root: str) -> bool:
    """Whether only the person who asks sees what is said under this root. A message's own root is a number."""
    return messages.is_private_root(root)


@dataclass
class Door:
    """Where one question can be answered. `replaces`: a sign of life stands there, for the answer to take its place."""

    body: Json
    replaces: bool
    until: float = field(default_factory=lambda: time.monotonic() + _GOOD_FOR)
    left: int = _USES
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    shown_at: float = 0.0
    stands: bool = True
    """Something of ours may stand there."""
    closed: bool = False
    """What was asked was taken back: nothing more is said here."""

    def show(self) -> None:
        """Note that the sign of life is on its way: from here on it can be replaced."""
        self.shown_at = time.monotonic()
        self.shown.set()

    async def settled(self) -> None:
        """Wait until the sign of life stands there."""
        try:
            async with asyncio.timeout(_SHOWN_WITHIN):
                await self.shown.wait()
        except TimeoutError:
            return
        await asyncio.sleep(max(0.0, self.shown_at + _SETTLED - time.monotonic()))

    def use(self) -> bool:
        """Take one of the uses; False when there is none left."""
        if self.left < 1 or time.monotonic() > self.until:
            return False
        self.left -= 1
        return True


class Whispers:
    """The private answers of all installations."""

    def __init__(self, workspaces: Workspaces, respond: Responder) -> None:
        """Answer through the address of each question, and where it is spent through these workspaces."""
        self._workspaces, self._respond = workspaces, respond
        self._doors: OrderedDict[tuple[str, str], Door] = OrderedDict()
        self._said: OrderedDict[tuple[str, str], tuple[int, int]] = OrderedDict()

    def opened(self, message: Message, body: Json, *, replaces: bool) -> Door:
        """Remember where this question can be answered; whoever acknowledges it then calls `show`."""
        door = Door({"response_url": text_at(body, "response_url")}, replaces)
        _keep(self._doors, (message.thread.key, message.id), door)
        return door

    async def start(self, message: Message) -> Reply:
        """See `bot.chat.Platform.start_reply`: the acknowledgement of the question was the sign of life."""
        self._said.pop((message.thread.key, message.id), None)  # an answer begins anew
        return Reply(message.thread, message.id)

    async def update(self, reply: Reply, text: str) -> Reply:
        """See `bot.chat.Platform.update_reply`: an address takes five posts only, and these are for the answer."""
        del text
        return reply

    async def finish(self, reply: Reply, text: str, *, actions: tuple[Action, ...] = ()) -> Reply:
        """Show the whole text to that person. Once more with the same text goes on where it was broken off.

        Raises:
            Undeliverable: there is no way left to reach the person.
            CallError: try again.
        """
        key, parts = _key(reply), pieces(text)
        door = self._doors.get(key)
        if door:
            await door.settled()
        said, done = self._said.get(key, (0, 0))
        done = done if said == hash(text) else 0
        for number in range(done, len(parts)):
            if door and door.closed:
                raise Undeliverable("The question was taken back while its answer was on its way.")
            foot = foot_blocks(actions) if number == len(parts) - 1 else []
            await self._piece(reply.thread, parts[number], foot, door, first=number == 0)
            _keep(self._said, key, (hash(text), number + 1))
        return reply

    async def remove(self, reply: Reply) -> None:
        """Take back what can be taken back: Slack lets nobody delete what only one person saw, but by its address."""
        door = self._doors.get(_key(reply))
        self._said.pop(_key(reply), None)
        if door:
            door.closed = True  # and it stays known: what is just being posted can be taken back by a second call
        if door and door.replaces and door.stands and door.use():
            door.stands = False
            await self._respond(door.body, {"delete_original": True})

    async def tell(self, thread: Thread, bodies: list[Json]) -> None:
        """Show something else to the person of this private thread.

        Raises:
            Undeliverable: there is no way left to reach the person.
            CallError: try again.
        """
        doors = [door for (where, _), door in self._doors.items() if where == thread.key]
        for content in bodies:
            if not await self._say(thread, content, doors[-1] if doors else None, first=False):
                await self._say(thread, {"text": content["text"]}, None, first=False)

    async def _piece(self, thread: Thread, piece: str, foot: list[Json], door: Door | None, *, first: bool) -> None:
        body = rich_body(piece)
        with_foot = {**body, "blocks": [{"type": "markdown", "text": piece}, *foot]}
        if await self._say(thread, with_foot, door, first=first):
            return
        if foot and await self._say(thread, body, door, first=first):
            return
        waiting = deque(plain_pieces(piece))
        while waiting:
            if not await self._say(thread, plain_body(waiting.popleft()), door, first=first):
                raise CallError("chat.postEphemeral", "msg_too_long")
            first = False

    async def _say(self, thread: Thread, content: Json, door: Door | None, *, first: bool) -> bool:
        """Show one message to the person; False: Slack does not take it in this form."""
        content = {key: value for key, value in content.items() if value != []}
        if door and door.use():
            door.stands = True
            error = await self._respond.post(door.body, {**content, "replace_original": first and door.replaces})
            if not error or error in _REFUSED:
                return not error
        try:
            await self._post(thread, content)
        except CallError as failed:
            if failed.error not in _REFUSED:
                raise
            return False
        return True

    async def _post(self, thread: Thread, content: Json) -> None:
        """By a message that only they see; where we are no member of the channel, in our direct messages."""
        calls, user = (await self._workspaces.of(thread.install)).calls, thread.root.removeprefix(_ROOT)
        try:
            await calls("chat.postEphemeral", {"channel": thread.channel, "user": user, **content})
        except Undeliverable:
            opened = await calls("conversations.open", {"users": user})
            post = {"channel": text_at(opened, "channel", "id"), **content, "metadata": panel_metadata()}
            await calls("chat.postMessage", {**post, "unfurl_links": False, "unfurl_media": False})


def _keep(kept: OrderedDict[tuple[str, str], _Value], key: tuple[str, str], value: _Value) -> None:
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > _MOST_KEPT:
        kept.popitem(last=False)


def _key(reply: Reply) -> tuple[str, str]:
    return reply.thread.key, reply.to

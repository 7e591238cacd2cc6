"""The memory of one turn: AutoGen's `Memory`, bound to one person and to what may be read in one thread.

A recall that fails never fails the answer: the block says so instead. Refuses to read anything for a place whose
readers are not known.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from typing import TYPE_CHECKING, Any

import geniffy
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.models import SystemMessage, UserMessage

from bot.memory.space import MemoryDown, SpaceMemory, known, sendable, told
from bot.recall import State, admit, block, heard, is_block, readable, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autogen_core import CancellationToken
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import LLMMessage

    from bot.chat import Thread, User
    from bot.recall import Known

_LIMIT = 20
"""Memories asked for in one recall."""

_CUE_LIMIT = 4_000
"""Characters of the person's words to ask with."""

_NOT_OFFERED = {404, 405}
_BRIEFING_AGAIN = 600.0
"""Seconds until a briefing that the service did not offer is tried once more."""

_log = logging.getLogger(__name__)


class Memories:
    """Everybody's memories, over one client that is bound to no space. One per process and event loop."""

    def __init__(self, client: geniffy.AsyncGeniffy, *, fast: bool = False, patience: float = 6.0) -> None:
        """Take the client. `fast`: in direct messages the briefing, not the judged context. `patience`: seconds."""
        self.client = client
        self.patience = patience
        self._fast = fast
        self._no_briefing_until = float("-inf")

    def at(self, user: User, thread: Thread, *, words: str | None = None) -> GeniffyMemory:
        """Give the memory for one answer to that person in that thread, to be used once.

        `words`: what the person said, to recall by; without it, the newest user message of the context.

        Raises:
            ValueError: the user's id cannot name a space.
        """
        return GeniffyMemory(self, user, thread, words)

    def of(self, space: str) -> SpaceMemory:
        """Give the memory of one space, to write to.

        Raises:
            ValueError: it is not a space that `User.space` makes.
        """
        return SpaceMemory(self.client, space)

    def brief(self) -> bool:
        """Tell whether to ask for the briefing now."""
        return self._fast and time.monotonic() >= self._no_briefing_until

    def no_briefing(self) -> None:
        """Remember for a while that the service does not offer the briefing."""
        self._no_briefing_until = time.monotonic() + _BRIEFING_AGAIN


class GeniffyMemory(SpaceMemory, Memory):
    """One person's memory for one answer. After `update_context`, `state` and `known` say what the model was shown."""

    component_type = "memory"

    def __init__(self, memories: Memories, user: User, thread: Thread, words: str | None = None) -> None:
        """See `Memories.at`."""
        super().__init__(memories.client, user.space)
        self.state: State | None = None
        self.known: tuple[Known, ...] = ()
        self._house = memories
        self._words = words
        self._heard = heard(thread)
        self._readable = readable(thread)

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Recall for the newest message, and put the block right after the leading system messages.

        Never raises for a memory that is down or slow. The result is empty: AutoGen would put its words into an event.
        """
        words = self._words if self._words is not None else _newest(await model_context.get_messages())
        self.state, self.known = await self._recall(words)
        await _place(model_context, block(self.state, self.known, nonce=secrets.token_hex(4)))
        return UpdateContextResult(memories=MemoryQueryResult(results=[]))

    async def _recall(self, words: str) -> tuple[State, tuple[Known, ...]]:
        try:
            found = await self._read(words)
        except MemoryDown as down:
            _log.warning("The memory could not be read for an answer: %s.", down)
            return State.UNREAD, ()
        return state_of(found, self._readable), found

    async def _read(self, words: str) -> tuple[Known, ...]:
        """Ask within the patience and the wall, and check the wall once more on what comes back."""
        cue = sendable(words[:_CUE_LIMIT]).strip()
        # No call with an empty list of labels: some of the SDK's calls would send no filter at all.
        if not cue or self._readable == ():
            return ()
        with told():
            async with asyncio.timeout(self._house.patience):
                found = await self._ask(cue)
            return admit([known(geniffy.Memory.from_json(one)) for one in found], self._readable)

    async def _ask(self, cue: str) -> list[dict[str, Any]]:
        if self._readable is None and self._house.brief():
            try:
                return list((await self._client.briefing_full(cue=cue))["memories"])
            except geniffy.GeniffyError as error:
                if error.status not in _NOT_OFFERED:
                    raise
                self._house.no_briefing()
        wall = None if self._readable is None else list(self._readable)
        labels: dict[str, str | list[str]] | None = None if wall is None else {"heard": wall}
        return list((await self._client.context_full(cue, limit=_LIMIT, labels=labels))["memories"])

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,  # noqa: ANN401 - AutoGen's signature
    ) -> MemoryQueryResult:
        """Find what bears on the query, within the wall of the thread.

        Raises:
            MemoryDown: it could not be read.
        """
        del cancellation_token, kwargs
        found = await self._read(_text(query))
        return MemoryQueryResult(
            results=[
                MemoryContent(content=one.text, mime_type=MemoryMimeType.TEXT, metadata={"heard": one.heard})
                for one in found
            ]
        )

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Save a text as said in this thread. Exchanges go through `save`, which can be edited and taken back.

        Raises:
            ValueError: there is no text, or nothing said in this thread may be saved.
            SaveRefused: never to be sent again as it is.
            MemoryDown: to be tried again later.
        """
        del cancellation_token
        text = _text(content).strip()
        if self._heard is None or not text:
            raise ValueError("Nothing can be saved here: there is no text, or it was said where others may read it.")
        await self.note(text, self._heard)

    async def clear(self) -> None:
        """Forget everything this person ever said; see `forget`."""
        await self.forget()

    async def close(self) -> None:
        """Nothing to close: the client belongs to the process."""


def _text(content: str | MemoryContent) -> str:
    found = content if isinstance(content, str) else content.content
    return found if isinstance(found, str) else ""


def _newest(messages: Sequence[LLMMessage]) -> str:
    """Find the words of the newest user message; of one with pictures, its caption."""
    newest = next((one.content for one in reversed(messages) if isinstance(one, UserMessage)), "")
    return newest if isinstance(newest, str) else "\n".join(part for part in newest if isinstance(part, str))


async def _place(model_context: ChatCompletionContext, text: str) -> None:
    """Replace any block of an earlier turn. Nothing but the context is awaited between clearing and refilling it."""
    kept = [
        one
        for one in await model_context.get_messages()
        if not (isinstance(one, SystemMessage) and is_block(one.content))
    ]
    lead = next((at for at, one in enumerate(kept) if not isinstance(one, SystemMessage)), len(kept))
    await model_context.clear()
    for one in (*kept[:lead], SystemMessage(content=text), *kept[lead:]):
        await model_context.add_message(one)

"""One person's Geniffy space: what is saved, taken back, forgotten and listed there.

One retry policy holds, the SDK's own. Refuses a space that is not checked whole, and words that are another person's or
were said where nothing may be saved.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import geniffy

from bot.chat import User
from bot.recall import Known, heard

if TYPE_CHECKING:
    from collections.abc import Awaitable, Collection, Iterator

    from bot.chat import Exchange

_PAGE = 100
_REFUSED = frozenset({400, 413, 422})


class SaveRefused(Exception):  # noqa: N818 - says what happened to the words
    """Geniffy will not take this as it is (400, 413, 422): final, never retried."""


class MemoryDown(Exception):  # noqa: N818 - says what happened to the memory
    """Geniffy could not do it now. `str()` is a class and a status, never words."""


class NotForgotten(MemoryDown):
    """The read-back after a forget still found something."""


@contextmanager
def told(*, final: Collection[int] = ()) -> Iterator[None]:
    """Turn whatever goes wrong, malformed answers included, into one of our two; statuses in `final` are refusals."""
    try:
        yield
    except geniffy.GeniffyError as error:
        kind = SaveRefused if error.status in final else MemoryDown
        raise kind(f"{type(error).__name__} {error.status or ''}".rstrip()) from None
    except Exception as error:  # noqa: BLE001 - a 2xx without the field expected raises KeyError, and more
        raise MemoryDown(type(error).__name__) from None


def _checked(space: str) -> str:
    platform, _, person = space.partition(".")
    return User(platform, person).space


def sendable(text: str) -> str:
    """Replace what no JSON body or database can carry: half characters and zeros."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def known(memory: geniffy.Memory) -> Known:
    """Take from the SDK what we use: the text, where it was said, and when it was said or else learned."""
    labels = memory.source.labels if memory.source else {}
    label = labels.get("heard")
    return Known(memory.id, memory.text, label if isinstance(label, str) else None, _moment(memory))


def _moment(memory: geniffy.Memory) -> datetime | None:
    """Read a time with its zone; without one it is UTC, as the service writes it."""
    try:
        moment = datetime.fromisoformat(memory.said_at or memory.learned_at or "")
    except (TypeError, ValueError):  # no time, or none that we can read
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


async def _none_if_gone(count: Awaitable[int]) -> int:
    try:
        return await count
    except geniffy.NotFoundError:
        return 0


class SpaceMemory:
    """One person's memory, to write to and to list."""

    def __init__(self, client: geniffy.AsyncGeniffy, space: str) -> None:
        """Bind the memory to one space, over a client that is bound to none.

        Raises:
            ValueError: the space is not one that `User.space` makes.
        """
        self._space = _checked(space)
        self._owner = client
        self._client = client.space(self._space)

    async def save(self, exchange: Exchange) -> None:
        """Save what was said and answered under the message's key. The same key again replaces what it taught.

        Without words of the person's own there is nothing to learn: then what the key taught is taken back.

        Raises:
            ValueError: the message is another person's, or nothing said in that thread may be saved.
            SaveRefused: never to be sent again as it is.
            MemoryDown: to be tried again later.
        """
        message = exchange.message
        label = heard(message.thread)
        if message.author.space != self._space or label is None:
            raise ValueError("This exchange may not be saved here: it is another person's, or said where all may read.")
        if message.text.strip():
            await self._learn(exchange, label)
        else:
            await self.retract(message.key)

    async def _learn(self, exchange: Exchange, label: str) -> None:
        turns = [("user", exchange.message.text), ("assistant", exchange.text)]
        with told(final=_REFUSED):
            await self._client.memories.add(
                messages=[{"role": role, "content": sendable(text)} for role, text in turns if text.strip()],
                external_id=exchange.message.key,
                said_at=exchange.message.sent_at,
                labels={"heard": label},
            )

    async def note(self, text: str, label: str) -> None:
        """Save a text of the person's own, said in the place that the label names (see `bot.recall.heard`).

        Raises:
            SaveRefused: never to be sent again as it is.
            MemoryDown: to be tried again later.
        """
        with told(final=_REFUSED):
            await self._client.memories.add(sendable(text), labels={"heard": label})

    async def retract(self, external_id: str) -> None:
        """Take back what one message taught; already gone is fine.

        Raises:
            ValueError: the id is blank, which could be read as "everything".
            SaveRefused: never to be sent again as it is.
            MemoryDown: to be tried again later.
        """
        if not external_id.strip():
            raise ValueError("A message without a key cannot be taken back.")
        with told(final=_REFUSED), suppress(geniffy.NotFoundError):
            await self._client.sources.delete(external_id=external_id)

    async def forget(self) -> None:
        """Forget everything, and read back that nothing is left.

        Raises:
            NotForgotten: something is left.
            MemoryDown: to be tried again later.
        """
        with told():
            with suppress(geniffy.NotFoundError):
                await self._owner.forget_space(self._space)
            left = [await _none_if_gone(read()) for read in (self._exported, self._sources, self._memories)]
        if any(left):
            raise NotForgotten(f"{sum(left)} things are still there.")

    async def _exported(self) -> int:
        export = await self._client.export()
        more = ("files", "episodes", "lessons", "intentions", "now")
        return len(export["memories"]) + len(export["sources"]) + sum(len(export.get(kind) or ()) for kind in more)

    async def _sources(self) -> int:
        page = await self._client.sources.list(limit=1)
        return max(len(page.sources), page.total)

    async def _memories(self) -> int:
        page = await self._client.memories.list(limit=1)
        return max(len(page.memories), page.total)

    async def list(self, limit: int) -> tuple[Known, ...]:
        """List at most `limit` remembered things, newest first.

        Raises:
            MemoryDown: they could not be read.
        """
        found: dict[int, Known] = {}
        cursor: int | None = 0
        with told():
            while cursor is not None and len(found) < limit:
                page = await self._client.memories.list(limit=min(_PAGE, limit - len(found)), cursor=cursor)
                found.update((one.id, known(one)) for one in page.memories)
                cursor = page.next if page.memories else None
        return tuple(found.values())[:limit]

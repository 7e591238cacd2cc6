"""Calls in a channel that may fail, and the one way to put a piece of an answer there without doubling it.

Refuses to ask a channel that turned us away a moment ago, and to wait for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import discord

from adapters.discord import render
from adapters.discord.doors import Door, Doors
from adapters.discord.errors import TROUBLE, Verdict, judge, passing
from bot.chat import Undeliverable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from adapters.discord.pace import Pace
    from adapters.discord.rest import Posted, Rest

T = TypeVar("T")
_INVALID_FORM = 50035  # also what a reference to a deleted message is answered with
_YOUNG_POST_WAIT = 1.0
_LONGEST_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of an answer: to which question, the how-manieth, its text, and the text of its file."""

    question: str
    number: int
    text: str
    file: str = ""


class Poster:
    """Puts pieces of answers into channels, and finds those of an earlier attempt."""

    def __init__(self, rest: Callable[[], Awaitable[Rest]], doors: Doors, pace: Pace) -> None:
        """`rest` waits for a connection."""
        self._rest = rest
        self._doors = doors
        self._pace = pace

    async def ask(self, channel: str, call: Callable[[Rest], Awaitable[T]], *, door: Door = Door.WRITE) -> T:
        """Do one call in a channel.

        Raises:
            Undeliverable: the channel does not let us do this, now or since a moment ago.
        """
        async with asyncio.timeout(self._pace.call_timeout), self._doors.enter(channel, door):
            rest = await self._rest()
            try:
                return await call(rest)
            except discord.HTTPException as error:
                if judge(error) is not Verdict.CLOSED:
                    raise
                self._doors.close(channel, door)
                raise Undeliverable(f"Discord does not let us {door} in this channel (code {error.code}).") from error

    async def put(self, channel: str, piece: Piece, at: str = "") -> str:
        """Write a piece into the message `at`, or post it when that is "" or gone; returns the message's id."""
        if at:
            with _unless_gone():
                return await self._edit(channel, at, piece)
        posted = await self._post(channel, piece)
        if posted.content.strip() == piece.text.strip() and bool(posted.files) == bool(piece.file):
            return posted.id
        # The nonce met an earlier post of this piece, a preview for one: it still has the old text.
        with _unless_gone():
            return await self._edit(channel, posted.id, piece)
        return (await self._post_anew(channel, piece)).id

    async def erase(self, channel: str, id_: str) -> None:
        """Delete a message of ours; one that is gone is fine."""
        with _unless_gone():
            await self.ask(channel, lambda rest: rest.delete_message(channel, id_), door=Door.ERASE)

    async def check(self, channel: str, id_: str, piece: Piece) -> None:
        """Look once whether a message still shows its piece: a late link preview can bring an older text back."""
        with contextlib.suppress(Undeliverable, *TROUBLE):
            posted = await self.ask(channel, lambda rest: rest.read(channel, id_), door=Door.READ)
            if posted.content.strip() != piece.text.strip():
                await self._edit(channel, id_, piece)

    async def found(self, channel: str, question: str, marks: Sequence[str]) -> tuple[str, ...]:
        """Look for the messages of an earlier attempt; nothing where the history may not be read."""

        async def look(rest: Rest) -> tuple[str, ...]:
            return earlier(await rest.after(channel, question), rest.me, question, marks)

        with contextlib.suppress(discord.Forbidden, Undeliverable):
            return await self.ask(channel, look, door=Door.READ)
        return ()

    async def _edit(self, channel: str, id_: str, piece: Piece) -> str:
        posted = await self.ask(
            channel, lambda rest: rest.edit(channel, id_, piece.text, file=piece.file), door=_door(piece)
        )
        return posted.id

    async def _post(self, channel: str, piece: Piece) -> Posted:
        answers = "" if piece.number else piece.question
        nonce = render.nonce(piece.question, str(piece.number))
        try:
            return await self._send(channel, piece, nonce, answers)
        except discord.HTTPException as error:
            if judge(error) is Verdict.YOUNG:
                await asyncio.sleep(_YOUNG_POST_WAIT)
                return await self._send(channel, piece, nonce, answers)
            if judge(error) is not Verdict.GONE and not (answers and error.code == _INVALID_FORM):
                raise
            return await self._post_anew(channel, piece)

    async def _post_anew(self, channel: str, piece: Piece) -> Posted:
        # The question is deleted, or our own message of that nonce is: both would be refused for ever.
        return await self._send(channel, piece, render.nonce(piece.question, str(piece.number), "anew"), "")

    async def _send(self, channel: str, piece: Piece, nonce: str, answers: str) -> Posted:
        async def post(rest: Rest) -> Posted:
            return await rest.post(channel, piece.text, nonce=nonce, answers=answers, file=piece.file)

        return await self.ask(channel, post, door=_door(piece))


async def insist(call: Callable[[], Awaitable[T]], *, pause: float, until: float) -> T:
    """Do a call again while its failure may pass: `pause` seconds apart at first, till `until` by the loop's clock.

    Raises:
        discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError: it still failed, or would not have ended.
    """
    clock = asyncio.get_running_loop().time
    async with asyncio.timeout_at(until):
        while True:
            try:
                return await call()
            except TROUBLE as error:
                wait = max(pause, error.retry_after if isinstance(error, discord.RateLimited) else 0.0)
                if not passing(error) or clock() + wait >= until:
                    raise
            await asyncio.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _door(piece: Piece) -> Door:
    """Tell which permission a piece needs: where files are not allowed, words may be."""
    return Door.FILES if piece.file else Door.WRITE


def earlier(history: Sequence[Posted], me: str, question: str, marks: Sequence[str]) -> tuple[str, ...]:
    """Find what an earlier attempt posted: our message that answers the question, then the further pieces in order.

    `marks` are those of the pieces' texts (see `render.mark`).
    """
    ours = [posted for posted in history if posted.author == me and posted.answers in {"", question}]
    first = next((posted for posted in ours if posted.answers == question), None) or next(
        (posted for posted in ours if marks and render.mark(posted.content) == marks[0]), None
    )
    if first is None:
        return ()
    ids = [first.id]
    rest = iter(ours[ours.index(first) + 1 :])
    for mark in marks[1:]:
        match = next((posted for posted in rest if render.mark(posted.content) == mark), None)
        if match is None:
            break
        ids.append(match.id)
    return tuple(ids)


@contextlib.contextmanager
def _unless_gone() -> Iterator[None]:
    try:
        yield
    except discord.HTTPException as error:
        if judge(error) is not Verdict.GONE:
            raise

"""Answers in a channel: a sign of life, a preview that grows, and the whole text, posted once however often tried.

Refuses to post twice: every piece carries a nonce made of the question and its number, and an attempt that may have
been cut by a crash first looks for what is already there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import discord

from adapters.discord import render
from adapters.discord.errors import TROUBLE, Verdict, judge
from adapters.discord.poster import Piece, Poster, insist
from adapters.discord.presence import Typing
from bot.chat import Message, Reply, Undeliverable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adapters.discord.pace import Pace
    from adapters.discord.rest import Rest

_log = logging.getLogger(__name__)
_FORGOTTEN = 1800.0  # seconds after which an answer that nobody finished is dropped from memory


@dataclass(slots=True)
class _Turn:
    """What this process knows of one answer that is being written: none of its words."""

    started: float
    ids: tuple[str, ...] = ()
    shown: str = ""
    """The mark of the text of the preview."""
    tried: tuple[str, ...] = ()
    """The marks of what was to be posted: more than `ids` when a message may stand there without our knowing."""
    shown_at: float = float("-inf")
    refused: bool = False
    flight: asyncio.Task[None] | None = None


class Replies:
    """Every answer that is being written, by channel and question."""

    def __init__(self, poster: Poster, pace: Pace) -> None:
        """Write through `poster`, at `pace`."""
        self._poster = poster
        self._pace = pace
        self._turns: dict[tuple[str, str], _Turn] = {}
        self._typing = Typing(self._type, every=pace.typing_every, at_most=pace.typing_at_most)

    async def start(self, message: Message, *, again: bool) -> Reply:
        """Show that we are typing; posts nothing."""
        channel = message.thread.channel
        self._drop_forgotten()
        turn = self._turn(channel, message.id)
        if again and not turn.ids:
            turn.ids = await self._poster.found(channel, message.id, ())
        self._typing.hold(channel, message.id)
        return Reply(message.thread, message.id, turn.ids)

    async def update(self, reply: Reply, text: str) -> Reply:
        """Show the text so far, if it is time for it; trouble is left to `finish`."""
        # A turn taken up after a crash, and a question answered again, may come here without `start`.
        channel, turn = reply.thread.channel, self._turn(reply.thread.channel, reply.to)
        turn.ids = turn.ids or reply.ids
        shown = render.preview(text)
        if shown and render.mark(shown) != turn.shown and self._due(turn):
            turn.flight = asyncio.create_task(self._show(channel, reply.to, turn, shown))
            if not turn.ids:  # the id goes into the row: it is worth a wait
                await asyncio.wait({turn.flight}, timeout=self._pace.online_wait)
        return replace(reply, ids=turn.ids)

    async def finish(self, reply: Reply, text: str, *, again: bool) -> Reply:
        """Show the whole text, in the messages that are there and as many more as it takes.

        Raises:
            Undeliverable: the channel is closed to us, or its AutoMod refused the words (the person is told so).
        """
        channel, answer = reply.thread.channel, render.answer(text)
        with self._ending(channel, reply.to) as turn:
            await self._settle(channel, reply.to, turn, within=self._pace.online_wait)
            turn.ids = max(turn.ids, reply.ids, key=len)
            if again and len(turn.ids) < len(answer.pieces):
                turn.ids = max(await self._poster.found(channel, reply.to, _marks(answer)), turn.ids, key=len)
            await self._write(channel, reply.to, turn, answer, text)
        return replace(reply, ids=turn.ids)

    async def remove(self, reply: Reply) -> None:
        """Delete the messages of an answer, with those that may have landed without our knowing.

        Raises:
            Undeliverable: the channel lets us delete nothing.
            discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError: it failed for as long as may be.
        """
        channel, pause = reply.thread.channel, self._pace.remove_again
        until = asyncio.get_running_loop().time() + self._pace.remove_for
        with self._ending(channel, reply.to) as turn:
            await self._settle(channel, reply.to, turn, within=self._pace.remove_for / 2)
            turn.ids = tuple(dict.fromkeys((*reply.ids, *turn.ids)))
            if not turn.ids or len(turn.tried) > len(turn.ids):
                look = partial(self._poster.found, channel, reply.to, turn.tried)
                found = await insist(look, pause=pause, until=until)
                turn.ids = tuple(dict.fromkeys((*turn.ids, *found)))
            for id_ in turn.ids:
                await insist(partial(self._poster.erase, channel, id_), pause=pause, until=until)

    async def close(self) -> None:
        """Stop whatever still runs."""
        await self._typing.close()
        for turn in self._turns.values():
            if turn.flight:
                turn.flight.cancel()

    def _turn(self, channel: str, question: str) -> _Turn:
        return self._turns.setdefault((channel, question), _Turn(time.monotonic()))

    @contextlib.contextmanager
    def _ending(self, channel: str, question: str) -> Iterator[_Turn]:
        """Forget a turn once it has ended or can never end; what failed for now is still known at the next try."""
        try:
            yield self._turn(channel, question)
        except Undeliverable:
            self._turns.pop((channel, question), None)
            raise
        self._turns.pop((channel, question), None)

    def _drop_forgotten(self) -> None:
        oldest = time.monotonic() - _FORGOTTEN
        self._turns = {key: turn for key, turn in self._turns.items() if turn.started > oldest}

    def _due(self, turn: _Turn) -> bool:
        now = time.monotonic()
        free = not turn.refused and (turn.flight is None or turn.flight.done())
        return (
            free and now - turn.started >= self._pace.preview_after and now - turn.shown_at >= self._pace.update_every
        )

    async def _show(self, channel: str, question: str, turn: _Turn, text: str) -> None:
        mark = render.mark(text)
        turn.tried = turn.tried if turn.ids else (mark,)
        try:
            id_ = await self._poster.put(channel, Piece(question, 0, text), at=turn.ids[0] if turn.ids else "")
            turn.ids, turn.shown = (id_, *turn.ids[1:]), mark
        except (Undeliverable, *TROUBLE) as error:
            _log.info("A preview was not shown (%s).", type(error).__name__)
            if judge(error) is Verdict.REFUSED:
                turn.refused = True  # no more previews: the words would be refused again and again
        finally:
            turn.shown_at = time.monotonic()

    async def _settle(self, channel: str, question: str, turn: _Turn, *, within: float) -> None:
        """End the sign of life and wait for a preview on its way, lest it lands after the whole text."""
        await self._typing.release(channel, question)
        if turn.flight:
            await asyncio.wait({turn.flight}, timeout=within)
            turn.flight.cancel()

    async def _write(self, channel: str, question: str, turn: _Turn, answer: render.Answer, text: str) -> None:
        try:
            try:
                await self._fill(channel, question, turn, answer)
            except Undeliverable:
                if not answer.file:
                    raise
                # It may be the file alone that is not allowed here.
                await self._fill(channel, question, turn, render.in_messages(text))
        except discord.HTTPException as error:
            if judge(error) is not Verdict.REFUSED:
                raise
            await self._say_blocked(channel, question, turn)
            raise Undeliverable("The server's AutoMod does not let this answer through.") from error

    async def _fill(self, channel: str, question: str, turn: _Turn, answer: render.Answer) -> None:
        """Write each piece, remembering what landed: a second try goes on from there."""
        ids = list(turn.ids)
        turn.tried = _marks(answer)
        for number, text in enumerate(answer.pieces):
            piece = Piece(question, number, text, "" if number else answer.file)
            at = ids[number] if number < len(ids) else ""
            if at and not number and render.mark(text) == turn.shown and not piece.file:
                continue  # the preview already shows all of it
            id_ = await self._poster.put(channel, piece, at)
            if at and id_ != at:  # it was gone and now stands last: so must those after it
                await self._erase_all(channel, ids[number + 1 :])
                del ids[number + 1 :]
            ids[number : number + 1] = [id_]
            turn.ids = tuple(ids)
        await self._erase_all(channel, ids[len(answer.pieces) :])
        turn.ids = tuple(ids[: len(answer.pieces)])
        if turn.shown and "://" in answer.pieces[0]:
            await self._poster.check(channel, ids[0], Piece(question, 0, answer.pieces[0], answer.file))

    async def _erase_all(self, channel: str, ids: list[str]) -> None:
        for id_ in ids:
            await self._poster.erase(channel, id_)

    async def _say_blocked(self, channel: str, question: str, turn: _Turn) -> None:
        with contextlib.suppress(Undeliverable, *TROUBLE):
            await self._fill(channel, question, turn, render.Answer((render.BLOCKED,)))

    async def _type(self, channel: str) -> None:
        async def send(rest: Rest) -> None:
            await rest.send_typing(channel)

        await self._poster.ask(channel, send)


def _marks(answer: render.Answer) -> tuple[str, ...]:
    return tuple(map(render.mark, answer.pieces))

"""A scripted hour on Slack in a minute: retries, twins, edits, deletions, stops, rate limits, lost calls and restarts.

Every accepted message has exactly one outcome: one answer and one saved source; none of either once it was deleted;
a stopped answer and nothing saved where it was stopped. The seed is printed and reproduces the script.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.openai import Answer
from tests.fakes.poll import until
from tests.fakes.slack import BOT_USER, TEAM
from tests.fakes.slack_failures import LOST, Failure, rate_limited
from tests.fakes.slack_requests import changed_event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from tests.fakes.process import BotProcess
    from tests.fire.conftest import Field

pytestmark = pytest.mark.fire

PEOPLE, CHANNELS, MESSAGES, KILLS = 5, 3, 60, 4
TROUBLE: tuple[tuple[str, Failure], ...] = (
    ("chat.postMessage", rate_limited("1")),
    ("chat.postMessage", LOST),
    ("chat.update", rate_limited("0", status=200)),
    ("chat.startStream", rate_limited("1")),
    ("chat.appendStream", Failure("message_not_in_streaming_state")),
    ("chat.stopStream", LOST),
    ("conversations.info", Failure("internal_error", 500)),
    ("users.info", Failure(cut=True)),
    ("assistant.threads.setStatus", Failure("internal_error")),
)


@dataclass
class Said:
    """A message of the script. `words` are those that its answer repeats; after an edit there are two."""

    event: dict[str, Any]
    space: str
    words: list[str]
    deleted: bool = False
    stopped: bool = False

    @property
    def id(self) -> str:
        return f"slack:{TEAM}:{self.event['channel']}:{self.event['ts']}"


@dataclass
class Hour:
    """The script as it is played."""

    fire: Field
    dice: random.Random
    bot: BotProcess
    said: list[Said] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def ts(self) -> str:
        """Give the next message id: later than all before it, and earlier than what the bot posts from now on."""
        return f"{int(time.time()) - 5}.{next(self._numbers):06d}"

    async def send(self, event: dict[str, Any], *, retry: int = 0) -> None:
        """Send an event until it is accepted, as Slack does."""
        while await self.fire.send(self.bot, event, retry=retry) != 200:
            retry += 1
            await asyncio.sleep(0.2)

    async def say(self, number: int) -> None:
        """Somebody says something, sometimes with its twin and retries."""
        who, word = self.dice.randrange(PEOPLE), f"w{number}a"
        direct = self.dice.random() < 0.5
        channel = f"D00P{who}" if direct else f"C00R{self.dice.randrange(CHANNELS)}"
        kind = {"type": "message", "channel_type": "im" if direct else "channel", "channel": channel}
        text = f"My number is {word}." if direct else f"<@{BOT_USER}> My number is {word}."
        event = {**kind, "user": f"U00P{who}", "ts": self.ts(), "text": text}
        self.said.append(Said(event, f"slack.{TEAM}.U00P{who}", [word]))
        await self.send(event)
        if not direct and self.dice.random() < 0.7:
            await self.send({**event, "type": "app_mention"})
        if self.dice.random() < 0.3:
            await self.send(event, retry=1)

    async def edit(self) -> None:
        one = self._one()
        word = f"{one.words[0][:-1]}b"
        changed = changed_event(one.event, text=one.event["text"].replace(one.words[0], word))
        changed["ts"] = changed["message"]["edited"]["ts"] = self.ts()
        one.words.append(word)
        await self.send(changed)

    async def delete(self) -> None:
        one = self._one()
        one.deleted = True
        place = {name: one.event[name] for name in ("channel", "channel_type")}
        event = {"type": "message", "subtype": "message_deleted", **place, "ts": self.ts()}
        await self.send({**event, "deleted_ts": one.event["ts"], "previous_message": one.event})

    async def stop(self) -> None:
        """Somebody's answer is slow, and they stop it."""
        word = f"s{len(self.said)}a"
        self.fire.openai.say(Answer(chunks=("It is ", "..."), hold=asyncio.Event()), when=word)
        event = {"type": "message", "channel_type": "im", "channel": "D00P0", "user": "U00P0"}
        event |= {"ts": self.ts(), "text": f"My number is {word}."}
        self.said.append(Said(event, f"slack.{TEAM}.U00P0", [word], stopped=True))
        await self.send(event)
        await until(lambda: any(word in request.last for request in self.fire.openai.requests), 30)
        pressed = {"type": "agent_session_stopped", "channel": "D00P0", "user": "U00P0", "thread_ts": event["ts"]}
        await self.send({**pressed, "ts": self.ts()})

    async def trouble(self) -> None:
        self.fire.slack.fail(*self.dice.choice(TROUBLE))

    async def kill(self) -> None:
        await self.bot.kill()
        self.bot = await self.fire.bot()

    def _one(self) -> Said:
        """Somebody's message, of the last few, that nothing happened to yet."""
        fresh = [one for one in self.said[-8:] if not one.deleted and not one.stopped and len(one.words) == 1]
        return self.dice.choice(fresh or [self.said[0]])

    def answers(self, one: Said) -> list[str]:
        """Give what our messages show in answer to a message."""
        thread = [m for (channel, _), m in self.fire.slack.messages.items() if channel == one.event["channel"]]
        shown = [str(m) for m in thread if m.get("thread_ts") == one.event["ts"] and "I am an AI" not in str(m)]
        return [text for text in shown if one.stopped or any(word in text for word in one.words)]

    async def saved(self, one: Said) -> int:
        page = await self.fire.memory.client.space(one.space).sources.list(limit=100)
        return sum(source.external_id == one.id for source in page.sources)

    async def wrong(self) -> list[str]:
        """Name the messages that have not exactly one outcome, and what they have instead."""
        found = []
        for one in self.said:
            expected = 0 if one.deleted else 1
            answers, saved = len(self.answers(one)), await self.saved(one)
            if answers != expected or saved != (0 if one.stopped else expected):
                state = f"{one.words} {one.deleted=} {one.stopped=}"
                found.append(f"{state}: {answers} answers, {saved} sources; {self.answers(one)}")
        return found


def steps(hour: Hour) -> list[Callable[[], Awaitable[None]]]:
    """Make the script of the hour."""
    script: list[Callable[[], Awaitable[None]]] = []
    for number in range(MESSAGES):
        script.append(lambda number=number: hour.say(number))  # type: ignore[misc] # a default binds it
        kinds = [(0.2, hour.edit), (0.15, hour.delete), (0.3, hour.trouble), (0.04, hour.stop)]
        script += [step for chance, step in kinds if hour.dice.random() < chance]
        if number % (MESSAGES // KILLS) == MESSAGES // KILLS - 1:
            script.append(hour.kill)
    return script


@pytest.mark.parametrize("seed", [int(os.environ.get("KEEPSAKE_HOUR_SEED", "7"))])
async def test_in_an_hour_of_mixed_traffic_every_accepted_message_has_exactly_one_outcome(
    fire: Field, seed: int
) -> None:
    for who in range(PEOPLE):
        fire.slack.users[f"U00P{who}"] = {"team_id": TEAM, "profile": {"display_name": f"P{who}"}}
        fire.slack.channels[f"D00P{who}"] = {"is_im": True}
    for room in range(CHANNELS):
        fire.slack.channels[f"C00R{room}"] = {"is_channel": True, "is_private": False, "name": f"room{room}"}
    hour = Hour(fire, random.Random(seed), await fire.bot())  # noqa: S311 - a script, no secret
    for step in steps(hour):
        await step()
        await asyncio.sleep(hour.dice.random() * 0.15)
    wrong: list[str] = [""]

    async def settled() -> bool:
        wrong[:] = await hour.wrong()
        return not wrong

    try:
        await until(settled, 90)
    except AssertionError:
        pytest.fail("\n".join(wrong))
    await asyncio.sleep(3)
    assert await hour.wrong() == [], "and it stays so"
    assert await hour.bot.stop() == 0

"""kill -9 in each stage of a turn, a freeze, and a stop: one answer and one saved exchange, whatever happens."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.openai import Answer
from tests.fakes.poll import until
from tests.fakes.slack import DM
from tests.fakes.slack_failures import Failure
from tests.fakes.slack_requests import dm_event, mention_event
from tests.fire.conftest import SPACE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fire.conftest import Field

pytestmark = pytest.mark.fire

WORDS = "My dog is called Rex."
ANSWER = "Rex is a fine name for a dog, and I am glad to hear of him today."
LATE = 0.4
"""Seconds for which a call stays in flight: the kill comes meanwhile."""


@dataclass(frozen=True)
class Stage:
    """Where the process is killed: `arm` prepares it, `reached` tells that it is there."""

    name: str
    arm: Callable[[Field], None]
    reached: Callable[[Field], object]


def _slack(method: str, failure: Failure) -> Stage:
    how = "is lost" if failure.cut else "lands"
    return Stage(
        f"{method} {how}",
        lambda fire: fire.slack.fail(method, failure),
        lambda fire: fire.slack.called(method),
    )


def _model_stops(fire: Field) -> None:
    fire.openai.say(Answer(chunks=(ANSWER[:45], ANSWER[45:]), hold=asyncio.Event()))


def _save(*, lose: bool) -> Stage:
    def arm(fire: Field) -> None:
        fire.memory.stall, fire.memory.lose = LATE, lose

    return Stage(f"the save {'is lost' if lose else 'lands'}", arm, lambda fire: fire.memory.saves)


STAGES = [
    _slack("conversations.info", Failure(delay=LATE)),
    _slack("assistant.threads.setStatus", Failure(delay=LATE)),
    Stage("the model is asked", _model_stops, lambda fire: fire.openai.open),
    Stage("a glimpse is out", _model_stops, lambda fire: fire.slack.texts(DM)),
    _slack("chat.postMessage", Failure(delay=LATE)),
    _slack("chat.postMessage", Failure(delay=LATE, cut=True)),
    _save(lose=False),
    _save(lose=True),
]


@pytest.mark.case("S07", "S08", "S11")
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
async def test_killed_in_any_stage_it_answers_once_and_saves_once(fire: Field, stage: Stage) -> None:
    bot = await fire.bot()
    stage.arm(fire)
    event = dm_event(WORDS)
    assert await fire.send(bot, event) == 200
    await until(lambda: stage.reached(fire))
    await bot.kill()
    fire.openai.say(ANSWER, when="Rex")
    again = await fire.bot()
    for retry in (1, 2):
        assert await fire.send(again, event, retry=retry) == 200
    await until(lambda: _saved(fire), 25)
    await asyncio.sleep(LATE)
    assert fire.answers() == [ANSWER] or fire.answers() == [f"You said: {WORDS}"]
    assert await fire.memory.sources(SPACE) == 1
    assert len({save["external_id"] for save in fire.memory.saves}) == 1
    assert WORDS not in bot.log()


async def _saved(fire: Field) -> bool:
    return bool(fire.answers()) and await fire.memory.texts(SPACE) == [WORDS]


@pytest.mark.parametrize(
    ("make", "last"), [(dm_event, "chat.stopStream"), (mention_event, "chat.update")], ids=["a stream", "edits"]
)
async def test_killed_while_it_shows_the_last_of_it_the_text_is_whole(
    fire: Field, make: Callable[[str], dict[str, Any]], last: str
) -> None:
    going = asyncio.Event()
    fire.openai.say(Answer(chunks=(ANSWER[:45], ANSWER[45:]), hold=going), when="Rex")
    bot, event = await fire.bot(), make(WORDS)
    await fire.send(bot, event)
    await until(lambda: fire.answers(event["channel"]))
    fire.slack.fail(last, Failure(delay=LATE, cut=True))
    going.set()
    await until(lambda: fire.slack.called(last))
    await bot.kill()
    await fire.bot()
    await until(lambda: fire.answers(event["channel"]) == [ANSWER], 25)
    assert len(fire.openai.requests) == 1, "the answer was in the row: the model was not asked again"


async def test_a_frozen_process_that_thaws_after_another_took_over_changes_nothing(fire: Field) -> None:
    held = asyncio.Event()
    fire.openai.say(Answer(chunks=("An old thought that nobody shall ever read, ", "late."), hold=held))
    frozen, event = await fire.bot(), dm_event(WORDS)
    await fire.send(frozen, event)
    await until(lambda: fire.openai.open)
    await frozen.freeze()
    fire.openai.say(ANSWER, when="Rex")
    taker = await fire.bot()
    began = asyncio.get_running_loop().time()
    await until(lambda: _saved(fire), 25)
    assert asyncio.get_running_loop().time() - began < 10, "taken over within ten seconds"
    held.set()
    frozen.thaw()
    await asyncio.sleep(3)
    assert fire.answers() == [ANSWER]
    assert await fire.memory.sources(SPACE) == 1
    assert await taker.stop() == 0
    assert await frozen.stop() == 0


@pytest.mark.case("S12")
async def test_a_stop_lets_what_is_being_answered_end_and_loses_nothing_that_comes_late(fire: Field) -> None:
    held = asyncio.Event()
    fire.openai.say(Answer(chunks=(ANSWER[:45], ANSWER[45:]), hold=held), when="Rex")
    bot, event = await fire.bot(), dm_event(WORDS)
    await fire.send(bot, event)
    await until(lambda: fire.openai.open)
    stopping = asyncio.create_task(bot.stop())
    await asyncio.sleep(0.3)
    late = dm_event("And my cat is called Tom.")
    taken = await fire.send(bot, late)
    held.set()
    assert await stopping == 0
    assert fire.answers() == [ANSWER]
    after = await fire.bot()
    if taken != 200:  # then Slack sends it again
        await fire.send(after, late, retry=1)
    await until(lambda: len(fire.answers()) == 2, 20)
    assert fire.answers()[1] == "You said: And my cat is called Tom."


async def test_the_same_event_over_a_restart_and_from_ten_sides_is_one_message(fire: Field) -> None:
    bot, event = await fire.bot(), dm_event(WORDS)
    assert set(await asyncio.gather(*(fire.send(bot, event, retry=retry) for retry in range(10)))) == {200}
    await until(lambda: _saved(fire), 20)
    assert await bot.stop() == 0
    again = await fire.bot()
    assert await fire.send(again, event, retry=3) == 200
    await asyncio.sleep(0.5)
    assert fire.answers() == [f"You said: {WORDS}"]
    assert len(fire.openai.requests) == 1
    assert await fire.memory.sources(SPACE) == 1

"""kill -9 on Discord, where there is no acknowledgement: what the gateway tells again is one answer and one memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable  # noqa: TC003 - the table of stages is typed at run time

import pytest

from tests.fakes.discord.bot import ANN, CHANNEL, furnish, mention
from tests.fakes.discord.payloads import BOT
from tests.fakes.discord.server import Failure, FakeDiscord
from tests.fakes.openai import Answer
from tests.fakes.poll import until
from tests.fakes.process import BotProcess
from tests.fire.conftest import Field  # noqa: TC001 - as above

pytestmark = pytest.mark.fire

WORDS = "My dog is called Rex."
ANSWER = "Rex is a fine name for a dog."
SPACE = f"discord.{ANN['id']}"
POSTS = f"/channels/{CHANNEL}/messages"


def _model_stops(fire: Field, _: FakeDiscord) -> None:
    fire.openai.say(Answer(chunks=("An old thought ", "ends."), hold=asyncio.Event()))


def _post(how: Failure) -> Callable[[Field, FakeDiscord], None]:
    return lambda _, discord: discord.fail("POST", POSTS, how)


def answers(discord: FakeDiscord) -> list[str]:
    said = [one for one in discord.messages.get(CHANNEL, []) if one["author"]["id"] == BOT]
    return [one["content"] for one in said if not one.get("components")]


STAGES: dict[str, tuple[Callable[[Field, FakeDiscord], None], Callable[[Field, FakeDiscord], object]]] = {
    "the model is asked": (_model_stops, lambda fire, _: fire.openai.open),
    "the post lands": (_post(Failure(delay=0.4)), lambda _, discord: discord.bodies("POST", POSTS)),
    "the post is lost": (_post(Failure(delay=0.4, drop=True)), lambda _, discord: discord.bodies("POST", POSTS)),
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("nonces", ["remembered", "forgotten"])
async def test_killed_in_any_stage_it_answers_once_and_saves_once(fire: Field, stage: str, nonces: str) -> None:
    arm, reached = STAGES[stage]
    async with FakeDiscord() as discord:
        furnish(discord)
        arm(fire, discord)
        event = mention(WORDS)
        await _start(fire, discord)
        await discord.say(event)
        await until(lambda: reached(fire, discord))
        await fire.processes[-1].kill()
        await asyncio.sleep(0.5)
        if nonces == "forgotten":  # Discord keeps them for minutes only; then the history tells
            discord.forget_nonces()
        fire.openai.say(ANSWER, when="Rex")
        await _start(fire, discord)
        for _ in range(2):
            await discord.gateway.dispatch("MESSAGE_CREATE", event)
        await until(lambda: _saved(fire), 25)
        assert len(answers(discord)) == 1
        assert answers(discord)[0] in (ANSWER, f"You said: {WORDS}")
        assert await fire.memory.sources(SPACE) == 1
        await fire.processes[-1].kill()


async def _saved(fire: Field) -> bool:
    return await fire.memory.texts(SPACE) == [WORDS]


async def _start(fire: Field, discord: FakeDiscord) -> None:
    process = BotProcess(
        fire.path,
        DISCORD_TOKEN=discord.token,
        DISCORD_API_URL=discord.api_url,
        OPENAI_API_KEY="k",
        OPENAI_BASE_URL=fire.openai.url,
        GENIFFY_API_KEY="k",
        GENIFFY_BASE_URL=fire.memory.url,
    )
    fire.processes.append(process)
    before = len(discord.gateway.identified)
    await process.start()
    await until(lambda: len(discord.gateway.identified) > before, 30)
    await asyncio.sleep(0.2)

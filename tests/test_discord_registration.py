"""The bot's commands as Discord keeps them: registered everywhere, once, and without holding anything up."""

import asyncio

from adapters.discord.commands import registration, same
from tests.fakes.discord import Failure
from tests.fakes.discord.bot import ANN, DM, RecordingBot, scene, until
from tests.fakes.discord.payloads import message


def test_d50_commands_are_registered_for_everywhere_and_both_installs_explicitly() -> None:
    body = registration(RecordingBot().commands)
    assert [command["name"] for command in body] == ["forget-me", "memory"]
    assert all((one["contexts"], one["integration_types"]) == ([0, 1, 2], [0, 1]) for one in body)


def test_an_unchanged_registration_is_recognised_and_any_change_is_seen() -> None:
    wanted = registration(RecordingBot().commands)
    stored = [{**one, "id": "1", "version": "2", "options": None, "contexts": [2, 1, 0]} for one in wanted[::-1]]
    assert same(stored, wanted)
    for change in ({"description": "x"}, {"name": "x"}, {"contexts": None}, {"integration_types": [0]}):
        assert not same([{**stored[0], **change}, stored[1]], wanted)
    assert not same(stored[:1], wanted)


async def test_commands_are_written_once_and_not_again_when_nothing_changed() -> None:
    async with scene() as here:
        await until(lambda: here.discord.commands)
        stored = here.discord.commands
    async with scene(prepare=lambda discord: discord.commands.extend(stored)) as here:
        await until(lambda: here.discord.bodies("GET", "/applications/*/commands"))
        await asyncio.sleep(0.05)
        assert here.discord.bodies("PUT", "/applications/*/commands") == []


async def test_d22_we_hear_people_at_once_while_the_command_sync_fails_and_is_tried_again() -> None:
    limit = Failure(429, {"retry_after": 200, "global": False, "message": "no"}, {"Via": "1.1 google"})
    trouble = Failure(400, {"code": 30034, "message": "too many today"}, times=2)

    def prepare(discord) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        discord.fail("PUT", "/applications/*/commands", trouble)

    async with scene(prepare=prepare) as here:
        await here.discord.say(message(DM, ANN, "hello", channel_type=1))
        await until(lambda: here.bot.messages)
        await until(lambda: here.discord.commands)
        assert len(here.discord.bodies("PUT", "/applications/*/commands")) == 3
    async with scene(prepare=lambda discord: discord.fail("PUT", "/applications/*/commands", limit)) as here:
        await here.discord.say(message(DM, ANN, "hello", channel_type=1))
        await until(lambda: here.bot.messages)
        assert here.discord.commands == []

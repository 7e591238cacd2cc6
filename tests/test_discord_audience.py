"""Who can read a Discord channel, from its real permissions."""

import asyncio

import pytest

from bot.chat import Audience
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.bot import ANN, CHANNEL, GUILD, POST, PRIVATE_THREAD, SECRET_CHANNEL, furnish, scene
from tests.fakes.discord.payloads import VIEW, Json, channel, thread


@pytest.mark.parametrize(
    ("where", "audience"),
    [
        (CHANNEL, Audience.PUBLIC),
        (SECRET_CHANNEL, Audience.PRIVATE),
        (POST, Audience.PUBLIC),
        (PRIVATE_THREAD, Audience.PRIVATE),
        ("uncached", Audience.PRIVATE),
        ("uncached thread", Audience.PUBLIC),
        ("foreign", Audience.EXTERNAL),
        ("group", Audience.EXTERNAL),
        ("gone", Audience.UNKNOWN),
        ("a dm", Audience.DM),
    ],
)
async def test_the_audience_comes_from_the_channels_real_permissions(where: str, audience: Audience) -> None:
    made: dict[str, Json] = {
        "uncached": channel("810", GUILD, deny_everyone=VIEW),
        "uncached thread": thread("811", GUILD, CHANNEL),
        "foreign": channel("812", "999"),
        "group": {"id": "813", "type": 3, "recipients": [ANN], "name": "us", "icon": None, "owner_id": "1"},
        "a dm": {"id": "814", "type": 1, "recipients": [ANN]},
        "gone": {"id": "815"},
    }
    async with scene() as here:
        payload = made.get(where) or {"id": where}
        if where in made and where != "gone":
            here.discord.channels[payload["id"]] = payload
        message = await here.ask("hi", channel=payload["id"], channel_type=-1)
        resolved = await here.platform.resolve(message)
        assert resolved
        assert resolved.thread.audience is audience
        assert resolved.thread.key == message.thread.key


async def test_the_audience_waits_for_the_server_after_a_start() -> None:
    def late(discord: FakeDiscord) -> None:
        furnish(discord)
        discord.gateway.hold_guilds = True

    async with scene(prepare=late) as here:
        message = await here.ask("hi")
        asking = asyncio.create_task(here.platform.resolve(message))
        await asyncio.sleep(0.1)
        assert not asking.done()
        await here.discord.gateway.send_guilds()
        resolved = await asking
        assert resolved
        assert resolved.thread.audience is Audience.PUBLIC

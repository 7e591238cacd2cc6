"""Connecting to Discord: what is final, what is taken up again, and where the requests go."""

import asyncio
from dataclasses import replace

import pytest

from adapters.discord import DiscordPlatform
from tests.fakes.discord import APPLICATION, BOT, Failure, FakeDiscord
from tests.fakes.discord.bot import ANN, CHANNEL, DM, GUILD, QUICK, RecordingBot, furnish, scene, until, whispered
from tests.fakes.discord.payloads import message


async def test_no_privileged_intent_is_asked_for() -> None:
    async with scene() as here:
        assert [one["intents"] for one in here.discord.gateway.identified] == [4609]


async def test_it_serves_its_own_application_once_connected() -> None:
    async with scene() as here:
        assert here.platform.serves(APPLICATION)
        assert not here.platform.serves(BOT)
    assert not here.platform.serves(APPLICATION)
    assert not DiscordPlatform(token="x", secret=b"s").serves(APPLICATION)


async def test_d23_a_bad_token_is_final_and_names_what_to_set() -> None:
    async with FakeDiscord() as discord:
        platform = DiscordPlatform(token="wrong", secret=b"s", api_url=discord.api_url, pace=QUICK)
        with pytest.raises(PermissionError, match="DISCORD_TOKEN") as raised:
            await platform.run(RecordingBot())
        assert len(discord.calls) == 1
        assert "wrong" not in f"{raised.value}{platform!r}"


@pytest.mark.parametrize(("code", "says"), [(4004, "token"), (4013, "intents"), (4014, "intents")])
async def test_d23_a_token_or_intent_refused_by_the_gateway_is_final(code: int, says: str) -> None:
    async with FakeDiscord() as discord:
        discord.gateway.refuse_with = code
        platform = DiscordPlatform(token=discord.token, secret=b"s", api_url=discord.api_url, pace=QUICK)
        with pytest.raises(PermissionError, match=says):
            await asyncio.wait_for(platform.run(RecordingBot()), 5)
        assert len(discord.gateway.identified) == 1


async def test_other_close_codes_are_taken_up_again() -> None:
    async with scene() as here:
        await here.discord.gateway.close(4000)
        await until(lambda: here.discord.gateway.resumed)
        await here.discord.gateway.close(4010)  # a new connection altogether
        await until(lambda: len(here.discord.gateway.identified) == 2)
        await here.ask("still there?")


async def test_an_unreachable_discord_is_tried_again() -> None:
    def prepare(discord: FakeDiscord) -> None:
        furnish(discord)
        discord.fail("GET", "/users/@me", Failure(drop=True, times=2))

    async with scene(prepare=prepare) as here:
        await here.ask("hello")


async def test_d25_a_ban_at_the_start_is_waited_out() -> None:
    pace = replace(QUICK, ban=0.3)

    def prepare(discord: FakeDiscord) -> None:
        furnish(discord)
        discord.fail("GET", "/users/@me", Failure(429, "<html>banned</html>"))

    started = asyncio.get_running_loop().time()
    async with scene(prepare=prepare, pace=pace) as here:
        assert asyncio.get_running_loop().time() - started >= 0.3
        assert len(here.discord.bodies("GET", "/users/@me")) == 2


async def test_d21_ready_three_times_does_nothing_three_times() -> None:
    async with scene() as here:
        await until(lambda: here.discord.commands)
        for _ in range(2):
            await here.discord.gateway.dispatch("READY", here.discord.gateway.ready())
            await here.discord.gateway.send_guilds()
        await here.ask("hello")
        await asyncio.sleep(0.05)
        assert len(here.discord.bodies("GET", "/applications/*/commands")) == 1
        assert len(here.discord.bodies("PUT", "/applications/*/commands")) == 1
        assert len(here.bot.messages) == 1


async def test_after_an_invalid_session_it_comes_back_to_the_same_gateway() -> None:
    """There discord.py would go to the gateway that is hard-coded in it."""
    async with scene() as here:
        await here.discord.gateway.invalidate()
        await until(lambda: len(here.discord.gateway.identified) == 2)
        await here.ask("hello")


async def test_two_clients_in_one_process_keep_to_their_own_servers() -> None:
    async with scene() as one, scene() as two:
        for here in (one, two):
            await here.answer(await here.ask("hello"), "Hello.")
            await here.discord.use("memory", user=ANN, channel=here.discord.channels[CHANNEL], guild=GUILD)
        await until(lambda: one.discord.shown and two.discord.shown)
        assert one.texts() == two.texts() == ["Hello."]
        assert len(one.bot.messages) == len(two.bot.messages) == len(one.bot.asks) == len(two.bot.asks) == 1


async def test_a_call_without_a_connection_is_an_error_to_try_again() -> None:
    pace = replace(QUICK, online_wait=0.05)
    platform = DiscordPlatform(token="x", secret=b"s", pace=pace)
    async with scene() as here:
        await here.discord.say(whispered("hi"))
        await until(lambda: here.bot.messages)
        with pytest.raises(TimeoutError):
            await platform.start_reply(here.bot.messages[0])


async def test_it_stops_at_once_when_cancelled() -> None:
    async with scene() as here:
        await here.platform.start_reply(await here.ask("hello"))
        started = asyncio.get_running_loop().time()
        here.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await here.task
        assert asyncio.get_running_loop().time() - started < 2
        before = len(here.discord.calls)
        await asyncio.sleep(0.3)
        assert len(here.discord.calls) == before


async def test_a_malformed_event_does_not_end_the_bot() -> None:
    async with scene() as here:
        broken = message(DM, ANN, "hi")
        del broken["type"]
        await here.discord.gateway.dispatch("MESSAGE_CREATE", broken)
        await here.discord.gateway.dispatch("INTERACTION_CREATE", {"id": "1"})
        await until(lambda: here.discord.gateway.connected)

        async def heard() -> bool:
            await here.discord.say(whispered("hello"))
            await asyncio.sleep(0.1)
            return any(one.text == "hello" for one in here.bot.messages)

        async with asyncio.timeout(5):
            while not await heard():
                pass

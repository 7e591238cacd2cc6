"""The main job on Slack: recorded events, signed, answered from memory, saved, followed, and forgotten."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator  # noqa: TC003 - pytest reads the annotations of fixtures
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack import SlackPlatform
from bot.chat import User
from tests.e2e.conftest import Home, recorded, remembers
from tests.fakes.poll import until
from tests.fakes.slack import BOT_TOKEN, SIGNING_SECRET, TEAM, FakeSlack
from tests.fakes.slack_requests import Sender, changed_event, command_body, press_body

if TYPE_CHECKING:
    from bot.service import Service

PERSON = "U00FAKEUSER1"
ANA = User("slack", f"{TEAM}.{PERSON}")
DM, CHANNEL = "D0A5319PS02", "C00FAKECHAN1"


@dataclass
class Here:
    """A running bot on a Slack of our own."""

    home: Home
    slack: FakeSlack
    send: Sender
    service: Service

    async def event(self, name: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of an event
        """Send a recorded event, changed in these fields, and give the event."""
        body = recorded("slack/dm.json")[name]
        body["event"] |= changes
        status, _ = await self.send.json(body)
        assert status == 200
        event: dict[str, Any] = body["event"]
        return event

    async def command(self, name: str) -> dict[str, Any]:
        """Use a slash command in the DM, and give what the person sees."""
        body = command_body(name, user_id=PERSON, channel_id=DM, response_url=self.slack.response_url)
        shown = json.loads((await self.send.command(body))[1])
        if "Just a moment" in str(shown):
            await until(lambda: self.slack.responses)
            shown = self.slack.responses[-1]
        panel: dict[str, Any] = shown
        return panel

    def buttons(self, body: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Give the buttons of a panel by their label."""
        rows = [block for block in body["blocks"] if block["type"] == "actions"]
        return {element["text"]["text"]: element for row in rows for element in row["elements"]}

    async def press(self, body: dict[str, Any], label: str) -> None:
        """Press a button of a panel, as the person."""
        button = self.buttons(body)[label]
        user = {"id": PERSON, "team_id": TEAM}
        press = press_body(
            button["action_id"], button.get("value", ""), user=user, response_url=self.slack.response_url
        )
        assert (await self.send.press(press))[0] == 200


@pytest.fixture
async def here(home: Home) -> AsyncIterator[Here]:
    async with FakeSlack() as slack:
        slack.channels |= {DM: {"is_im": True}, CHANNEL: {"is_channel": True, "is_private": False, "name": "general"}}
        slack.users[PERSON] = {"team_id": TEAM, "profile": {"display_name": "Ana"}}
        platform = SlackPlatform(bot_token=BOT_TOKEN, signing_secret=SIGNING_SECRET, port=0, api_url=slack.api_url)
        async with home.running(platform) as service:
            await platform.ready()
            async with Sender(platform.address) as send:
                yield Here(home, slack, send, service)


def answers(here: Here, channel: str) -> list[str]:
    return [text for text in here.slack.texts(channel) if "I am an AI" not in text]


async def test_a_recorded_dm_is_answered_saved_and_remembered_and_then_forgotten(here: Here) -> None:
    await here.event("dmMessage", text="My dog is called Rex.")
    await until(lambda: answers(here, DM) == ["You said: My dog is called Rex."])
    await until(lambda: len(here.slack.texts(DM)) == 2)
    assert "https://example.org/privacy" in here.slack.texts(DM)[1]
    await remembers(here.service, ANA, "My dog is called Rex.")
    await here.event("dmMessage", text="What is my dog called?", ts="1767377099.000100")
    await until(lambda: len(answers(here, DM)) == 2)
    assert "- My dog is called Rex.  [in a direct message, " in here.home.openai.requests[-1].system

    await here.press(await here.command("/forget-me"), "Forget me and start fresh")
    await until(lambda: any("found nothing" in str(one) for one in here.slack.responses))
    await remembers(here.service, ANA)
    assert here.home.files_with("Rex") == []


async def test_a_mention_in_a_channel_is_answered_in_its_thread_and_only_the_person_sees_the_notice(here: Here) -> None:
    await here.event("mention", text="<@U00FAKEBOT01> My dog is called Rex.")
    await until(lambda: here.slack.texts(CHANNEL) == ["You said: My dog is called Rex."])
    await until(lambda: here.slack.whispers)
    (whisper,) = here.slack.whispers
    assert (whisper["user"], whisper["channel"]) == (PERSON, CHANNEL)
    assert "I am an AI" in str(whisper)
    await remembers(here.service, ANA, "My dog is called Rex.")


async def test_the_choices_of_the_notice_work(here: Here) -> None:
    await here.event("dmMessage", text="My dog is called Rex.")
    await until(lambda: len(here.slack.texts(DM)) == 2)
    notice = next(message for message in here.slack.messages.values() if "I am an AI" in str(message))
    await here.press(notice, "OK, remember")
    await until(lambda: any("From now on I remember" in str(one) for one in here.slack.responses))
    await here.press(notice, "Don't remember")
    await until(lambda: any("will not remember you" in str(one) for one in here.slack.responses))
    await remembers(here.service, ANA)
    await here.event("dmMessage", text="My cat is called Tom.", ts="1767377099.000100")
    await until(lambda: len(answers(here, DM)) == 2)
    await remembers(here.service, ANA)


async def test_what_is_edited_or_deleted_on_slack_is_changed_and_forgotten(here: Here) -> None:
    event = await here.event("dmMessage", text="My dog is called Rex.", ts=f"{time.time():.6f}")
    await remembers(here.service, ANA, "My dog is called Rex.")
    assert await here.send.event(changed_event(event, text="My dog is called Max.")) == 200
    await until(lambda: answers(here, DM) == ["You said: My dog is called Max."])
    await remembers(here.service, ANA, "My dog is called Max.")
    gone = {"type": "message", "subtype": "message_deleted", "channel": DM, "channel_type": "im", "hidden": True}
    before = {"user": PERSON, "ts": event["ts"], "text": "My dog is called Max."}
    assert await here.send.event({**gone, "ts": "1", "deleted_ts": event["ts"], "previous_message": before}) == 200
    await until(lambda: answers(here, DM) == [])
    await remembers(here.service, ANA)


async def test_what_was_said_in_a_dm_does_not_come_up_in_a_channel(here: Here) -> None:
    await here.event("dmMessage", text="My dog is called Rex.")
    await remembers(here.service, ANA, "My dog is called Rex.")
    await here.event("mention", text="<@U00FAKEBOT01> What is my dog called?")
    await until(lambda: here.slack.texts(CHANNEL))
    assert "Rex" not in str(here.home.openai.requests[-1].messages)
    assert 'state="withheld"' in here.home.openai.requests[-1].system


async def test_memory_shows_the_person_alone_what_is_known(here: Here) -> None:
    await here.event("dmMessage", text="My dog is called Rex.")
    await remembers(here.service, ANA, "My dog is called Rex.")
    panel = await here.command("/memory")
    assert "My dog is called Rex." in str(panel)
    assert "in a direct message" in str(panel)
    assert panel["response_type"] == "ephemeral"

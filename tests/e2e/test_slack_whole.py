"""What people do on Slack beside asking, through the whole bot: private questions, follow-ups, files, App Home."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator  # noqa: TC003 - pytest reads the annotations of fixtures
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack import SlackPlatform
from bot.chat import User
from tests.e2e.conftest import Home, remembers
from tests.fakes.poll import until
from tests.fakes.slack import ANA, BEN, BOT_TOKEN, BOT_USER, DM, PUBLIC, SIGNING_SECRET, TEAM, shown
from tests.fakes.slack_files import FilingSlack, Stored
from tests.fakes.slack_history import say
from tests.fakes.slack_requests import Sender, command_body, opened_event, press_body, shortcut_body, view_press_body

if TYPE_CHECKING:
    from bot.service import Service

PERSON = User("slack", f"{TEAM}.{ANA}")
_numbers = count(1)


@dataclass
class Here:
    """A running bot on a Slack of our own."""

    home: Home
    slack: FilingSlack
    send: Sender
    service: Service

    async def say(self, text: str, channel: str = DM, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
        """Say something in a DM or a channel, just now, and give the event."""
        kind = {"type": "message", "channel_type": "im" if channel == DM else "channel", "channel": channel}
        ts = f"{int(time.time()) - 5}.{next(_numbers):06d}"
        event = {**kind, "user": ANA, "ts": ts, "text": text, **more}
        assert await self.send.event(event) == 200
        return event

    def said(self, who: str, text: str, **more: Any) -> str:  # noqa: ANN401 - any field of a message
        """Let something stand in the public channel that nobody said to the bot; gives its id."""
        return say(self.slack, PUBLIC, f"{int(time.time()) - 5}.{next(_numbers):06d}", who, text, **more)

    def answers(self, channel: str = DM) -> list[str]:
        """Give what our answers in a channel show, in order."""
        ours = [m for (where, _), m in sorted(self.slack.messages.items()) if where == channel and m.get("bot_id")]
        return [text for text in map(shown, ours) if "I am an AI" not in text]

    async def told(self) -> None:
        """Let the first contact be over."""
        await self.say("My dog is called Rex.")
        await remembers(self.service, PERSON, "My dog is called Rex.")


@pytest.fixture
async def here(home: Home) -> AsyncIterator[Here]:
    async with FilingSlack() as slack:
        platform = SlackPlatform(
            bot_token=BOT_TOKEN,
            signing_secret=SIGNING_SECRET,
            port=0,
            api_url=slack.api_url,
            files_url=slack.files.address,
        )
        async with home.running(platform) as service:
            await platform.ready()
            async with Sender(platform.address) as send:
                yield Here(home, slack, send, service)


def question(slack: FilingSlack, text: str, **more: str) -> dict[str, str]:
    return command_body("/ask", text, response_url=slack.response_url, trigger_id=f"t{next(_numbers)}", **more)


async def test_a_private_question_in_a_channel_reads_the_whole_memory_and_only_its_author_sees_it(here: Here) -> None:
    await here.told()
    here.home.openai.say("Your dog is called Rex.")
    assert (await here.send.command(question(here.slack, "What is my dog called?")))[0] == 200
    await until(lambda: any("called Rex" in str(one) for one in here.slack.responses))
    assert "- My dog is called Rex.  [in a direct message" in here.home.openai.requests[-1].system
    assert here.answers(PUBLIC) == []


async def test_catch_me_up_reads_the_channel_for_its_asker_and_nothing_of_it_is_kept(here: Here) -> None:
    await here.told()
    here.said(BEN, "The kettle is broken since Zanzibar.")
    here.home.openai.say("A kettle broke.")
    await here.send.command(question(here.slack, "catch me up"))
    await until(lambda: any("A kettle broke." in str(one) for one in here.slack.responses))
    assert "broken since Zanzibar" in str(here.home.openai.requests[-1].body)
    await here.service.settled("slack", 5)
    await until(lambda: here.home.files_with("Zanzibar", "kettle") == [])
    await remembers(here.service, PERSON, "My dog is called Rex.")
    assert here.answers(PUBLIC) == []


async def test_called_into_a_thread_it_knows_what_was_said_and_follows_up_until_a_second_person_joins(
    here: Here,
) -> None:
    await here.told()
    root = here.said(ANA, "Shall we meet on Monday?")
    here.home.openai.say("On Monday, you asked.", when="When do we meet")
    await here.say(f"<@{BOT_USER}> When do we meet?", PUBLIC, thread_ts=root)
    await until(lambda: here.answers(PUBLIC) == ["On Monday, you asked."])
    assert "Shall we meet on Monday?" in str(here.home.openai.requests[-1].body)
    await here.say("My cat is called Tom.", PUBLIC, thread_ts=root)
    await until(lambda: here.answers(PUBLIC)[1:] == ["You said: My cat is called Tom."])
    joined = here.said(BEN, "Hello, I am here too.", thread_ts=root)
    await here.say("Hello, I am here too.", PUBLIC, thread_ts=root, user=BEN, ts=joined)
    await until(lambda: len(here.answers(PUBLIC)) == 3)
    assert "mention me" in here.answers(PUBLIC)[2]
    await here.say("And my fish is called Bo.", PUBLIC, thread_ts=root)
    await here.service.settled("slack", 5)
    assert len(here.answers(PUBLIC)) == 3
    await until(lambda: here.home.files_with("I am here too", "Bo.") == [])


async def test_a_text_file_is_read_for_the_answer_and_is_no_memory(here: Here) -> None:
    await here.told()
    stored = Stored(b"The code of the vault is 4711.", "text/plain")
    here.slack.files.put("F1", stored)
    here.home.openai.say("It says 4711.", when="What does it say?")
    file = {"id": "F1", "name": "note.txt", "mimetype": "text/plain", "size": len(stored.data)}
    await here.say("What does it say?", subtype="file_share", files=[file])
    await until(lambda: "It says 4711." in here.answers())
    assert "The code of the vault is 4711." in str(here.home.openai.requests[-1].body)
    await here.service.settled("slack", 5)
    await remembers(here.service, PERSON, "My dog is called Rex.")


async def test_the_home_page_shows_the_memory_and_forgets_it(here: Here) -> None:
    await here.told()
    assert await here.send.event(opened_event("home")) == 200
    await until(lambda: "My dog is called Rex." in str(here.slack.views.homes.get(ANA)))
    home = here.slack.views.homes[ANA]
    buttons = [e for block in home["blocks"] if block["type"] == "actions" for e in block["elements"]]
    forget = next(button for button in buttons if button["text"]["text"] == "Forget everything")
    view = {"id": "V0", "type": "home", "hash": "h"}
    await here.send.press(view_press_body(view, forget, trigger_id="t-home"))
    await until(lambda: any("Forget me and start fresh" in str(one) for one in here.slack.views.opened.values()))
    (window,) = here.slack.views.opened.values()
    fresh = next(
        e
        for block in window["blocks"]
        if block["type"] == "actions"
        for e in block["elements"]
        if e["text"]["text"] == "Forget me and start fresh"
    )
    await here.send.press(view_press_body(window, fresh, trigger_id="t-fresh"))
    await until(lambda: any("found nothing" in str(one) for one in here.slack.views.shown))
    await remembers(here.service, PERSON)
    await until(lambda: "Rex" not in str(here.slack.views.homes[ANA]))
    await until(lambda: here.home.files_with("Rex") == [])


async def test_a_shortcut_keeps_a_message_of_ones_own_and_takes_it_back(here: Here) -> None:
    await here.told()
    mine = {"type": "message", "user": ANA, "ts": "1700000000.000100", "text": "My flat has number 12."}
    await here.send.press(shortcut_body("keep", mine))
    await remembers(here.service, PERSON, "My flat has number 12.", "My dog is called Rex.")
    assert here.answers(PUBLIC) == []
    await here.send.press(shortcut_body("keep", {**mine, "user": BEN, "ts": "1700000000.000200"}))
    await until(lambda: any("only your own words" in str(one) for one in here.slack.views.shown))
    await here.send.press(shortcut_body("forget-exchange", mine))
    await remembers(here.service, PERSON, "My dog is called Rex.")


async def test_the_buttons_under_an_answer_work_for_who_asked(here: Here) -> None:
    await here.say(f"<@{BOT_USER}> My dog is called Rex.", PUBLIC)
    await until(lambda: here.answers(PUBLIC) == ["You said: My dog is called Rex."])
    await remembers(here.service, PERSON, "My dog is called Rex.")
    (message,) = [m for (channel, _), m in here.slack.messages.items() if channel == PUBLIC and "Rex" in str(m)]
    again = next(
        e for block in message["blocks"] if block["type"] == "actions" for e in block["elements"] if "again" in str(e)
    )
    place = {"type": "message", "message_ts": message["ts"], "channel_id": PUBLIC, "is_ephemeral": False}
    press = press_body(again["action_id"], again["value"], container=place, response_url=here.slack.response_url)
    here.home.openai.say("Rex, noted.")
    assert (await here.send.press(press))[0] == 200
    await until(lambda: here.answers(PUBLIC) == ["Rex, noted."])
    await remembers(here.service, PERSON, "My dog is called Rex.")


async def test_forget_me_typed_in_a_thread_is_answered_to_that_person_only(here: Here) -> None:
    await here.told()
    root = here.said(BEN, "We talk here.")
    await here.say(f"<@{BOT_USER}> forget me", PUBLIC, thread_ts=root)
    await until(lambda: here.slack.whispers)
    (whisper,) = here.slack.whispers
    assert whisper["user"] == ANA
    assert "Forget me and start fresh" in str(whisper)
    assert here.answers(PUBLIC) == []

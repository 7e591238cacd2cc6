"""`/ask` and "Catch me up": a message like any other to the bot, and an answer that nobody but the asker sees."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from bot.chat import Action, Audience, Message, NotAccepted, Panel, Reply, Thread, Undeliverable, User
from tests.fakes.poll import until
from tests.fakes.slack import ANA, BEN, DM, PUBLIC, TEAM
from tests.fakes.slack_failures import Failure
from tests.fakes.slack_limits import refusal
from tests.fakes.slack_requests import command_body, new_ts, press_body, shortcut_body
from tests.fakes.slack_views import buttons
from tests.slack.test_desk import USER

if TYPE_CHECKING:
    from tests.slack.conftest import Http

ROOT = f"ask.{ANA}"
SPENT = Failure("used_url", status=404)


async def ask(http: Http, text: str, **more: str) -> tuple[dict[str, str], Message]:
    """Use `/ask` as Ana: what its acknowledgement shows, and the message that reached the bot."""
    more = {"response_url": http.slack.response_url, "trigger_id": f"t.{text}", **more}
    status, answer = await http.send.command(command_body("/ask", text, **more))
    assert status == 200
    return json.loads(answer), http.bot.said[-1]


async def answer(http: Http, message: Message, text: str, actions: tuple[Action, ...] = ()) -> None:
    reply = await http.platform.start_reply(message)
    reply = await http.platform.update_reply(reply, text[:10])
    await http.platform.finish_reply(reply, text, actions=actions)


async def test_a_question_is_a_message_of_its_asker_in_a_conversation_of_their_own(http: Http) -> None:
    shown, message = await ask(http, "what is &lt;new&gt;?")
    assert shown["response_type"] == "ephemeral"
    assert "only you" in shown["text"]
    assert message.thread == Thread("slack", TEAM, PUBLIC, ROOT)
    assert (message.author, message.text, message.about, message.called) == (USER, "what is <new>?", None, True)
    resolved = await http.platform.resolve(message)
    assert resolved is not None
    assert resolved.thread.audience is Audience.DM


async def test_the_answer_takes_the_place_of_the_sign_of_life_and_nothing_is_posted(http: Http) -> None:
    _, message = await ask(http, "hi")
    await answer(http, message, "**Hello** <!channel>")
    [response] = http.slack.responses
    assert (response["replace_original"], response["response_type"]) == (True, "ephemeral")
    assert "<!channel>" not in json.dumps(response, ensure_ascii=False)
    assert http.slack.messages == {}
    assert http.slack.called("assistant.threads.setStatus") == []


async def test_a_long_answer_comes_whole_in_order_beyond_what_its_address_takes(http: Http) -> None:
    _, message = await ask(http, "all")
    text = "\n\n".join(f"paragraph {number} " + "x" * 900 for number in range(90))
    await answer(http, message, text)
    bodies = [*http.slack.responses, *http.slack.whispers]
    assert len(http.slack.responses) == 5
    assert [body.get("replace_original", False) for body in bodies] == [True] + [False] * (len(bodies) - 1)
    said = "\n\n".join(body["blocks"][0]["text"] for body in bodies)
    assert [line.split(" x")[0] for line in said.split("\n\n")] == [f"paragraph {number}" for number in range(90)]
    assert all(refusal(body) == "" for body in bodies)
    assert {(body["channel"], body["user"]) for body in http.slack.whispers} == {(PUBLIC, ANA)}


async def test_what_was_said_is_not_said_twice_when_it_is_tried_again(http: Http) -> None:
    _, message = await ask(http, "hi")
    await answer(http, message, "Hello")
    await http.platform.finish_reply(Reply(message.thread, message.id), "Hello", again=True)
    assert len(http.slack.responses) == 1
    await answer(http, message, "Hello")  # answered anew: the person asked for it
    assert len(http.slack.responses) == 2


async def test_after_a_restart_the_answer_still_reaches_the_asker_alone(http: Http) -> None:
    thread = Thread("slack", TEAM, PUBLIC, ROOT, Audience.DM)
    await http.platform.finish_reply(Reply(thread, "ask.before"), "Hello", again=True)
    [whisper] = http.slack.whispers
    assert (whisper["channel"], whisper["user"], "thread_ts" in whisper) == (PUBLIC, ANA, False)


async def test_where_we_are_no_member_the_answer_comes_as_a_direct_message(http: Http) -> None:
    thread = Thread("slack", TEAM, PUBLIC, ROOT, Audience.DM)
    http.slack.fail("chat.postEphemeral", Failure("not_in_channel"))
    await http.platform.finish_reply(Reply(thread, "ask.1"), "Hello")
    assert http.slack.called("conversations.open") == [{"users": ANA}]
    assert http.slack.texts(DM) == ["Hello"]
    http.slack.fail("chat.postEphemeral", Failure("not_in_channel"))
    http.slack.fail("conversations.open", Failure("user_disabled"))
    with pytest.raises(Undeliverable):
        await http.platform.finish_reply(Reply(thread, "ask.2"), "Hello")


async def test_an_answer_that_slack_would_not_render_comes_plain(http: Http) -> None:
    _, message = await ask(http, "hi")
    http.slack.fail("response_url", Failure("invalid_blocks", status=400))
    await answer(http, message, "Hello")
    [response] = http.slack.responses
    assert (response["text"], "blocks" in response) == ("Hello", False)
    http.slack.fail("response_url", SPENT, SPENT)
    http.slack.fail("chat.postEphemeral", Failure("invalid_blocks"))
    await answer(http, message, "Hello again")
    assert http.slack.whispers[0]["text"] == "Hello again"


async def test_the_foot_of_a_private_answer_acts_for_its_asker_and_the_answer_stays(http: Http) -> None:
    _, message = await ask(http, "hi")
    await answer(http, message, "Hello", (Action("Good", "good", "k"), Action("Again", "again", "k")))
    good, again = buttons(http.slack.responses[0]).values()
    http.bot.panel = lambda name, _: Panel("Thank you." if name == "good" else "")
    for button in (again, good):
        body = press_body(button["action_id"], button["value"], response_url=http.slack.response_url)
        await http.send.press(body)
    await until(lambda: len(http.slack.responses) == 2)
    assert {name: asked.thread.root for name, asked in http.bot.asked} == {"again": ROOT, "good": ROOT}
    assert http.slack.responses[1]["replace_original"] is False
    assert http.slack.responses[1]["blocks"][0]["text"] == "Thank you."


async def test_the_first_notice_comes_to_the_asker_alone(http: Http) -> None:
    _, message = await ask(http, "hi")
    await http.platform.tell(USER, message.thread, Panel("I am an AI."))
    assert http.slack.responses[0]["blocks"][0]["text"] == "I am an AI."
    assert http.slack.responses[0]["replace_original"] is False
    http.slack.fail("response_url", SPENT)
    await http.platform.tell(USER, message.thread, Panel("I am an AI."))
    assert http.slack.whispers[0]["user"] == ANA
    assert http.slack.messages == {}


async def test_a_private_answer_is_taken_back_as_far_as_slack_lets_anybody(http: Http) -> None:
    _, message = await ask(http, "hi")
    await answer(http, message, "Hello")
    await http.platform.remove_reply(Reply(message.thread, message.id))
    assert http.slack.responses[-1]["delete_original"] is True
    await http.platform.remove_reply(Reply(message.thread, message.id))
    assert len(http.slack.responses) == 2


@pytest.mark.case("S61")
async def test_an_answer_on_its_way_is_not_shown_once_its_question_was_taken_back(http: Http) -> None:
    _, message = await ask(http, "hi")
    reply = await http.platform.start_reply(message)
    finishing = asyncio.create_task(http.platform.finish_reply(reply, "The zebra."))
    await asyncio.sleep(0)  # it waits for the sign of life to stand there
    await http.platform.remove_reply(reply)
    with pytest.raises(Undeliverable):
        await finishing
    assert "zebra" not in str(http.slack.responses) + str(http.slack.whispers)


async def test_two_people_ask_in_one_channel_in_two_conversations(http: Http) -> None:
    _, anas = await ask(http, "one")
    _, bens = await ask(http, "one", user_id=BEN)
    _, again = await ask(http, "two")
    assert anas.thread.key == again.thread.key != bens.thread.key
    assert len(http.bot.said) == 3
    await http.send.command(command_body("/new"))
    assert http.bot.asked[0][1].thread.key == anas.thread.key


async def test_a_question_that_comes_twice_is_asked_once(http: Http) -> None:
    body = command_body("/ask", "hi", trigger_id="1.2.3")
    for _ in range(2):
        await http.send.command(body)
    assert len(http.bot.said) == 1


@pytest.mark.parametrize("text", ["", "   "])
async def test_nothing_asked_shows_how_it_is_used(http: Http, text: str) -> None:
    status, shown = await http.send.command(command_body("/ask", text))
    assert (status, http.bot.said) == (200, [])
    assert "/ask" in json.loads(shown)["text"]


@pytest.mark.parametrize("error", [NotAccepted(), ValueError(), RuntimeError("inner")])
async def test_a_question_that_was_not_taken_says_so(http: Http, error: Exception) -> None:
    http.bot.refuse = [error]
    status, shown = await http.send.command(command_body("/ask", "hi"))
    assert (status, http.bot.said) == (200, [])
    assert "only you" not in shown
    assert "inner" not in shown


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("catch me up", True),
        ("Catch me up on the budget, please", True),
        ("summarise", True),
        ("can you SUMMARIZE this", True),
        ("what did I miss?", True),
        ("tl;dr", True),
        ("what is the summary statistic of a sample?", False),
        ("how do I catch a train", False),
        ("remember that I like tea", False),
    ],
)
async def test_catching_up_reads_the_channel_it_is_asked_in(http: Http, text: str, *, wanted: bool) -> None:
    _, message = await ask(http, text)
    assert message.about == (Thread("slack", TEAM, PUBLIC, "") if wanted else None)


@pytest.mark.parametrize(
    ("more", "root"),
    [({"thread_ts": "5.5"}, "5.5"), ({"reply_count": 2}, "7.7"), ({}, "")],
)
async def test_the_shortcut_asks_about_the_messages_conversation(http: Http, more: dict[str, str], root: str) -> None:
    said = {"type": "message", "ts": "7.7", "user": BEN, "text": "hello", **more}
    body = shortcut_body("catch-up", said, response_url=http.slack.response_url)
    assert await http.send.press(body) == (200, "")
    await until(lambda: len(http.slack.responses) == 1)
    [message] = http.bot.said
    assert (message.author, message.thread.root, message.about) == (USER, ROOT, Thread("slack", TEAM, PUBLIC, root))
    await answer(http, message, "They said hello.")
    assert [response["replace_original"] for response in http.slack.responses] == [False, False]
    assert http.slack.messages == {}


async def test_a_shortcut_without_an_address_is_answered_as_a_whisper(http: Http) -> None:
    await http.send.press(shortcut_body("catch-up", {"ts": new_ts(), "user": BEN, "text": "hello"}))
    await until(lambda: bool(http.bot.said) and bool(http.slack.whispers))
    await answer(http, http.bot.said[0], "They said hello.")
    assert [whisper["user"] for whisper in http.slack.whispers] == [ANA, ANA]


async def test_a_stranger_of_another_organisation_asks_without_memory(http: Http) -> None:
    http.slack.users["U00EXT"] = {"team_id": "T00OTHER"}
    _, message = await ask(http, "hi", user_id="U00EXT", team_id="T00OTHER")
    assert message.author == User("slack", "T00OTHER.U00EXT")
    resolved = await http.platform.resolve(message)
    assert resolved is not None
    assert resolved.thread.audience is Audience.EXTERNAL

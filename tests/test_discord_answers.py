"""Answers on Discord as people see them, driven as the service drives them, through the real client."""

import asyncio
import re
import time

import pytest

from adapters.discord import render
from bot.chat import Reply
from tests.fakes.discord import Failure
from tests.fakes.discord.bot import ANN, CHANNEL, DM, GUILD, POST, QUICK, Scene, scene, until, whispered
from tests.fakes.discord.payloads import Json

MESSAGES = f"/channels/{CHANNEL}/messages"
ONE = f"/channels/{CHANNEL}/messages/*"
SUPPRESSED = 4


def written(here: Scene) -> list[Json]:
    return [*here.discord.bodies("POST", "/channels/*/messages"), *here.discord.bodies("PATCH", "*")]


async def test_an_answer_replies_to_the_question_and_pings_nobody() -> None:
    async with scene() as here:
        question = await here.ask()
        reply = await here.answer(question, "Hello Ann.")
        said = here.discord.messages[CHANNEL][-1]
        assert (said["content"], said["flags"]) == ("Hello Ann.", SUPPRESSED)
        assert said["message_reference"]["message_id"] == question.id
        assert reply == Reply(reply.thread, question.id, (said["id"],))
        [body] = here.discord.bodies("POST", MESSAGES)
        assert body["message_reference"]["fail_if_not_exists"] is False
        assert body["allowed_mentions"] == {"parse": [], "replied_user": False}
        assert body["enforce_nonce"] is True


async def test_d27_d28_nothing_that_a_model_writes_can_ping() -> None:
    async with scene() as here:
        crowd = f"@everyone @here <@{ANN['id']}> <@&77> " + "word " * 900
        reply = await here.answer(await here.ask(), crowd, "@everyone", crowd)
        await here.platform.finish_reply(reply, "@everyone changed")
        await here.discord.use("memory", user=ANN, channel=here.discord.channels[CHANNEL], guild=GUILD)
        await until(lambda: here.discord.shown)
        bodies = written(here)
        assert len(bodies) >= 5
        assert [body["allowed_mentions"]["parse"] for body in bodies] == [[]] * len(bodies)
        assert not any(body["allowed_mentions"].get("replied_user") for body in bodies)


async def test_d30_previews_stay_suppressed_and_an_old_text_does_not_come_back() -> None:
    async with scene() as here:
        question = await here.ask()
        reply = await here.platform.start_reply(question)
        reply = await here.platform.update_reply(reply, "see https://example.com/slow")
        # The slow link resolves after the last edit, and brings the text before it back.
        here.discord.after_edit = lambda found: found.update(content="see https://example.com/slow")
        await here.platform.finish_reply(reply, "see https://example.com/slow and more")
        assert here.texts() == ["see https://example.com/slow and more"]
        assert {body["flags"] for body in written(here)} == {SUPPRESSED}


async def test_d31_a_long_fence_is_closed_and_opened_again_with_its_language() -> None:
    async with scene() as here:
        code = "\n".join(f"    line_{number} = {number}" for number in range(300))
        await here.answer(await here.ask(), f"Look:\n```python\n{code}\n```\nDone.")
        texts = here.texts()
        assert 1 < len(texts) <= 5
        assert all(len(text) <= 2000 and text.count("```") % 2 == 0 for text in texts)
        assert all(text.startswith("```python\n") for text in texts[1:])
        lines = [line for text in texts for line in text.split("\n") if "line_" in line]
        assert "\n".join(lines) == code


async def test_d33_the_tail_of_a_long_answer_arrives_in_order() -> None:
    async with scene() as here:
        whole = " ".join(f"word{number}" for number in range(350))
        reply = await here.answer(await here.ask(), whole)
        texts = here.texts()
        assert len(whole) > 2500
        assert " ".join(texts).split() == whole.split()
        assert len(reply.ids) == len(texts) == 2
        references = ["message_reference" in message for message in here.discord.messages[CHANNEL][1:]]
        assert references == [True, False]


async def test_d34_a_stream_shows_one_capped_preview_and_is_split_once_at_the_end() -> None:
    async with scene() as here:
        whole = " ".join(f"word{number}" for number in range(600))
        ticks = [whole[: len(whole) * tick // 10] for tick in range(1, 11)]
        await here.answer(await here.ask(), whole, *ticks)
        posts = here.discord.bodies("POST", MESSAGES)
        previews = [body["content"] for body in here.discord.bodies("PATCH", ONE)]
        assert len(posts) == len(here.texts()) == 3
        assert len(previews) >= 3
        assert all(len(preview) <= 2000 for preview in previews)
        assert any(preview.endswith("…") for preview in previews)
        assert " ".join(here.texts()).split() == whole.split()


async def test_the_same_text_is_not_edited_in_again_and_edits_keep_their_distance() -> None:
    async with scene() as here:
        reply = await here.platform.start_reply(await here.ask())
        for _ in range(5):
            reply = await here.platform.update_reply(reply, "the same")
            await asyncio.sleep(0.06)
        started = time.monotonic()
        for number in range(20):  # faster than update_every
            reply = await here.platform.update_reply(reply, f"growing {number}")
            await asyncio.sleep(0.005)
        reply = await here.platform.finish_reply(reply, "growing to the end")
        edits = [body["content"] for body in here.discord.bodies("PATCH", ONE)]
        assert (edits[0], edits[-1]) == ("growing 0", "growing to the end")
        assert len(edits) <= 2 + (time.monotonic() - started) / QUICK.update_every
        assert len(here.discord.bodies("POST", MESSAGES)) == 1


async def test_a_slow_edit_neither_holds_up_the_stream_nor_lands_last() -> None:
    async with scene() as here:
        reply = await here.platform.start_reply(await here.ask())
        for text in ("zero", "one"):
            reply = await here.platform.update_reply(reply, text)
            await asyncio.sleep(0.1)
        here.discord.fail("PATCH", ONE, Failure(delay=0.4))
        async with asyncio.timeout(0.35):
            reply = await here.platform.update_reply(reply, "one two")
            reply = await here.platform.update_reply(reply, "one two three")
        await here.platform.finish_reply(reply, "one two three four")
        await asyncio.sleep(0.45)
        assert here.texts() == ["one two three four"]


async def test_a_question_that_is_answered_again_grows_in_its_old_message() -> None:
    async with scene() as here:
        old = await here.answer(await here.ask(), "x" * 2500)
        shown = await here.platform.update_reply(old, "a glimpse")
        await until(lambda: here.texts()[0] == "a glimpse")
        assert shown.ids == old.ids
        assert (await here.platform.finish_reply(shown, "a glimpse and all")).ids == old.ids[:1]
        assert here.texts() == ["a glimpse and all"]


async def test_a_preview_that_fails_or_is_deleted_costs_nothing() -> None:
    async with scene() as here:
        here.discord.fail("POST", MESSAGES, Failure(status=400, body={"code": 50035, "message": "no"}))
        question = await here.ask()
        reply = await here.platform.start_reply(question)
        await here.platform.update_reply(reply, "first")
        await asyncio.sleep(0.06)
        reply = await here.platform.update_reply(reply, "second")
        here.discord.messages[CHANNEL].pop()
        await here.platform.finish_reply(reply, "third")
        assert here.texts() == ["third"]


async def test_d36_an_answer_whose_question_is_deleted_arrives_without_reference() -> None:
    async with scene() as here:
        question = await here.ask()
        here.discord.messages[CHANNEL].clear()
        await here.answer(question, "x" * 2500)
        assert [len(text) for text in here.texts()] == [2000, 500]
    async with scene() as here:  # the same, told by a refusal
        question = await here.ask()
        here.discord.fail("POST", MESSAGES, Failure(400, {"code": 50035, "message": "Unknown message"}))
        await here.answer(question, "Here.")
        assert here.texts() == ["Here."]
        assert "message_reference" not in here.discord.messages[CHANNEL][-1]


@pytest.mark.parametrize("text", ["", "\n", " \u200b ", "```\n```", "~~~\n\n~~~"])
async def test_d37_an_empty_answer_is_one_honest_line(text: str) -> None:
    async with scene() as here:
        await here.answer(await here.ask(), text, text)
        [line] = here.texts()
        assert line.startswith("I have no answer")


async def test_more_than_five_pieces_become_a_file() -> None:
    async with scene() as here:
        whole = "A sentence of some length. " * 600
        reply = await here.answer(await here.ask(), whole, "A sentence")
        [said] = here.discord.messages[CHANNEL][1:]
        assert said["attachments"][0]["content"] == whole
        assert said["content"].startswith("A sentence of some length.")
        assert len(said["content"]) < 2000
        assert reply.ids == (said["id"],)
        await here.platform.finish_reply(reply, "Short now.")
        assert (here.texts(), here.discord.messages[CHANNEL][-1]["attachments"]) == (["Short now."], [])


async def test_where_files_are_not_allowed_all_pieces_are_posted() -> None:
    async with scene() as here:
        here.discord.refuse(CHANNEL, 50013, times=1)
        question = await here.ask()
        await here.platform.finish_reply(Reply(question.thread, question.id), "word " * 2200)
        assert len(here.texts()) == 6


async def test_a_table_is_made_readable() -> None:
    async with scene() as here:
        await here.answer(await here.ask(), "| a | b |\n|---|---|\n| 1 | 2 |")
        assert here.texts() == ["```\na  b\n-  -\n1  2\n```"]


async def test_an_edited_question_is_answered_again_in_the_same_messages() -> None:
    async with scene() as here:
        reply = await here.answer(await here.ask(), "x" * 4500)
        assert len(reply.ids) == 3
        shorter = await here.platform.finish_reply(reply, "Shorter.")
        assert (here.texts(), shorter.ids) == (["Shorter."], reply.ids[:1])
        longer = await here.platform.finish_reply(shorter, "y" * 2100)
        assert here.texts() == ["y" * 2000, "y" * 100]
        assert longer.ids[0] == reply.ids[0]


async def test_d13_a_forum_post_is_answered_in_the_post_with_one_retry() -> None:
    async with scene() as here:
        question = await here.ask("first words of the post", channel=POST, id=POST)
        here.discord.fail("POST", f"/channels/{POST}/messages", Failure(403, {"code": 40058, "message": "wait"}))
        await here.answer(question, "Welcome.")
        assert here.texts(POST) == ["Welcome."]


async def test_a_dm_is_answered_in_the_dm() -> None:
    async with scene() as here:
        await here.discord.say(whispered("hello"))
        await until(lambda: here.bot.messages)
        await here.answer(here.bot.messages[0], "Hello.")
        assert here.texts(DM) == ["Hello."]


def test_nonces_are_stable_distinct_and_short_enough() -> None:
    names = {render.nonce("1", "0"), render.nonce("1", "1"), render.nonce("2", "0"), render.nonce("10")}
    assert len(names) == 4
    assert render.nonce("1", "0") == render.nonce("1", "0")
    assert all(re.fullmatch("[0-9a-f]{24}", name) for name in names)

"""What is read beside a person's own words for one answer: others' talk and files. None of it is kept or remembered."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat import Attachment, Quoted, Thread, Unreadable
from bot.service import sentences
from bot.service.sentences import REPEATED_ANSWER
from tests.fakes.platform import ANA, BEN, FakePlatform, said
from tests.fakes.poll import until
from tests.files.samples import png
from tests.service.test_follow import facts
from tests.service.test_forget import files_with

if TYPE_CHECKING:
    from datetime import datetime

    from tests.service.conftest import House

TALK = (Quoted("Ben", "The kettle is broken since Zanzibar."), Quoted("Cleo", "I ordered a new one."))


def overheard(house: House, text: str = "What is this about?", where: str = "public") -> tuple[Thread, str]:
    message = said(text, where=where)
    house.platform.overheard[message.thread.key] = TALK
    return message.thread, text


async def test_called_into_a_running_conversation_it_reads_what_was_said_before_and_keeps_none_of_it(
    house: House,
) -> None:
    thread, text = overheard(house)
    house.openai.say("About a kettle from Zanzibar.")
    await house.say(said(text, where="public", root=thread.root))
    prompt = str(house.openai.requests[-1].body)
    assert "Ben" in prompt
    assert "broken since Zanzibar" in prompt
    assert [save["messages"][1]["content"] for save in house.wire.saved()] == [REPEATED_ANSWER]
    assert "kettle" not in str(house.wire.saved())
    assert "Zanzibar" not in str(house.wire.recalls())
    await house.store.scrub()
    assert files_with(house.path, ("since Zanzibar",)) == []


async def test_what_was_said_before_is_asked_for_only_since_the_last_time(house: House) -> None:
    asked: list[datetime | None] = []
    thread, text = overheard(house)
    read = house.platform.earlier

    async def earlier(message: object, since: datetime | None, limit: int) -> tuple[Quoted, ...]:
        asked.append(since)
        return await read(message, since, limit)  # type: ignore[arg-type]

    house.platform.earlier = earlier  # type: ignore[method-assign]
    first = said(text, where="public", root=thread.root)
    await house.say(first)
    await house.say(said("And now?", where="public", root=thread.root))
    assert asked[0] is None
    assert asked[1] is not None
    assert abs((asked[1] - first.sent_at).total_seconds()) < 0.001
    await house.say(said("In private?"))
    assert len(asked) == 2, "in a direct message nobody else speaks"


async def test_where_it_may_not_read_it_answers_and_says_so_in_half_a_line(house: House) -> None:
    async def shut() -> None:
        raise Unreadable("I may not read this thread")

    house.platform.before["earlier"] = shut
    house.openai.say("I can only guess.")
    answer = await house.say(said("What is this about?", where="public"))
    assert answer == "I can only guess.\n\n_(I could not read what was said here before: I may not read this thread.)_"


async def test_catch_me_up_reads_the_conversation_and_saves_nothing_at_all(house: House) -> None:
    about = Thread("test", "home", "public", "")
    message = said("Catch me up.", about=about)
    house.platform.overheard[message.thread.key] = TALK
    house.openai.say("A kettle broke.")
    assert await house.say(message) == "A kettle broke."
    assert "Zanzibar" in str(house.openai.requests[-1].body)
    assert house.wire.saved() == []
    await house.store.scrub()
    assert files_with(house.path, ("kettle",)) == []


async def test_catch_me_up_on_what_it_may_not_read_asks_no_model(house: House) -> None:
    async def shut() -> None:
        raise Unreadable("I am not in that channel")

    house.platform.before["earlier"] = shut
    message = said("Catch me up.", about=Thread("test", "home", "public", ""))
    assert await house.say(message) == "I could not read what was said here before: I am not in that channel."
    assert house.openai.requests == []


async def test_a_file_is_read_for_the_answer_and_is_no_memory(house: House) -> None:
    house.platform.files["F1"] = b"The code of the vault is 4711."
    note = Attachment("F1", "note.txt", "text/plain", 30)
    house.openai.say("It says 4711.")
    assert await house.say(said("What does it say?", attachments=(note,))) == "It says 4711."
    assert "The code of the vault is 4711." in str(house.openai.requests[-1].body)
    assert "4711" not in str(house.wire.saved())
    assert [save["messages"] for save in house.wire.saved()] == [
        [{"role": "user", "content": "What does it say?"}, {"role": "assistant", "content": REPEATED_ANSWER}]
    ]


async def test_a_picture_is_seen_by_a_model_that_can_and_is_no_question_for_one_that_cannot(house: House) -> None:
    photo = Attachment("F1", "cat.png", "image/png", len(png()))
    house.platform.files["F1"] = png()
    house.openai.say("A cat.")
    assert await house.say(said("", attachments=(photo,))) == "A cat."
    assert "data:image/png;base64," in str(house.openai.requests[-1].body)
    blind = replace(house, path=house.path / "blind", platform=FakePlatform(files={"F1": png()}), sight=False)
    blind.path.mkdir()
    async with blind.open():
        answer = await blind.say(said("", attachments=(photo,)))
    assert answer == "I could not read cat.png: the model that answers here sees no pictures."
    assert len(house.openai.requests) == 1


async def test_a_file_that_cannot_be_read_is_named_under_the_answer(house: House) -> None:
    async def shut() -> None:
        raise Unreadable("it is kept outside of Slack")

    house.platform.before["fetch"] = shut
    odd = Attachment("F1", "*plan* <@U1> `x`\n.txt", "text/plain", 30)
    house.openai.say("Sorry.")
    answer = await house.say(said("What does it say?", attachments=(odd,)))
    assert answer == "Sorry.\n\n_(I could not read plan U1 x .txt: it is kept outside of Slack.)_"


async def test_a_follow_up_counts_only_where_the_bot_answered_before(house: House) -> None:
    stray = said("so we two talk here", where="public", root="t1", called=False)
    await house.service.message(stray)
    await house.settle()
    assert stray.id not in house.platform.answers
    await house.say(said("@bot hello", where="public", root="t2"))
    follow = said("and my dog is called Rex", where="public", root="t2", called=False)
    assert await house.say(follow) == "You said: and my dog is called Rex"
    assert "and my dog is called Rex" in await facts(house)


async def test_where_several_talk_one_line_says_so_once_and_nothing_of_theirs_is_kept(house: House) -> None:
    await house.say(said("@bot hello", where="public", root="t"))
    house.platform.crowded.add("public")
    late = [said(f"zanzibar {n}", by=BEN, where="public", root="t", called=False) for n in range(3)]
    for message in late:
        await house.service.message(message)
    await until(lambda: any(message.id in house.platform.answers for message in late))
    await house.settle()
    spoken = [house.platform.answers[one.id] for one in late if one.id in house.platform.answers]
    assert spoken == [sentences.CROWDED]
    await house.store.scrub()
    assert files_with(house.path, ("zanzibar",)) == []
    assert len(house.openai.requests) == 1


async def test_two_who_talk_at_once_are_told_once(house: House) -> None:
    await house.say(said("@bot hello", where="public", root="t"))
    house.platform.crowded.add("public")
    both = [said("zanzibar", by=who, where="public", root="t", called=False) for who in (ANA, BEN)]
    await asyncio.gather(*map(house.service.message, both))
    await until(lambda: any(message.id in house.platform.answers for message in both))
    await house.settle()
    assert [one.id in house.platform.answers for one in both].count(True) == 1


async def test_an_edit_of_a_follow_up_is_followed_though_somebody_joined_since(house: House) -> None:
    await house.say(said("@bot hello", where="public", root="t"))
    follow = said("my dog is called Rex", where="public", root="t", called=False)
    await house.say(follow)
    house.platform.crowded.add("public")
    await house.service.edited(replace(follow, text="my dog is called Max"), calls=False)
    await house.settle()
    assert "my dog is called Max" in await facts(house)
    assert "my dog is called Rex" not in await facts(house)

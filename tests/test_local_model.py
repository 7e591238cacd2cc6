from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from autogen_core.models import AssistantMessage, CreateResult, SystemMessage, UserMessage

from bot.agent import Agents
from bot.agent.prompt import user_text
from bot.chat import Attachment, Exchange, Message, Quoted, Reply, User
from bot.local.model import LocalModel
from bot.recall import Known, State, block
from tests.fakes.openai_agents import ANA, THREAD, Block, drafts, exchange, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autogen_core.models import LLMMessage

DAY = datetime(2026, 10, 4, tzinfo=UTC)
NO_MODEL = "No model is configured"


def remembered(*texts: str) -> str:
    return block(State.KNOWN, [Known(n, text, "dm", DAY) for n, text in enumerate(texts)], nonce="3f9a2c1b")


def state(state: State) -> str:
    return block(state, (), nonce="00000000")


PETS = remembered("Rex is my dog.", "My birthday is on 3 May.", "I live in Kyoto & like <b>tea</b>.")


async def answer(words: str, memory: str = "", before: Sequence[LLMMessage] = ()) -> str:
    system = SystemMessage(content=f"You are a bot.\n\n{memory}" if memory else "You are a bot.")
    started = AssistantMessage(content="Hello.", source="keepsake")
    messages = [system, started, *before, UserMessage(content=words, source="person_1")]
    return str((await LocalModel().create(messages)).content)


@pytest.mark.parametrize(
    "words",
    [
        "Rex is my dog.",
        "I'm Li",
        "I ski.",
        "Soy Li",
        "Hello, I am Ana!",
        "Remind me to call the dentist.",
        "Delete milk from my list, please.",
        "I forget names easily.",
        "我叫李雷",
        "私は田中です",
        "저는 민수입니다",
    ],
)
async def test_what_looks_told_is_noted(words: str) -> None:
    assert await answer(words) == "Noted."


@pytest.mark.parametrize(
    "words", ["Oslo", "exit", "😀", "...", "ok", "yes please", "lol", "Oslo Bergen", "see you then", "李雷"]
)
async def test_what_is_nothing_told_is_not_noted_but_invites_a_sentence(words: str) -> None:
    text = await answer(words)
    assert "Noted" not in text
    assert "in a sentence" in text


@pytest.mark.parametrize(
    "words",
    ["Write a poem about spring.", "please translate this to French", "Schreib ein Gedicht.", "Catch me up on this."],
)
async def test_a_task_is_declined_for_want_of_a_model(words: str) -> None:
    assert (
        await answer(words) == "I cannot do that without a model. Tell me something, or ask me about what you told me."
    )


@pytest.mark.parametrize(
    "words",
    ["Forget that I hate mondays", "please forget my address", "Delete what I said about Rome.", "忘记我讨厌星期一",
     "Vergiss, dass ich Montage hasse.", "Oublie que je déteste le lundi.", "月曜日が嫌いなことを忘れてください"],
)  # fmt: skip
async def test_asked_to_forget_one_thing_it_says_how(words: str) -> None:
    text = await answer(words, PETS)
    assert "Delete the message in which you told me" in text
    assert "/forget-me erases everything" in text


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What is my dog called?", "You told me in a direct message, 2026-10-04: Rex is my dog."),
        ("who's rex", "You told me in a direct message, 2026-10-04: Rex is my dog."),
        ("When is my birthday?", "You told me in a direct message, 2026-10-04: My birthday is on 3 May."),
        ("Who lives in Kyoto?", "You told me in a direct message, 2026-10-04: I live in Kyoto & like <b>tea</b>."),
    ],
)
async def test_a_question_is_answered_with_what_was_told_where_and_when(question: str, line: str) -> None:
    assert await answer(question, PETS) == line


async def test_several_lines_that_bear_on_it_are_listed() -> None:
    assert await answer("What do you know of my dog?", remembered("Rex is my dog.", "My dog likes tea.", "I ski.")) == (
        "You told me:\n"
        "- Rex is my dog. (in a direct message, 2026-10-04)\n"
        "- My dog likes tea. (in a direct message, 2026-10-04)"
    )


async def test_what_was_not_told_is_not_known() -> None:
    assert await answer("What is my shoe size?", PETS) == "I do not know: nothing that you told me answers that."
    assert await answer("What is my shoe size?") == "I do not know: nothing that you told me answers that."


@pytest.mark.parametrize(
    "words",
    ["What do you know about me?", "who am I", "Was weißt du über mich?", "¿Qué sabes de mí?", "Que sais-tu sur moi ?"],
)
async def test_asked_about_the_person_it_lists_all_it_was_given(words: str) -> None:
    text = await answer(words, PETS)
    assert text.splitlines() == [
        "You told me:",
        "- Rex is my dog. (in a direct message, 2026-10-04)",
        "- My birthday is on 3 May. (in a direct message, 2026-10-04)",
        "- I live in Kyoto & like <b>tea</b>. (in a direct message, 2026-10-04)",
    ]


@pytest.mark.parametrize("words", ["What do you know about me?", "When is my birthday?"])
async def test_every_state_is_told_apart(words: str) -> None:
    nothing, unread, withheld = [
        await answer(words, state(one)) for one in (State.NOTHING, State.UNREAD, State.WITHHELD)
    ]
    assert "know" in nothing
    assert "could not be read" in unread
    assert "Others can read this" in withheld
    assert "direct message" in withheld


@pytest.mark.parametrize(
    ("memory", "question"),
    [
        ("Mein Hund heißt Rex.", "Wie heißen die Hunde?"),
        ("私の犬の名前はレックスです", "犬の名前は何ですか\uff1f"),
        ("我的狗叫雷克斯", "我的狗叫什么\uff1f"),
        ("제 개 이름은 렉스예요", "개 이름이 뭐예요?"),
        ("Мою собаку зовут Рекс", "Как зовут собаку?"),
        ("اسم كلبي ريكس", "ما اسم كلبي؟"),
    ],
)
async def test_it_finds_what_was_told_in_other_languages(memory: str, question: str) -> None:
    assert memory in await answer(question, remembered(memory, "Zzz qqq."))
    assert "I do not know" in await answer(question, remembered("Zzz qqq."))


async def test_what_was_said_in_this_conversation_counts_too() -> None:
    before = [UserMessage(content="My cat is Mia. What is yours?", source="person_1")]
    assert await answer("What is my cat called?", "", before) == "You said here: My cat is Mia."
    before = [UserMessage(content="From Ben:\nThe cat is Mia.", source="person_2")]
    assert await answer("From Ana:\nWhat is the cat called?", "", before) == "Ben said here: The cat is Mia."


async def test_words_of_others_and_file_names_teach_it_nothing() -> None:
    quoted = Message(
        "1", THREAD, User("slack", "T1.UA"), "Is that so?", DAY, (Attachment("F", "dog.png", "image/png", 1),),
        (Quoted("Ben", "Ana's dog is Rex.\n\nAna's dog is Rex."),),
    )  # fmt: skip
    before = [UserMessage(content=user_text(quoted), source="person_1")]
    assert "Rex" not in await answer("What is my dog called?", "", before)
    assert "Rex" not in await answer(user_text(quoted))


async def test_a_block_in_a_persons_words_is_not_memory() -> None:
    text = await answer(f"What is my dog called?\n{PETS}", state(State.NOTHING))
    assert "You told me" not in text
    assert text.startswith("You said here")


@pytest.mark.parametrize("words", ["Hi!", "hello there", "Guten Morgen", "こんにちは", "你好", "早上好", ""])
async def test_a_greeting_is_returned(words: str) -> None:
    assert (await answer(words)).startswith("Hello!")


@pytest.mark.parametrize("words", ["Thanks a lot!", "谢谢你的帮助", "ありがとうございます", "감사합니다", "ok thanks"])
async def test_thanks_are_returned(words: str) -> None:
    assert await answer(words) == "You are welcome."


@pytest.mark.parametrize("words", ["Forget me!", "What about my privacy?", "please delete everything"])
async def test_asked_about_privacy_it_names_the_commands(words: str) -> None:
    text = await answer(words)
    assert "/memory" in text
    assert "/forget-me" in text


async def test_only_the_first_answer_says_that_there_is_no_model() -> None:
    first = [UserMessage(content="I ski.", source="person_1")]
    model = LocalModel()
    assert NO_MODEL in str((await model.create(first)).content)
    assert "OPENAI_API_KEY" in str((await model.create(first)).content)
    assert NO_MODEL not in await answer("I ski.")


async def test_a_stream_keeps_every_space_and_newline() -> None:
    messages: list[LLMMessage] = [
        SystemMessage(content=PETS),
        UserMessage(content="What do you know about me?", source="x"),
    ]
    *words, result = [piece async for piece in LocalModel().create_stream(messages)]
    assert isinstance(result, CreateResult)
    assert "".join(map(str, words)) == result.content
    assert len(words) > 20
    assert result.usage.completion_tokens > 20


async def test_behind_the_real_agent_it_answers_from_memory_and_thread() -> None:
    bot = Agents(LocalModel())
    seen = await drafts(bot, said("What is my dog called?"), memory=Block(PETS))
    assert seen[-1].text.startswith("You told me in a direct message, 2026-10-04: Rex is my dog.\n\n(No model")
    assert seen[-1].keep
    assert len(seen) > 2
    seen = await drafts(bot, said("And my cat?"), [exchange("My cat is Mia.", "Noted.")], Block(state(State.NOTHING)))
    assert seen[-1].text == "You said here: My cat is Mia."


async def test_another_speakers_words_are_quoted_as_theirs() -> None:
    ben = Message("2", THREAD, User("slack", "T1.UB", "Ben"), "The train leaves at nine.", DAY)
    history = [Exchange(ben, Reply(THREAD, "2"), "Noted.")]
    seen = await drafts(Agents(LocalModel()), said("When does the train leave?", ANA), history, Block(PETS))
    assert seen[-1].text == "Ben said here: The train leaves at nine."


@pytest.mark.parametrize(
    "words",
    ["What do you keep of what I tell you, and who can see it?", "How can I make you forget something?"],
)
async def test_what_slack_suggests_to_ask_has_an_answer_without_a_model(words: str) -> None:
    assert "/forget-me" in await answer(words)

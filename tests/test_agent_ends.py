from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from autogen_core.models import UserMessage

from bot.agent import Agents, Draft, ModelFailed, model_client
from bot.agent.run import OneRun
from tests.fakes.openai import Answer, FakeOpenAI, fail
from tests.fakes.openai_agents import agents, drafts, said

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from autogen_core.models import CreateResult


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI() as server:
        yield server


async def last(server: FakeOpenAI, answer: str | Answer) -> Draft:
    server.say(answer)
    async with agents(server) as bot:
        return (await drafts(bot, said("Hi")))[-1]


async def test_an_answer_cut_by_length_says_so_outside_of_its_code_block(server: FakeOpenAI) -> None:
    draft = await last(server, Answer("See:\n```python\nprint(1)", finish="length"))
    code, sentence = draft.text.rsplit("\n\n", 1)
    assert code == "See:\n```python\nprint(1)\n```"
    assert "length limit" in sentence
    assert draft.keep


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("Half an ans", finish="content_filter"), "content filter held back"),
        (Answer("", finish="content_filter"), "content filter held back"),
        (Answer(refusal=["I cannot", " help."]), "declined"),
        (Answer("", finish="stop"), "empty answer"),
        (Answer(chunks=[" ", "\n"]), "empty answer"),
        (Answer(chunks=["```\n", "```"]), "empty answer"),
        (Answer(chunks=["```python\n\n", "```  "]), "empty answer"),
        (Answer("", finish="length"), "before it wrote an answer"),
        (Answer(chunks=["<think>hm", " hm"], finish="length"), "before it wrote an answer"),
        (
            Answer(tool_calls=[{"id": "1", "type": "function", "function": {"name": "rm", "arguments": ""}}]),
            "empty answer",
        ),
    ],
)
async def test_what_is_no_answer_becomes_one_honest_sentence_and_is_not_kept(
    server: FakeOpenAI, answer: Answer, words: str
) -> None:
    draft = await last(server, answer)
    assert words in draft.text
    assert draft.text.count(".") <= 2
    assert "cannot help" not in draft.text
    assert (draft.done, draft.keep) == (True, False)


async def test_a_stream_without_a_finish_reason_or_done_is_still_an_answer(server: FakeOpenAI) -> None:
    assert await last(server, Answer("Fine.", finish=None, done=False)) == Draft("Fine.", done=True)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(reasoning=["secret ", "</think> plan"], chunks=["Hi ", "there"], gap=0.01),
        Answer(chunks=["<th", "ink>sec", "ret</thi", "nk>\n\nHi ", "there"], gap=0.01),
        Answer(chunks=["\n<think>", "secret", "</think>", "Hi ", "there"], gap=0.01),
        Answer(chunks=["<think>secret</think><think>secret</think>Hi there"], gap=0.01),
    ],
)
async def test_reasoning_is_never_shown(server: FakeOpenAI, answer: Answer) -> None:
    server.say(answer)
    async with agents(server) as bot:
        seen = await drafts(bot, said("Hi"))
    assert not [draft.text for draft in seen if "secret" in draft.text or "think" in draft.text or "plan" in draft.text]
    assert len(seen) > 1
    assert seen[-1].text == "Hi there"


async def test_an_answer_about_think_tags_arrives_whole(server: FakeOpenAI) -> None:
    text = "Put it between <think> and </think>. 3 < 4"
    assert (await last(server, text)).text == text


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (fail(400), "BadRequestError, status 400"),
        (fail(401), "AuthenticationError, status 401"),
        (fail(403), "PermissionDeniedError, status 403"),
        (fail(404), "NotFoundError, status 404"),
        (fail(429, retry_after=0.01), "RateLimitError, status 429"),
        (fail(500, retry_after=0.01), "InternalServerError, status 500"),
        (fail(503, retry_after=0.01), "InternalServerError, status 503"),
        (Answer("some words here", error_after=2), "APIError, _streaming.py"),
        (Answer("some words here", break_after=2), "APIConnectionError, _streaming.py"),
    ],
)
async def test_a_failing_model_is_named_by_class_and_status_without_words(
    server: FakeOpenAI, answer: Answer, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.say(answer, answer)
    async with agents(server) as bot:
        with pytest.raises(ModelFailed) as failed:
            await drafts(bot, said("Hi"))
    assert says in str(failed.value)
    assert "made up" not in str(failed.value)
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
    assert len(server.requests) == (2 if answer.headers else 1)
    assert "made up" not in caplog.text


async def test_a_model_that_is_not_there_fails_in_one_sentence(server: FakeOpenAI) -> None:
    client = model_client(api_key="k", model="m", options={}, base_url="http://127.0.0.1:9/v1", config=None)
    with pytest.raises(ModelFailed, match="APIConnectionError"):
        await drafts(Agents(client), said("Hi"))
    await client.close()
    assert server.requests == []


class Quitter(OneRun):
    """A client that raises as if somebody had cancelled the run."""

    async def create_stream(self, *_: object, **__: object) -> AsyncGenerator[str | CreateResult, None]:
        yield "Half an"
        raise asyncio.CancelledError


@pytest.mark.timeout(10)
async def test_a_client_that_cancels_itself_ends_in_one_sentence(server: FakeOpenAI) -> None:
    client = model_client(api_key="k", model="m", options={}, base_url=server.url, config=None)
    with pytest.raises(ModelFailed, match="ended without a result"):
        await drafts(Agents(Quitter(client, lambda _: None)), said("Hi"))
    await client.close()


async def test_a_character_that_a_stream_tore_apart_is_whole_again(server: FakeOpenAI) -> None:
    server.say(Answer(chunks=["Hi \ud83d", "\ude00 and \ud83d", " so"], gap=0.02))
    async with agents(server) as bot:
        seen = await drafts(bot, said("Hi"))
    assert seen[-1].text == "Hi 😀 and \ufffd so"
    assert all(draft.text.encode() for draft in seen)


async def test_half_a_character_is_replaced_before_it_reaches_the_model(server: FakeOpenAI) -> None:
    server.say("Fine.")
    async with agents(server) as bot:
        assert (await drafts(bot, said("Hi \ud83d there")))[-1].text == "Fine."
    assert server.requests[0].messages[-1]["content"] == "Hi \ufffd there"


async def test_the_next_message_works_after_a_failure(server: FakeOpenAI) -> None:
    server.say(fail(401), "Back again.")
    async with agents(server) as bot:
        with pytest.raises(ModelFailed):
            await drafts(bot, said("Hi"))
        assert (await drafts(bot, said("Hi")))[-1].text == "Back again."


async def test_a_tool_call_that_a_model_makes_up_never_reaches_the_agent(server: FakeOpenAI) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "rm", "arguments": "{}"}}
    server.say(Answer(tool_calls=[call], finish="tool_calls"))
    client = model_client(api_key="k", model="m", options={}, base_url=server.url, config=None)
    run = OneRun(client, lambda _: None)
    result = await run.create([UserMessage(content="Hi", source="x")])
    await client.close()
    assert result.content == ""
    assert run.results[0].finish_reason == "function_calls"
    assert run.tokens == (1, 0)

from __future__ import annotations

import json
import logging
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from autogen_core.models import UserMessage

from bot.agent import Agents, model_client, quiet_logging
from tests.fakes.openai import Answer, FakeOpenAI
from tests.fakes.openai_agents import agents, drafts, said

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

SECRET = "sk-very-secret"


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI() as server:
        yield server


async def body(server: FakeOpenAI, model: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
    client = model_client(api_key=SECRET, model=model, options=options or {}, base_url=server.url, config=None)
    await drafts(Agents(client), said("Hi"))
    await client.close()
    return server.requests[-1].body


@pytest.mark.parametrize(
    "model", ["gpt-5", "gpt-5-mini", "gpt-5-2025-08-07", "gpt-5.1", "o1", "o1-2024-12-17", "o3", "o3-mini", "o4-mini"]
)
async def test_a_reasoning_model_is_asked_for_little_effort(server: FakeOpenAI, model: str) -> None:
    assert (await body(server, model))["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4o",
        "gpt-5-chat-latest",
        "gpt-5.1-chat",
        "gpt-5-pro",
        "o1-mini",
        "o1-preview",
        "gpt-50",
        "claude-sonnet-4-5",
        "gemini-3-pro",
        "Llama-3",
        "llama3.2",
        "openai/gpt-5",
    ],
)
async def test_any_other_name_works_and_gets_no_effort(server: FakeOpenAI, model: str) -> None:
    sent = await body(server, model)
    assert "reasoning_effort" not in sent
    assert sent["model"] == model
    assert not sent.keys() & {"max_tokens", "temperature"}


async def test_options_go_to_the_model_by_their_openai_names(server: FakeOpenAI) -> None:
    options = {"reasoning_effort": "high", "max_completion_tokens": 500, "verbosity": "low", "extra_body": {"top_k": 3}}
    sent = await body(server, "gpt-5", options)
    assert {name: sent[name] for name in ("reasoning_effort", "max_completion_tokens", "verbosity", "top_k")} == {
        "reasoning_effort": "high",
        "max_completion_tokens": 500,
        "verbosity": "low",
        "top_k": 3,
    }


async def test_null_leaves_out_what_we_would_set(server: FakeOpenAI) -> None:
    assert "reasoning_effort" not in await body(server, "gpt-5", {"reasoning_effort": None})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"max_tokns": 5}, "unknown option 'max_tokns'"),
        ({"max_retries": 5}, "unknown option 'max_retries'"),
        ({"n": 2}, "cannot set 'n'"),
        ({"stream_options": {}}, "cannot set 'stream_options'"),
        ({"parallel_tool_calls": True}, "cannot set 'parallel_tool_calls'"),
        ({"model": "x"}, "cannot set 'model'"),
    ],
)
def test_an_option_that_would_do_nothing_or_harm_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=f"MODEL_OPTIONS.*{says}"):
        model_client(api_key="k", model="gpt-5", options=options, base_url=None, config=None)


def test_without_key_address_and_file_one_sentence_says_what_to_set() -> None:
    with pytest.raises(ValueError, match="Set OPENAI_API_KEY"):
        model_client(api_key=None, model="gpt-5", options={}, base_url=None, config=None)


async def test_a_server_of_ones_own_needs_no_key(server: FakeOpenAI) -> None:
    client = model_client(api_key=None, model="llama3.2", options={}, base_url=server.url, config=None)
    assert (await drafts(Agents(client), said("Hi")))[-1].text == "You said: Hi"
    await client.close()
    assert server.requests[0].headers["authorization"] == "Bearer none"


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-3-pro", "Llama-3"])
async def test_a_name_alone_never_chooses_the_provider(model: str) -> None:
    client = model_client(api_key="k", model=model, options={}, base_url=None, config=None)
    assert str(client._client.base_url) == "https://api.openai.com/v1/"  # type: ignore[attr-defined]
    await client.close()


@pytest.mark.parametrize(
    ("address", "openai"),
    [
        (None, True),
        ("https://eu.api.openai.com/v1", True),
        ("https://api.openai.com.evil.example/v1", False),
        ("http://127.0.0.1:11434/v1", False),
    ],
)
async def test_several_system_messages_go_to_openai_only(address: str | None, openai: bool) -> None:  # noqa: FBT001 - a table
    client = model_client(api_key="k", model="gpt-5", options={}, base_url=address, config=None)
    assert client.model_info.get("multiple_system_messages") is openai
    assert client._include_name_in_message is openai  # type: ignore[attr-defined]
    await client.close()


async def test_one_retry_and_a_minute_between_bytes(server: FakeOpenAI) -> None:
    client = model_client(api_key="k", model="gpt-5", options={}, base_url=server.url, config=None)
    assert (client._client.max_retries, client._client.timeout) == (1, 60)  # type: ignore[attr-defined]
    await client.close()


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


async def test_a_component_file_brings_any_client_of_autogen(server: FakeOpenAI, tmp_path: Path) -> None:
    info = {"vision": False, "function_calling": False, "json_output": False, "structured_output": False, "family": "x"}
    config = {"model": "mine", "base_url": server.url, "api_key": SECRET, "model_info": info}
    component = {"provider": "OpenAIChatCompletionClient", "component_type": "model", "config": config}
    path = written(tmp_path / "model.json", json.dumps(component))
    client = model_client(api_key=None, model="gpt-5", options={}, base_url=None, config=path)
    server.say(Answer(reasoning=["secret"], chunks=["Hi ", "you"], gap=0.01))
    seen = await drafts(Agents(client), said("Hi"))
    await client.close()
    assert seen[-1].text == "Hi you"
    assert not [draft for draft in seen if "secret" in draft.text or "think" in draft.text]
    assert server.requests[0].body["model"] == "mine"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '"x"',
        "{}",
        '{"provider": "no.such.Thing", "config": {}}',
        '{"provider": "autogen_core.memory.ListMemory", "config": {}}',
        f'{{"provider": "OpenAIChatCompletionClient", "config": {{"api_key": "{SECRET}", "timeout": "{SECRET}"}}}}',
    ],
)
def test_a_wrong_component_file_is_one_sentence_that_keeps_the_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"^MODEL_CONFIG does not lead to a model") as refused:
        model_client(api_key=None, model="x", options={}, base_url=None, config=written(tmp_path / "c.json", text))
    assert SECRET not in str(refused.value)
    assert refused.value.__context__ is None


def test_a_missing_component_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="MODEL_CONFIG"):
        model_client(api_key=None, model="x", options={}, base_url=None, config=tmp_path / "none.json")


def test_options_beside_a_component_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="put the options into that file"):
        model_client(api_key=None, model="x", options={"seed": 1}, base_url=None, config=tmp_path / "c.json")


async def test_nothing_that_was_said_is_logged_or_warned_of(
    server: FakeOpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    names = ("autogen_core", "autogen_agentchat", "openai", "httpx", "httpx2", "httpcore", "httpcore2")
    levels = {name: logging.getLogger(name).level for name in names}
    server.say(Answer("Zebra", model="another-model"))
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            quiet_logging()
            async with agents(server) as bot:
                await drafts(bot, said("Zebra?"))
            client = model_client(api_key="k", model="m", options={}, base_url=server.url, config=None)
            server.say(Answer("Zebra", model="another-model"))
            await client.create([UserMessage(content="Zebra?", source="x")])
            await client.close()
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
    assert "Answered: stop" in caplog.text
    assert "Zebra" not in caplog.text
    assert "127.0.0.1" not in caplog.text
    assert [str(one.message) for one in warned] == []

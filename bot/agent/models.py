"""The clients of the models: OpenAI, any server that speaks its protocol, or whatever AutoGen can load from a file.

Nothing is chosen by a model's name but its reasoning effort and whether it sees pictures. An option that would be
dropped silently is refused.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from autogen_core.models import ChatCompletionClient, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai.types.chat.completion_create_params import CompletionCreateParamsBase

from bot.agent.run import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from pathlib import Path

    from autogen_core import CancellationToken
    from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionToolParam

_OPENAI = "https://api.openai.com/v1"
_SECONDS = 60.0  # between two bytes, not in all; the whole run has its own deadline
_RETRIES = 1

_OURS = {  # what the bot decides: text answers, streamed, one, without tools
    "function_call", "functions", "messages", "modalities", "model", "n", "parallel_tool_calls", "response_format",
    "stream", "stream_options", "tool_choice", "tools",
}  # fmt: skip

# Reasoning models that take a low effort: gpt-5 in its sizes and later numbers, o1 (not mini or preview), o3, o4.
_TAKES_EFFORT = re.compile(r"(gpt-5([.-].*)?|o1(-\d.*)?|o[34](-.*)?)(?<!-pro)")
_CHAT = "-chat"  # in gpt-5-chat-latest: no reasoning there

# Models that see pictures, as far as their names tell: OpenAI's since gpt-4o, and the families that are known for it.
# Where a name misleads, the service refuses the pictures and is asked again without; `vision` in MODEL_OPTIONS decides.
_SEES = re.compile(
    r"(chatgpt-4o|gpt-4o|gpt-4\.[1-9]|gpt-4-turbo|gpt-([5-9]|\d\d)|o1(?!-mini|-preview)|o3(?!-mini)|o4)([-.].*)?"
    r"|(claude|gemini|pixtral|llava|bakllava|moondream|minicpm-v|llama-?4)\b.*"
    r"|gemma-?3(?!n?[:-]?(1b|270m)\b).*"
    r"|.*(?<![a-z])(vision|vl|omni|multimodal)(?![a-z]).*",
    re.IGNORECASE,
)
_SIGHT = "vision"


def quiet_logging() -> None:
    """Keep words out of the logs, once at the start: at INFO these libraries print prompts, memories and addresses."""
    for name in ("autogen_core", "autogen_agentchat", "openai", "httpx", "httpx2", "httpcore", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for message in ("Resolved model mismatch", "No text content or tool calls", "Tool call function arguments"):
        warnings.filterwarnings("ignore", message=message)


def model_client(
    *, api_key: str | None, model: str, options: Mapping[str, Any], base_url: str | None, config: Path | None
) -> ChatCompletionClient:
    """Make the one client of this process; whoever calls it closes it, on the event loop it was used on.

    `options` are arguments of a chat completion by their OpenAI names; null leaves out what we would set. One more is
    ours: `vision`, true or false, says whether the model sees pictures, where its name misleads. `config` is the path
    of a JSON file with an AutoGen component, and stands instead of all the others.

    Raises:
        ValueError: one sentence says which setting cannot be used.
    """
    if config:
        return _from_file(config, options)
    if not api_key and not base_url:
        raise ValueError("Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, or MODEL_CONFIG.")
    address = base_url or _OPENAI
    real = _is_openai(address)
    arguments = {"timeout": _SECONDS, **_effort(model), **_checked(options)}
    vision = arguments.pop(_SIGHT, None)
    return StreamingClient(
        model=model,
        api_key=api_key or "none",  # local servers take any key, the client insists on one
        base_url=address,  # always: without it a name such as claude-… would choose a vendor
        max_retries=_RETRIES,
        include_name_in_message=real,
        model_info=_info(several_system_messages=real, vision=sees_pictures(model) if vision is None else vision),
        **{name: value for name, value in arguments.items() if value is not None},
    )


def _is_openai(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def sees_pictures(model: str) -> bool:
    """Guess from a model's name, its vendor's prefix left out, whether it sees pictures."""
    return _SEES.fullmatch(model.rpartition("/")[2]) is not None


def _info(*, several_system_messages: bool, vision: bool) -> ModelInfo:
    """Describe what we use of a model: text, and pictures if it sees them."""
    return ModelInfo(
        vision=vision,
        function_calling=False,
        json_output=False,
        structured_output=False,
        family="unknown",
        multiple_system_messages=several_system_messages,
    )


def _effort(model: str) -> dict[str, Any]:
    return {"reasoning_effort": "low"} if _TAKES_EFFORT.fullmatch(model) and _CHAT not in model else {}


def _checked(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Refuse what AutoGen would drop silently and what the bot decides itself."""
    known = {*CompletionCreateParamsBase.__annotations__, "extra_body", "timeout", _SIGHT}
    if options.get(_SIGHT) not in (None, True, False):
        raise ValueError("MODEL_OPTIONS has a 'vision' that is neither true nor false.")
    for name in options:
        if name in _OURS:
            raise ValueError(f"MODEL_OPTIONS cannot set {name!r}: the bot decides that itself.")
        if name not in known:
            raise ValueError(
                f"MODEL_OPTIONS has an unknown option {name!r}: use the names of OpenAI's chat completions."
            )
    return options


def _from_file(path: Path, options: Mapping[str, Any]) -> ChatCompletionClient:
    if options:
        raise ValueError("MODEL_OPTIONS has no effect beside MODEL_CONFIG: put the options into that file.")
    try:
        return ChatCompletionClient.load_component(json.loads(path.read_text(encoding="utf-8")))
    except Exception as error:  # noqa: BLE001 - the file names any class of any package
        # Neither the message nor the cause: a validation error quotes its input, and the file may hold a key.
        reason = type(error).__name__
    raise ValueError(
        f"MODEL_CONFIG does not lead to a model ({reason}): it must be the path of a JSON file that holds an AutoGen "
        "chat completion client as a component, with its provider and config."
    )


class StreamingClient(OpenAIChatCompletionClient):
    """AutoGen's OpenAI client with its stream closed for certain, refusals told apart and reasoning left out.

    It overrides one private method of the pinned release; tests hold it to that.
    """

    async def _create_stream_chunks(
        self,
        tool_params: list[ChatCompletionToolParam],
        oai_messages: list[ChatCompletionMessageParam],
        create_args: dict[str, Any],
        cancellation_token: CancellationToken | None,
    ) -> AsyncGenerator[ChatCompletionChunk, None]:
        del tool_params, cancellation_token  # no tools; the task is cancelled, which reaches the socket itself
        stream = await self._client.chat.completions.create(messages=oai_messages, stream=True, **create_args)
        async with stream:
            async for chunk in stream:
                for choice in chunk.choices:
                    if choice.delta.refusal:
                        choice.delta.content = Refusal(choice.delta.refusal)
                    if choice.delta.model_extra:
                        choice.delta.model_extra.pop("reasoning_content", None)
                yield chunk

"""One run's view of the shared model client: it streams, keeps what AutoGen's messages lose, and shows no reasoning.

It refuses tool calls: the agent is offered no tools, so a call that a model makes up must not be run.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from autogen_core.models import ChatCompletionClient, CreateResult
from autogen_core.models import UserMessage as Turn
from autogen_ext.models.openai import BaseOpenAIChatCompletionClient

from bot.agent.answers import Visible
from bot.agent.images import without_pictures

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from autogen_core import CancellationToken, Image
    from autogen_core.models import LLMMessage, ModelInfo, RequestUsage
    from autogen_core.tools import Tool, ToolSchema

# How a service may say that it takes no pictures, or not this one: by its own status, or as if it had failed.
_NOT_TAKEN = frozenset({400, 404, 413, 415, 422, 500, 501})


class Refusal(str):
    """A piece of the model's words for why it refuses; it travels in a stream without being part of an answer."""

    __slots__ = ()


class OneRun(ChatCompletionClient):
    """Wraps the shared client for a single run; `show` gets all that may be shown so far, each time it grows."""

    def __init__(self, client: ChatCompletionClient, show: Callable[[str], None]) -> None:
        """Keep `results`, one for each call, and whether any was `refused`."""
        self._client = client
        self._show = show
        self._shown = False
        self.results: list[CreateResult] = []
        self.refused = False

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Any = "auto",  # noqa: ANN401 - AutoGen's signature
        json_output: Any = None,  # noqa: ANN401 - AutoGen's signature
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        """Call the model, always as a stream, so that glimpses can be shown and one path is enough."""
        del tools, tool_choice, json_output
        options: dict[str, Any] = {
            "extra_create_args": extra_create_args or {},
            "cancellation_token": cancellation_token,
        }
        if isinstance(self._client, BaseOpenAIChatCompletionClient):
            options["include_usage"] = (
                True  # only here: no other client knows it, and set for good it breaks plain calls
            )
        joined = _alternating(messages)
        try:
            await self._stream(joined, options)
        except Exception as error:
            plain = without_pictures(joined)
            if plain is None or self._shown or getattr(error, "status_code", None) not in _NOT_TAKEN:
                raise
            await self._stream(plain, options)  # an answer that says it saw no picture is better than none
        return self._without_calls()

    async def _stream(self, messages: Sequence[LLMMessage], options: Mapping[str, Any]) -> None:
        visible = Visible()
        async with aclosing(self._client.create_stream(messages, **options)) as stream:
            async for piece in stream:
                if isinstance(piece, CreateResult):
                    self.results.append(piece)
                else:
                    self._take(piece, visible)

    def _take(self, piece: str, visible: Visible) -> None:
        if isinstance(piece, Refusal):
            self.refused = True
            return
        before = visible.text
        if (text := visible.add(piece)) != before and (shown := text.strip()):
            self._shown = True
            self._show(shown)

    def _without_calls(self) -> CreateResult:
        """Hand the agent no tool calls: it would run them and post the error as the answer."""
        if not self.results:
            message = "The model's stream ended without a result."
            raise RuntimeError(message)
        result = self.results[-1]
        return result if isinstance(result.content, str) else result.model_copy(update={"content": ""})

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        **options: Any,  # noqa: ANN401 - passed on to `create`
    ) -> AsyncGenerator[str | CreateResult, None]:
        """Give the result alone: our agent does not ask for a stream, its glimpses go to `show`."""
        yield await self.create(messages, **options)

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens in and out of this run alone; the shared client's total mixes all people."""
        usages = [result.usage for result in self.results]
        return sum(usage.prompt_tokens for usage in usages), sum(usage.completion_tokens for usage in usages)

    async def close(self) -> None:
        """Leave the shared client open: it is not this run's to close."""

    def actual_usage(self) -> RequestUsage:
        """See `total_usage`."""
        return self._client.actual_usage()

    def total_usage(self) -> RequestUsage:
        """Give the shared client's total."""
        return self._client.total_usage()

    def count_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:  # noqa: ANN401 - AutoGen's signature
        """Count as the shared client counts."""
        return self._client.count_tokens(messages, **options)

    def remaining_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:  # noqa: ANN401 - as above
        """Count as the shared client counts."""
        return self._client.remaining_tokens(messages, **options)

    @property
    def capabilities(self) -> ModelInfo:
        """Give the shared client's, under the name that `model_info` replaced."""
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        """Give the shared client's."""
        return self._client.model_info


def _alternating(messages: Sequence[LLMMessage]) -> list[LLMMessage]:
    """Join user turns that stand side by side: strict servers insist that roles alternate."""
    joined: list[LLMMessage] = []
    for message in messages:
        last = joined[-1] if joined else None
        if isinstance(message, Turn) and isinstance(last, Turn):
            joined[-1] = Turn(content=_both(last.content, message.content), source=message.source)
        else:
            joined.append(message)
    return joined


def _both(one: str | list[str | Image], other: str | list[str | Image]) -> str | list[str | Image]:
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    parts = [[content] if isinstance(content, str) else content for content in (one, other)]
    return [*parts[0], *parts[1]]

"""The chat completion client that has no model behind it; it streams by words, with every space and newline kept."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from autogen_core.models import ChatCompletionClient, CreateResult, ModelInfo, RequestUsage

from bot.local.model.given import read
from bot.local.model.reply import write

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from autogen_core.models import LLMMessage

_WORD = re.compile(r"\s*\S+|\s+")
_WINDOW = 1_000_000  # tokens; there is no limit, but the interface wants a number


class LocalModel(ChatCompletionClient):
    """Repeats what it was given that bears on the last message. Needs no network, keeps nothing between calls."""

    def __init__(self, *, pause: float = 0.0) -> None:
        """Wait `pause` seconds between two words of a stream, to look like a model at work; 0 by default."""
        self._pause = pause
        self._usage = RequestUsage(prompt_tokens=0, completion_tokens=0)

    async def create(self, messages: Sequence[LLMMessage], **_: Any) -> CreateResult:  # noqa: ANN401 - AutoGen's signature
        """Answer at once. Tools, formats and further arguments change nothing."""
        return self._result(messages, write(read(messages)))

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        **_: Any,  # noqa: ANN401 - AutoGen's signature
    ) -> AsyncGenerator[str | CreateResult, None]:
        """Answer word by word, then with the whole."""
        text = write(read(messages))
        for word in _WORD.findall(text):
            yield word
            await asyncio.sleep(self._pause)
        yield self._result(messages, text)

    def _result(self, messages: Sequence[LLMMessage], text: str) -> CreateResult:
        usage = RequestUsage(prompt_tokens=self.count_tokens(messages), completion_tokens=len(text.split()))
        self._usage = RequestUsage(
            prompt_tokens=self._usage.prompt_tokens + usage.prompt_tokens,
            completion_tokens=self._usage.completion_tokens + usage.completion_tokens,
        )
        return CreateResult(finish_reason="stop", content=text, usage=usage, cached=False)

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    def actual_usage(self) -> RequestUsage:
        """See `total_usage`."""
        return self._usage

    def total_usage(self) -> RequestUsage:
        """Give all words in and out, counted as tokens."""
        return self._usage

    def count_tokens(self, messages: Sequence[LLMMessage], **_: Any) -> int:  # noqa: ANN401 - AutoGen's signature
        """Count words."""
        return sum(len(str(message.content).split()) for message in messages)

    def remaining_tokens(self, messages: Sequence[LLMMessage], **_: Any) -> int:  # noqa: ANN401 - AutoGen's signature
        """Say that there is room."""
        return max(0, _WINDOW - self.count_tokens(messages))

    @property
    def capabilities(self) -> ModelInfo:
        """Give `model_info` under the name that it replaced."""
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        """Tell that it takes plain text only."""
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=False,
            structured_output=False,
            family="unknown",
            multiple_system_messages=True,
        )

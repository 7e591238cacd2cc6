"""The factory of agents: a fresh one for each message, in a task of its own, under one deadline.

It refuses to share anything between two runs but the model's client, and to let a run outlive its reader.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import MultiModalMessage, TextMessage
from autogen_core import CancellationToken
from autogen_core.model_context import UnboundedChatCompletionContext

from bot.agent.answers import Draft, ModelFailed, failure, last_draft, well_formed
from bot.agent.images import images
from bot.agent.prompt import AGENT, conversation, system_text
from bot.agent.run import OneRun
from bot.files import Picture

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from autogen_core.memory import Memory
    from autogen_core.models import ChatCompletionClient, UserMessage

    from bot.chat import Exchange, Message
    from bot.files import Opened

log = logging.getLogger(__name__)


def local_now() -> datetime:
    """Tell the time in the zone of this machine."""
    return datetime.now(UTC).astimezone()


class Agents:
    """Answers messages. One object serves all people at once; it does not close the client, whoever made it does."""

    def __init__(
        self,
        client: ChatCompletionClient,
        *,
        instructions: str = "",
        operator: str = "",
        deadline: float = 120.0,
        transcript_limit: int = 24_000,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        """Take plain values: `deadline` in seconds for a whole run, `transcript_limit` in characters of earlier turns.

        `now` must tell an aware time.
        """
        self._client = client
        self._instructions = instructions
        self._operator = operator
        self._deadline = deadline
        self._limit = transcript_limit
        self._now = now

    @property
    def sees(self) -> bool:
        """Whether the model sees pictures; one that does not is told that there is one."""
        return bool(self._client.model_info.get("vision"))

    async def answer(
        self,
        message: Message,
        history: Sequence[Exchange],
        memory: Memory,
        *,
        files: Sequence[Opened] = (),
        notes: Sequence[str] = (),
    ) -> AsyncGenerator[Draft, None]:
        """Write the answer: the text so far as it grows (glimpses may be skipped), then one draft that is `done`.

        `history` is the thread's earlier exchanges, oldest first. `files` are what `bot.files.open_all` made of the
        message's attachments; one that is not among them is told as a file that cannot be opened. `notes` are short
        sentences of ours for the model, about this message. To stop early, close the iterator or cancel whoever reads
        it: the run and its request end before the close returns.

        Raises:
            ModelFailed: the model was down, refused us or took longer than the deadline, memory included.
        """
        page = _Page()
        token = CancellationToken()
        given = _Given(message, history, memory, files, notes)
        task = asyncio.create_task(self._write(page, token, given))
        task.add_done_callback(lambda _: page.end())
        try:
            while not (draft := await page.turn()).done:
                yield draft
            yield draft
        finally:
            # The task first: a token alone can hang a run for ever (AutoGen #7956).
            task.cancel()
            token.cancel()
            await asyncio.wait({task})

    async def _write(self, page: _Page, token: CancellationToken, given: _Given) -> None:
        """Run an agent to its end; whatever happens is put on the page and never raised, but for cancelling."""
        late = asyncio.timeout(self._deadline)
        try:
            async with late:
                page.put(await self._run(page, token, given))
        except Exception as error:  # noqa: BLE001 - any client may be configured; each error ends in one sentence
            page.put(ModelFailed(f"No answer within {self._deadline:g} s.") if late.expired() else failure(error))

    async def _run(self, page: _Page, token: CancellationToken, given: _Given) -> Draft:
        turns, question = conversation(given.history, given.message, self._limit, given.files, sees=self.sees)
        run = OneRun(self._client, lambda text: page.put(Draft(well_formed(text))))
        audience = given.message.thread.audience
        agent = AssistantAgent(
            AGENT,
            run,
            system_message=system_text(self._instructions, self._operator, self._now(), audience, given.notes),
            model_context=UnboundedChatCompletionContext(initial_messages=turns),
            memory=[given.memory],
        )
        task = await _task(question, given.files if self.sees else ())
        await agent.run(task=task, cancellation_token=token, output_task_messages=False)
        result = run.results[-1]
        log.debug("Answered: %s, %d tokens in, %d out", result.finish_reason, *run.tokens)
        return last_draft(result, refused=run.refused)


@dataclass(frozen=True, slots=True)
class _Given:
    """All that one answer is written from."""

    message: Message
    history: Sequence[Exchange]
    memory: Memory
    files: Sequence[Opened]
    notes: Sequence[str]


async def _task(question: UserMessage, files: Sequence[Opened]) -> TextMessage | MultiModalMessage:
    """Make the agent's task: the words, and the pictures after them."""
    words = str(question.content)
    if not any(isinstance(opened.content, Picture) for opened in files):
        return TextMessage(content=words, source=question.source)
    pictures = await asyncio.to_thread(images, [opened.content for opened in files])
    return MultiModalMessage(content=[words, *pictures], source=question.source)


class _Page:
    """The newest draft, or the failure: a reader that is slow misses glimpses and never the end."""

    def __init__(self) -> None:
        self._latest: Draft | ModelFailed = Draft("")
        self._written = asyncio.Event()

    def put(self, latest: Draft | ModelFailed) -> None:
        self._latest = latest
        self._written.set()

    def end(self) -> None:
        """Nothing more comes. A run can end without a word: a client may raise as if somebody had cancelled it."""
        if isinstance(self._latest, Draft) and not self._latest.done:
            self.put(ModelFailed("The model's run ended without a result."))

    async def turn(self) -> Draft:
        """Wait for what was not read yet."""
        await self._written.wait()
        self._written.clear()
        if isinstance(self._latest, ModelFailed):
            raise self._latest
        return self._latest

"""A row of the exchanges as the rest of the house sees it, and how words become columns and back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from bot.chat import Audience, Exchange, Message, Reply

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

_MESSAGE = TypeAdapter(Message)
_REPLY = TypeAdapter(Reply)


class Stage(StrEnum):
    """How far a turn got. Each step is safe to repeat from the stage before it."""

    RECEIVED = "received"
    EDITED = "edited"  # the words changed after the answer; they are resolved and saved, and not answered again
    STARTED = "started"  # resolved, a sign of life shown
    ANSWERED = "answered"  # the text is in the row
    FINISHED = "finished"  # and with the person
    REMOVED = "removed"  # a deleted question: its answer is gone from the chat


ANSWERING = (Stage.RECEIVED, Stage.STARTED, Stage.ANSWERED)
OPEN = (*ANSWERING, Stage.EDITED)


@dataclass(frozen=True, slots=True)
class Row:
    """One exchange and what it owes. `message` is None once its words are gone."""

    key: str
    platform: str
    install: str
    space: str
    thread: str
    turn_lane: str
    memory_lane: str
    generation: int
    sent_at: float
    edited_at: float
    stage: Stage
    audience: Audience
    message: Message | None
    reply: Reply | None
    answer: str | None
    saves: bool
    plain: bool
    revision: int
    saved_revision: int
    in_memory: bool
    told: str
    delete_requested: bool
    stop_requested: bool
    attempts: int
    tries: int
    outcome: str
    verdict: str

    def same(self, other: Row | None) -> bool:
        """Tell whether the work begun on this row is still wanted, seeing the row as it is now."""
        return other is not None and self.wanted == other.wanted

    @property
    def wanted(self) -> tuple[object, ...]:
        """What changes when the person edits, deletes, stops or forgets."""
        return (self.generation, self.revision, self.delete_requested, self.stop_requested)


def read(row: RowMapping) -> Row:
    """Read a row of the table."""
    values: dict[str, Any] = {name: row[name] for name in Row.__slots__}
    values["stage"] = Stage(values["stage"])
    values["audience"] = Audience(values["audience"])
    values["message"] = _MESSAGE.validate_json(values["message"]) if values["message"] else None
    values["reply"] = _REPLY.validate_json(values["reply"]) if values["reply"] else None
    return Row(**values)


def message_json(message: Message) -> str:
    """Write a message as the `message` column holds it."""
    return _MESSAGE.dump_json(message).decode()


def reply_json(reply: Reply) -> str:
    """Write a reply as the `reply` column holds it."""
    return _REPLY.dump_json(reply).decode()


def exchange(row: Row) -> Exchange | None:
    """Give what was said and answered, or None once the words are gone."""
    if row.message is None or row.answer is None:
        return None
    return Exchange(row.message, reply_of(row), row.answer)


def reply_of(row: Row) -> Reply:
    """Give the reply as far as it is known.

    Raises:
        ValueError: neither a reply nor the message it would answer is in the row.
    """
    if row.reply is not None:
        return row.reply
    if row.message is None:
        raise ValueError("This row names no reply.")
    return Reply(row.message.thread, row.message.id)

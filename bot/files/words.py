"""What a file turned out to be: a picture, a text, or not read and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from bot.chat import Attachment


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's bytes as they came. `media_type` is what they are, whatever was claimed; sides are in pixels."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Text:
    """The words in a file. `part` says how much of it this is, in a few words; "" is all."""

    text: str = field(repr=False)
    part: str = ""


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a file was not read, in a few words that a person understands, without a full stop."""

    why: str


Content: TypeAlias = Picture | Text | Unread


@dataclass(frozen=True, slots=True)
class Opened:
    """An attachment and what came of it."""

    attachment: Attachment
    content: Content

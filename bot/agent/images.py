"""Pictures on their way to a model: their bytes as they came, in base64 once. Nothing is decoded or encoded anew.

AutoGen's own `Image` makes a PNG of each picture at each call, on the event loop.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from autogen_core import Image
from autogen_core.models import UserMessage

from bot.files import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from autogen_core.models import LLMMessage

    from bot.files import Content

UNSEEN = "[attached: the pictures above were not taken by the service of this model, so you cannot see them]"


class AsItCame(Image):
    """A picture whose bytes stay as they are."""

    def __init__(self, picture: Picture) -> None:
        """Make its text for the wire; this takes a few ms for some MB."""
        self._base64 = b64encode(picture.data).decode()
        self._uri = f"data:{picture.media_type};base64,{self._base64}"

    def to_base64(self) -> str:
        """Give the bytes in base64."""
        return self._base64

    @property
    def data_uri(self) -> str:
        """Give the bytes as an address that holds them."""
        return self._uri


def images(contents: Iterable[Content]) -> list[Image]:
    """Make the images of those contents that are pictures. Not for the event loop."""
    return [AsItCame(content) for content in contents if isinstance(content, Picture)]


def without_pictures(messages: Sequence[LLMMessage]) -> list[LLMMessage] | None:
    """Leave the pictures out and say so to the model; None when there are none."""
    if not any(_has_picture(message) for message in messages):
        return None
    return [_told(message) if isinstance(message, UserMessage) else message for message in messages]


def _has_picture(message: LLMMessage) -> bool:
    return isinstance(message, UserMessage) and not isinstance(message.content, str)


def _told(message: UserMessage) -> UserMessage:
    if isinstance(message.content, str):
        return message
    words = [part for part in message.content if isinstance(part, str)]
    return UserMessage(content="\n\n".join([*words, UNSEEN]), source=message.source)

"""What comes of a run: the answer as far as it is written, its honest end, or the one sentence of a failure.

Pure; it refuses to put words of people into an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autogen_core.models import CreateResult

CUT = "(The answer ended here because it reached the model's length limit.)"
EMPTY = "The model gave an empty answer. Please ask again, perhaps in other words."
FILTERED = "The model's content filter held back the answer to this."
NO_ROOM = "The model reached its length limit before it wrote an answer. Please ask for something shorter."
REFUSED = "The model declined to answer this."

_REASONING = re.compile(r"\A(?:\s*<think>.*?(?:</think>|\Z))+", re.DOTALL)
_NOTHING = re.compile(r"\s*(?:(?:`{3,}|~{3,})[\w+-]*\s*)?")  # a blank line, or a fence alone
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Draft:
    """The answer as far as it is written: the whole text SO FAR, never a delta.

    `done` marks the last one. `keep` is False on a last one that is no answer of the model (empty, refused, filtered):
    it is shown, and nothing of the turn is to be saved.
    """

    text: str
    done: bool = False
    keep: bool = True


class ModelFailed(Exception):  # noqa: N818 - says what happened; the service turns it into an apology
    """The model could not answer: down, refused the key, too late. Its text is one sentence without words."""


def well_formed(text: str) -> str:
    """Join the halves of characters that a stream tore apart, and replace those that stay alone: nothing takes them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def failure(error: Exception) -> ModelFailed:
    """Say which error ended a run, by class and HTTP status or place only: message and frames may hold the prompt."""
    status = getattr(error, "status_code", None)
    where = f"status {status}" if isinstance(status, int) else _place(error)
    return ModelFailed(f"The model could not answer ({type(error).__name__}, {where}).")


def _place(error: Exception) -> str:
    frames = list(walk_tb(error.__traceback__))
    return f"{Path(frames[-1][0].f_code.co_filename).name}:{frames[-1][1]}" if frames else "nowhere"


def last_draft(result: CreateResult, *, refused: bool) -> Draft:
    """Turn a finished run into the last draft. A tool call counts as empty: the model was offered no tools."""
    text = _REASONING.sub("", well_formed(result.content)).strip() if isinstance(result.content, str) else ""
    if refused:
        return Draft(REFUSED, done=True, keep=False)
    if result.finish_reason == "content_filter":
        return Draft(FILTERED, done=True, keep=False)
    if all(_NOTHING.fullmatch(line) for line in text.splitlines()):
        return Draft(NO_ROOM if result.finish_reason == "length" else EMPTY, done=True, keep=False)
    if result.finish_reason == "length":
        text = f"{_close_fence(text)}\n\n{CUT}"
    return Draft(text, done=True)


def _close_fence(text: str) -> str:
    """Close a code block that was cut open, or the sentence after it would read as code."""
    open_fence = ""
    for fence, info in _FENCE.findall(text):
        if not open_fence:
            open_fence = fence
        elif fence.startswith(open_fence) and not info.strip():
            open_fence = ""
    return f"{text}\n{open_fence}" if open_fence else text


class Visible:
    """The part of a stream that may be shown: what stands between think tags is left out, wherever chunks break."""

    def __init__(self) -> None:
        """Start with nothing shown."""
        self.text = ""
        self._held = ""
        self._thinking = False

    def add(self, chunk: str) -> str:
        """Take the next chunk; return all that may be shown so far."""
        self._held += chunk
        while self._tag in self._held:
            before, _, self._held = self._held.partition(self._tag)
            self._show(before)
            self._thinking = not self._thinking
        half = _half_tag(self._held, self._tag)
        self._show(self._held[: len(self._held) - half])
        self._held = self._held[len(self._held) - half :]
        return self.text

    @property
    def _tag(self) -> str:
        return "</think>" if self._thinking else "<think>"

    def _show(self, text: str) -> None:
        if not self._thinking:
            self.text += text


def _half_tag(text: str, tag: str) -> int:
    """Count the characters at the end of the text that may be the beginning of the tag."""
    return next((size for size in range(len(tag) - 1, 0, -1) if text.endswith(tag[:size])), 0)

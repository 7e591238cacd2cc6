"""Finds slips in `.env`: names that look like ours misspelt, and lines that cannot be read. Never repeats a value."""

from __future__ import annotations

import io
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from dotenv.parser import Binding, parse_stream

from bot.settings.fields import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ALIKE = 0.8
"""How much of a name must be one of ours before we ask; SLACK_TOKEN is, another program's OPENAI_ORG_ID is not."""


def slips(env_file: Path = Path(".env")) -> tuple[str, ...]:
    """Give one sentence for each slip. A file that is missing or cannot be read has none; `read_settings` says so."""
    try:
        text = env_file.read_text(encoding="utf-8-sig") if env_file.is_file() else ""
    except (OSError, UnicodeError):
        return ()
    return tuple(f"{env_file}: {slip}" for binding in parse_stream(io.StringIO(text)) for slip in _slips(binding))


def _slips(binding: Binding) -> Iterator[str]:
    names = [str(field.alias) for field in Settings.model_fields.values()]
    if binding.error or (binding.key is not None and binding.value is None):  # what has no value may be one itself
        yield f"line {_line(binding)} cannot be read and is left out; write it as NAME=value."
    elif binding.key and binding.key not in names and (close := _close(binding.key, names)):
        yield f"{binding.key} (line {_line(binding)}) is no setting of Keepsake: did you mean {close}?"


def _close(name: str, names: Sequence[str]) -> str | None:
    return next(iter(get_close_matches(name.upper(), names, n=1, cutoff=_ALIKE)), None)


def _line(binding: Binding) -> int:
    """Count from 1; blank lines before it belong to the parser's piece of text."""
    said = binding.original.string
    return binding.original.line + said[: len(said) - len(said.lstrip())].count("\n")

"""The secret behind every keyed hash, kept in a file of its own. Refuses a file that holds less than it should."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from filelock import FileLock

if TYPE_CHECKING:
    from pathlib import Path

_BYTES = 32


def read_or_make(file: Path) -> bytes:
    """Give the text of the file, made at the first call; processes that start together get the same.

    Raises:
        OSError: the file cannot be made or read, or another process holds it for ten seconds.
        ValueError: the file is damaged.
    """
    with FileLock(f"{file}.lock", timeout=10):
        if not file.exists():
            _make(file)
    kept = file.read_text(encoding="ascii").strip()
    if len(kept) < 2 * _BYTES:
        raise ValueError("The secret is shorter than it was made.")
    return kept.encode()


def _make(file: Path) -> None:
    """Write beside it and move it there, so that nobody ever reads half a secret."""
    draft = file.with_name(f"{file.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
        out.write(secrets.token_hex(_BYTES) + "\n")
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)

"""The command line in this process, which is quicker than one of its own and goes the same way."""

from __future__ import annotations

import io
import logging
import sys
from typing import TYPE_CHECKING

import pytest

from bot.__main__ import main
from tests.test_settings import nothing_set

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["nothing_set"]


@pytest.fixture
def logging_as_before() -> Iterator[None]:
    """`main` sets the levels of a process of its own; here the other tests want theirs back."""
    before = {name: logging.getLogger(name).level for name in logging.root.manager.loggerDict}
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


class Typist:
    """Pipes lines into `python -m bot chat`, each call a new run over the same folder, and gives what came out."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def __call__(self, lines: str | bytes, *arguments: str, encoding: str = "utf-8") -> str:
        typed = io.BytesIO(lines if isinstance(lines, bytes) else lines.encode(encoding))
        shown = io.BytesIO()
        with self._patch.context() as here:
            here.setattr(sys, "stdin", io.TextIOWrapper(typed, encoding, "strict"))
            here.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding, "strict", write_through=True))
            assert main(("chat", *arguments)) == 0
            return shown.getvalue().decode(encoding)


@pytest.fixture
def chat(logging_as_before: None, monkeypatch: pytest.MonkeyPatch) -> Typist:
    del logging_as_before
    return Typist(monkeypatch)


class Refused:
    """Runs the command line in this process with a `.env` of these settings."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home / ".keepsake"
        self.code = 2
        self._env, self._capsys = home / ".env", capsys

    def __call__(self, *arguments: str, **settings: str) -> str:
        """Give the one sentence that it ends with."""
        self._env.write_text("".join(f"{name}='{value}'\n" for name, value in settings.items()), encoding="utf-8")
        assert main(arguments) == self.code
        said = self._capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1, said.err
        return said.err.strip()


@pytest.fixture
def refused(logging_as_before: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    del logging_as_before
    return Refused(tmp_path, capsys)

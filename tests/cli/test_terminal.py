"""`python -m bot chat` at a real terminal: keys, Ctrl-C, Ctrl-D, and the terminal given back as it was."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.cli.kit import Terminal
from tests.fakes.openai import Answer, FakeOpenAI
from tests.fakes.poll import until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no such terminals")
CTRL_C, CTRL_D, LEFT, DELETE = "\x03", "\x04", "\x1b[D", "\x1b[3~"


async def test_arrow_keys_edit_the_line_and_bold_is_bold(tmp_path: Path) -> None:
    async with Terminal(tmp_path) as terminal:
        before = terminal.mode()
        await terminal.shows("you> ")
        terminal.keys(f"My dog is called Rexy{LEFT}{DELETE}.\r")
        await terminal.shows("\x1b[1mI am an AI and can be wrong.\x1b[0m")
        while "My dog is called Rex.  [" not in terminal.screen:  # it takes a moment to be learned
            await terminal.shows("you> ")
            terminal.clear()
            terminal.keys("/memory\r")
            await terminal.shows("you> ")
        terminal.keys("half a line")
        await terminal.shows("half a line")
        terminal.keys(CTRL_C)
        assert await terminal.ends() == 0
        assert terminal.screen.endswith("half a line\r\n")
        assert terminal.mode() == before


async def test_ctrl_c_stops_the_answer_that_is_being_written_and_ctrl_d_ends_the_program(tmp_path: Path) -> None:
    async with FakeOpenAI() as server, Terminal(tmp_path, OPENAI_BASE_URL=server.url) as terminal:
        server.say(Answer(chunks=("Once upon ", "a time", " there was"), hang_after=2))
        await terminal.shows("you> ")
        terminal.keys("Tell me a story.\r")
        await terminal.shows("bot> Once upon a time")
        terminal.keys(CTRL_C)
        await terminal.shows("(stopped)")
        terminal.clear()
        await terminal.shows("you> ")
        terminal.keys("And now?\r")
        await terminal.shows("bot> You said: And now?")
        assert server.disconnects == 1
        terminal.clear()
        await terminal.shows("you> ")
        terminal.keys(CTRL_D)
        assert await terminal.ends() == 0
        assert terminal.screen.endswith("you> \r\n")


async def test_a_second_ctrl_c_ends_it_where_there_is_no_answer_to_stop(tmp_path: Path) -> None:
    down = {"GENIFFY_BASE_URL": "http://127.0.0.1:9", "GENIFFY_API_KEY": "k"}  # an erase waits for it
    async with Terminal(tmp_path, **down) as terminal:
        await terminal.shows("you> ")
        terminal.keys("/forget-me fresh\r")
        await until(lambda: _forgetting(tmp_path))
        terminal.keys(CTRL_C)
        await terminal.shows("(Ctrl-C once more ends the program.)")
        terminal.keys(CTRL_C)
        assert await terminal.ends() == 0
        assert "Traceback" not in terminal.screen
        assert terminal.screen.endswith("\r\n")


def _forgetting(home: Path) -> bool:
    """Tell whether the command is at work: the erase is owed, and the memory that it waits for is down."""
    with closing(sqlite3.connect(home / ".keepsake" / "keepsake.db")) as database:
        return bool(database.execute("SELECT count(*) FROM fences WHERE erase_due_at IS NOT NULL").fetchone()[0])

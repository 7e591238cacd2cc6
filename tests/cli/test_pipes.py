"""Lines piped in and out, as scripts do it: any bytes, any encoding, and whoever stops reading."""

from __future__ import annotations

import asyncio
import io
import sys
from asyncio.subprocess import PIPE
from typing import TYPE_CHECKING

import pytest

from adapters.console import Console, person
from bot.__main__ import main
from bot.chat import Command, NotAccepted
from tests.cli.kit import CHAT, environment, raw
from tests.fakes.openai import Answer, FakeOpenAI
from tests.fakes.poll import until

if TYPE_CHECKING:
    from pathlib import Path

    from bot.chat import Ask, Message, Panel, Thread, User
    from tests.cli.conftest import Typist


def test_what_is_no_text_in_its_encoding_is_answered_all_the_same(tmp_path: Path) -> None:
    done = raw(tmp_path, "chat", lines=b"\xe9t\xe9 \x00\x1b[2J\nsecond\n", LANG="C.UTF-8")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"bot> ") == 2
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_no_input_is_too_odd_for_any_encoding(chat: Typist, encoding: str) -> None:
    assert chat(b"\xe9t\xe9\x81\x00\xff\nsecond\n", encoding=encoding).count("bot> ") == 2


def test_what_the_output_cannot_show_is_replaced(chat: Typist) -> None:
    assert "  - I like été, 茶 and 🍵." in chat("I like été, 茶 and 🍵.\n/memory\n")
    assert "  - I like ?t?, ? and ?." in chat("/memory\n", encoding="ascii")


async def test_a_reader_that_goes_away_ends_it_quietly_and_the_answer_stays_owed(
    chat: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = asyncio.Event()
    async with FakeOpenAI() as server:
        server.say(Answer(chunks=("So ", "be it."), hold=hold))
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        process = await asyncio.create_subprocess_exec(
            *CHAT, cwd=tmp_path, env=environment(OPENAI_BASE_URL=server.url), stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"My dog is called Rex.\nAnd my cat is called Tom.\n")
        await process.stdout.readuntil(b"bot> So")
        process.stdout._transport.close()  # type: ignore[attr-defined] # as `head` does once it has enough
        hold.set()
        trouble = await process.stderr.read()
        assert (await asyncio.wait_for(process.wait(), 20), trouble) == (0, b"")

        async def answered_later() -> bool:
            again = await asyncio.to_thread(chat, "What is my dog called?\n")
            assert "Tom" not in again
            return "(To something you said in an earlier terminal:)\nbot> So be it." in again

        await until(answered_later, 20)


def test_closed_input_is_the_end_and_closed_output_is_no_trouble(
    logging_as_before: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del logging_as_before
    for name in ("stdin", "stdout"):  # what Python makes of a stream that is closed at the start
        monkeypatch.setattr(sys, name, None)
        assert main(["chat"]) == 0
    assert capsys.readouterr().err == ""


def test_quit_ends_it_and_leaves_what_comes_after_unread(chat: Typist) -> None:
    said = chat("Hello.\n/QUIT\nMy dog is called Rex.\n")
    assert "Hello." in said
    assert "Rex" not in said
    assert "Rex" not in chat("/exit \nMy dog is called Rex.\n")


def test_commands_are_understood_as_people_type_them(chat: Typist) -> None:
    said = chat("/Memory\n/memry\n/7\n/forget me\n/remember\n/nonsense\n")
    assert "I remember nothing about you yet" in said.split("/Memory")[1]
    assert "Did you mean /memory?" in said
    assert "There is nothing to choose with /7 now." in said
    assert "This deletes everything I know about you" in said
    assert "From now on I remember" in said
    assert "I do not know /nonsense. /help lists" in said


def test_a_bare_number_beside_choices_is_something_said(chat: Typist) -> None:
    said = chat("/forget-me\n1\n")
    assert "You are forgotten" not in said
    assert "bot> " in said.split("you> 1\n")[1]


def test_the_choice_of_the_first_notice_can_be_made_in_a_later_run(chat: Typist) -> None:
    chat("My dog is called Rex.\n")
    assert "I will not remember you again" in chat("/forget-me\n/2\n")
    assert "I remember nothing about you" in chat("My cat is called Tom.\n/memory\n")
    assert "From now on I remember" in chat("/help\n/1\n/1\n")


class Broken:
    """A bot in which nothing works."""

    commands: tuple[Command, ...] = ()

    async def message(self, message: Message) -> None:
        raise NotAccepted(message.id)

    async def edited(self, message: Message, *, calls: bool) -> None:
        raise NotImplementedError

    async def deleted(self, key: str) -> None:
        raise NotImplementedError

    async def command(self, name: str, ask: Ask) -> Panel:
        raise TimeoutError(name, ask)

    async def installed(self, platform: str, install: str) -> None:
        del platform, install

    async def removed(self, platform: str, install: str) -> None:
        del platform, install

    async def left(self, user: User, *, at_once: bool) -> None:
        del user, at_once

    async def returned(self, user: User) -> None:
        del user

    async def stopped(self, thread: Thread, user: User) -> None:
        raise NotImplementedError


async def test_what_fails_is_one_sentence_and_the_terminal_goes_on() -> None:
    out = io.StringIO()
    await Console(person("ana"), io.StringIO("/new\n/help\nHello.\n"), out).run(Broken())
    assert out.getvalue().splitlines() == [
        "you> /new",
        "That did not work just now (TimeoutError). Please try it again in a moment.",
        "you> /help",
        "That did not work just now (TimeoutError). Please try it again in a moment.",
        "you> Hello.",
        "bot> Sorry, I could not take that down. Please say it again.",
    ]

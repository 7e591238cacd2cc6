"""The command line: its verbs, its exit codes, and how a run ends. `compose` puts the bot together."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from adapters.console import NAME, Console, person
from adapters.console.lines import standard
from adapters.slack import manifest
from bot.agent import quiet_logging
from bot.compose import open_bot, plain, platforms_of
from bot.doctor import examine
from bot.local.memory import open_memory
from bot.settings import (
    MEMORY,
    SettingsError,
    listening,
    nothing_to_do,
    only_one,
    opening,
    read_arguments,
    read_settings,
    refuse_memory_loss,
    slips,
)
from bot.store import Keys, WrongSecret

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from typing import Any, TextIO

    from bot.settings import Arguments, Settings

log = logging.getLogger("bot")

WRONG_SETUP = 2
"""Exit code for a set-up that a restart cannot mend: tell a supervisor not to try."""
LINE = 1.0
"""Seconds for which the console waits after an answer, so that what was said is saved before the next line."""
LAST_LINE = 15.0


async def _chat(settings: Settings, name: str) -> int:
    try:
        console = Console(person(name), bold=os.environ.get("TERM") != "dumb")
    except ValueError as error:
        raise SettingsError(f"--as: {error}") from None
    console.hung_up = partial(logging.disable)  # whoever closed the pipe wants no more of it
    key = Keys(settings.secret()).of(console.user.space)  # no name of a person rests in a file's
    with only_one(settings, key, console.user.name):
        async with open_bot(settings, [console]) as service:
            console.settled = partial(service.settled, NAME, LINE)
            await service.run(lambda: service.settled(NAME, LINE if console.ended_early else LAST_LINE))
    return 0


async def _run(settings: Settings, role: str | None) -> int:
    refuse_memory_loss(settings, os.environ)
    platforms = platforms_of(settings, role)
    if not platforms:
        raise nothing_to_do(role)
    async with open_bot(settings, [], platforms.values()) as service:
        log.info("Running on %s.", " and ".join(platforms))
        await service.run()
    return 0


async def _memory(settings: Settings, port: int) -> int:
    key = plain(settings.geniffy_api_key)
    opened = open_memory(settings.home() / "memory.db", api_key=key)
    with listening(port) as listener:
        async with opening(MEMORY, opened) as memory:
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            takes = "only the key in GENIFFY_API_KEY" if key else "any key, as GENIFFY_API_KEY is not set"
            beside = " and the same GENIFFY_API_KEY" if key else ""
            _say(f"The local memory listens on {address}, for this machine only. It takes {takes}.")
            _say(f"Start a bot with GENIFFY_BASE_URL={address}{beside} to let it use this memory.")
            config = uvicorn.Config(memory.app, lifespan="off", log_config=None, log_level="warning", access_log=False)
            await uvicorn.Server(config).serve(sockets=[listener])
    return 0


async def _doctor(settings: Settings) -> int:
    well, out = True, standard(sys.stdout)  # what a terminal cannot show, such as a workspace's name, ends nothing
    async for found in examine(settings, os.environ):
        well = well and found.kind != "fix"
        _say(f"{found.kind.upper():4}  {found.said}", out)
    return 0 if well else 1


def _slack_manifest(url: str | None) -> int:
    try:
        found = manifest.manifest(url)
    except ValueError as error:
        raise SettingsError(f"--url: {error}") from None
    _say(json.dumps(found, indent=2))
    _say(f"\nThis opens Slack's form for a new app, filled in with that:\n{manifest.form(found)}", sys.stderr)
    return 0


def _say(sentence: object, to: TextIO | None = None) -> None:
    print(sentence, file=to, flush=True)


def _job(arguments: Arguments, settings: Settings) -> Coroutine[Any, Any, int]:
    if arguments.verb == "chat":
        return _chat(settings, arguments.name)
    if arguments.verb == "run":
        return _run(settings, arguments.role)
    if arguments.verb == "doctor":
        return _doctor(settings)
    return _memory(settings, arguments.port)


async def _until_told(job: Coroutine[Any, Any, int]) -> int:
    """Run a job; SIGTERM ends it as Ctrl-C does, in good order."""
    task = asyncio.ensure_future(job)
    with suppress(NotImplementedError, RuntimeError):  # Windows has no such handler, nor has any but the main thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        return await task
    return 0


def _do(arguments: Arguments) -> int:
    if arguments.verb == "slack-manifest":  # says what to set before anything is
        return _slack_manifest(arguments.url)
    _log_from(logging.INFO if arguments.verb in {"run", "memory"} else logging.WARNING)
    for sentence in slips():
        log.warning("%s", sentence)
    settings = read_settings()
    for sentence in settings.notices():
        log.warning("%s", sentence)
    return asyncio.run(_until_told(_job(arguments, settings)))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; give the exit code. A wrong set-up is one sentence and code 2, never a traceback."""
    try:
        return _do(read_arguments(argv))
    except (SettingsError, WrongSecret, PermissionError) as error:
        _say(error, sys.stderr)
        return WRONG_SETUP
    except BrokenPipeError:  # nobody reads the output any more
        return 0
    except OSError as error:  # a port in use may be free at the next try
        _say(error if error.filename else error.strerror or error, sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        _let_go(sys.stdout)


def _log_from(level: int) -> None:
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("dotenv").setLevel(logging.ERROR)  # `slips` says it in our words
    quiet_logging()


def _let_go(output: TextIO | None) -> None:
    """Drop what nobody reads any more, or Python complains of it at the very end."""
    if output is None:
        return
    try:
        output.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


if __name__ == "__main__":
    sys.exit(main())

"""The command line and the composition root: settings, clients, platforms, bot. Only this module imports adapters."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import httpx
import uvicorn
from geniffy import AsyncGeniffy

from adapters.console import NAME, Console, person
from adapters.discord import DiscordPlatform
from adapters.slack import SlackPlatform
from bot import commands
from bot.agent import Agents, model_client, quiet_logging
from bot.engine import LocalEngine
from bot.local.memory import open_memory
from bot.local.model import LocalModel
from bot.memory import Memories
from bot.service import Service
from bot.settings import (
    DATABASE,
    MEMORY,
    Settings,
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
from bot.store import Keys, WrongSecret, open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from typing import Any, TextIO

    from autogen_core.models import ChatCompletionClient

    from bot.chat import Platform
    from bot.settings import Arguments

log = logging.getLogger("bot")

WRONG_SETUP = 2
"""Exit code for a set-up that a restart cannot mend: tell a supervisor not to try."""
GENIFFY_TIMEOUT = 60.0
LINE = 1.0
"""Seconds for which the console waits after an answer, so that what was said is saved before the next line."""
LAST_LINE = 15.0


@asynccontextmanager
async def _geniffy(settings: Settings) -> AsyncIterator[AsyncGeniffy]:
    """Open the client of the hosted memory, or of the local one in this process."""
    async with AsyncExitStack() as stack:
        transport, key, address = None, settings.geniffy_api_key, settings.geniffy_base_url
        if settings.local_memory:
            local = await stack.enter_async_context(opening(MEMORY, open_memory(settings.home() / "memory.db")))
            transport, address = httpx.ASGITransport(local.app), "http://localhost"
        http = httpx.AsyncClient(transport=transport, timeout=GENIFFY_TIMEOUT)
        await stack.enter_async_context(http)
        secret = key.get_secret_value() if key else "local"
        yield AsyncGeniffy(secret, base_url=address, http_client=http)


def _model(settings: Settings) -> ChatCompletionClient:
    key = settings.openai_api_key
    if not (key or settings.openai_base_url or settings.model_config_file):
        return LocalModel()
    try:
        return model_client(
            api_key=key.get_secret_value() if key else None,
            model=settings.model,
            options=settings.model_options,
            base_url=settings.openai_base_url,
            config=settings.model_config_file,
        )
    except ValueError as error:
        raise SettingsError(str(error)) from None


def _about(settings: Settings) -> commands.About:
    return commands.About(
        operator=settings.operator_name,
        privacy_url=settings.privacy_url or "",
        memory=settings.memory_is,
        model=settings.model_is,
    )


@asynccontextmanager
async def open_bot(settings: Settings, platforms: Sequence[Platform]) -> AsyncIterator[Service]:
    """Compose the bot over these platforms, and close everything that was opened for it."""
    model, about = _model(settings), _about(settings)
    agents = Agents(model, instructions=settings.instructions, operator=settings.operator_name)
    try:
        opened = open_store(settings.database_url, settings.secret())
        async with opening(DATABASE, opened, WrongSecret) as store, _geniffy(settings) as geniffy:
            service = Service(
                store=store,
                engine=LocalEngine(),
                platforms=platforms,
                agents=agents,
                memories=Memories(geniffy, fast=settings.recall == "fast"),
                notice=partial(commands.notice, about),
                retention_days=settings.retention_days,
            )
            service.commands, service.actions = commands.offered(service), commands.pressed(service, about)
            yield service
    finally:
        await model.close()


async def _chat(settings: Settings, name: str) -> None:
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


def _platforms(settings: Settings, role: str | None) -> list[Platform]:
    found: list[Platform] = []
    if token := settings.slack_bot_token:
        app_token, secret = settings.slack_app_token, settings.slack_signing_secret
        if role in (None, "worker" if app_token else "web"):
            found.append(
                SlackPlatform(
                    bot_token=token.get_secret_value(),
                    signing_secret=secret.get_secret_value() if secret else None,
                    app_token=app_token.get_secret_value() if app_token else None,
                    host=settings.host,
                    port=settings.port,
                    api_url=settings.slack_api_url,
                )
            )
    if (token := settings.discord_token) and role in (None, "worker"):
        api = settings.discord_api_url
        found.append(DiscordPlatform(token=token.get_secret_value(), secret=settings.secret(), api_url=api))
    return found


async def _run(settings: Settings, role: str | None) -> None:
    platforms = _platforms(settings, role)
    if not platforms:
        raise nothing_to_do(role)
    async with open_bot(settings, platforms) as service:
        log.info("Running on %s.", " and ".join(platform.name for platform in platforms))
        await service.run()


async def _memory(settings: Settings, port: int) -> None:
    key = settings.geniffy_api_key.get_secret_value() if settings.geniffy_api_key else None
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


def _say(sentence: object, to: TextIO | None = None) -> None:
    print(sentence, file=to, flush=True)


def _job(arguments: Arguments, settings: Settings) -> Coroutine[Any, Any, None]:
    if arguments.verb == "chat":
        return _chat(settings, arguments.name)
    if arguments.verb == "run":
        refuse_memory_loss(settings, os.environ)
        return _run(settings, arguments.role)
    return _memory(settings, arguments.port)


async def _until_told(job: Coroutine[Any, Any, None]) -> None:
    """Run a job; SIGTERM ends it as Ctrl-C does, in good order."""
    task = asyncio.ensure_future(job)
    with suppress(NotImplementedError, RuntimeError):  # Windows has no such handler, nor has any but the main thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        await task


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; give the exit code. A wrong set-up is one sentence and code 2, never a traceback."""
    try:
        arguments = read_arguments(argv)
        _log_from(logging.WARNING if arguments.verb == "chat" else logging.INFO)
        for sentence in slips():
            log.warning("%s", sentence)
        settings = read_settings()
        for sentence in settings.notices():
            log.warning("%s", sentence)
        asyncio.run(_until_told(_job(arguments, settings)))
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
    return 0


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

"""The command line and the composition root: settings, clients, platforms, bot. Only this module imports adapters."""

from __future__ import annotations

import argparse
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
from filelock import FileLock, Timeout
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
from bot.settings import Settings, SettingsError, read_settings, refuse_memory_loss
from bot.store import Keys, open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from typing import Any

    from autogen_core.models import ChatCompletionClient

    from bot.chat import Platform

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
            local = await stack.enter_async_context(open_memory(settings.home() / "memory.db"))
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
    memory = f"by Geniffy ({settings.geniffy_base_url or 'api.geniffy.com'})"
    model = f"the model {settings.model} at {settings.openai_base_url or 'OpenAI'}"
    if settings.model_config_file:
        model = "a model that the operator chose"
    elif not (settings.openai_api_key or settings.openai_base_url):
        model = "a program on the operator's own machine, with no model behind it"
    return commands.About(
        operator=settings.operator_name,
        privacy_url=settings.privacy_url or "",
        memory="on the operator's own machine" if settings.local_memory else memory,
        model=model,
    )


@asynccontextmanager
async def open_bot(settings: Settings, platforms: Sequence[Platform]) -> AsyncIterator[Service]:
    """Compose the bot over these platforms, and close everything that was opened for it."""
    model, about = _model(settings), _about(settings)
    agents = Agents(model, instructions=settings.instructions, operator=settings.operator_name)
    try:
        async with open_store(settings.database_url, settings.secret()) as store, _geniffy(settings) as geniffy:
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
        console = Console(person(name))
    except ValueError as error:
        raise SettingsError(f"--as: {error}") from None
    with _only_one(settings, console):
        async with open_bot(settings, [console]) as service:
            console.settled = partial(service.settled, NAME, LINE)
            await service.run(before_end=partial(service.settled, NAME, LAST_LINE))


def _only_one(settings: Settings, console: Console) -> FileLock:
    name = Keys(settings.secret()).of(console.user.space)  # no name of a person rests in a file's
    lock = FileLock(settings.home() / f"{name}.lock", blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise SettingsError(
            f"{console.user.name} is already talking in another terminal: end that one first."
        ) from None
    return lock


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
        raise SettingsError(
            "There is no platform to talk on"
            + (f" in the role {role}" if role else "")
            + ": set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET), or DISCORD_TOKEN, in .env; "
            "`python -m bot chat` talks here without any."
        )
    async with open_bot(settings, platforms) as service:
        log.info("Running on %s.", " and ".join(platform.name for platform in platforms))
        await service.run()


async def _memory(settings: Settings, port: int) -> None:
    key = settings.geniffy_api_key.get_secret_value() if settings.geniffy_api_key else None
    async with open_memory(settings.home() / "memory.db", api_key=key) as memory:
        print(f"The local memory listens on http://127.0.0.1:{port}", flush=True)  # noqa: T201 - the command's output
        server = uvicorn.Server(uvicorn.Config(memory.app, port=port, log_level="warning"))
        await server.serve()


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bot", description="A chat bot that remembers each person.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    chat = verbs.add_parser("chat", help="talk to the bot here, or pipe lines into it; needs no key")
    chat.add_argument("--as", dest="name", default="you", metavar="NAME", help="the person who talks (default: you)")
    run = verbs.add_parser("run", help="run on every platform whose tokens are set")
    run.add_argument("--role", choices=("web", "worker"), help="only Slack over HTTP, or only what needs no port")
    memory = verbs.add_parser("memory", help="serve the local memory on a port of this machine")
    memory.add_argument("--port", type=int, default=8765)
    return parser.parse_args(argv)


def _job(arguments: argparse.Namespace, settings: Settings) -> Coroutine[Any, Any, None]:
    if arguments.verb == "chat":
        return _chat(settings, arguments.name)
    if arguments.verb == "run":
        refuse_memory_loss(settings, os.environ)
        return _run(settings, arguments.role)
    return _memory(settings, arguments.port)


async def _until_told(job: Coroutine[Any, Any, None]) -> None:
    """Run a job; SIGTERM ends it as Ctrl-C does, in good order."""
    task = asyncio.ensure_future(job)
    with suppress(NotImplementedError):  # Windows has no such handler
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        await task


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; give the exit code. A wrong set-up is one sentence and code 2, never a traceback."""
    arguments = _arguments(argv)
    level = logging.WARNING if arguments.verb == "chat" else logging.INFO
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    quiet_logging()
    try:
        settings = read_settings()
        for sentence in settings.notices():
            log.warning("%s", sentence)
        asyncio.run(_until_told(_job(arguments, settings)))
    except (SettingsError, PermissionError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the sentence is the output
        return WRONG_SETUP
    except OSError as error:
        print(error, file=sys.stderr)  # noqa: T201 - as above; a port in use may be free at the next try
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())

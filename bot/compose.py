"""The composition root: settings -> clients -> platforms -> bot. Beside `__main__` and `doctor` only it knows adapters.

What it opens it closes, in the order that what still runs may use the rest until its end.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import httpx
from geniffy import AsyncGeniffy

from adapters.discord import DiscordPlatform
from adapters.slack import SlackPlatform
from bot import commands
from bot.agent import Agents, model_client
from bot.engine import LocalEngine
from bot.local.memory import open_memory
from bot.local.model import LocalModel
from bot.memory import Memories
from bot.service import Service, Words
from bot.settings import DATABASE, MEMORY, SettingsError, opening
from bot.store import WrongSecret, open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from autogen_core.models import ChatCompletionClient
    from pydantic import SecretStr

    from bot.chat import Platform
    from bot.settings import Settings
    from bot.store import Store

    MakePlatform = Callable[[Store], Platform]

GENIFFY_TIMEOUT = 60.0


@asynccontextmanager
async def open_geniffy(settings: Settings) -> AsyncIterator[AsyncGeniffy]:
    """Open the client of the hosted memory, or of the local one in this process."""
    async with AsyncExitStack() as stack:
        transport, key, address = None, settings.geniffy_api_key, settings.geniffy_base_url
        if settings.local_memory:
            local = await stack.enter_async_context(opening(MEMORY, open_memory(settings.home() / "memory.db")))
            transport, address = httpx.ASGITransport(local.app), "http://localhost"
        http = httpx.AsyncClient(transport=transport, timeout=GENIFFY_TIMEOUT)
        await stack.enter_async_context(http)
        yield AsyncGeniffy(plain(key) or "local", base_url=address, http_client=http)


def model_of(settings: Settings) -> ChatCompletionClient:
    """Make the model's client; without a key or an address, the stand-in that needs neither.

    Raises:
        SettingsError: the model's settings do not fit together.
    """
    key = settings.openai_api_key
    if not (key or settings.openai_base_url or settings.model_config_file):
        return LocalModel()
    try:
        return model_client(
            api_key=plain(key),
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
async def open_bot(
    settings: Settings, platforms: Iterable[Platform], making: Iterable[MakePlatform] = ()
) -> AsyncIterator[Service]:
    """Compose the bot over these platforms and what `making` makes, and close everything that was opened for it."""
    model, about = model_of(settings), _about(settings)
    agents = Agents(model, instructions=settings.instructions, operator=settings.operator_name)
    try:
        opened = open_store(settings.database_url, settings.secret())
        async with opening(DATABASE, opened, WrongSecret) as store, open_geniffy(settings) as geniffy:
            service = Service(
                store=store,
                engine=LocalEngine(),
                platforms=[*platforms, *(make(store) for make in making)],
                agents=agents,
                memories=Memories(geniffy, fast=settings.recall == "fast"),
                words=Words(partial(commands.notice, about), commands.foot),
                retention_days=settings.retention_days,
                uninstall_grace=settings.uninstall_grace * 3600.0,
            )
            service.commands, service.actions = commands.offered(service), commands.pressed(service, about)
            yield service
    finally:
        await model.close()


def platforms_of(settings: Settings, role: str | None) -> dict[str, MakePlatform]:
    """Give by name what makes each platform that this role runs, once there is a store; none when nothing is set."""
    found: dict[str, MakePlatform] = {}
    if settings.slack_over and role in (None, "worker" if settings.slack_over == "socket" else "web"):
        found[SlackPlatform.name] = partial(_slack, settings)
    if settings.discord_token and role in (None, "worker"):
        found[DiscordPlatform.name] = partial(_discord, settings)
    return found


def _slack(settings: Settings, store: Store) -> Platform:
    return SlackPlatform(
        bot_token=plain(settings.slack_bot_token),
        signing_secret=plain(settings.slack_signing_secret),
        app_token=plain(settings.slack_app_token),
        client_id=settings.slack_client_id,
        client_secret=plain(settings.slack_client_secret),
        installs=store.installs(SlackPlatform.name),
        secret=settings.secret(),
        follow_ups=settings.follow_ups,
        host=settings.host,
        port=settings.port,
        api_url=settings.slack_api_url,
        files_url=settings.slack_files_url,
    )


def _discord(settings: Settings, store: Store) -> Platform:  # noqa: ARG001 - it keeps nothing there
    token = plain(settings.discord_token) or ""
    return DiscordPlatform(token=token, secret=settings.secret(), api_url=settings.discord_api_url)


def plain(secret: SecretStr | None) -> str | None:
    """Give what a secret setting holds."""
    return secret.get_secret_value() if secret else None

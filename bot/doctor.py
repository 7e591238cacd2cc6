"""Looks at everything that an operator has set, one thing after the other, and says of each what to do.

It asks every party at the address that the bot would use, for ten seconds at most, changes nothing there, and shows no
secret. What cannot be asked is said to be unknown.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, NamedTuple

import httpx
from geniffy import AuthenticationError as GeniffyRefusal
from openai import AsyncOpenAI, AuthenticationError, NotFoundError, OpenAIError, PermissionDeniedError

from adapters.discord import doctor as discord_doctor
from adapters.slack import SlackPlatform
from adapters.slack import doctor as slack_doctor
from bot.compose import model_of, open_geniffy, plain
from bot.settings import DATABASE, SettingsError, nothing_to_do, opening, refuse_memory_loss
from bot.store import WrongSecret, open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from bot.settings import Settings

WITHIN = 10.0
"""Seconds that one question may take."""


class Found(NamedTuple):
    """One thing that was looked at: well, to be mended, or only to be known."""

    kind: Literal["ok", "fix", "note"]
    said: str


async def examine(settings: Settings, environ: Mapping[str, str], within: float = WITHIN) -> AsyncIterator[Found]:
    """Look at one thing after the other. The settings have been read already, so each alone is well formed."""
    yield Found("ok", "The settings are read, and fit together.")
    for found in [*_loss(settings, environ), *await _kept(settings)]:
        yield found
    async for found in _platforms(settings, within):
        yield found
    yield await _model(settings, within)
    yield await _memory(settings, within)


def _loss(settings: Settings, environ: Mapping[str, str]) -> list[Found]:
    try:
        refuse_memory_loss(settings, environ)
    except SettingsError as error:
        return [Found("fix", str(error))]
    return []


async def _kept(settings: Settings) -> list[Found]:
    try:
        opened = open_store(settings.database_url, settings.secret())
        async with opening(DATABASE, opened, WrongSecret) as store:
            installs = len(await store.installs(SlackPlatform.name).names())
    except (SettingsError, WrongSecret, OSError) as error:
        return [Found("fix", str(error))]
    well = Found("ok", f"The database can be written; what is kept rests in {settings.keepsake_home}.")
    if settings.slack_over != "oauth":
        return [well]
    how = "" if installs else "; people install it at https://your.host/slack/install"
    return [well, Found("note", f"{installs} Slack workspaces or organisations have the app installed{how}.")]


async def _platforms(settings: Settings, within: float) -> AsyncIterator[Found]:
    if not settings.slack_over and not settings.discord_token:
        yield Found("fix", str(nothing_to_do(None)))
    async for kind, said in _slack(settings, within):
        yield Found(kind, said)
    if token := plain(settings.discord_token):
        yield Found(*await discord_doctor.examine(token=token, api_url=settings.discord_api_url, within=within))


async def _slack(settings: Settings, within: float) -> AsyncIterator[slack_doctor.Found]:
    api_url = settings.slack_api_url
    if settings.slack_over == "oauth":
        id_, secret = settings.slack_client_id or "", plain(settings.slack_client_secret) or ""
        found = slack_doctor.examine_many(client_id=id_, client_secret=secret, api_url=api_url, within=within)
    elif token := plain(settings.slack_bot_token):
        app_token = plain(settings.slack_app_token)
        found = slack_doctor.examine_one(bot_token=token, app_token=app_token, api_url=api_url, within=within)
    else:
        return
    async for one in found:
        yield one


async def _model(settings: Settings, within: float) -> Found:
    try:
        await model_of(settings).close()
    except SettingsError as error:
        return Found("fix", str(error))
    if settings.model_config_file:
        return Found("note", "The model of MODEL_CONFIG is made; whether it answers was not tried.")
    if not settings.openai_api_key and not settings.openai_base_url:
        return Found("note", "No model is set (OPENAI_API_KEY or OPENAI_BASE_URL): answers only quote what was told.")
    return await _listed(settings, within)


async def _listed(settings: Settings, within: float) -> Found:
    where, key = settings.openai_base_url or "OpenAI", plain(settings.openai_api_key)
    try:
        client = AsyncOpenAI(api_key=key or "none", base_url=settings.openai_base_url, max_retries=0, timeout=within)
        async with asyncio.timeout(within), client:
            names = {model.id async for model in client.models.list()}
    except AuthenticationError:
        return Found("fix", f"OPENAI_API_KEY is not taken by {where}: set the key of whoever is there.")
    except (NotFoundError, PermissionDeniedError) as error:
        return Found("note", f"{where} shows no list of models ({type(error).__name__}): MODEL was not checked.")
    except (OpenAIError, TimeoutError, httpx.HTTPError) as error:
        return Found("fix", f"The model does not answer at {where} ({type(error).__name__}): see that it is reachable.")
    if settings.model in names:
        return Found("ok", f"The model {settings.model} is there, at {where}.")
    return Found("fix", f"There is no model {settings.model} at {where}: set MODEL to one that is.")


async def _memory(settings: Settings, within: float) -> Found:
    where = settings.memory_is
    try:
        async with asyncio.timeout(within), open_geniffy(settings) as geniffy:
            await geniffy.me()
    except GeniffyRefusal:
        return Found("fix", "GENIFFY_API_KEY is not taken: copy the key of your Geniffy account into it.")
    except SettingsError as error:
        return Found("fix", str(error))
    except Exception as error:  # noqa: BLE001 - whatever the memory's trouble is, the operator gets a sentence
        return Found("fix", f"The memory, kept {where}, does not answer ({type(error).__name__}): see that it runs.")
    return Found("ok", f"The memory answers; it is kept {where}.")

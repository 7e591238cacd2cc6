"""Asks Discord whether it takes the operator's token, and says what to do. Shows no secret."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import aiohttp

if TYPE_CHECKING:
    Found = tuple[Literal["ok", "fix", "note"], str]

_OK, _REFUSED = 200, frozenset({401, 403})


async def examine(*, token: str, api_url: str, within: float = 10.0) -> Found:
    """Ask who the token's bot is, for `within` seconds at most."""
    try:
        async with (
            asyncio.timeout(within),
            aiohttp.ClientSession(headers={"Authorization": f"Bot {token}"}) as session,
            session.get(f"{api_url}/users/@me", allow_redirects=False) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        why = type(error).__name__
        return (
            "fix",
            f"Discord does not answer at {api_url} ({why}): see that it is reached, or set DISCORD_API_URL.",
        )
    if status == _OK:
        return "ok", "Discord takes DISCORD_TOKEN."
    if status in _REFUSED:
        where = "the Bot page of the application at discord.com/developers"
        return "fix", f"Discord does not take DISCORD_TOKEN ({status}): copy the token into it, from {where}."
    return "fix", f"Discord answers with {status}: try again in a minute."

"""The yardstick: a Bolt handler as the guides write it, without a store and without dedupe.

It streams an answer from an OpenAI-compatible server with the openai SDK and shows it by `chat.postMessage` and
`chat.update`. It measures nothing itself, and it is no example to follow: duplicates are answered twice.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI
from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient
from starlette.applications import Starlette
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import aiohttp
    from openai.types.chat import ChatCompletionMessageParam
    from starlette.requests import Request
    from starlette.responses import Response


def bare_app(
    *,
    bot_token: str,
    signing_secret: str,
    api_url: str,
    model_url: str,
    model: str = "gpt-5",
    session: aiohttp.ClientSession | None = None,
    edit_every: float = 1.0,
) -> Starlette:
    """Build the ASGI app with `/slack/events`.

    Give it an open `session`: without one the Slack SDK opens a connection for each call, at a third of the capacity.
    `edit_every` is the seconds between two edits of an answer.
    """
    slack = AsyncWebClient(bot_token, base_url=api_url, session=session)
    talk = AsyncOpenAI(base_url=model_url, api_key="unused")
    app = AsyncApp(name="bare", client=slack, signing_secret=signing_secret)

    async def answer(event: dict[str, Any]) -> None:
        if not event.get("bot_id") and not event.get("subtype"):
            await _show(slack, event, _tokens(talk, model, event.get("text") or ""), edit_every)

    app.event("app_mention")(answer)
    app.event("message")(answer)
    handler = AsyncSlackRequestHandler(app)

    async def events(request: Request) -> Response:
        return await handler.handle(request)

    return Starlette(routes=[Route("/slack/events", events, methods=["POST"])])


async def _tokens(talk: AsyncOpenAI, model: str, text: str) -> AsyncIterator[str]:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": text}]
    async for chunk in await talk.chat.completions.create(model=model, messages=messages, stream=True):
        if chunk.choices:
            yield chunk.choices[0].delta.content or ""


async def _show(slack: AsyncWebClient, event: dict[str, Any], tokens: AsyncIterator[str], edit_every: float) -> None:
    channel, thread = event["channel"], event.get("thread_ts") or event["ts"]
    text, shown, post, edited = "", "", "", 0.0
    async for token in tokens:
        text += token
        if text and not post:
            first = await slack.chat_postMessage(channel=channel, thread_ts=thread, text=text)
            post, shown, edited = str(first["ts"]), text, time.monotonic()
        elif text != shown and time.monotonic() - edited >= edit_every:
            await slack.chat_update(channel=channel, ts=post, text=text)
            shown, edited = text, time.monotonic()
    if post and text != shown:
        await slack.chat_update(channel=channel, ts=post, text=text)

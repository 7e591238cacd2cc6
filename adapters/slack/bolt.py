"""The Bolt app: events to the inbox, commands, presses and windows to the desk, all else acknowledged and ignored.

Nothing here calls Slack before a request is acknowledged: Bolt's own authorization is answered from what we know.
"""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING, Any

from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from adapters.slack import lifecycle
from adapters.slack.identity import pressed_install
from adapters.slack.inbox import SEND_AGAIN, TAKEN
from adapters.slack.payload import dict_at, dicts_at, text_at
from adapters.slack.quiet import sdk_logger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_bolt.context.ack.async_ack import AsyncAck
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.desk import Desk
    from adapters.slack.inbox import Inbox
    from adapters.slack.payload import Json
    from adapters.slack.workspaces import Workspaces
    from bot.chat import Bot

    Ack = Callable[..., Awaitable[object]]

_log = logging.getLogger(__name__)
_ANY = re.compile("")
_WITHIN = 2.0  # seconds, of the three that Slack waits
_BROKEN = 500
_NOT_HERE = "I am not installed here (any more)."
_NOT_NOW = "Something went wrong on our side. Please try again in a minute."


def bolt_app(client: AsyncWebClient, inbox: Inbox, desk: Desk, bot: Bot, workspaces: Workspaces) -> AsyncApp:
    """Build the app. Signatures are checked by the route before Bolt sees a body (see `web`)."""

    async def take_in(body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> BoltResponse | None:  # noqa: A002 - Bolt passes it by this name
        if body.get("type") == "event_callback":
            ended = await _in_time(lifecycle.take(body, bot, workspaces))
            status = await inbox.take(body) if ended is False else TAKEN if ended else SEND_AGAIN
            return BoltResponse(status=status, body="")
        if body.get("type") == "url_verification":
            return BoltResponse(status=TAKEN, body={"challenge": text_at(body, "challenge")})
        held = await _in_time(workspaces.holds(pressed_install(body, workspaces.own(body))))
        if not held:
            sentence = _NOT_NOW if held is None else _NOT_HERE
            said = {"response_type": "ephemeral", "text": sentence}
            return BoltResponse(status=TAKEN, body=said if text_at(body, "command") else "")
        await next()
        return None

    async def authorize() -> AuthorizeResult:
        # Nothing of ours reads it: who we are, and with which token we answer, is found for each body in its place.
        return AuthorizeResult(enterprise_id=None, team_id=None, bot_token=client.token)

    app = AsyncApp(
        name="keepsake",
        logger=sdk_logger(),
        client=client,
        signing_secret="",  # given, so that Bolt does not look for one in the environment
        before_authorize=take_in,
        authorize=authorize,
        request_verification_enabled=False,
        attaching_conversation_kwargs_enabled=False,
    )
    app.command(_ANY)(_whole(desk.command))
    app.action(_ANY)(_whole(desk.action))
    app.shortcut(_ANY)(_whole(desk.shortcut))
    app.view(_ANY)(_whole(desk.view))
    app.view_closed(_ANY)(_whole(desk.view))
    return app


async def _in_time(work: Awaitable[bool]) -> bool | None:
    """What came out of it; None when it failed, or took so long that Slack would not wait for the answer."""
    try:
        async with asyncio.timeout(_WITHIN):
            return await work
    except Exception as error:  # noqa: BLE001 - a store of whatever kind; Slack sends it again
        _log.warning("An event or a press was not taken: %s", type(error).__name__)
        return None


def _whole(handle: Callable[[Json, Ack], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """The handler, which is acknowledged in any case: Slack would show an error, and repeat nothing."""

    async def handled(body: dict[str, Any], ack: AsyncAck) -> None:
        try:
            await handle(body, ack)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no reason for Slack to call us broken
            _log.error("A command, press or window failed: %s", type(error).__name__)
            await ack()

    return handled


async def dispatch(app: AsyncApp, body: Json) -> BoltResponse:
    """Answer one body that Slack sent; what we do not follow is acknowledged."""
    request = bolt_request(body) if body else None
    if request is None:
        return BoltResponse(status=TAKEN, body="")
    try:
        answer = await app.async_dispatch(request)
    except Exception as error:  # noqa: BLE001 - its words could be somebody's: only its class gets out
        _log.error("Something that Slack sent could not be handled: %s", type(error).__name__)
        answer = BoltResponse(status=_BROKEN, body="")
    if answer.status != TAKEN and body.get("type") != "event_callback":
        return BoltResponse(status=TAKEN, body="")  # only events are sent again
    return answer


def bolt_request(body: Json) -> AsyncBoltRequest | None:
    """Bolt's request object for a body that we follow; None for every other, which is acknowledged and ignored.

    Bolt reads fields unchecked, so odd shapes are kept from it here. Both ways in hand over a parsed body, which Bolt
    calls "socket_mode": its own reader of forms loses a slash command whose text holds the word "payload".
    """
    kinds = (_is_event, _is_command, _is_press, _is_shortcut, _is_view)
    if body.get("type") != "url_verification" and not any(is_kind(body) for is_kind in kinds):
        return None
    if body.get("type") == "url_verification":
        body = {key: text_at(body, key) for key in ("type", "challenge")}
    try:
        return AsyncBoltRequest(body=body, mode="socket_mode")
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        _log.info("An odd payload was ignored: %s", type(error).__name__)
        return None


def _is_event(body: Json) -> bool:
    return body.get("type") == "event_callback" and bool(text_at(body, "event", "type")) and "command" not in body


def _is_command(body: Json) -> bool:
    return bool(text_at(body, "command")) and not body.keys() & {"type", "event", "actions"}


def _is_press(body: Json) -> bool:
    actions = body.get("actions")
    return (
        body.get("type") == "block_actions"
        and not body.keys() & {"event", "command"}
        and isinstance(actions, list)
        and len(actions) == len(dicts_at(body, "actions")) > 0
        and all(text_at(part, "action_id") for part in dicts_at(body, "actions"))
    )


def _is_shortcut(body: Json) -> bool:
    kind = body.get("type") in {"message_action", "shortcut"}
    return kind and bool(text_at(body, "callback_id")) and not body.keys() & {"event", "command", "actions"}


def _is_view(body: Json) -> bool:
    kind = body.get("type") in {"view_submission", "view_closed"}
    named = isinstance(dict_at(body, "view").get("callback_id"), str)
    return kind and named and not body.keys() & {"event", "command", "actions"}

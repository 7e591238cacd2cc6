"""The Bolt app: events to the inbox, commands and buttons to the desk, everything else acknowledged and ignored.

Nothing here calls Slack before a request is acknowledged: Bolt's own authorization is answered from what we know.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from adapters.slack.inbox import TAKEN
from adapters.slack.payload import dicts_at, text_at
from adapters.slack.quiet import sdk_logger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.desk import Desk
    from adapters.slack.inbox import Inbox
    from adapters.slack.payload import Json

_log = logging.getLogger(__name__)
_ANY = re.compile("")


def bolt_app(client: AsyncWebClient, inbox: Inbox, desk: Desk) -> AsyncApp:
    """Build the app. Signatures are checked by the route before Bolt sees a body (see `web`)."""

    async def take_in(body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> BoltResponse | None:  # noqa: A002 - Bolt passes it by this name
        if body.get("type") == "event_callback":
            return BoltResponse(status=await inbox.take(body), body="")
        if body.get("type") == "url_verification":
            return BoltResponse(status=TAKEN, body={"challenge": text_at(body, "challenge")})
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
    app.command(_ANY)(desk.command)
    app.action(_ANY)(desk.action)
    return app


def bolt_request(body: Json) -> AsyncBoltRequest | None:
    """Bolt's request object for a body that we follow; None for every other, which is acknowledged and ignored.

    Bolt reads fields unchecked, so odd shapes are kept from it here. Both ways in hand over a parsed body, which Bolt
    calls "socket_mode": its own reader of forms loses a slash command whose text holds the word "payload".
    """
    if not (_is_event(body) or _is_command(body) or _is_press(body) or body.get("type") == "url_verification"):
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

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
    from adapters.slack.identity import Own
    from adapters.slack.inbox import Inbox
    from adapters.slack.payload import Json

_log = logging.getLogger(__name__)
_ANY = re.compile("")


def bolt_app(client: AsyncWebClient, inbox: Inbox, desk: Desk, own: Callable[[], Own]) -> AsyncApp:
    """Build the app. Signatures are checked by the route before Bolt sees a body (see `web`)."""

    async def take_in(body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> BoltResponse | None:  # noqa: A002 - Bolt passes it by this name
        if body.get("type") == "event_callback":
            return BoltResponse(status=await inbox.take(body), body="")
        if text_at(body, "command") or _is_press(body) or body.get("type") == "url_verification":
            await next()
            return None
        return BoltResponse(status=TAKEN, body="")

    async def authorize() -> AuthorizeResult:
        known = own()
        return AuthorizeResult(
            enterprise_id=known.enterprise or None,
            team_id=known.team or None,
            bot_user_id=known.user or None,
            bot_id=known.bot or None,
            bot_token=client.token,
        )

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


def _is_press(body: Json) -> bool:
    """Whether Bolt's matchers can read this as a press of a button."""
    actions = dicts_at(body, "actions")
    return body.get("type") == "block_actions" and bool(actions) and all(text_at(part, "action_id") for part in actions)


def bolt_request(body: Json) -> AsyncBoltRequest | None:
    """Bolt's request object; None when its constructor trips over an odd shape, as it reads fields unchecked.

    Both ways in hand over a parsed body, which Bolt calls "socket_mode": its own reader of forms loses a slash command
    whose text holds the word "payload".
    """
    try:
        return AsyncBoltRequest(body=body, mode="socket_mode")
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        _log.info("An odd payload was ignored: %s", type(error).__name__)
        return None

"""What Slack sends: bodies of events, commands and presses, signed and posted to our own address."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from itertools import count
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

import aiohttp

from tests.fakes.slack import ANA, BOT_USER, DM, PUBLIC, SIGNING_SECRET, TEAM

if TYPE_CHECKING:
    from types import TracebackType

Json = dict[str, Any]
_numbers = count(1)


def new_ts() -> str:
    """The next message id: a time, later than all before it, and before what the bot posts from now on."""
    return f"{int(time.time()) - 1000}.{next(_numbers):06d}"


def event_body(event: Json, **more: Any) -> Json:  # noqa: ANN401 - any field of a body
    """An Events API body around an event."""
    authorization = {"enterprise_id": None, "team_id": TEAM, "user_id": BOT_USER, "is_bot": True}
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "event_id": f"Ev{next(_numbers)}",
        "authorizations": [{**authorization, "is_enterprise_install": False}],
        "is_ext_shared_channel": False,
        "event": event,
        **more,
    }


def dm_event(text: str, **more: Any) -> Json:  # noqa: ANN401 - any field of an event
    """Somebody (Ana) writes us a direct message."""
    return {"type": "message", "channel": DM, "channel_type": "im", "user": ANA, "ts": new_ts(), "text": text, **more}


def mention_event(text: str, **more: Any) -> Json:  # noqa: ANN401 - any field of an event
    """Somebody (Ana) mentions us in a public channel."""
    text = f"<@{BOT_USER}> {text}"
    return {"type": "app_mention", "channel": PUBLIC, "user": ANA, "ts": new_ts(), "text": text, **more}


def changed_event(before: Json, **changes: Any) -> Json:  # noqa: ANN401 - any field of a message
    """The same message after its author edited it."""
    edited = {"user": before["user"], "ts": new_ts()}
    inner = {key: value for key, value in before.items() if key not in {"channel", "channel_type"}}
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": before["channel"],
        "channel_type": before.get("channel_type", "channel"),
        "ts": new_ts(),
        "message": {**inner, "type": "message", "edited": edited, **changes},
        "previous_message": {**inner, "type": "message"},
    }


def command_body(command: str, text: str = "", **more: str) -> Json:
    """A slash command typed by Ana in the public channel."""
    return {"command": command, "text": text, "team_id": TEAM, "channel_id": PUBLIC, "user_id": ANA, **more}


def press_body(action_id: str, value: str = "", **more: Any) -> Json:  # noqa: ANN401 - any field of a body
    """A press by Ana of a button in an ephemeral message of the public channel."""
    return {
        "type": "block_actions",
        "user": {"id": ANA, "team_id": TEAM},
        "team": {"id": TEAM},
        "channel": {"id": PUBLIC},
        "container": {"type": "message", "message_ts": "1700000000.000900", "is_ephemeral": True},
        "actions": [{"type": "button", "action_id": action_id, "block_id": "b", "value": value}],
        **more,
    }


def view_press_body(view: Json, button: Json, **more: Any) -> Json:  # noqa: ANN401 - any field of a body
    """A press by Ana of a button in a window or on App Home."""
    body = press_body(button["action_id"], button.get("value", ""), trigger_id=f"trigger-{next(_numbers)}", view=view)
    del body["channel"]
    return body | {"container": {"type": "view", "view_id": view.get("id", "V0")}} | more


def shortcut_body(callback_id: str, message: Json, **more: Any) -> Json:  # noqa: ANN401 - any field of a body
    """Ana uses a shortcut on a message in the public channel."""
    return {
        "type": "message_action",
        "callback_id": callback_id,
        "trigger_id": f"trigger-{next(_numbers)}",
        "user": {"id": ANA, "team_id": TEAM},
        "team": {"id": TEAM},
        "channel": {"id": PUBLIC},
        "message_ts": message["ts"],
        "message": message,
        **more,
    }


def opened_event(tab: str, **more: Any) -> Json:  # noqa: ANN401 - any field of an event
    """Ana opens App Home, or (tab "messages") the chat with us."""
    return {"type": "app_home_opened", "user": ANA, "channel": DM, "tab": tab, "event_ts": new_ts(), **more}


class Sender:
    """Posts to the bot's address as Slack does. Every call gives the status and the body of the answer."""

    def __init__(self, address: str, secret: str = SIGNING_SECRET) -> None:
        self._url, self._secret = f"{address}/slack/events", secret

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def event(self, event: Json, headers: dict[str, str] | None = None, **more: Any) -> int:  # noqa: ANN401
        """Send an event; gives the status."""
        return (await self.json(event_body(event, **more), headers))[0]

    async def json(self, body: object, headers: dict[str, str] | None = None) -> tuple[int, str]:
        return await self.raw(json.dumps(body).encode(), "application/json", headers)

    async def command(self, body: Json) -> tuple[int, str]:
        return await self.raw(urlencode(body).encode(), "application/x-www-form-urlencoded")

    async def press(self, body: object) -> tuple[int, str]:
        form = urlencode({"payload": json.dumps(body)})
        return await self.raw(form.encode(), "application/x-www-form-urlencoded")

    async def raw(
        self, body: bytes, content_type: str, headers: dict[str, str] | None = None, *, age: float = 0
    ) -> tuple[int, str]:
        """Send bytes, signed `age` seconds ago; a header given here wins."""
        stamp = str(int(time.time() - age))
        digest = hmac.new(self._secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
        signed = {"Content-Type": content_type, "X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}
        async with self._session.post(self._url, data=body, headers={**signed, **(headers or {})}) as answer:
            return answer.status, await answer.text()

"""Native streams as Slack keeps them: a message that grows, with rules of its own for as long as it is open.

As others measured: an open stream can be neither edited nor deleted, one that is not open takes no more text, and one
that is too old, or that the person stopped, has ended by itself.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.slack import FakeSlack

Json = dict[str, Any]
LONGEST = 12_000


class FakeStreams:
    """`off`: the error that every start meets; `no_sessions`: what a session's status meets; `lives`: in seconds."""

    def __init__(self, slack: FakeSlack) -> None:
        self._slack = slack
        self.off = ""
        self.no_sessions = ""
        self.lives = 300.0
        self._began: dict[tuple[str, str], float] = {}
        self.effects: dict[str, Callable[[Json], Json | str]] = {
            "chat.startStream": self._start,
            "chat.appendStream": self._append,
            "chat.stopStream": self._stop,
        }

    def open(self) -> list[str]:
        """The ids of the messages that grow."""
        return [ts for (_, ts), message in self._slack.messages.items() if self._is_open(message)]

    def stopped_by_user(self) -> None:
        """The person presses stop: every open stream ends."""
        for message in self._slack.messages.values():
            if self._is_open(message):
                message["streaming_state"] = "stopped_by_user"

    def refusal(self, method: str, arguments: Json) -> str:
        """What an open stream does not take; "" when it is none."""
        refusals = {"chat.update": "streaming_state_conflict", "chat.delete": "cant_delete_message"}
        message = self._message(arguments) if method in refusals else None
        return refusals[method] if message and self._is_open(message) else ""

    def _is_open(self, message: Json) -> bool:
        return bool(message.get("streaming_state") == "in_progress")

    def _message(self, arguments: Json) -> Json | None:
        place = (arguments["channel"], arguments["ts"])
        message = self._slack.messages.get(place)
        if message and self._is_open(message) and time.monotonic() - self._began.get(place, 0) > self.lives:
            message["streaming_state"] = "completed"
        return message

    def _start(self, arguments: Json) -> Json | str:
        direct = arguments["channel"].startswith("D")
        if self.off or not arguments.get("thread_ts"):
            return self.off or "invalid_arguments"
        if not direct and not (arguments.get("recipient_user_id") and arguments.get("recipient_team_id")):
            return "missing_recipient_user_id"
        text = arguments.pop("markdown_text", "")
        if len(text) > LONGEST:
            return "msg_too_long"
        answer = self._slack._post({**arguments, "blocks": [{"type": "markdown", "text": text or " "}]})
        if isinstance(answer, dict):
            place = (arguments["channel"], answer["ts"])
            self._slack.messages[place]["streaming_state"] = "in_progress"
            self._began[place] = time.monotonic()
        return answer

    def _grow(self, arguments: Json) -> str:
        message = self._message(arguments)
        if message is None:
            return "message_not_found"
        if message.get("streaming_state") == "stopped_by_user":
            return "stopped_by_user"
        if not self._is_open(message):
            return "message_not_in_streaming_state"
        text = arguments.get("markdown_text", "")
        if len(text) > LONGEST or len(message["blocks"][0]["text"]) + len(text) > LONGEST:
            return "msg_too_long"
        message["blocks"][0]["text"] += text
        return ""

    def _append(self, arguments: Json) -> Json | str:
        refused = self._grow(arguments) if arguments.get("markdown_text") else "no_text"
        return refused or {"ts": arguments["ts"]}

    def _stop(self, arguments: Json) -> Json | str:
        foot = arguments.get("blocks") or []
        if arguments.get("session_status") and self.no_sessions:
            return self.no_sessions
        refused = self._slack._refusal({"text": "x", **arguments}) if foot else ""
        refused = refused or self._grow(arguments)
        if refused:
            return "message_not_in_streaming_state" if refused == "stopped_by_user" else refused
        message = self._slack.messages[arguments["channel"], arguments["ts"]]
        message |= {"streaming_state": "completed", "blocks": [*message["blocks"], *foot]}
        message |= {"metadata": arguments["metadata"]} if arguments.get("metadata") else {}
        return {"ts": arguments["ts"]}

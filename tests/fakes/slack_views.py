"""Slack's windows, App Home and agent view: what is open, what is published, and what it refuses of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.slack_limits import view_refusal

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]


@dataclass
class FakeViews:
    """`opened` are windows by id, `homes` pages by person; `shown` is everything that any of them ever showed."""

    opened: dict[str, Json] = field(default_factory=dict)
    homes: dict[str, Json] = field(default_factory=dict)
    shown: list[Json] = field(default_factory=list)
    prompts: list[Json] = field(default_factory=list)
    titles: dict[tuple[str, str], str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    """Triggers that open nothing any more."""

    @property
    def effects(self) -> dict[str, Callable[[Json], Json | str]]:
        return {
            "agents.sessions.rename": self._title,
            "agents.sessions.setStatus": lambda _: {},
            "assistant.threads.setSuggestedPrompts": self._suggest,
            "assistant.threads.setTitle": self._title,
            "conversations.open": lambda asked: {"channel": {"id": "D00DM", "users": asked["users"]}},
            "views.open": self._open,
            "views.publish": self._publish,
            "views.update": self._update,
        }

    def _open(self, asked: Json) -> Json | str:
        trigger = asked["trigger_id"]
        if trigger in self.used:
            return "expired_trigger_id"
        self.used.add(trigger)
        view = {**asked["view"], "id": f"V{len(self.shown)}"}
        if refused := self._shows(view):
            return refused
        self.opened[view["id"]] = view
        return {"view": view}

    def _update(self, asked: Json) -> Json | str:
        by_name = (view["id"] for view in self.opened.values() if view.get("external_id") == asked.get("external_id"))
        id_ = asked.get("view_id") or next(by_name, "")
        if id_ not in self.opened:
            return "not_found"
        view = {**asked["view"], "id": id_}
        if not (refused := self._shows(view)):
            self.opened[id_] = view
        return refused or {"view": view}

    def _publish(self, asked: Json) -> Json | str:
        if not (refused := self._shows(asked["view"])):
            self.homes[asked["user_id"]] = asked["view"]
        return refused or {"view": asked["view"]}

    def _shows(self, view: Json) -> str:
        refused = view_refusal(view)
        self.shown += [] if refused else [view]
        return refused

    def _suggest(self, asked: Json) -> Json | str:
        prompts = asked["prompts"]
        if not 0 < len(prompts) <= 4 or not all(prompt["title"] and prompt["message"] for prompt in prompts):
            return "invalid_arguments"
        if "thread_ts" not in asked:  # else nothing happens in an agent's view, and Slack says ok
            self.prompts.append(asked)
        return {}

    def _title(self, asked: Json) -> Json:
        self.titles[asked["channel_id"], asked["thread_ts"]] = asked["title"]
        return {}


def texts(view: Json) -> str:
    """What a view shows, all its texts in order."""
    parts = [block.get("text", {}).get("text", "") for block in view["blocks"]]
    notes = [element["text"] for block in view["blocks"] if block["type"] == "context" for element in block["elements"]]
    return "\n".join([*parts, *notes])


def buttons(view: Json) -> dict[str, Json]:
    """The buttons of a view or a message, by their labels."""
    rows = [block["elements"] for block in view["blocks"] if block["type"] == "actions"]
    return {button["text"]["text"]: button for row in rows for button in row}

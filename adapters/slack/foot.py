"""Draws what stands quietly under an answer, in Block Kit, and reads a press of its thumbs back. Pure but for `Foot`.

Thumbs are Slack's own feedback buttons. The only icon its icon button knows is a bin, so that asking again and whatever
else is offered are ordinary buttons. A foot that Slack would refuse for a limit of its own is cut to what it takes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from adapters.slack.panel import PREFIX
from adapters.slack.payload import Json, dicts_at, text_at
from bot.chat import Role

if TYPE_CHECKING:
    from bot.chat import Action

_THUMBS = f"{PREFIX}.feedback"
_CAUTION = "AI can be wrong."
_LONGEST_LABEL, _LONGEST_VALUE, _LONGEST_ID, _MOST_BUTTONS = 75, 2_000, 255, 5
_REFUSED_FOR = 3600.0


class Foot:
    """Whether an installation takes feet: some Slacks do not know its blocks yet."""

    def __init__(self) -> None:
        """Expect that it does."""
        self._not_before = 0.0

    def blocks(self, actions: tuple[Action, ...]) -> list[Json]:
        """See `foot_blocks`; none for a while after they were refused."""
        return foot_blocks(actions) if time.monotonic() >= self._not_before else []

    def refused(self) -> None:
        """Do without for an hour: Slack took an answer only without its foot."""
        self._not_before = time.monotonic() + _REFUSED_FOR


def foot_blocks(actions: tuple[Action, ...]) -> list[Json]:
    """The blocks to put under the end of an answer; none when nothing is offered."""
    kept = [action for action in actions if len(action.argument) + len(action.command) < _LONGEST_VALUE]
    if not kept:
        return []
    good = next((action for action in kept if action.role is Role.GOOD), None)
    bad = next((action for action in kept if action.role is Role.BAD), None)
    thumbs = (good, bad) if good and bad else ()
    blocks = [_feedback(good, bad)] if good and bad else []
    buttons = [_button(number, action) for number, action in enumerate(kept) if action not in thumbs]
    if buttons:
        blocks.append({"type": "actions", "elements": buttons[:_MOST_BUTTONS]})
    return [*blocks, {"type": "context", "elements": [{"type": "mrkdwn", "text": _CAUTION}]}]


def _feedback(good: Action, bad: Action) -> Json:
    thumbs: Json = {"type": "feedback_buttons", "action_id": _THUMBS}
    thumbs |= {"positive_button": _thumb(good), "negative_button": _thumb(bad)}
    return {"type": "context_actions", "elements": [thumbs]}


def _thumb(action: Action) -> Json:
    """One of the two: they share one action id, so that the value has to say which command it is."""
    text = {"type": "plain_text", "text": action.label[:_LONGEST_LABEL] or "…"}
    return {"text": text, "value": f"{action.command} {action.argument}".rstrip()}


def _button(number: int, action: Action) -> Json:
    label = {"type": "plain_text", "text": action.label[:_LONGEST_LABEL] or "…", "emoji": True}
    action_id = f"{PREFIX}.foot-{number}.{action.command}"[:_LONGEST_ID]
    button: Json = {"type": "button", "action_id": action_id, "text": label}
    return button | ({"value": action.argument} if action.argument else {})


def read_foot(body: Json) -> tuple[str, str] | None:
    """The command and the argument of the thumb that was pressed; None when it is none of ours.

    The foot's other buttons are made as a panel's are, and `panel.pressed` reads them.
    """
    action = next(iter(dicts_at(body, "actions")), {})
    command, _, argument = text_at(action, "value").partition(" ")
    return (command, argument) if text_at(action, "action_id") == _THUMBS and command else None

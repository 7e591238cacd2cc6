"""Draws a panel in Block Kit and reads a press on it back. Pure; what Slack would not take is split or cut visibly.

Block Kit's limits: 50 blocks a message, 100 a window or App Home (which take no Markdown), 3,000 characters a section,
25 buttons a row, 75 characters a label, and 12,000 characters of Markdown in all blocks of a message together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.slack.mrkdwn import mrkdwn
from adapters.slack.output import escaped, inert, plain_text
from adapters.slack.payload import Json, dicts_at, text_at
from adapters.text import split

if TYPE_CHECKING:
    from bot.chat import Action, Item, Panel

PREFIX, FOOT = "keepsake", "foot"
_MOST_BLOCKS, _MOST_BUTTONS, _MOST_MESSAGES = 50, 25, 5  # a response_url takes five posts
_LONGEST_SECTION, _LONGEST_MARKDOWN, _LONGEST_NOTE, _LONGEST_LABEL = 3_000, 11_800, 2_000, 75
_LONGEST_ARGUMENT = 2_000
_MOST_IN_VIEW, _LONGEST_VIEW = 100, 60_000


def panel_bodies(panel: Panel) -> list[Json]:
    """A panel as the contents of one or more messages, in order; never none. What is too much for five is left out."""
    groups = [[block] for block in _texts(panel.text)] + [_item(*pair) for pair in enumerate(panel.items)]
    end = [[row] for row in _rows("end", panel.actions)]
    messages = _packed(groups + end)
    if len(messages) > _MOST_MESSAGES:
        messages = _packed(groups)[: _MOST_MESSAGES - 1] + _packed([[_note("There is more than fits here.")], *end])
    text = plain_text(inert(panel.text)).strip() or "…"
    return [{"blocks": blocks, "text": text} for blocks in messages]


def view_blocks(panel: Panel, most: int = _MOST_IN_VIEW, *, place: str = "") -> list[Json]:
    """A panel as the blocks of a window or of App Home, `most` of them; what is too much for it is left out visibly.

    `place` keeps the ids of two panels in one view apart.
    """
    groups = [[_section(piece)] for piece in _short(panel.text, _LONGEST_SECTION)]
    groups += [_item(number, item, place) for number, item in enumerate(panel.items)]
    end, cut = _rows(f"{place}end", panel.actions), _note("There is more than fits here.")
    blocks: list[Json] = []
    for group in groups:
        if len(blocks) + len(group) + len(end) + 1 > most or _length(blocks + group) > _LONGEST_VIEW:
            return [*blocks, cut, *end]
        blocks += group
    return blocks + end or [_section("…")]  # Slack takes no view without a block


def _section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _short(text: str, limit: int) -> list[str]:
    """The text in pieces that are short enough once they are mrkdwn, where some characters take several."""
    drawn = [(piece, mrkdwn(piece)) for piece in split(text, limit)]
    return [
        short
        for piece, shown in drawn
        for short in ([shown] if len(shown) <= _LONGEST_SECTION else _short(piece, limit // 2))
    ]


def _length(blocks: list[Json]) -> int:
    return sum(len(text_at(block, "text", "text")) for block in blocks)


def _packed(groups: list[list[Json]]) -> list[list[Json]]:
    """The groups of blocks in as few messages as take them, no group torn apart."""
    messages: list[list[Json]] = [[]]
    for group in groups:
        together = messages[-1] + group
        if messages[-1] and (len(together) > _MOST_BLOCKS or _markdown(together) > _LONGEST_MARKDOWN):
            messages.append([])
        messages[-1] += group
    return messages


def _markdown(blocks: list[Json]) -> int:
    """The characters of Markdown in these blocks."""
    return sum(len(text_at(block, "text")) for block in blocks)


def _texts(text: str) -> list[Json]:
    return [{"type": "markdown", "text": piece} for piece in split(inert(text), _LONGEST_SECTION)]


def _item(number: int, item: Item, place: str = "") -> list[Json]:
    """One item; its text is shown letter by letter, as it may be a person's own words."""
    blocks: list[Json] = [
        {"type": "section", "text": {"type": "plain_text", "text": piece, "emoji": False}}
        for piece in split(item.text, _LONGEST_SECTION)
    ]
    if item.note:
        blocks.append(_note(item.note))
    return blocks + _rows(f"{place}{number}", item.actions)


def _note(text: str) -> Json:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": escaped(inert(text))[:_LONGEST_NOTE]}]}


def foot_blocks(actions: tuple[Action, ...]) -> list[Json]:
    """What stands under an answer that only one person sees: its actions, small, and a reminder."""
    return [*_rows(FOOT, actions), _note("AI can be wrong.")] if actions else []


def _rows(place: str, actions: tuple[Action, ...]) -> list[Json]:
    buttons = [_button(f"{place}-{number}", action) for number, action in enumerate(actions)]
    rows = [buttons[start : start + _MOST_BUTTONS] for start in range(0, len(buttons), _MOST_BUTTONS)]
    return [{"type": "actions", "elements": row} for row in rows]


def _button(place: str, action: Action) -> Json:
    if len(action.argument) > _LONGEST_ARGUMENT:
        raise ValueError(f"A button's argument holds {_LONGEST_ARGUMENT} characters at most: use a shorter one.")
    label = {"type": "plain_text", "text": action.label[:_LONGEST_LABEL] or "…", "emoji": True}
    # The place makes the id unique in its message, as Block Kit asks; command and argument are all that comes back.
    button: Json = {"type": "button", "action_id": f"{PREFIX}.{place}.{action.command}", "text": label}
    if action.argument:
        button["value"] = action.argument
    return button | (_danger(action) if action.danger else {})


def _danger(action: Action) -> Json:
    def plain(text: str) -> Json:
        return {"type": "plain_text", "text": text}

    confirm = {
        "title": plain("Are you sure?"),
        "text": plain(f"Please confirm: {action.label[:200]}"),
        "confirm": plain(action.label[:30] or "Yes"),
        "deny": plain("Cancel"),
    }
    return {"style": "danger", "confirm": confirm}


def is_foot(body: Json) -> bool:
    """Whether the button that was pressed stands under an answer, which then has to stay."""
    action = next(iter(dicts_at(body, "actions")), {})
    return text_at(action, "action_id").startswith((f"{PREFIX}.{FOOT}-", f"{PREFIX}.feedback"))


def pressed(body: Json) -> tuple[str, str] | None:
    """The command and the argument of the button that was pressed; None when it is not one of ours."""
    action = next(iter(dicts_at(body, "actions")), {})
    prefix, _, rest = text_at(action, "action_id").partition(".")
    _, _, command = rest.partition(".")
    return (command, text_at(action, "value")) if prefix == PREFIX and command else None

"""What Slack refuses in a message, by Block Kit's documented limits and those that others measured."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def refusal(message: Json, most_tables: int | None = None) -> str:
    """Slack's error code for this message; "" when it takes it."""
    blocks = message.get("blocks") or []
    if not blocks and not str(message.get("text", "")).strip():
        return "no_text"
    if len(str(message.get("text", ""))) > 40_000:
        return "msg_too_long"
    markdown = [block["text"] for block in blocks if block["type"] == "markdown"]
    if sum(map(len, markdown)) > 13_200:
        return "msg_blocks_too_long"
    tables = sum(text.count("|---") for text in markdown)
    if most_tables is not None and tables > most_tables:
        return "invalid_blocks"
    return "" if len(blocks) <= 50 and all(map(_takes, blocks)) and _unique(blocks) else "invalid_blocks"


def view_refusal(view: Json) -> str:
    """Slack's error code for this window or App Home; "" when it takes it. Neither takes Markdown blocks."""
    blocks = view["blocks"]
    title, close = view.get("title", {}).get("text", ""), view.get("close", {}).get("text", "")
    framed = view["type"] == "home" or 0 < len(title) <= 24
    framed = framed and len(close) <= 24 and len(view.get("private_metadata", "")) <= 3_000
    if not framed or len(view.get("external_id", "")) > 255:
        return "invalid_arguments"
    fits = 0 < len(blocks) <= 100 and all(_takes_in_view(block) for block in blocks) and _unique(blocks)
    return "" if fits else "invalid_blocks"


def _takes_in_view(block: Json) -> bool:
    match block["type"]:
        case "divider":
            return True
        case "header":
            return block["text"]["type"] == "plain_text" and 0 < len(block["text"]["text"]) <= 150
        case "section" | "context" | "actions":
            return _takes(block)
        case _:
            return False


def _takes(block: Json) -> bool:
    match block["type"]:
        case "markdown":
            return 0 < len(block["text"]) <= 12_000 and "\0" not in block["text"] and _tables(block["text"])
        case "section":
            return 0 < len(block["text"]["text"]) <= 3_000
        case "context":
            return 0 < len(block["elements"]) <= 10
        case "actions":
            return 0 < len(block["elements"]) <= 25 and all(map(_button, block["elements"]))
        case "context_actions":
            return 0 < len(block["elements"]) <= 5 and all(map(_thumbs, block["elements"]))
        case _:
            return False


def _tables(text: str) -> bool:
    """Whether the tables in a Markdown text are small enough: 100 rows and 20 columns."""
    rows = 0
    for line in text.split("\n"):
        rows = rows + 1 if line.startswith("|") else 0
        if rows > 101 or (rows and line.count("|") > 21):  # with the line under the head
            return False
    return True


def _thumbs(element: Json) -> bool:
    if element["type"] != "feedback_buttons":  # icon buttons know one icon
        return bool(element["type"] == "icon_button" and element.get("icon") == "trash")
    thumbs = [element["positive_button"], element["negative_button"]]
    return all(0 < len(thumb["text"]["text"]) <= 75 and 0 < len(thumb["value"]) <= 2_000 for thumb in thumbs)


def _button(button: Json) -> bool:
    return (
        0 < len(button["text"]["text"]) <= 75
        and 0 < len(button["action_id"]) <= 255
        and 0 < len(button.get("value", "x")) <= 2_000
        and len(button.get("confirm", {}).get("title", {}).get("text", "")) <= 100
    )


def _unique(blocks: list[Json]) -> bool:
    ids = [button["action_id"] for block in blocks if block["type"] == "actions" for button in block["elements"]]
    return len(ids) == len(set(ids))

"""Who may import whom, and the sizes that keep a room readable, as parsed from the sources."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
FILES = sorted(path for top in ("bot", "adapters") for path in (ROOT / top).rglob("*.py"))

# The rooms that put the others together: they import everything, and only they import adapters.
ROOTS = {"__main__", "compose", "doctor"}

# Each other room, and the rooms of ours that it may import. A package counts as its room.
MAY_IMPORT: dict[str, set[str]] = {
    "chat": set(),
    "engine": set(),
    "settings": set(),
    "recall": {"chat"},
    "memory": {"chat", "recall"},
    "store": {"chat"},
    "agent": {"chat", "files", "memory", "recall"},
    "files": {"chat"},
    "service": {"chat", "files", "memory", "recall", "store", "agent", "engine"},
    "commands": {"chat", "recall"},
    "local.memory": set(),
    "local.model": set(),
    "adapters.text": set(),
}
AN_ADAPTER = {"chat", "commands", "adapters.text"}
# Rooms that may name the service in their types: they are handed it, and never make it.
MAY_NAME_SERVICE = {"commands"}

# Each party, and the only rooms that may import its library.
PARTIES = {
    "slack_sdk": {"adapters.slack"},
    "slack_bolt": {"adapters.slack"},
    "discord": {"adapters.discord"},
    "procrastinate": {"engine"},
    "pypdf": {"files"},
    "autogen_core": {"agent", "memory", "local.model"},
    "autogen_agentchat": {"agent", "memory", "local.model"},
    "autogen_ext": {"agent", "memory", "local.model"},
}

LINES = 250
FUNCTION_LINES = 40
MEDIAN_LINES = 8


class Import(NamedTuple):
    module: str
    typing: bool


def room_of(module: str) -> str:
    """Name the room of a module: `bot.store.rows` is in `store`, `adapters.slack.events` in `adapters.slack`."""
    top, *rest = module.split(".")
    if top == "adapters":
        return ".".join([top, *rest[:1]])
    if rest[:1] == ["local"]:
        return ".".join(rest[:2])
    return "store" if rest[:1] == ["migrations"] else ".".join(rest[:1])


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, package: str = "") -> Iterator[Import]:
    """Find every import, also inside functions, with the whole name of what is imported."""
    tree = ast.parse(source)
    typing = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for one in node.body
        for inner in ast.walk(one)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node in typing) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield from (Import(f"{base}.{alias.name}", node in typing) for alias in node.names)


def allowed(room: str, wanted: Import) -> bool:
    """Tell whether a room may import that."""
    top = wanted.module.split(".")[0]
    if top in PARTIES:
        # A composition root hands a model client on, and may name its type.
        return room in PARTIES[top] or (room in ROOTS and wanted.typing and top == "autogen_core")
    other = room_of(wanted.module) if top in {"bot", "adapters"} else room
    if room in ROOTS or room == other:
        return True
    an_adapter = room.startswith("adapters.") and room not in MAY_IMPORT
    if other == "service" and wanted.typing and (an_adapter or room in MAY_NAME_SERVICE):
        return True
    return other in (AN_ADAPTER if an_adapter else MAY_IMPORT.get(room, set()))


def forbidden(room: str, source: str, package: str = "") -> list[str]:
    return [wanted.module for wanted in imports(source, package) if not allowed(room, wanted)]


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_each_room_imports_only_what_it_may(path: Path) -> None:
    module = module_of(path)
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    assert forbidden(room_of(module), path.read_text(encoding="utf-8"), package) == []


def test_every_room_has_its_rule() -> None:
    rooms = {room_of(module_of(path)) for path in FILES} - {"", "local", "adapters"} - ROOTS
    assert {room for room in rooms if not room.startswith("adapters.")} <= set(MAY_IMPORT)


@pytest.mark.parametrize(
    ("room", "source", "refused"),
    [
        ("chat", "import bot.recall", ["bot.recall"]),
        ("chat", "from bot import recall", ["bot.recall"]),
        ("recall", "from bot.chat import Thread", []),
        ("recall", "from bot.memory.space import SpaceMemory", ["bot.memory.space.SpaceMemory"]),
        ("recall", "from ..store import rows", ["bot.store.rows"]),
        ("recall", "def late():\n    import bot.store", ["bot.store"]),
        ("store", "if TYPE_CHECKING:\n    from bot.service import Bot", ["bot.service.Bot"]),
        ("commands", "if TYPE_CHECKING:\n    from bot.service import Bot", []),
        ("commands", "from bot.service import Bot", ["bot.service.Bot"]),
        ("local.model", "from bot.local.memory import open_memory", ["bot.local.memory.open_memory"]),
        ("local.model", "from bot.local import memory", ["bot.local.memory"]),
        ("adapters.slack", "from adapters.slack import events\nfrom adapters.text import split", []),
        ("adapters.slack", "from adapters import discord", ["adapters.discord"]),
        ("adapters.slack", "from bot.store import Store", ["bot.store.Store"]),
        ("adapters.slack", "if typing.TYPE_CHECKING:\n    from bot.service import Bot", []),
        ("adapters.slack", "import discord", ["discord"]),
        ("adapters.text", "from bot.chat import Panel", ["bot.chat.Panel"]),
        ("service", "from slack_sdk.web import x\nimport autogen_core", ["slack_sdk.web.x", "autogen_core"]),
        ("service", "from bot.commands import all", ["bot.commands.all"]),
        ("service", "from bot.settings import Settings", ["bot.settings.Settings"]),
        ("__main__", "from adapters.slack import SlackPlatform\nfrom bot.settings import Settings", []),
        ("__main__", "import discord", ["discord"]),
        ("compose", "from adapters.slack import SlackPlatform\nfrom bot.service import Service", []),
        ("doctor", "from adapters.slack import doctor\nimport slack_sdk", ["slack_sdk"]),
        ("a_new_room", "from bot.chat import Thread", ["bot.chat.Thread"]),
    ],
)
def test_the_rule_is_read_rightly(room: str, source: str, refused: list[str]) -> None:
    assert forbidden(room, source, "bot.recall") == refused


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_file_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < LINES


def functions() -> Iterator[tuple[str, int]]:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{module_of(path)}.{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def test_a_function_is_short_and_most_are_shorter() -> None:
    sizes = list(functions())
    assert [(name, lines) for name, lines in sizes if lines > FUNCTION_LINES] == []
    assert median(lines for _, lines in sizes) < MEDIAN_LINES

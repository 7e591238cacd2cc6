"""A call of the API as its endpoint sees it: past the gate, body read, space checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.local.memory import memories, parse

if TYPE_CHECKING:
    from starlette.requests import Request

    from bot.local.memory.server import LocalMemory

Answer = tuple[int, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Call:
    """A request that passed the gate: its body, and the space it is about."""

    memory: LocalMemory = field(repr=False)
    request: Request = field(repr=False)
    body: parse.Sent = field(repr=False)
    space: str = field(repr=False)

    @property
    def labels(self) -> list[str]:
        """The filter in the query string, unread."""
        return self.request.query_params.getlist("label")

    def name(self, what: str) -> str:
        """Read an id from the path; a blank one is refused."""
        return parse.text(self.request.path_params.get(what), what)

    @property
    def memory_id(self) -> int:
        """The number of a memory in the path; what is no number is not found."""
        name = self.name("id")
        if not (name.isascii() and name.isdigit() and len(name) < 19):  # noqa: PLR2004 - what fits an SQLite integer
            raise memories.missing()
        return int(name)

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

    @property
    def name(self) -> str:
        """What the path names behind `/v1/<what>/`, whole: a route's own parameter loses a newline at its end."""
        return str(self.request.scope["path"]).split("/", 3)[3]

    @property
    def id(self) -> str:
        """Read the id in the path; a blank one is refused."""
        return parse.text(self.name, "The id in the address")

    @property
    def memory_id(self) -> int:
        """The number of a memory in the path; what is no number is not found."""
        if not (self.id.isascii() and self.id.isdigit() and len(self.id) < 19):  # noqa: PLR2004 - what fits an SQLite integer
            raise memories.missing()
        return int(self.id)

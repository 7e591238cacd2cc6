"""The spaces: whose memory it is. The key owner's own memory is the one without a name, which no request can name."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

OWN = ""


@dataclass(frozen=True, slots=True)
class Space:
    """A space in the database: its id, which is never used again, and what its terms are keyed with."""

    id: int
    salt: bytes = field(repr=False)


def find(db: sqlite3.Connection, name: str) -> Space | None:
    """Look a space up; one that was never written to does not exist."""
    row = db.execute("SELECT id, salt FROM spaces WHERE name = ?", (name,)).fetchone()
    return Space(*row) if row else None


def make(db: sqlite3.Connection, name: str) -> Space:
    """Look a space up, or begin it."""
    db.execute("INSERT OR IGNORE INTO spaces (name, salt) VALUES (?, ?)", (name, secrets.token_bytes(32)))
    return Space(*db.execute("SELECT id, salt FROM spaces WHERE name = ?", (name,)).fetchone())


def forget(db: sqlite3.Connection, name: str) -> int:
    """Delete a space with everything in it, also what is still being learned; return how many sources it had."""
    space = find(db, name)
    if space is None:
        return 0
    sources = int(db.execute("SELECT COUNT(*) FROM sources WHERE space = ?", (space.id,)).fetchone()[0])
    # By the leading column first: cheaper than a cascade for each memory.
    db.execute("DELETE FROM postings WHERE space = ?", (space.id,))
    db.execute("DELETE FROM spaces WHERE id = ?", (space.id,))
    owe_scrub(db)
    return sources


def owe_scrub(db: sqlite3.Connection) -> None:
    """Note, in the transaction that deletes, that words must leave the file (see `Database.scrub`)."""
    db.execute("UPDATE scrubs SET owed = owed + 1")


_LISTED = """
SELECT s.name, (SELECT COUNT(*) FROM sources o WHERE o.space = s.id),
  (SELECT COUNT(*) FROM memories m WHERE m.space = s.id AND NOT m.corrected),
  (SELECT MAX(o.added_at) FROM sources o WHERE o.space = s.id)
FROM spaces s WHERE s.name <> '' ORDER BY 2 DESC, 1
"""


def listing(db: sqlite3.Connection) -> dict[str, object]:
    """Answer `GET /v1/spaces`: the named ones, those with the most sources first."""
    keys = ("space", "sources", "memories", "last_added_at")
    rows = [dict(zip(keys, row, strict=True)) for row in db.execute(_LISTED)]
    return {"spaces": rows, "total": len(rows)}

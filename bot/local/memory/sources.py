"""The sources: what was added, under which id and labels, and how far learning from it is.

The words of a source rest in it only until they are learned.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from bot.local.memory import learning, rules, spaces
from bot.local.memory.rules import Refused

if TYPE_CHECKING:
    import sqlite3

    from bot.local.memory.parse import Addition, Page
    from bot.local.memory.spaces import Space

Shown = dict[str, object]


@dataclass(frozen=True, slots=True)
class Terms:
    """How additions are taken: seconds until they may be learned, and whether they wait for the next month's use."""

    delay: float = 0.0
    waiting: bool = False

    @property
    def status(self) -> str:
        """The status of a source with something to learn."""
        return "waiting" if self.waiting else "reading"


@dataclass(frozen=True, slots=True)
class _Known:
    n: int
    status: str
    content: bytes
    pending: str | None = field(repr=False)


def now() -> str:
    """Tell the time as the database keeps it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def missing() -> Refused:
    """Make the answer to an id that is not in this space; another space's id looks the same."""
    return Refused(rules.NOT_FOUND, "No such source in this memory.")


def save(db: sqlite3.Connection, name: str, added: Addition, terms: Terms) -> Shown:
    """Keep an addition to be learned; the same external_id or session again updates its source."""
    space = spaces.make(db, name)
    said_at = added.said_at or now()
    pending = [[turn.text, turn.said_at or said_at] for turn in added.turns]
    content = blake2b(json.dumps([turn.text for turn in added.turns]).encode(), key=space.salt, digest_size=16).digest()
    known = _known(db, space, added)
    if known is None:
        n = _insert(db, space, added, terms, (said_at, content, json.dumps(pending)))
    else:
        n = known.n
        _describe(db, n, added)
        if added.session is not None:
            _again(db, n, terms, (said_at, content, json.dumps(json.loads(known.pending or "[]") + pending)))
        elif known.content != content or known.status == "failed":
            _again(db, n, terms, (said_at, content, json.dumps(pending)))
            spaces.owe_scrub(db)
    return _shown(db, n)


def correct(db: sqlite3.Connection, space: Space, memory: int, words: tuple[str, str], terms: Terms) -> Shown:
    """Add the source that a correction is learned from; `words` are its text and its labels as JSON."""
    said_at, (text, labels) = now(), words
    n = db.execute(
        "INSERT INTO sources (id, space, chat, title, status, labels, said_at, added_at, learn_at, revision, content,"
        " pending, corrects) VALUES (?, ?, 0, '', ?, ?, ?, ?, ?, 1, x'', ?, ?)",
        (secrets.token_hex(16), space.id, terms.status, labels, said_at, said_at, time.time() + terms.delay,
         json.dumps([[text, said_at]]), memory),
    ).lastrowid  # fmt: skip
    return _shown(db, n or 0)


def _known(db: sqlite3.Connection, space: Space, added: Addition) -> _Known | None:
    row = db.execute(
        "SELECT n, status, content, pending FROM sources WHERE space = ? AND (external_id = ? OR session = ?)",
        (space.id, added.external_id, added.session),
    ).fetchone()
    return _Known(*row) if row else None


def _insert(db: sqlite3.Connection, space: Space, added: Addition, terms: Terms, rest: tuple[str, bytes, str]) -> int:
    said_at, content, pending = rest
    return db.execute(
        "INSERT INTO sources (id, space, chat, title, status, external_id, session, labels, said_at, added_at,"
        " learn_at, revision, content, pending) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        (secrets.token_hex(16), space.id, added.chat, added.title, terms.status, added.external_id, added.session,
         added.labels or "{}", said_at, now(), time.time() + terms.delay, content, pending),
    ).lastrowid or 0  # fmt: skip


def _describe(db: sqlite3.Connection, n: int, added: Addition) -> None:
    """Change what needs no learning: labels are replaced, kept when left out, cleared when empty."""
    if added.labels is not None:
        db.execute("UPDATE sources SET labels = ? WHERE n = ?", (added.labels, n))
    if added.title:
        db.execute("UPDATE sources SET title = ? WHERE n = ?", (added.title, n))


def _again(db: sqlite3.Connection, n: int, terms: Terms, rest: tuple[str, bytes, str]) -> None:
    """Learn a source once more; a learning under way for what it held before will find its revision gone."""
    said_at, content, pending = rest
    db.execute(
        "UPDATE sources SET status = ?, error = NULL, said_at = ?, content = ?, pending = ?, learn_at = ?,"
        " revision = revision + 1 WHERE n = ?",
        (terms.status, said_at, content, pending, time.time() + terms.delay, n),
    )


_SHOWN = """
SELECT s.id, s.title, s.status, s.error, s.added_at, s.external_id, s.labels,
  CASE s.status WHEN 'learned' THEN
    (SELECT COUNT(*) FROM taught t JOIN memories m ON m.id = t.memory WHERE t.source = s.n AND NOT m.corrected) END
FROM sources s WHERE s.n = ?
"""


def _shown(db: sqlite3.Connection, n: int) -> Shown:
    keys = ("id", "title", "status", "error", "added_at", "external_id", "labels", "facts")
    shown: Shown = dict(zip(keys, db.execute(_SHOWN, (n,)).fetchone(), strict=True))
    nothing = dict.fromkeys(("url", "file_name", "file_type", "size_bytes", "added_by"))
    return {**shown, "kind": "note", "labels": json.loads(str(shown["labels"])), **nothing}


def get(db: sqlite3.Connection, name: str, source_id: str) -> Shown:
    """Show one source.

    Raises:
        Refused: 404, there is none of that id in this space.
    """
    return _shown(db, _one(db, name, "SELECT n FROM sources WHERE space = ? AND id = ?", source_id))


def _one(db: sqlite3.Connection, name: str, query: str, key: str) -> int:
    space = spaces.find(db, name)
    row = space and db.execute(query, (space.id, key)).fetchone()
    if not row:
        raise missing()
    return int(row[0])


def by_external_id(db: sqlite3.Connection, name: str, external_id: str) -> Shown:
    """List the one source of an external_id, or none."""
    try:
        n = _one(db, name, "SELECT n FROM sources WHERE space = ? AND external_id = ?", external_id)
    except Refused:
        return {"sources": [], "total": 0, "next": None}
    return {"sources": [_shown(db, n)], "total": 1, "next": None}


_MATCHING = """
SELECT n FROM sources WHERE space = :space AND (:labels IS NULL OR fits(labels, :labels)) ORDER BY n DESC
"""


def _matching(db: sqlite3.Connection, name: str, labels: str | None) -> list[int]:
    space = spaces.find(db, name)
    found = db.execute(_MATCHING, {"space": space.id, "labels": labels}) if space else ()
    return [n for (n,) in found]


def page(db: sqlite3.Connection, name: str, wanted: Page) -> Shown:
    """List sources, newest first."""
    every = _matching(db, name, wanted.labels)
    rest = [n for n in every if not wanted.cursor or n < wanted.cursor]
    shown = rest[: wanted.limit]
    after = shown[-1] if len(rest) > len(shown) else None
    return {"sources": [_shown(db, n) for n in shown], "total": len(every), "next": after}


def delete(db: sqlite3.Connection, name: str, source_id: str) -> Shown:
    """Delete a source by its id, with every memory learned only from it."""
    return _delete(db, _one(db, name, "SELECT n FROM sources WHERE space = ? AND id = ?", source_id))


def delete_external(db: sqlite3.Connection, name: str, external_id: str) -> Shown:
    """Delete a source by its external_id."""
    return _delete(db, _one(db, name, "SELECT n FROM sources WHERE space = ? AND external_id = ?", external_id))


def delete_labelled(db: sqlite3.Connection, name: str, wanted: str) -> Shown:
    """Delete the sources that a filter fits, at most 100 a call."""
    every = _matching(db, name, wanted)
    gone = every[: rules.SOURCES_A_LABEL_DELETE]
    for n in gone:
        _delete(db, n)
    return {"sources_deleted": len(gone), "more": len(every) > len(gone), "labels": json.loads(wanted)}


def _delete(db: sqlite3.Connection, n: int) -> Shown:
    row = db.execute("SELECT id, external_id FROM sources WHERE n = ?", (n,)).fetchone()
    learning.take_back(db, n)
    db.execute("DELETE FROM sources WHERE n = ?", (n,))
    spaces.owe_scrub(db)
    return {"id": row[0], "external_id": row[1], "deleted": True}

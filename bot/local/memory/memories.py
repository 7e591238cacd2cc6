"""The memories: shown, listed, corrected, deleted, exported. It never shows one whose source a filter does not fit."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from bot.local.memory import rules, sources, spaces
from bot.local.memory.parse import Page
from bot.local.memory.rules import Refused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from bot.local.memory.sources import Shown, Terms
    from bot.local.memory.spaces import Space

_NEWEST_SOURCE = 1_000_000


def missing() -> Refused:
    """Make the answer to an id that is not in this space."""
    return Refused(rules.NOT_FOUND, "No such memory here.")


_VISIBLE = """
SELECT m.id, m.kind, m.said_at FROM memories m
WHERE m.space = :space AND NOT m.corrected AND (:kind IS NULL OR m.kind = :kind)
  AND (:labels IS NULL OR EXISTS (
    SELECT 1 FROM taught t JOIN sources s ON s.n = t.source WHERE t.memory = m.id AND fits(s.labels, :labels)))
  AND (m.subject IS NULL OR NOT EXISTS (
    SELECT 1 FROM newer WHERE newer.old = m.id AND (:labels IS NULL OR fits(newer.labels, :labels))))
ORDER BY m.id DESC
"""


def visible(db: sqlite3.Connection, space: Space, kind: str | None, labels: str | None) -> list[tuple[int, str, str]]:
    """List id, kind and time of all current memories under a filter, the latest learned first.

    A value is current until a newer one of the same subject is visible under the same filter.
    """
    return db.execute(_VISIBLE, {"space": space.id, "kind": kind, "labels": labels}).fetchall()


# SQLite takes the other columns of a group from the row that has the MAX: the newest source that the filter fits.
_DETAILS = """
SELECT told.id, text, kind, MAX(told.said_at), learned_at, source, title, labels, quote, last_said
FROM json_each(:ids) CROSS JOIN told ON told.id = json_each.value
WHERE space = :space AND NOT corrected AND (:kind IS NULL OR kind = :kind)
  AND (:labels IS NULL OR fits(labels, :labels)) AND (:past OR NOT EXISTS (
    SELECT 1 FROM newer WHERE newer.old = told.id AND (:labels IS NULL OR fits(newer.labels, :labels))))
GROUP BY told.id
"""


def details(
    db: sqlite3.Connection, space: Space, ids: Iterable[int], *, kind: str | None = None, labels: str | None = None,
    past: bool = False,
) -> dict[int, Shown]:  # fmt: skip
    """Show these memories, as far as they are visible; `past` includes values that newer ones replaced."""
    wanted = {"ids": json.dumps(list(ids)), "space": space.id, "kind": kind, "labels": labels, "past": past}
    return {row[0]: _shown(row) for row in db.execute(_DETAILS, wanted)}


def _shown(row: tuple[int, str, str, str, str, str, str, str, str, str], status: str = "current") -> Shown:
    memory, text, kind, said_at, learned_at, source, title, labels, quote, _ = row
    taught_by = {"id": source, "kind": "note", "title": title, "labels": json.loads(labels)}
    return {
        "id": memory, "text": text, "kind": kind, "about": None, "status": status, "said_at": said_at,
        "learned_at": learned_at, "source": taught_by, "quote": quote,
    }  # fmt: skip


def page(db: sqlite3.Connection, name: str, wanted: Page) -> Shown:
    """List memories, newest first. `counts` is under the filter by labels, whatever kind is asked for."""
    space = spaces.find(db, name)
    every = visible(db, space, None, wanted.labels) if space else []
    asked = [memory for memory, kind, _ in every if wanted.kind in {None, kind}]
    rest = [memory for memory in asked if not wanted.cursor or memory < wanted.cursor]
    ids = rest[: wanted.limit]
    shown = details(db, space, ids, labels=wanted.labels) if space else {}
    return {
        "memories": [brief(shown[memory]) for memory in ids if memory in shown],
        "counts": {"all": len(every), **Counter(kind for _, kind, _ in every)},
        "total": len(asked),
        "next": ids[-1] if len(rest) > len(ids) else None,
    }


def brief(shown: Shown) -> Shown:
    """Show a memory as lists do, without the words it came from."""
    return {key: value for key, value in shown.items() if key != "quote"}


def get(db: sqlite3.Connection, name: str, memory: int) -> Shown:
    """Show one memory with its older values, latest first.

    Raises:
        Refused: 404, it is not in this space.
    """
    space = spaces.find(db, name)
    found = details(db, space, [memory], past=True) if space else {}
    if memory not in found:
        raise missing()
    return {"memory": found[memory], "history": _history(db, memory)}


_OLDER = """
WITH RECURSIVE wrong (id) AS (
  SELECT id FROM memories WHERE corrected_by = :memory
  UNION SELECT m.id FROM memories m JOIN wrong ON m.corrected_by = wrong.id)
SELECT o.id FROM memories o JOIN memories m ON m.id = :memory
WHERE o.id IN (SELECT id FROM wrong) OR (
  o.space = m.space AND o.subject = m.subject AND NOT o.corrected AND (o.said_at, o.id) < (m.said_at, m.id))
"""
_ANY = """
SELECT told.id, text, kind, MAX(told.said_at), learned_at, source, title, labels, quote, last_said, corrected
FROM json_each(?) CROSS JOIN told ON told.id = json_each.value GROUP BY told.id ORDER BY last_said DESC, told.id DESC
"""


def _older(db: sqlite3.Connection, memory: int) -> list[int]:
    return [older for (older,) in db.execute(_OLDER, {"memory": memory})]


def _history(db: sqlite3.Connection, memory: int) -> list[Shown]:
    rows = db.execute(_ANY, (json.dumps(_older(db, memory)),))
    return [_shown(row[:10], "corrected" if row[10] else "superseded") for row in rows]


def correct(db: sqlite3.Connection, name: str, memory: int, text: str, terms: Terms) -> Shown:
    """Put a right text in the place of a wrong memory, which is not used again from this moment on."""
    space = spaces.find(db, name)
    if space is None or memory not in details(db, space, [memory]):
        raise missing()
    labels = [set(json.loads(one).items()) for (one,) in db.execute("SELECT labels FROM told WHERE id = ?", (memory,))]
    shared = json.dumps(dict(sorted(set.intersection(*labels))), ensure_ascii=False)
    db.execute("UPDATE memories SET corrected = 1 WHERE id = ?", (memory,))
    db.execute("DELETE FROM postings WHERE memory = ?", (memory,))
    source = sources.correct(db, space, memory, (text, shared), terms)
    return {"id": memory, "corrected": True, "source": source}


_NEVER_AGAIN = """
INSERT OR IGNORE INTO untaught
SELECT t.source, m.same FROM taught t JOIN memories m ON m.id = t.memory WHERE m.id = ?
"""


def delete(db: sqlite3.Connection, name: str, memory: int) -> Shown:
    """Delete a memory with its older values. Its sources stay, and do not teach it again."""
    get(db, name, memory)
    for gone in (memory, *_older(db, memory)):
        db.execute(_NEVER_AGAIN, (gone,))
        db.execute("DELETE FROM memories WHERE id = ?", (gone,))
    spaces.owe_scrub(db)
    return {"id": memory, "deleted": True}


_ALL = """
SELECT told.id, text, kind, MAX(told.said_at), learned_at, source, title, labels, quote, last_said, corrected,
  EXISTS (SELECT 1 FROM newer WHERE newer.old = told.id)
FROM told WHERE space = ? GROUP BY told.id ORDER BY told.id DESC
"""


def export(db: sqlite3.Connection, name: str) -> Shown:
    """Give a person's own copy of everything held."""
    space = spaces.find(db, name)
    rows = db.execute(_ALL, (space.id,)).fetchall() if space else []
    status = {(0, 0): "current", (0, 1): "superseded", (1, 0): "corrected", (1, 1): "corrected"}
    held = sources.page(db, name, Page(limit=_NEWEST_SOURCE, cursor=0))
    nothing: Shown = {part: [] for part in ("files", "episodes", "lessons", "intentions", "now")}
    memories = [_shown(row[:10], status[row[10], row[11]]) for row in rows]
    return {
        "exported_at": sources.now(),
        "stored_in": "local",
        "memories": memories,
        "sources": held["sources"],
        **nothing,
    }


def line(shown: Shown, *, with_source: bool) -> str:
    """Write a memory as a line of a context: its text, two spaces, where it is from and when it was said."""
    source = shown["source"]
    title = source.get("title") or source.get("kind") if isinstance(source, dict) else ""
    said = str(shown["said_at"] or shown["learned_at"])[:10]
    return f"- {shown['text']}" + (f"  [{title}, {said}]" if with_source else "")

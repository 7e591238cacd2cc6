"""Learns facts from what was added. What a source no longer says is taken back.

Nothing is learned for a source that was changed or deleted meanwhile: its row and revision are checked in the same
transaction that writes.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from bot.local.memory import facts, meaning, persons, rules, spaces, values, words
from bot.local.memory.spaces import Space

if TYPE_CHECKING:
    import sqlite3


@dataclass(frozen=True, slots=True)
class Job:
    """A source to learn, as it was when it was read."""

    source: int
    space: Space
    revision: int
    chat: bool
    grows: bool
    corrects: int | None
    pending: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Learned:
    """A fact ready to be written. `same` and `subject` are keyed hashes, `terms` keyed numbers."""

    text: str = field(repr=False)
    quote: str = field(repr=False)
    said_at: str
    kind: str
    same: bytes = field(repr=False)
    subject: bytes | None = field(repr=False)
    terms: tuple[int, ...] = field(repr=False)


_DUE = """
SELECT o.n, s.id, s.salt, o.revision, o.chat, o.session IS NOT NULL, o.corrects, o.pending
FROM sources o JOIN spaces s ON s.id = o.space
WHERE o.pending IS NOT NULL AND o.learn_at <= ? AND (o.status = 'reading' OR (? AND o.status = 'waiting'))
ORDER BY o.learn_at, o.n LIMIT 1
"""


def next_job(db: sqlite3.Connection, *, waiting_too: bool = True, at: float | None = None) -> Job | None:
    """Read the source due for learning (by the clock, or at that time), also those that waited for a new month."""
    row = db.execute(_DUE, (time.time() if at is None else at, waiting_too)).fetchone()
    if row is None:
        return None
    n, space, salt, revision, chat, grows, corrects, pending = row
    return Job(n, Space(space, salt), revision, bool(chat), bool(grows), corrects, pending)


def hurry(db: sqlite3.Connection, delay: float) -> None:
    """Let what an earlier process left unlearned be learned within this one's delay."""
    db.execute("UPDATE sources SET learn_at = MIN(learn_at, ?) WHERE pending IS NOT NULL", (time.time() + delay,))


def prepare(job: Job) -> list[Learned]:
    """Read the facts of a source. Pure, and slow for a long text: run it beside the event loop."""
    found: dict[bytes, Learned] = {}
    with words.one_job():
        for text, said_at in json.loads(job.pending):
            said = [facts.Fact(text, text)] if job.corrects is not None else facts.split(text, chat=job.chat)
            for fact in said:
                learned = _learned(job, fact, said_at, len(found))
                found.setdefault(learned.same, learned)
    return list(found.values())[: rules.FACTS_A_SOURCE]


def _learned(job: Job, fact: facts.Fact, said_at: str, place: int) -> Learned:
    key = meaning.same(fact.text)
    if meaning.adds_up(fact.text):
        # "One more leek" said again is one more again: such a fact is equal only to itself, in its place in its source.
        key = f"{key}\n{job.source}\n{said_at if job.grows else place}"
    subject = values.subject(fact.text)
    terms = words.terms(words.words(f"{fact.text} {meaning.hints(fact.text)}")) | persons.terms(fact.text)
    salt = job.space.salt
    return Learned(
        fact.text,
        fact.quote,
        said_at,
        meaning.kind(fact.text),
        _digest(key, salt),
        None if subject is None else _digest(subject, salt),
        tuple({words.number(term, salt) for term in terms}),
    )


def _digest(text: str, salt: bytes) -> bytes:
    return blake2b(text.encode(), key=salt, digest_size=16).digest()


def write(db: sqlite3.Connection, job: Job, learned: list[Learned]) -> bool:
    """Write what was learned, if the source is still what was read; tell whether it was."""
    done = db.execute(
        "UPDATE sources SET status = 'learned', error = NULL, pending = NULL"
        " WHERE n = ? AND revision = ? AND pending IS NOT NULL",
        (job.source, job.revision),
    )
    if not done.rowcount:
        return False
    known = {same: memory for memory, same in db.execute(_TAUGHT, (job.source,))}
    said = {fact.same for fact in learned}
    if not job.grows:
        take_back(db, job.source, [memory for same, memory in known.items() if same not in said])
    never = {same for (same,) in db.execute("SELECT same FROM untaught WHERE source = ?", (job.source,))}
    for fact in learned:
        if fact.same not in known and fact.same not in never:
            _teach(db, job, fact)
    return True


def fail(db: sqlite3.Connection, job: Job) -> None:
    """Note that a source could not be learned; its words are not kept for that."""
    db.execute(
        "UPDATE sources SET status = 'failed', error = 'This could not be read.', pending = NULL"
        " WHERE n = ? AND revision = ?",
        (job.source, job.revision),
    )


_TAUGHT = "SELECT m.id, m.same FROM taught t JOIN memories m ON m.id = t.memory WHERE t.source = ?"


def _teach(db: sqlite3.Connection, job: Job, fact: Learned) -> None:
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    query = "SELECT id FROM memories WHERE space = ? AND same = ? AND NOT corrected"
    row = db.execute(query, (job.space.id, fact.same)).fetchone()
    memory = row[0] if row else _remember(db, job, fact, now)
    db.execute(
        "INSERT OR IGNORE INTO taught VALUES (?, ?, ?, ?, ?)", (memory, job.source, fact.quote, fact.said_at, now)
    )
    db.execute("UPDATE memories SET said_at = MAX(said_at, ?) WHERE id = ?", (fact.said_at, memory))
    if job.corrects is not None:
        db.execute("UPDATE memories SET corrected_by = ? WHERE id = ? AND corrected", (memory, job.corrects))


def _remember(db: sqlite3.Connection, job: Job, fact: Learned, now: str) -> int:
    memory = db.execute(
        "INSERT INTO memories (space, text, kind, same, subject, said_at, learned_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (job.space.id, fact.text, fact.kind, fact.same, fact.subject, fact.said_at, now),
    ).lastrowid
    db.executemany("INSERT INTO postings VALUES (?, ?, ?)", [(job.space.id, term, memory) for term in fact.terms])
    return memory or 0


def take_back(db: sqlite3.Connection, source: int, memories: list[int] | None = None) -> None:
    """Unlearn what a source taught (these memories of it, or all); what others taught too stays."""
    taught = [memory for (memory,) in db.execute("SELECT memory FROM taught WHERE source = ?", (source,))]
    for memory in taught if memories is None else memories:
        db.execute("DELETE FROM taught WHERE memory = ? AND source = ?", (memory, source))
        last = db.execute("SELECT MAX(said_at) FROM taught WHERE memory = ?", (memory,)).fetchone()[0]
        if last is None:
            db.execute("DELETE FROM memories WHERE id = ?", (memory,))
        else:
            db.execute("UPDATE memories SET said_at = ? WHERE id = ?", (last, memory))
        spaces.owe_scrub(db)

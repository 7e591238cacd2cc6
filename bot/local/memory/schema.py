"""Opens the SQLite file: its tables, its settings, and who may read it.

It refuses a file that a newer version made.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
_BUSY_SECONDS = 5.0

# The id of a space is never used twice: a space that was forgotten and begun again is another one, so nothing that was
# under way for the old one can reach it. Terms are keyed numbers (words.number); the words themselves rest in
# sources.pending until they are learned, in sources.title, in memories.text and in taught.quote, and nowhere else.
_SCHEMA = """
CREATE TABLE spaces (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, salt BLOB NOT NULL);
CREATE TABLE sources (
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  chat INTEGER NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL, error TEXT, external_id TEXT, session TEXT,
  labels TEXT NOT NULL, said_at TEXT NOT NULL, added_at TEXT NOT NULL,
  learn_at REAL NOT NULL, revision INTEGER NOT NULL, content BLOB NOT NULL, pending TEXT, corrects INTEGER,
  UNIQUE (space, external_id), UNIQUE (space, session));
CREATE INDEX to_learn ON sources (learn_at, n) WHERE pending IS NOT NULL;
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  text TEXT NOT NULL, kind TEXT NOT NULL, same BLOB NOT NULL, subject BLOB,
  said_at TEXT NOT NULL, learned_at TEXT NOT NULL,
  corrected INTEGER NOT NULL DEFAULT 0, corrected_by INTEGER);
CREATE INDEX memory_same ON memories (space, same);
CREATE INDEX memory_subject ON memories (space, subject) WHERE subject IS NOT NULL;
CREATE TABLE taught (
  memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
  source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  quote TEXT NOT NULL, said_at TEXT NOT NULL, learned_at TEXT NOT NULL, PRIMARY KEY (memory, source)) WITHOUT ROWID;
CREATE INDEX taught_source ON taught (source);
CREATE TABLE untaught (
  source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE, same BLOB NOT NULL,
  PRIMARY KEY (source, same)) WITHOUT ROWID;
CREATE TABLE postings (
  space INTEGER NOT NULL, term INTEGER NOT NULL, memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
  PRIMARY KEY (space, term, memory)) WITHOUT ROWID;
CREATE INDEX posting_memory ON postings (memory);
CREATE TABLE scrubs (owed INTEGER NOT NULL, done INTEGER NOT NULL);
INSERT INTO scrubs VALUES (0, 0);
CREATE VIEW told AS
  SELECT m.id, m.space, m.text, m.kind, m.corrected, m.said_at AS last_said, t.quote, t.said_at, t.learned_at,
    s.id AS source, s.title, s.labels
  FROM memories m JOIN taught t ON t.memory = m.id JOIN sources s ON s.n = t.source;
CREATE VIEW newer AS
  SELECT m.id AS old, s.labels
  FROM memories m
  JOIN memories n ON n.space = m.space AND n.subject = m.subject AND NOT n.corrected
    AND (n.said_at, n.id) > (m.said_at, m.id)
  JOIN taught t ON t.memory = n.id JOIN sources s ON s.n = t.source;
"""


def fits(labels: str, wanted: str) -> bool:
    """Tell whether the labels of a source pass a filter: every name, any one value of each (both JSON)."""
    have = json.loads(labels)
    return all(have.get(name) in values for name, values in json.loads(wanted).items())


def connect(path: Path | None) -> sqlite3.Connection:
    """Make or open the file at `path`, None for one in memory; the connection may be used on any one thread at a time.

    Raises:
        RuntimeError: a newer version made the file.
    """
    if path is not None:
        _make_private(path)
    connection = _connection(path)
    try:
        _set_up(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def reader(path: Path) -> sqlite3.Connection:
    """Open the file once more, only to read."""
    connection = _connection(path)
    connection.execute("PRAGMA query_only = ON").fetchall()
    return connection


def _connection(path: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.create_function("fits", 2, fits, deterministic=True)
    connection.execute("PRAGMA temp_store = MEMORY").fetchall()
    return connection


def _set_up(connection: sqlite3.Connection) -> None:
    _use_log(connection)
    for pragma in ("secure_delete = ON", "foreign_keys = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in {0, VERSION}:
        raise RuntimeError(
            "The memory file was made by a newer version of the bot. Update the bot, or use another file."
        )
    if version == 0:
        with closing(connection.cursor()) as cursor:
            for statement in _SCHEMA.split(";\n"):
                cursor.execute(statement)
            cursor.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _use_log(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on. SQLite does not wait for this lock by itself when processes start together."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _make_private(path: Path) -> None:
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)

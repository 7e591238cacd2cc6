"""Finds the memories that bear on a question by its words, rare ones counting more; nothing that shares none with it.

A question for many things, or one whose words lie in several memories, also brings what those memories connect to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.local.memory import asking, memories, spaces, words
from bot.local.memory.index import Index
from bot.local.memory.parse import Question

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from bot.local.memory.asking import Asked
    from bot.local.memory.index import Ranking
    from bot.local.memory.sources import Shown
    from bot.local.memory.spaces import Space

_OF_BEST, _OF_BEST_LOOSELY = 0.35, 0.2
"""The part of the best score that a memory needs; less when many things are asked for, and for what asks nothing: there
the best may be that the same was said before."""
_OF_QUESTION = 0.05
"""The part of all that the question's words are worth that a memory needs."""
_CONNECTED = 0.5
"""A connected memory shares words with a found one that are worth this part of the rarest possible word."""
_SHARED_BY_MOST = 20
"""A word that more than one in this many memories has (or ten) connects nothing."""
_CHAIN = 3
_CHUNK = 100
_BRIEFED = 500


@dataclass(slots=True)
class _Reader:
    """Reads memories in the order of their scores, as far as the question may see them."""

    db: sqlite3.Connection
    space: Space
    question: Question
    past: bool

    def best(self, ranking: Ranking, allowed: set[int], least: float, of_best: float) -> list[tuple[float, Shown]]:
        """Return the best visible ones; the part of the best score that counts is that of the best visible one."""
        scores = {memory: score for memory in allowed if (score := ranking.score(memory)) >= least}
        found: list[tuple[float, Shown]] = []
        for score, shown in self._visible(scores):
            if len(found) == self.question.limit or (found and score < of_best * found[0][0]):
                break
            found.append((score, shown))
        return found

    def _visible(self, scores: dict[int, float]) -> Iterator[tuple[float, Shown]]:
        ranked = sorted(scores, key=lambda memory: (-scores[memory], -memory))
        question = self.question
        for start in range(0, len(ranked), _CHUNK):
            shown = memories.details(
                self.db, self.space, ranked[start : start + _CHUNK],
                kind=question.kind, labels=question.labels, past=self.past,
            )  # fmt: skip
            by_age = sorted(shown.items(), key=lambda item: (str(item[1]["said_at"]), item[0]), reverse=True)
            yield from sorted(((scores[memory], one) for memory, one in by_age), key=lambda pair: -pair[0])


def context(db: sqlite3.Connection, name: str, question: Question) -> list[Shown]:
    """Find the memories that bear on a question, best first, among equals the newest first; it may be none."""
    space = spaces.find(db, name)
    if space is None:
        return []
    with words.one_job():
        return _context(db, space, question)


def _context(db: sqlite3.Connection, space: Space, question: Question) -> list[Shown]:
    asked = asking.read(question.text)
    if asked.about_me and not any(word.strong for word in asked.words):
        return newest(db, space, question)
    index, reader = Index(db, space), _Reader(db, space, question, past=asked.before)
    ranking = index.rank(asked.words)
    if asked.whose.terms:
        having = index.having(asked.whose.terms, ranking.hits)
        ranking.behind = set(ranking.hits) - having if asked.whose.mine else having
    needs_strong = any(word.strong for word in asked.words)
    allowed = ranking.strong if needs_strong else set(ranking.hits)
    of_best = _OF_BEST_LOOSELY if asked.many or not asked.question else _OF_BEST
    found = reader.best(ranking, allowed, _OF_QUESTION * ranking.whole, of_best)
    chosen = [shown for _, shown in found]
    for _ in range(_steps(asked, ranking, found)):
        chosen += _connected(index, asked, chosen, reader) if len(chosen) < question.limit else []
    return chosen[: question.limit]


def _steps(asked: Asked, ranking: Ranking, found: list[tuple[float, Shown]]) -> int:
    """Say how far an answer reaches beyond what was found: from one to the next where none holds its words together."""
    hits = [set(ranking.hits[int(str(shown["id"]))]) for _, shown in found]
    if hits and len(set().union(*hits)) > max(map(len, hits)):
        return _CHAIN
    return 1 if hits and asked.many else 0


def _connected(index: Index, asked: Asked, found: list[Shown], reader: _Reader) -> list[Shown]:
    """Find what shares rare words with what was found."""
    known = {form for word in asked.words for form in word.forms}
    shared = {word.forms: word for shown in found for word in words.words(str(shown["text"])) if word.strong}
    links = [replace(word, asks=frozenset()) for word in shared.values() if not word.forms & known]
    ranking = index.rank(links, most=max(10, index.size // _SHARED_BY_MOST))
    others = set(ranking.hits) - {int(str(shown["id"])) for shown in found}
    return [shown for _, shown in reader.best(ranking, others, _CONNECTED * index.worth(1), 0.0)]


def search(db: sqlite3.Connection, name: str, question: Question) -> list[Shown]:
    """Rank without judging: what bears on the question first, then the newest, up to the limit."""
    found = context(db, name, question)
    space = spaces.find(db, name)
    have = {shown["id"] for shown in found}
    rest = newest(db, space, question) if space else []
    return [*found, *(shown for shown in rest if shown["id"] not in have)][: question.limit]


def newest(db: sqlite3.Connection, space: Space, question: Question) -> list[Shown]:
    """Show the facts that were said last."""
    every = memories.visible(db, space, question.kind, question.labels)
    ids = [memory for memory, _, _ in sorted(every, key=lambda row: (row[2], row[0]), reverse=True)[: question.limit]]
    shown = memories.details(db, space, ids, kind=question.kind, labels=question.labels)
    return [shown[memory] for memory in ids if memory in shown]


def briefing(db: sqlite3.Connection, name: str, cue: Question | None, budget: int) -> tuple[str, list[Shown]]:
    """Write what bears on the cue, then the newest, within a budget of characters; "" when nothing is known."""
    space = spaces.find(db, name)
    if space is None:
        return "", []
    everything = Question(text="", limit=_BRIEFED)
    first = context(db, name, cue) if cue else []
    have = {shown["id"] for shown in first}
    text = "What is known (facts):"
    used: list[Shown] = []
    for shown in [*first, *(one for one in newest(db, space, everything) if one["id"] not in have)]:
        line = f"\n- [{str(shown['said_at'])[:10]}] {shown['text']}"
        if len(text) + len(line) <= budget:
            text, used = text + line, [*used, shown]
    return (text, used) if used else ("", [])

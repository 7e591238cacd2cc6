"""The index of one space: which memories have which terms, and how much that tells."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.local.memory import words

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from bot.local.memory.spaces import Space
    from bot.local.memory.words import Word

_WEAK = 0.5
_BEHIND = 0.6
_BY_MEANING = 0.5
_FLOOR = 0.25
_COUNTS = """
SELECT term, COUNT(*) FROM postings WHERE space = ? AND term IN (SELECT value FROM json_each(?)) GROUP BY term
"""
_HAVING = """
SELECT memory FROM postings WHERE space = ? AND term IN (SELECT value FROM json_each(?))
  AND memory IN (SELECT value FROM json_each(?))
"""
_COMMON, _LARGE = 0.2, 500
"""In a space this large, a term that more than this part of it has is left out when there are rarer ones."""


@dataclass(slots=True)
class Ranking:
    """How words score in one space: what each memory was hit by, and what all words together would be worth."""

    hits: dict[int, dict[int, float]] = field(default_factory=dict)
    strong: set[int] = field(default_factory=set)
    whole: float = 0.0
    behind: set[int] = field(default_factory=set)
    """Memories that speak of somebody else than the question does; they count for less."""

    def score(self, memory: int) -> float:
        """Add up what a memory was hit by; equal hits make equal scores."""
        return round((_BEHIND if memory in self.behind else 1.0) * sum(self.hits[memory].values()), 6)

    def hit(self, memory: int, place: int, worth: float) -> None:
        """Count a hit of the word at `place`, once and by its best form."""
        hits = self.hits.setdefault(memory, {})
        hits[place] = max(hits.get(place, 0.0), worth)


class Index:
    """The postings of one space."""

    def __init__(self, db: sqlite3.Connection, space: Space) -> None:
        """Count what is there."""
        self._db, self._space = db, space
        query = "SELECT COUNT(*) FROM memories WHERE space = ? AND NOT corrected"
        self.size = int(db.execute(query, (space.id,)).fetchone()[0])

    def worth(self, frequency: int) -> float:
        """Say how much a term tells that this many memories have: BM25's inverse document frequency, with a floor."""
        return math.log((self.size + 1) / (frequency + 0.5)) + _FLOOR

    def rank(self, asked: Sequence[Word], most: int | None = None) -> Ranking:
        """Score all memories by these words; `most` leaves out terms that more memories have."""
        numbers = {term: words.number(term, self._space.salt) for term in words.terms(asked)}
        counts = {term: count for term, count in self._counts(numbers.values()).items() if count <= (most or self.size)}
        rare = {term: count for term, count in counts.items() if self.size < _LARGE or count <= self.size * _COMMON}
        ranking = self._rank(asked, numbers, rare)
        return ranking if ranking.strong or len(rare) == len(counts) else self._rank(asked, numbers, counts)

    def having(self, terms: Iterable[str], memories: Iterable[int]) -> set[int]:
        """Tell which of these memories have one of these terms."""
        numbers = [words.number(term, self._space.salt) for term in terms]
        wanted = (self._space.id, json.dumps(numbers), json.dumps(list(memories)))
        return {memory for (memory,) in self._db.execute(_HAVING, wanted)}

    def _rank(self, asked: Sequence[Word], numbers: dict[str, int], counts: dict[int, int]) -> Ranking:
        ranking = Ranking()
        for place, word in enumerate(asked):
            weight = 1.0 if word.strong else _WEAK
            forms = [numbers[form] for form in word.forms if numbers[form] in counts]
            worth = weight * self.worth(max((counts[form] for form in forms), default=1))
            ranking.whole += worth
            self._hit(ranking, (place, word), forms, worth)
            for meaning in (numbers[term] for term in word.asks if numbers[term] in counts):
                self._hit(ranking, (place, word), [meaning], weight * _BY_MEANING * self.worth(counts[meaning]))
        return ranking

    def _hit(self, ranking: Ranking, placed: tuple[int, Word], terms: Iterable[int], worth: float) -> None:
        place, word = placed
        query = "SELECT memory FROM postings WHERE space = ? AND term = ?"
        for term in terms:
            for (memory,) in self._db.execute(query, (self._space.id, term)):
                ranking.hit(memory, place, worth)
                if word.strong:
                    ranking.strong.add(memory)

    def _counts(self, numbers: Iterable[int]) -> dict[int, int]:
        return dict(self._db.execute(_COUNTS, (self._space.id, json.dumps(list(numbers)))).fetchall())

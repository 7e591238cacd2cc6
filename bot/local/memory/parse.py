"""Reads requests, once and purely, into typed values. What is blank, malformed or too large is refused."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.local.memory import rules
from bot.local.memory.rules import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Sent = dict[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """Words of the person whose memory it is, and when they were said (ISO, UTC; None = when they were sent)."""

    text: str = field(repr=False)
    said_at: str | None = None


@dataclass(frozen=True, slots=True)
class Addition:
    """What `POST /v1/memories` asks to keep. `labels` None keeps what a source has, an empty one clears it."""

    turns: tuple[Turn, ...]
    chat: bool
    title: str = field(default="", repr=False)
    said_at: str | None = None
    external_id: str | None = field(default=None, repr=False)
    session: str | None = field(default=None, repr=False)
    labels: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Question:
    """What a recall asks. `labels` is a filter as JSON (see `label_filter`), None for no filter."""

    text: str = field(repr=False)
    limit: int
    kind: str | None = None
    labels: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list: at most `limit`, older than the one that `cursor` names (0 = from the newest)."""

    limit: int
    cursor: int
    kind: str | None = None
    labels: str | None = field(default=None, repr=False)


def invalid(message: str) -> Refused:
    """Make the usual refusal of a request that cannot be read."""
    return Refused(rules.INVALID, message)


def body(raw: bytes) -> Sent:
    """Read a JSON object."""
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        raise invalid("The body is not JSON. Send a JSON object.") from None
    if not isinstance(parsed, dict):
        raise invalid("The body is not a JSON object. Send one.")
    return parsed


def space_name(name: object) -> str:
    """Check the name of a space, byte by byte.

    Raises:
        Refused: 422 bad_space; a blank name is refused too.
    """
    if not isinstance(name, str) or not rules.SPACE_NAME.fullmatch(name):
        message = "A space is named by up to 128 letters, digits, dots, dashes and underscores: use an id."
        raise Refused(rules.BAD_SPACE, message)
    return name


def text(value: object, what: str, most: int = 0) -> str:
    """Read a text that says something; `most` characters at most, 0 for no limit."""
    if not isinstance(value, str) or not value.strip():
        raise invalid(f"{what} is missing or blank. Send it as a text.")
    if most and len(value) > most:
        raise Refused(rules.TOO_LONG, f"{what} is too long: {most:,} characters are the most.")
    return clean(value)


def key(value: str, what: str) -> str:
    """Pass on what names or filters something. What `clean` would change is refused: two names must not become one."""
    if clean(value) != value:
        raise invalid(f"{what} holds characters that cannot be kept. Leave out NUL and lone surrogates.")
    return value


def clean(value: str) -> str:
    """Take out what no database column holds: lone surrogates and NUL."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


def moment(value: object, what: str = "said_at") -> str:
    """Read an ISO date or time; one without a zone is UTC. The answer sorts as text."""
    try:
        read = datetime.fromisoformat(str(value).strip())
        zoned = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        raise invalid(f"{what} is not an ISO date or time such as 2026-11-30T18:00:00+00:00.") from None
    return zoned.isoformat(timespec="microseconds")


def labels(value: object) -> str | None:
    """Read the labels of a source as JSON, None when there are none to set."""
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > rules.LABELS_A_SOURCE:
        raise invalid(f"labels is an object of up to {rules.LABELS_A_SOURCE} names and texts.")
    for name, one in value.items():
        _label_name(name)
        if not isinstance(one, str) or len(one) > rules.LABEL_CHARACTERS:
            raise invalid(f"Each label is a text of up to {rules.LABEL_CHARACTERS} characters.")
        key(one, "A label")
    return json.dumps(value, ensure_ascii=False)


def _label_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or ":" in name or len(name) > rules.LABEL_CHARACTERS:
        raise invalid("A label has a name that is not blank and holds no ':'.")
    return key(name, "The name of a label")


def label_filter(value: object) -> str | None:
    """Read a filter by labels: all names must match, any one value of each. An empty filter is refused, never "all"."""
    if value is None:
        return None
    if not isinstance(value, dict) or not value:
        raise invalid("labels is an object of names and texts, or lists of texts. Leave it out for no filter.")
    return _filter({name: one if isinstance(one, list) else [one] for name, one in value.items()})


def _filter(wanted: Mapping[str, Sequence[object]]) -> str:
    for name, values in wanted.items():
        _label_name(name)
        if not values or not all(isinstance(value, str) for value in values):
            raise invalid("A filter by labels needs at least one text for each name.")
        for value in values:
            key(str(value), "A filter by labels")
    return json.dumps(wanted, sort_keys=True)


def label_query(pairs: Sequence[str]) -> str | None:
    """Read a filter from a query string: `label=name:value`, once for each value."""
    wanted: dict[str, list[object]] = {}
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if not colon:
            raise invalid("A filter is written label=name:value.")
        wanted.setdefault(name, []).append(value)
    return _filter(wanted) if wanted else None


def kind(value: object) -> str | None:
    """Read a kind of memory; "all" and nothing mean any."""
    if value is None or value == "all":
        return None
    if value not in rules.KINDS:
        raise invalid(f"kind is one of all, {', '.join(rules.KINDS)}.")
    return str(value)


def whole(value: object, what: str, least: int, most: int) -> int:
    """Read a whole number that is not below `least`; above `most` it is read as `most`."""
    try:
        number = int(str(value)) if isinstance(value, int | str) and not isinstance(value, bool) else None
    except ValueError:
        number = None
    if number is None or number < least:
        raise invalid(f"{what} is a whole number from {least}.")
    return min(number, most)


def page(query: Mapping[str, str], pairs: Sequence[str], limit: int) -> Page:
    """Read which part of a list is wanted; `limit` is what counts when none is given."""
    return Page(
        limit=whole(query.get("limit", limit), "limit", 1, rules.LARGEST_PAGE),
        cursor=whole(query.get("cursor", 0), "cursor", 0, 2**62),
        kind=kind(query.get("kind")),
        labels=label_query(pairs),
    )


def question(sent: Sent, name: str, limit: int) -> Question:
    """Read the body of a recall, whose words stand under `name`."""
    return Question(
        text=text(sent.get(name), name)[: rules.CUE_CHARACTERS],
        limit=whole(sent.get("limit", limit), "limit", 1, rules.LARGEST_PAGE),
        kind=kind(sent.get("kind")),
        labels=label_filter(sent.get("labels")),
    )


def hold(value: str | None) -> float:
    """Read how many seconds an answer may be held back, 30 at most."""
    try:
        seconds = float(value or 0)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise invalid("wait is a number of seconds from 0 to 30.")
    return min(seconds, rules.LONGEST_HOLD)

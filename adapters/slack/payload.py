"""Reads fields of Slack's JSON without trusting its shape: what is missing or of another type reads as empty.

JSON can hold half a character; every text that is read here is whole, so that it can be stored and sent on.
"""

from __future__ import annotations

from typing import TypeAlias

from adapters.text import well_formed

Json: TypeAlias = dict[str, object]


def text_at(data: Json, *path: str) -> str:
    """The text at the end of a path of keys; "" when there is none."""
    value = _walk(data, path)
    return well_formed(value) if isinstance(value, str) else ""


def dict_at(data: Json, *path: str) -> Json:
    """The object at the end of a path of keys; empty when there is none."""
    value = _walk(data, path)
    return value if isinstance(value, dict) else {}


def dicts_at(data: Json, key: str) -> list[Json]:
    """The objects in a list, in order; what is no object is left out."""
    value = data.get(key)
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def texts_at(data: Json, key: str) -> list[str]:
    """The texts in a list, in order; what is no text is left out."""
    value = data.get(key)
    return [well_formed(part) for part in value if isinstance(part, str)] if isinstance(value, list) else []


def number_at(data: Json, key: str) -> int:
    """A whole number of zero or more; 0 when there is none."""
    value = data.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def is_true(data: Json, *keys: str) -> bool:
    """Whether any of these flags is exactly true."""
    return any(data.get(key) is True for key in keys)


def _walk(data: Json, path: tuple[str, ...]) -> object:
    value: object = data
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value

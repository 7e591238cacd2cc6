"""Whom `--as` names, and what a typed command means."""

from __future__ import annotations

import pytest

from adapters.console import person
from adapters.console.names import alike, meant

NAMES = ("memory", "forget-me", "new", "help")


@pytest.mark.parametrize(
    ("name", "space"),
    [
        ("ana", "console.ana"),
        ("Ana", "console.ana"),
        (" ANA ", "console.ana"),
        ("José", "console.jose"),
        ("Jose\u0301", "console.jose"),
        ("Zoë-2", "console.zoe-2"),
        ("STRASSE", "console.strasse"),
        ("Straße", "console.strasse"),
        ("ana.maria_1", "console.ana.maria_1"),
        ("x" * 100, "console." + "x" * 100),
    ],
)
def test_a_name_is_one_person_for_ever(name: str, space: str) -> None:
    user = person(name)
    assert (user.space, user.name) == (space, name.strip())


@pytest.mark.parametrize(
    ("typed", "name", "argument"),
    [
        ("/memory", "memory", ""),
        ("/Memory", "memory", ""),
        ("/FORGET-ME", "forget-me", ""),
        ("/forgetme", "forget-me", ""),
        ("/forget me", "forget-me", ""),
        ("/forget_me fresh", "forget-me", "fresh"),
        ("/Forget  Me  for good ", "forget-me", "for good"),
        ("/new start", "new", "start"),
        ("/Remember me", "remember", "me"),
        ("/", "", ""),
    ],
)
def test_a_command_is_meant_however_it_is_typed(typed: str, name: str, argument: str) -> None:
    assert meant(typed, NAMES) == (name, argument)


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("memry", "memory"),
        ("forgt-me", "forget-me"),
        ("hlep", "help"),
        ("memory", None),
        ("remember", None),
        ("", None),
    ],
)
def test_a_slip_is_asked_about(typed: str, near: str | None) -> None:
    assert alike(typed, NAMES) == near

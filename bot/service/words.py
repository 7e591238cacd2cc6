"""What is shown beside answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.chat import Action, Panel


class Foot(Protocol):
    """Makes the actions under an answer."""

    def __call__(self, key: str, *, again: bool) -> tuple[Action, ...]:
        """Make them for the answer to the message with this key. `again`: it is kept, and can be answered once more."""
        ...


def no_foot(key: str, *, again: bool) -> tuple[Action, ...]:
    """Make none."""
    del key, again
    return ()


@dataclass(frozen=True, slots=True)
class Words:
    """The panel of the first contact, and the actions under an answer."""

    notice: Callable[[], Panel]
    foot: Foot = no_foot

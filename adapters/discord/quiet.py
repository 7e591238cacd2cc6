"""discord.py's own log lines, with everything in them masked that could be a word, a token or an id.

Below INFO it logs whole payloads: those records are dropped, whatever the level that the operator has set.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SMALL = 1_000_000  # no id is smaller; shard numbers, status codes and counts are

_POINTLESS = ("PyNaCl is not", "davey is not")  # about voice, which a bot that writes has no use for


def _masked(value: object) -> object:
    return value if isinstance(value, float) or (isinstance(value, int) and abs(value) < _SMALL) else "..."


class _Mask(logging.Filter):
    """Keeps the fixed text of a record, small numbers, and the class of an exception."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.INFO or str(record.msg).startswith(_POINTLESS):
            return False
        args = record.args if isinstance(record.args, tuple) else ()
        try:
            text = str(record.msg) % tuple(map(_masked, args)) if args else str(record.msg)
        except (TypeError, ValueError):
            text = "a line that cannot be shown"
        error = record.exc_info[0] if record.exc_info else None
        record.msg = f"{text} ({error.__name__})" if error else text
        record.args, record.exc_info, record.exc_text, record.stack_info = (), None, None, None
        return True


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Mask discord.py's log records while the block runs."""
    mask = _Mask()
    # A filter is not inherited by the loggers below: each gets it. discord.py makes all of its loggers at import.
    names = [name for name in logging.Logger.manager.loggerDict if name == "discord" or name.startswith("discord.")]
    for name in names:
        logging.getLogger(name).addFilter(mask)
    try:
        yield
    finally:
        for name in names:
            logging.getLogger(name).removeFilter(mask)

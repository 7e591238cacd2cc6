"""What Keepsake uses of this machine: files, a lock, a port. What cannot be used is one sentence, never a traceback.

A mend is needed after a SettingsError; after an OSError the next try may do.
"""

from __future__ import annotations

import socket
from contextlib import AsyncExitStack, asynccontextmanager
from sqlite3 import OperationalError
from typing import TYPE_CHECKING, TypeVar

from filelock import FileLock, Timeout

from bot.settings.fields import SettingsError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from bot.settings.fields import Settings

Opened = TypeVar("Opened")
DATABASE = "The database (DATABASE_URL, or keepsake.db in KEEPSAKE_HOME)"
MEMORY = "The memory file (memory.db in KEEPSAKE_HOME)"
_BUSY = ("database is locked", "database table is locked")


@asynccontextmanager
async def opening(
    what: str, context: AbstractAsyncContextManager[Opened], *as_it_is: type[Exception]
) -> AsyncIterator[Opened]:
    """Open something that rests in a file. Errors of the classes `as_it_is` pass: they are sentences already.

    Raises:
        OSError: another program holds it just now.
        SettingsError: it is damaged, cannot be read or written, or was made by a newer version.
    """
    async with AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(context)
        except Exception as error:
            if isinstance(error, (SettingsError, *as_it_is)):
                raise
            raise _unusable(what, error) from None  # whatever a library makes of a damaged or closed file
        yield opened


def _unusable(what: str, error: Exception) -> Exception:
    cause = getattr(error, "orig", None) or error  # SQLAlchemy's own text may carry a statement; its cause does not
    reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    if isinstance(cause, OperationalError) and reason in _BUSY:
        return OSError(f"{what} is held by another program just now: try again in a moment.")
    said = " ".join((f"{type(cause).__name__}:", *reason.splitlines()[:1]))
    return SettingsError(
        f"{what} cannot be used ({said}): let this user read and write it and its directory, put back a good copy, or "
        "run the version of Keepsake that made it."
    )


def only_one(settings: Settings, key: str, name: str) -> FileLock:
    """Take the one place in a terminal for a person, until the lock is released. `key` names them in a file's name.

    Raises:
        SettingsError: it is taken, or the lock cannot be made.
    """
    lock = FileLock(settings.home() / f"{key}.lock", blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise SettingsError(f"{name} is already talking in another terminal: end that one first.") from None
    except OSError as error:
        raise _unusable("The directory KEEPSAKE_HOME", error) from None
    return lock


def listening(port: int) -> socket.socket:
    """Listen on a port of this machine, for this machine only; 0 finds a free one.

    Raises:
        OSError: it cannot be had.
    """
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise OSError(
            error.errno, f"Cannot listen on 127.0.0.1:{port}: give a port that is free with --port."
        ) from None

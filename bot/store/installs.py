"""The installs of one platform: what it needs to post for each, sealed while it rests, and one lock for each.

The texts are tokens. They are sealed (Fernet) with a key that follows from the store's secret and from the install, so
that a text in another install's row opens nothing. One that cannot be unsealed reads as none.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import urlsafe_b64encode
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from cryptography.fernet import Fernet, InvalidToken
from sqlalchemy import exists, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from bot.store.database import unbroken
from bot.store.lanes import LaneLost, Lanes
from bot.store.schema import exchanges, installs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy import ColumnElement

    from bot.store.database import Database
    from bot.store.lanes import Lease

log = logging.getLogger(__name__)

LOOKS = (0.05, 0.1, 0.2, 0.5)
"""Seconds between looks for the end of a lock that another process holds; the last one again and again."""

_i = installs.c


def living() -> ColumnElement[bool]:
    """Give the condition that the install of a row of the exchanges has not ended: only there a turn is worked."""
    same = (_i.platform == exchanges.c.platform, _i.install == exchanges.c.install)
    return ~exists().where(*same, _i.ended_at.is_not(None))


class StoredInstalls:
    """Implements `chat.Installs`. An install that ended has no text, until it is told to be there again."""

    def __init__(self, database: Database, platform: str) -> None:
        """Keep the installs of this platform in this database."""
        self._db, self._platform = database, platform
        self._lanes = Lanes(database)
        self._alone: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._complained: set[str] = set()

    def _seal(self, install: str) -> Fernet:
        return Fernet(urlsafe_b64encode(self._db.keys.derive(f"install\0{self._platform}\0{install}")))

    @unbroken
    async def get(self, install: str) -> str | None:
        """See `chat.Installs.get`."""
        here = (_i.platform == self._platform, _i.install == install, _i.ended_at.is_(None))
        async with self._db.read() as connection:
            sealed = await connection.scalar(select(_i.sealed).where(*here))
        return self._unsealed(install, sealed) if sealed is not None else None

    def _unsealed(self, install: str, sealed: str) -> str | None:
        try:
            return self._seal(install).decrypt(sealed.encode()).decode()
        except (InvalidToken, ValueError):
            self._complain(install)
            return None

    def _complain(self, install: str) -> None:
        if install not in self._complained:
            self._complained.add(install)
            name = self._db.keys.of(install)[:8]
            log.error("What is stored for an install cannot be unsealed: install the app again. install=%s", name)

    @unbroken
    async def put(self, install: str, text: str) -> None:
        """See `chat.Installs.put`."""
        sealed = self._seal(install).encrypt(text.encode()).decode()
        row = {"platform": self._platform, "install": install, "sealed": sealed}
        statement = upsert(installs)
        over = {"sealed": statement.excluded.sealed}
        statement = statement.on_conflict_do_update(index_elements=["platform", "install"], set_=over)
        async with self._db.write() as connection:
            await connection.execute(statement, row)
        self._complained.discard(install)

    async def drop(self, install: str) -> None:
        """See `chat.Installs.drop`. It is in no file of the database any more, as soon as nobody reads there."""
        await self._drop(install)
        await self._db.scrub()

    @unbroken
    async def _drop(self, install: str) -> None:
        here = (_i.platform == self._platform, _i.install == install)
        async with self._db.write() as connection:
            await connection.execute(update(installs).where(*here).values(sealed=None))

    @unbroken
    async def names(self) -> tuple[str, ...]:
        """See `chat.Installs.names`."""
        texts = (_i.platform == self._platform, _i.sealed.is_not(None), _i.ended_at.is_(None))
        async with self._db.read() as connection:
            return tuple((await connection.execute(select(_i.install).where(*texts).order_by(_i.install))).scalars())

    @asynccontextmanager
    async def alone(self, install: str) -> AsyncIterator[None]:
        """See `chat.Installs.alone`. A holder that died holds it for some seconds more. Not to be nested.

        Raises:
            TimeoutError: inside the block: this process was frozen for so long that another one has the lock now.
        """
        name = f"install.{self._db.keys.of(f'{self._platform}:{install}')}"
        async with self._alone.setdefault(name, asyncio.Lock()):
            looks = iter(LOOKS)
            while True:
                async with self._lanes.hold(name) as lease:
                    if lease is not None:
                        async with _kept(lease):
                            yield
                        return
                await asyncio.sleep(next(looks, LOOKS[-1]))


@asynccontextmanager
async def _kept(lease: Lease) -> AsyncIterator[None]:
    """Renew a lease for the time of the block, and end the block with TimeoutError when it is lost."""
    async with asyncio.timeout(None) as scope:
        keeper = asyncio.create_task(_keep(lease, scope))
        try:
            yield
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)


async def _keep(lease: Lease, scope: asyncio.Timeout) -> None:
    try:
        await lease.guard(asyncio.Event().wait())
    except LaneLost:
        scope.reschedule(asyncio.get_running_loop().time())

"""Migrations build what the code expects, also when two processes start at once."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from bot.store import open_store
from bot.store.database import migrate
from bot.store.schema import metadata
from tests.store.conftest import SECRET

if TYPE_CHECKING:
    from pathlib import Path


def test_the_migrations_build_exactly_the_tables_of_the_code(url: str, tmp_path: Path) -> None:
    migrate(url)
    engine = create_engine(f"sqlite:///{tmp_path / 'keepsake.db'}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


async def test_starts_at_the_same_time_take_turns(url: str) -> None:
    await asyncio.gather(*(asyncio.to_thread(migrate, url) for _ in range(4)))
    async with open_store(url, SECRET) as store:
        assert await store.owed() == ()


async def test_the_database_is_durable_and_overwrites_what_is_deleted(url: str, tmp_path: Path) -> None:
    async with open_store(url, SECRET) as store, store.inbox._db.read() as connection:
        for pragma, value in (
            ("journal_mode", "wal"),
            ("synchronous", 2),
            ("secure_delete", 1),
            ("busy_timeout", 700),
        ):
            assert (await connection.exec_driver_sql(f"PRAGMA {pragma}")).scalar_one() == value
    with sqlite3.connect(tmp_path / "keepsake.db") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)

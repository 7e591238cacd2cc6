"""How Alembic reaches the database: over the synchronous driver, in one transaction for each revision."""

from alembic import context
from sqlalchemy import create_engine, make_url

_url = make_url(context.config.attributes["url"])
_engine = create_engine(_url.set(drivername=_url.get_backend_name()))
with _engine.connect() as connection:
    context.configure(connection=connection, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()
_engine.dispose()

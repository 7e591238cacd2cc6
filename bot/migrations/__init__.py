"""Alembic revisions, applied at start; forward only."""

"""The first schema: exchanges, lanes, fences, installs, tombstones, keyring."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _exchanges() -> None:
    op.create_table(
        "exchanges",
        sa.Column("key", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("platform", "install", "space", "thread")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("turn_lane", "memory_lane")),
        sa.Column("generation", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Float, nullable=False) for name in ("sent_at", "accepted_at")),
        sa.Column("edited_at", sa.Float, nullable=False, server_default=sa.text("0")),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("audience", sa.Text, nullable=False, server_default=sa.text("'unknown'")),
        *(sa.Column(name, sa.Text) for name in ("message", "reply", "answer")),
        *(sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()) for name in ("saves", "plain")),
        sa.Column("revision", sa.Integer, nullable=False, server_default=sa.text("1")),
        sa.Column("saved_revision", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("in_memory", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("told", sa.Text, nullable=False, server_default=sa.text("''")),
        sa.Column("delete_requested", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("stop_requested", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("due_at", sa.Float, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False, server_default=sa.text("0")) for name in ("attempts", "tries")),
        *(sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''")) for name in ("outcome", "verdict")),
    )
    op.create_index("exchanges_turns", "exchanges", ["turn_lane", "stage", "sent_at"])
    op.create_index("exchanges_memory", "exchanges", ["memory_lane", "stage"])
    op.create_index("exchanges_thread", "exchanges", ["thread", "sent_at"])
    op.create_index("exchanges_space", "exchanges", ["space"])
    op.create_index("exchanges_install", "exchanges", ["platform", "install", "space"])
    op.create_index("exchanges_due", "exchanges", ["stage", "due_at"])
    owed = {
        "exchanges_deleted": "delete_requested = 1",
        "exchanges_unsaved": "saves = 1 AND saved_revision < revision",
        "exchanges_kept": "in_memory = 1 AND saves = 0",
    }
    for name, condition in owed.items():
        op.create_index(name, "exchanges", ["due_at"], sqlite_where=sa.text(condition))


def upgrade() -> None:
    """Create the tables."""
    _exchanges()
    op.create_table(
        "lanes",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text),
        sa.Column("lease_until", sa.Float, nullable=False, server_default=sa.text("0")),
        sa.Column("fresh_at", sa.Float),
    )
    op.create_table(
        "fences",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("platform", sa.Text, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("choice", sa.Text),
        sa.Column("told_at", sa.Float),
        sa.Column("space", sa.Text),
        *(sa.Column(name, sa.Float) for name in ("forgotten_at", "erase_due_at", "erased_at", "leave_due_at")),
        sa.Column("tries", sa.Integer, nullable=False, server_default=sa.text("0")),
    )
    op.create_index("fences_due", "fences", ["erase_due_at"])
    op.create_index("fences_leave", "fences", ["leave_due_at"])
    op.create_table(
        "installs",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("platform", "install")),
        sa.Column("sealed", sa.Text),
        *(sa.Column(name, sa.Float) for name in ("ended_at", "erase_due_at")),
    )
    op.create_index("installs_due", "installs", ["erase_due_at"])
    op.create_table(
        "tombstones",
        sa.Column("message", sa.Text, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )
    op.create_table("keyring", sa.Column("sample", sa.Text, primary_key=True))

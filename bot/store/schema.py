"""The tables, as SQLAlchemy Core metadata. Nothing in them that PostgreSQL lacks.

Times are seconds since 1970 (UTC), floats. Migrations in `bot/migrations` build exactly this; a test compares the two.
"""

from sqlalchemy import Boolean, Column, Float, Index, Integer, MetaData, Table, Text, false, text

metadata = MetaData()

# One row for each accepted message: how far its turn got, and what the person's memory still owes. The only place
# where words rest.
exchanges = Table(
    "exchanges",
    metadata,
    Column("key", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("install", Text, nullable=False),
    Column("space", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_lane", Text, nullable=False),
    Column("memory_lane", Text, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("sent_at", Float, nullable=False),
    Column("edited_at", Float, nullable=False, server_default=text("0")),  # of the newest words told
    Column("accepted_at", Float, nullable=False),
    Column("stage", Text, nullable=False),
    Column("audience", Text, nullable=False, server_default=text("'unknown'")),
    Column("message", Text),  # JSON of chat.Message; NULL once its words are gone
    Column("reply", Text),  # JSON of chat.Reply
    Column("answer", Text),
    Column("saves", Boolean, nullable=False, server_default=false()),  # this exchange may enter the memory
    Column("plain", Boolean, nullable=False, server_default=false()),  # the answer may be saved as it is
    Column("revision", Integer, nullable=False, server_default=text("1")),
    Column("saved_revision", Integer, nullable=False, server_default=text("0")),
    Column("in_memory", Boolean, nullable=False, server_default=false()),  # something of it may be in the memory
    Column("told", Text, nullable=False, server_default=text("''")),  # keyed hash of the words as they were told
    Column("delete_requested", Boolean, nullable=False, server_default=false()),
    Column("stop_requested", Boolean, nullable=False, server_default=false()),
    Column("due_at", Float, nullable=False),
    Column("attempts", Integer, nullable=False, server_default=text("0")),  # starts without an orderly end
    Column("tries", Integer, nullable=False, server_default=text("0")),  # orderly failures of the step now due
    Column("outcome", Text, nullable=False, server_default=text("''")),
    Column("verdict", Text, nullable=False, server_default=text("''")),  # what the person thought of the answer
    Index("exchanges_turns", "turn_lane", "stage", "sent_at"),
    Index("exchanges_memory", "memory_lane", "stage"),
    Index("exchanges_thread", "thread", "sent_at"),
    Index("exchanges_space", "space"),
    Index("exchanges_install", "platform", "install", "space"),
    Index("exchanges_due", "stage", "due_at"),
    # What is owed is found without a look at every row that ever was.
    Index("exchanges_deleted", "due_at", sqlite_where=text("delete_requested = 1")),
    Index("exchanges_unsaved", "due_at", sqlite_where=text("saves = 1 AND saved_revision < revision")),
    Index("exchanges_kept", "due_at", sqlite_where=text("in_memory = 1 AND saves = 0")),
)

# Who works a lane now. `lease_until` passes when a holder dies or freezes.
lanes = Table(
    "lanes",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text),
    Column("lease_until", Float, nullable=False, server_default=text("0")),
    Column("fresh_at", Float),  # a person said /new: what was said before is not part of the conversation
)

# One row for each person: what stays after "forget me" is the hash, the generation and the choice.
fences = Table(
    "fences",
    metadata,
    Column("person", Text, primary_key=True),  # keyed hash of the space
    Column("platform", Text, nullable=False),
    Column("generation", Integer, nullable=False, server_default=text("0")),
    Column("choice", Text),  # remember | never | NULL: not asked or not answered
    Column("told_at", Float),  # the first-contact notice was shown
    Column("forgotten_at", Float),  # what was said before is not saved, however late it arrives
    Column("space", Text),  # only while an erase is owed, or will be because the person's account ended
    Column("erase_due_at", Float),
    Column("erased_at", Float),  # read back and found empty
    Column("leave_due_at", Float),  # the person's account ended: when they are forgotten, unless they come back
    Column("tries", Integer, nullable=False, server_default=text("0")),
    Index("fences_due", "erase_due_at"),
    Index("fences_leave", "leave_due_at"),
)

# One row for each installation: what a platform needs to post there, sealed, and whether it ended. The row of an ended
# one goes when all that it owes is erased.
installs = Table(
    "installs",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("install", Text, primary_key=True),
    Column("sealed", Text),
    Column("ended_at", Float),
    Column("erase_due_at", Float),
    Index("installs_due", "erase_due_at"),
)

# Keys of deleted rows, hashed: a platform may deliver the same message again for hours.
tombstones = Table(
    "tombstones",
    metadata,
    Column("message", Text, primary_key=True),
    Column("until", Float, nullable=False),
)

# One row: a keyed hash of a fixed word. With another secret no fence would be found, and a forgotten person remembered.
keyring = Table("keyring", metadata, Column("sample", Text, primary_key=True))

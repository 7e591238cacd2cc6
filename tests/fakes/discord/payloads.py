"""Discord's objects as the gateway sends them, whole enough for discord.py."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import count
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

EPOCH = 1420070400000  # milliseconds: where snowflakes begin
APPLICATION = "111000000000000111"
BOT = "222000000000000222"  # not the application's id: so it is on old applications
VIEW, SEND, HISTORY, SEND_IN_THREADS = 1 << 10, 1 << 11, 1 << 16, 1 << 38
EVERYTHING = VIEW | SEND | HISTORY | SEND_IN_THREADS

_serial = count(1)


def snowflake(at: float | None = None) -> str:
    """An id made at a time (seconds since 1970; now if not given)."""
    milliseconds = int((time.time() if at is None else at) * 1000) - EPOCH
    return str((milliseconds << 22) | (next(_serial) & 0x3FFFFF))


def user(id_: str, name: str, **more: object) -> Json:
    names = {"username": name.lower(), "global_name": name, "discriminator": "0", "avatar": None}
    return {"id": id_, **names, **more}


def bot_user() -> Json:
    return user(BOT, "Keepsake", bot=True)


def message(channel: str, author: Json, content: str, **more: object) -> Json:
    now = datetime.now(UTC)
    lists: Json = {name: [] for name in ("attachments", "embeds", "mentions", "mention_roles", "components")}
    fixed = {"type": 0, "tts": False, "pinned": False, "mention_everyone": False, "flags": 0, "edited_timestamp": None}
    who = {"id": snowflake(), "channel_id": channel, "author": author, "content": content}
    return {**who, "timestamp": now.isoformat(), **fixed, **lists, **more}


def channel(id_: str, guild: str, *, type_: int = 0, deny_everyone: int = 0, **more: object) -> Json:
    overwrites = [{"id": guild, "type": 0, "allow": "0", "deny": str(deny_everyone)}] if deny_everyone else []
    base = {"id": id_, "guild_id": guild, "type": type_, "name": f"channel-{id_[-3:]}", "position": 0}
    return {**base, "permission_overwrites": overwrites, "nsfw": False, "parent_id": None, **more}


def thread(id_: str, guild: str, parent: str, *, type_: int = 11) -> Json:
    counts = {"message_count": 0, "member_count": 1, "owner_id": "1"}
    stamp = datetime.now(UTC).isoformat()
    meta = {"archived": False, "auto_archive_duration": 60, "archive_timestamp": stamp, "locked": False}
    return {
        "id": id_,
        "guild_id": guild,
        "parent_id": parent,
        "type": type_,
        "name": "a thread",
        **counts,
        "thread_metadata": meta,
    }


def dm_channel(id_: str, recipient: Json) -> Json:
    return {"id": id_, "type": 1, "recipients": [recipient], "last_message_id": None}


def role(id_: str, name: str, permissions: int = EVERYTHING, **more: object) -> Json:
    return {"id": id_, "name": name, "permissions": str(permissions), "position": 0, "colors": {}, **more}


def guild(id_: str, channels: list[Json], threads: list[Json], self_role: str) -> Json:
    own = role(self_role, "Keepsake", managed=True, tags={"bot_id": BOT})
    me = {"user": bot_user(), "roles": [self_role], "joined_at": datetime.now(UTC).isoformat(), "flags": 0}
    other = {"owner_id": "1", "member_count": 3, "unavailable": False, "members": [me]}
    roles = [role(id_, "@everyone"), own]
    return {"id": id_, "name": "A server", "roles": roles, "channels": channels, "threads": threads, **other}

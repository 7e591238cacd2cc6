"""The words of the house: what a person said, where, who can read it, and what a platform must be able to do.

Nothing here imports anything of ours, and nothing else crosses the line between an adapter and the bot: no SDK
object, no raw payload, no metadata.
"""

from bot.chat.panels import Action, Ask, Command, Item, Panel, Role
from bot.chat.ports import Bot, Installs, Platform
from bot.chat.words import (
    Attachment,
    Audience,
    Crowded,
    Exchange,
    Message,
    NotAccepted,
    Quoted,
    Reply,
    Thread,
    Undeliverable,
    Unreadable,
    User,
    message_key,
)

__all__ = (
    "Action",
    "Ask",
    "Attachment",
    "Audience",
    "Bot",
    "Command",
    "Crowded",
    "Exchange",
    "Installs",
    "Item",
    "Message",
    "NotAccepted",
    "Panel",
    "Platform",
    "Quoted",
    "Reply",
    "Role",
    "Thread",
    "Undeliverable",
    "Unreadable",
    "User",
    "message_key",
)

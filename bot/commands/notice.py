"""The first contact: what a person must know before anything is kept, and their choice."""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat import Action, Panel

NEVER = "never"
DONT_REMEMBER = Action("Don't remember", "forget-me", NEVER, danger=True)
REMEMBER = Action("Remember me", "remember")


@dataclass(frozen=True, slots=True)
class About:
    """What the first-contact notice says about whoever runs this bot. Blank names are left out."""

    operator: str
    privacy_url: str
    memory: str  # where the memory is: "by Geniffy (api.geniffy.com)"
    model: str  # who writes the answers


def notice(about: About) -> Panel:
    """Say what a person must know before anything is kept."""
    runner = f" It is run by {about.operator}." if about.operator else ""
    more = f"\nMore: {about.privacy_url}" if about.privacy_url else ""
    text = (
        f"**I am an AI and can be wrong.**{runner} I remember what you tell me, for you alone: what you say in a "
        "direct message never comes up where others can read it.\n"
        f"Your words are kept {about.memory}; answers are written by {about.model}. "
        "`/memory` shows what I know. As long as you choose nothing I remember, from your first message on. You can "
        f'choose later, at any time: `/forget-me` deletes everything, and there "for good" ends the remembering.{more}'
    )
    return Panel(text, actions=(Action("OK, remember", "remember"), DONT_REMEMBER))

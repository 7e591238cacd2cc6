"""What the bot says when it is not the model that speaks. One honest sentence each."""

from __future__ import annotations

REPEATED_ANSWER = "(The answer drew on more than this person's own words and is not kept.)"
"""Saved in place of an answer that holds others' words or only repeats what was recalled."""

EMPTY = (
    "Hello! Write me what you would like to know or what I should remember, in the same message as the mention. "
    "`/help` lists what I can do."
)
BLIND = "the model that answers here sees no pictures"
NOT_NOW = "it could not be read just now"
CROWDED = "There are several of us here now: from here on, mention me when you want me to answer."
PRIVATELY = "I can only show you that in private: write me a direct message with the same words."
POISON = "Sorry: something about this message stops me every time I try to answer it. Please put it another way."
STOPPED = "(stopped)"


def apology(reference: str) -> str:
    """Say that the model did not answer. `reference` stands in the log beside the reason."""
    sorry = "Sorry, I could not come up with an answer just now, and I did not keep what you wrote."
    return f"{sorry} Please say it again in a while. (reference {reference})"


def earlier_unread(why: str) -> str:
    """Say that what others said could not be read."""
    return f"I could not read what was said here before: {why}."


def file_unread(name: str, why: str) -> str:
    """Say that a file could not be read. Its name is somebody's words: one short line without marks."""
    plain = " ".join("".join(one if one.isalnum() or one in " .-" else " " for one in name).split())[:60]
    return f"I could not read {plain or 'a file'}: {why}."


def stopped(partial: str) -> str:
    """End an answer where the person stopped it."""
    return f"{partial.rstrip()}\n\n{STOPPED}" if partial.strip() else "Stopped."

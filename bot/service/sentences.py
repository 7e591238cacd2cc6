"""What the bot says when it is not the model that speaks. One honest sentence each."""

from __future__ import annotations

REPEATED_ANSWER = "(The answer drew on more than this person's own words and is not kept.)"
"""Saved in place of an answer that holds others' words or only repeats what was recalled."""

EMPTY = (
    "Hello! Write me what you would like to know or what I should remember, in the same message as the mention. "
    "`/help` lists what I can do."
)
UNREADABLE = "I cannot open files, pictures, voice messages, stickers or polls yet. Please tell me in words."
POISON = "Sorry: something about this message stops me every time I try to answer it. Please put it another way."
STOPPED = "(stopped)"


def apology(reference: str) -> str:
    """Say that the model did not answer. `reference` stands in the log beside the reason."""
    sorry = "Sorry, I could not come up with an answer just now, and I did not keep what you wrote."
    return f"{sorry} Please say it again in a while. (reference {reference})"


def stopped(partial: str) -> str:
    """End an answer where the person stopped it."""
    return f"{partial.rstrip()}\n\n{STOPPED}" if partial.strip() else "Stopped."

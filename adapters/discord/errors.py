"""What Discord's refusals mean: nowhere left to reply, words it will not carry, a message that is gone, or try later.

Refuses to guess: a code that is not known here, and anything that Cloudflare says, is "later".
"""

from __future__ import annotations

from enum import StrEnum

import aiohttp
import discord

# What a call to Discord may end in when nothing is wrong with us: tried again later by whoever can.
TROUBLE = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)


_SERVERS_FAULT = 500


class Verdict(StrEnum):
    """What to do about a failed call."""

    CLOSED = "closed"
    """The channel cannot be written to, now and for some minutes."""
    REFUSED = "refused"
    """The words are not allowed here (AutoMod); others may be."""
    GONE = "gone"
    """The message that was to be changed or answered is not there."""
    YOUNG = "young"
    """A forum post whose first message is still being made."""
    LATER = "later"


_CODES = {
    10003: Verdict.CLOSED,  # unknown channel
    50001: Verdict.CLOSED,  # missing access
    50007: Verdict.CLOSED,  # this person takes no messages from us
    50008: Verdict.CLOSED,  # not a text channel
    50013: Verdict.CLOSED,  # missing permissions
    50083: Verdict.CLOSED,  # archived thread
    50278: Verdict.CLOSED,  # no server in common
    160005: Verdict.CLOSED,  # locked thread
    200000: Verdict.REFUSED,  # AutoMod blocked the message
    200001: Verdict.REFUSED,
    240000: Verdict.REFUSED,  # harmful link
    10008: Verdict.GONE,  # unknown message; also a nonce whose message was deleted
    40058: Verdict.YOUNG,
}


def judge(error: BaseException) -> Verdict:
    """Tell what a failed call means."""
    return _CODES.get(error.code, Verdict.LATER) if isinstance(error, discord.HTTPException) else Verdict.LATER


def passing(error: BaseException) -> bool:
    """Tell whether the same call may work in a moment: a limit, a server's trouble, no connection."""
    if isinstance(error, discord.HTTPException):
        return error.status >= _SERVERS_FAULT
    return isinstance(error, TROUBLE)

"""Turns our own Markdown into Slack's mrkdwn, for windows and App Home: these take no Markdown blocks. Pure.

Refuses to let anything in it mean more than Markdown does: references and broadcasts are shown as they are written.
"""

from __future__ import annotations

import re

from adapters.slack.output import escaped, inert

_CODE = re.compile(r"(`[^`\n]+`)")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")
_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_BULLET = re.compile(r"^(\s*)[-*] +", re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]\n|&]+)\]\((https?://[^\s()|<>]+)\)")


def mrkdwn(text: str) -> str:
    """The text as Slack's mrkdwn; code spans stay as they are."""
    parts = _CODE.split(escaped(inert(text)))
    return "".join(part if place % 2 else _styled(part) for place, part in enumerate(parts))


def _styled(text: str) -> str:
    text = _HEADING.sub(r"**\1**", text)
    text = _BULLET.sub(r"\1• ", text)
    text = _BOLD.sub(r"*\1*", text)
    return _LINK.sub(r"<\2|\1>", text)

"""Makes what a model wrote fit for Slack: nothing in it can ping anybody, and no message is too long. Pure.

Limits as measured by others (Slack documents 12,000 for a markdown block, and a whole message fails near 13,200).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adapters.text import split, well_formed

if TYPE_CHECKING:
    from adapters.slack.payload import Json

LONGEST_RICH = 11_800
LONGEST_PLAIN = 3_500
LONGEST_GLIMPSE = 3_000
_LONGEST_FALLBACK = 1_000
_BREAK = "\u200b"  # a zero-width space: the reader sees the same words, Slack sees no mention

# What Slack's parser may read as these characters: written out, or (who knows how often it decodes) as an entity.
_OPEN, _CLOSE = r"(?i:<|&lt;|&#0*60;|&#x0*3c;)", r"(?i:>|&gt;|&#0*62;|&#x0*3e;)"
_AT, _BANG = r"(?i:@|&#0*64;|&#x0*40;|&commat;)", r"(?i:!|&#0*33;|&#x0*21;|&excl;)"
_MARK = rf"(?:{_AT}(?!{_BREAK})|{_BANG}|(?i:\#|&#0*35;|&#x0*23;|&num;))"
_LABEL = rf"(?:\|[^<>&|\n]{{0,80}}(?={_CLOSE}))?"
_URL = r"https?://(?:(?!&(?i:lt|#0*60|#x0*3c);)[^\s<>()\[\]{}\"'`|,])+"
_CROWD = rf"{_OPEN}[\s\\]*{_BANG}\s*(?i:channel|here|everyone|group|subteam(?:\^[A-Z0-9]*+)?)(?!\w){_LABEL}{_CLOSE}?"
_PERSON = rf"{_OPEN}@[UWB][A-Z0-9]{{2,}}+{_LABEL}{_CLOSE}"
# Whatever else begins like a token, and however it goes on; but nothing of Slack's begins like HTML's own lines.
_TOKEN = rf"(?P<open>{_OPEN}[\s\\]*+)(?={_MARK})(?!!(?:--|(?i:doctype|\[cdata\[)))"
_BARE = rf"(?<![\w.+-]){_AT}(?=(?i:channel|here|everyone)\b)"
_BARE_IN_URL = re.compile(rf"(?<!/){_BARE}")
_PING = re.compile(f"(?P<url>{_URL})|(?P<crowd>{_CROWD})|(?P<person>{_PERSON})|{_TOKEN}|(?P<bare>{_BARE})")
_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")  # nothing that a person could read
# What may yet become a token, at the end of a text that still grows.
_UNDECIDED = re.compile(rf"{_OPEN}[\s\\]*+(?:{_MARK}(?:(?!{_CLOSE})[^<\n]){{0,200}})?\Z")
_LOOK_BACK = 400
_FRAME = re.compile(rf"^{_OPEN}[\s\\]*(?:{_AT}|{_BANG})\s*|{_CLOSE}$")


def inert(text: str) -> str:
    """The text with every mention broken: broadcasts, user groups and people; addresses and code stay as they are.

    So does HTML, but anything else that begins with `<@`, `<#` or `<!` is broken, whatever follows.
    """
    return _PING.sub(_broken, _CONTROL.sub("", well_formed(text)))


def _broken(match: re.Match[str]) -> str:
    found = match[0]
    if match["url"]:
        return _BARE_IN_URL.sub(f"@{_BREAK}", found)
    if match["open"]:
        return f"{found}{_BREAK}"
    if match["bare"]:
        return f"@{_BREAK}"
    target, _, label = _FRAME.sub("", found).partition("|")
    name = (label or target.split("^", maxsplit=1)[0]).strip().lstrip("@")
    return f"@{_BREAK}{inert(name)}"


def escaped(text: str) -> str:
    """A text for Slack's mrkdwn, where only these three characters mean something to its parser."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def pieces(text: str) -> list[str]:
    """A whole answer as the texts of its messages, in order; none when there is nothing to say."""
    return _cut(inert(text), LONGEST_RICH)


def plain_pieces(piece: str) -> list[str]:
    """A piece that Slack would not render, as shorter texts for plain messages."""
    return _cut(piece, LONGEST_PLAIN)


def halves(piece: str) -> list[str]:
    """A plain text that Slack found too long, as shorter ones."""
    return _cut(piece, len(piece) // 2)


def _cut(text: str, limit: int) -> list[str]:
    return [inert(piece) for piece in split(text, limit)]  # where it is cut, a mention may begin


def glimpse(text: str) -> str:
    """The text so far as one message that can be edited: its start, once it has grown too long for that."""
    shown = _cut(inert(text), LONGEST_GLIMPSE)
    return "" if not shown else shown[0] if len(shown) == 1 else f"{shown[0]}\n…"


def steady(text: str) -> str:
    """The part of a text so far that stays as it is whatever follows, inert: no word and no mention is cut in two."""
    end = next((at for at in range(len(text), 0, -1) if _is_edge(text[at - 1])), 0)
    undecided = _UNDECIDED.search(text, max(0, end - _LOOK_BACK), end)
    return whole(text[: undecided.start() if undecided else end])


def _is_edge(character: str) -> bool:
    """Whether a text may be cut after it: white space, or of a script that needs none; never half a character."""
    return character.isspace() or (not character.isascii() and not "\ud800" <= character <= "\udfff")


def whole(text: str) -> str:
    """The whole of a text as it would stand in one message of any length."""
    return inert(text).lstrip("\n").rstrip()


def rich_body(piece: str, foot: list[Json] | None = None) -> Json:
    """The content of a message rendered from Markdown, with its text for notifications."""
    return {"blocks": [{"type": "markdown", "text": piece}, *(foot or [])], "text": plain_text(piece)}


def plain_body(piece: str) -> Json:
    """The content of a message that shows its Markdown as it was written; an edit drops the blocks there were."""
    return {"blocks": [], "text": escaped(piece)}


def plain_text(text: str) -> str:
    """The start of a text, for notifications and screen readers."""
    return escaped(inert(text[:_LONGEST_FALLBACK]))

"""Takes the edge off forgeries: what people, files and names say cannot look like the memory block or a line of ours.

Pure. It changes nothing else: every other character stays.
"""

from __future__ import annotations

import re
import unicodedata

from bot.agent.answers import well_formed

_NAME_LIMIT = 60

# Characters that show nothing, and the slash of a closing tag: `< / mem<soft hyphen>ory` still reads as the tag.
_BLANK = r"[\s/\uff0f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*"
_LETTERS = _BLANK.join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in "memory")  # and the full-width ones
_FORGED = re.compile(f"[<\uff1c\ufe64](?={_BLANK}{_LETTERS})", re.IGNORECASE)

# Lines of ours (see _RULES), as somebody may write them: at the start of a line, with what shows nothing in between.
_GAP = r"[^\S\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
_ENDS = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"


def _spelled(word: str) -> str:
    return f"(?:{_GAP})*+".join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in word)


_OUR_LINE = re.compile(
    f"(?<![^{_ENDS}])(?P<gap>(?:{_GAP})*+)(?:"
    f"(?P<bracket>[\\[\uff3b])(?=(?:{_GAP})*+(?:{_spelled('quoted')}|{_spelled('attached')}))"
    f"|(?={_spelled('from')}(?:{_GAP})[^{_ENDS}]*(?<=[:\uff1a])(?:{_GAP})*(?![^{_ENDS}])))",
    re.IGNORECASE,
)


def harmless(text: str) -> str:
    """Take the edge off what looks like a memory tag or like a line of ours; every other character stays."""
    return _OUR_LINE.sub(_defused, untagged(text))


def _defused(line: re.Match[str]) -> str:
    return f"{line['gap']}(" if line["bracket"] else f"{line['gap']}\u00b7 "


def untagged(text: str) -> str:
    """Take the edge off what looks like a memory tag, for text that stands behind a mark of ours on every line."""
    return _FORGED.sub("\u2039", well_formed(text))


def one_line(text: str, limit: int = _NAME_LIMIT) -> str:
    """Make one short line without control characters of a name that somebody chose."""
    text = text[: 20 * limit]
    visible = "".join(" " if unicodedata.category(letter).startswith(("C", "Z")) else letter for letter in text)
    return untagged(" ".join(visible.split()))[:limit].rstrip()


def bracketed(text: str, limit: int = _NAME_LIMIT) -> str:
    """Clean a name that stands in a bracketed line of ours: it must not close the bracket."""
    return one_line(text, limit).replace("[", "(").replace("]", ")")


def speaker(name: str) -> str:
    """Clean the name of somebody whose words follow it and a colon."""
    return bracketed(name.replace(":", " ").replace("\uff1a", " ")) or "someone"

"""Reads the words of a Slack message: entities, links, rich text, forwards. Pure; says only what the payload says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adapters.slack.blocks import from_blocks, tables
from adapters.slack.payload import dict_at, dicts_at, is_true, text_at
from adapters.text import own_words, plain_name
from bot.chat import Quoted

if TYPE_CHECKING:
    from adapters.slack.payload import Json

# Slack escapes only these three characters; everything else between < and > is a link or a reference.
_TOKEN = re.compile(r"<([^<>\n]+)>|&(amp|lt|gt);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}
_ADDRESSED = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>|<!(?:here|channel|everyone|subteam)\b")
_SOURCES = (
    "author_id",
    "author_name",
    "author_subname",
    "bot_id",
    "from_url",
    "is_msg_unfurl",
    "is_share",
    "message_blocks",
    "original_url",
    "service_name",
    "text",
    "title",
)
_MOST_QUOTED = 20
_LONGEST_NAME = 80


def readable(mrkdwn: str) -> str:
    """Slack's mrkdwn as a person reads it; mentions of people whose name is not given stay `<@U…>`."""
    return _TOKEN.sub(lambda match: _reference(match[1]) if match[1] else _ENTITIES[match[2]], mrkdwn)


def _unescaped(text: str) -> str:
    return re.sub(r"&(amp|lt|gt);", lambda match: _ENTITIES[match[1]], text)


def _reference(inner: str) -> str:
    target, _, label = (_unescaped(part) for part in inner.partition("|"))
    match target[:1]:
        case "@":
            return f"@{plain_name(label)}" if plain_name(label) else f"<{target}>"
        case "#":
            return f"#{plain_name(label)}" if plain_name(label) else f"<{target}>"
        case "!":
            return _special(target[1:], label)
        case _:
            return _link(target, label)


def _special(target: str, label: str) -> str:
    kind = target.split("^", maxsplit=1)[0]
    if kind in {"here", "channel", "everyone"}:
        return f"@{kind}"
    if kind == "subteam":  # named by whoever made the group, unlike a date, which its writer wrote
        return f"@{plain_name(label) or 'group'}"
    return label or f"@{kind}"


def _link(address: str, label: str) -> str:
    bare = re.sub(r"^(mailto:|tel:)", "", address)
    if not label or label in {address, bare} or address.endswith(f"://{label}"):
        return bare
    return label if address.startswith("tel:") else f"{label} ({bare})"


def without_mention(text: str, user: str) -> str:
    """The text without the mentions of one user (ourselves); other mentions stay."""
    if not user:
        return text.strip()
    return re.sub(rf"[ \t]?<@{re.escape(user)}(?:\|[^<>]*)?>", "", text).strip()


def mentions(text: str, user: str) -> bool:
    """Whether a text, as Slack sends it, mentions this user."""
    return bool(user) and re.search(rf"<@{re.escape(user)}[|>]", text) is not None


def addresses_others(text: str, user: str) -> bool:
    """Whether a text, as Slack sends it, mentions anybody but this user: a person, a user group, or everybody."""
    return any(found[1] != user for found in _ADDRESSED.finditer(text))


def all_text(message: Json) -> str:
    """Everything that a message and its blocks say, twice as the case may be: to look for mentions in."""
    return f"{text_at(message, 'text')}\n{from_blocks(dicts_at(message, 'blocks'))}"


def raw_text(message: Json) -> str:
    """A message's text as Slack sends it, from its blocks when the text itself is empty, and the tables pasted into it.

    Slack's text has no word of a table; it comes as a block, or in an attachment that has nothing else.
    """
    blocks = dicts_at(message, "blocks")
    text = text_at(message, "text")
    parts = [text, from_blocks(tables(blocks))] if text.strip() else [from_blocks(blocks)]
    pasted = [from_blocks(tables(dicts_at(part, "blocks"))) for part in _attached(message) if _is_pasted(part)]
    return "\n".join(part for part in [*parts, *pasted] if part.strip())


def _attached(message: Json) -> list[Json]:
    return dicts_at(message, "attachments")[:_MOST_QUOTED]


def _is_pasted(attachment: Json) -> bool:
    """Whether this is a table that the sender pasted: nothing in it names another author or source."""
    return bool(tables(dicts_at(attachment, "blocks"))) and not any(attachment.get(key) for key in _SOURCES)


def parted(message: Json, user: str) -> tuple[str, tuple[Quoted, ...]]:
    """The sender's own words, without the mentions of `user` (ourselves), and other people's that came with them.

    Other people's are quotations in the text, forwards, shared messages and previews: never the sender's own.
    """
    # Before our mention is taken out: `@us > 5` is no quotation.
    own, blocks = own_words(raw_text(message))
    found = [Quoted("a quotation", readable(block).strip()) for block in blocks]
    found += [quoted for quoted, _ in attached_words(message)]
    return readable(without_mention(own, user)), tuple(quoted for quoted in found if quoted.text)


def attached_words(message: Json) -> list[tuple[Quoted, bool]]:
    """Other people's words that are attached to a message; the second value tells forwards from link previews."""
    attachments = [attachment for attachment in _attached(message) if not _is_pasted(attachment)]
    return [
        (_quoted(part), is_true(part, "is_share", "is_msg_unfurl") or "message_blocks" in part) for part in attachments
    ]


def _quoted(attachment: Json) -> Quoted:
    names = [text_at(attachment, key) for key in ("author_name", "author_subname", "service_name")]
    author = one_line(next(filter(None, names), "")) or "somebody"
    inner = [dict_at(part, "message") for part in dicts_at(attachment, "message_blocks")]
    texts = [
        text_at(attachment, "text"),
        "\n".join(from_blocks(dicts_at(part, "blocks")) for part in inner),
        from_blocks(dicts_at(attachment, "blocks")),
        text_at(attachment, "fallback"),
        text_at(attachment, "title"),
    ]
    return Quoted(author, readable(next((text for text in texts if text.strip()), "")).strip())


def one_line(name: str) -> str:
    """A name as one short line, whatever somebody put into it."""
    return " ".join(name.split())[:_LONGEST_NAME]

"""Reads what is to be kept: a note or a conversation. Links and files are refused."""

from __future__ import annotations

from bot.local.memory import parse, rules
from bot.local.memory.parse import Addition, Turn, invalid
from bot.local.memory.rules import Refused

NO_LINKS = "The local memory does not read links or files. Send their text instead."
_PERSON = ("user", "human")


def addition(sent: parse.Sent) -> Addition:
    """Read the body of `POST /v1/memories`, or one item of a batch."""
    given = [name for name in ("text", "url", "messages") if sent.get(name) is not None]
    if len(given) != 1:
        raise invalid("Send one of text, url and messages.")
    if given == ["url"]:
        raise invalid(NO_LINKS)
    chat = given == ["messages"]
    external_id, session = _ids(sent, chat=chat)
    said_at = sent.get("said_at")
    title = sent.get("title")
    return Addition(
        turns=_turns(sent["messages"]) if chat else (Turn(parse.text(sent["text"], "text", rules.NOTE_CHARACTERS)),),
        chat=chat,
        title=parse.clean(title).strip()[: rules.TITLE_CHARACTERS] if isinstance(title, str) else "",
        said_at=None if said_at is None else parse.moment(said_at),
        external_id=external_id,
        session=session,
        labels=parse.labels(sent.get("labels")),
    )


def _ids(sent: parse.Sent, *, chat: bool) -> tuple[str | None, str | None]:
    external_id, session = sent.get("external_id"), sent.get("session")
    if session is not None:
        if not chat or external_id is not None or sent.get("said_at") is not None:
            raise invalid("session goes with messages, and with neither external_id nor said_at.")
        return None, _own(session, "session")
    return (None if external_id is None else own_id(external_id)), None


def own_id(value: object) -> str:
    """Read an external_id; a blank one, and one of the service's own `file:` ids, is refused."""
    read = _own(value, "external_id")
    if read.startswith("file:"):
        raise invalid("An external_id does not start with file: as those are kept for files.")
    return read


def _own(value: object, what: str) -> str:
    parse.text(value, what, rules.EXTERNAL_ID_CHARACTERS)
    return parse.key(str(value), what)


def _turns(messages: object) -> tuple[Turn, ...]:
    if not isinstance(messages, list) or not messages:
        raise invalid("messages is a list of at least one turn.")
    if len(messages) > rules.MESSAGES_A_CALL:
        message = f"That is more than {rules.MESSAGES_A_CALL} messages. Send them in several calls."
        raise Refused(rules.TOO_MANY_MESSAGES, message)
    turns = tuple(turn for message in messages if (turn := _turn(message)))
    if sum(len(turn.text) for turn in turns) > rules.CONVERSATION_CHARACTERS:
        raise Refused(rules.TOO_LONG, "The conversation is too long. Send it in several calls.")
    return turns


def _turn(message: object) -> Turn | None:
    """Keep a turn of the person; what a model, a tool or an operator said teaches nothing about them."""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise invalid("Each message is an object with a role and a content.")
    words = _words(message.get("content"))
    if message["role"].casefold() not in _PERSON or not words.strip():
        return None
    return Turn(words[: rules.TURN_CHARACTERS], _time(message.get("time")))


def _words(content: object) -> str:
    """Read a content: a text, nothing, or blocks of which those with text count."""
    if content is None:
        return ""
    if isinstance(content, str):
        return parse.clean(content)
    if not isinstance(content, list):
        raise invalid("The content of a message is a text, a list of blocks, or null.")
    blocks = (block.get("text") if isinstance(block, dict) else block for block in content)
    return parse.clean("\n".join(block for block in blocks if isinstance(block, str)))


def _time(value: object) -> str | None:
    """Read when a turn was said; a time that cannot be read is left out, since the turn still counts."""
    try:
        return None if value is None else parse.moment(value, "time")
    except Refused:
        return None

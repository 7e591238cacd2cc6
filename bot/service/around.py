"""What an answer is written with beside the person's own words: what others said before, and files.

It is read for one answer, kept nowhere, and never becomes memory. What cannot be read is said in half a line.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bot.chat import Audience, Unreadable
from bot.files import Picture, Unread, open_all
from bot.service import sentences
from bot.service.arrivals import CALL

if TYPE_CHECKING:
    from bot.chat import Message, Platform, Quoted
    from bot.files import Opened
    from bot.store import Row, Work

log = logging.getLogger(__name__)

EARLIER = 30
"""Messages of others that are read where the bot is called in the middle of a conversation."""
ABOUT = 200
"""Messages that are read where the conversation of others is what the person asks about."""


@dataclass(frozen=True, slots=True)
class Around:
    """`message` with what others said before it, the files that came with it, and what could not be read."""

    message: Message
    files: tuple[Opened, ...] = ()
    unread: tuple[str, ...] = ()
    hopeless: bool = False
    """Nothing that the person asks about could be read, so there is nothing to ask a model."""

    def ended(self, text: str) -> str:
        """Give an answer with half a line on what it had to do without."""
        return "\n\n".join((text, *(f"_({one})_" for one in self.unread)))


async def around(work: Work, platform: Platform, row: Row, message: Message, *, sees: bool) -> Around:
    """Read what there is to read, each within its bounds. `sees`: the model sees pictures."""
    (quoted, shut_out), files = await asyncio.gather(
        _earlier(work, platform, row, message), open_all(message.attachments, partial(platform.fetch, message))
    )
    shut = [sentences.file_unread(one.attachment.name, why) for one in files if (why := _unseen(one, sees=sees))]
    unread = (*([sentences.earlier_unread(shut_out)] if shut_out else []), *shut)
    wordless = not message.text.strip() and not message.quoted and len(shut) == len(files)
    hopeless = bool(unread) and (wordless or (message.about is not None and bool(shut_out)))
    return Around(replace(message, quoted=(*quoted, *message.quoted)), files, unread, hopeless)


def _unseen(file: Opened, *, sees: bool) -> str:
    if isinstance(file.content, Unread):
        return file.content.why
    return sentences.BLIND if isinstance(file.content, Picture) and not sees else ""


async def _earlier(work: Work, platform: Platform, row: Row, message: Message) -> tuple[tuple[Quoted, ...], str]:
    """Read what others said since the bot was last called here, each message once; and why not, if it failed."""
    if message.about is None and (not message.called or message.thread.audience is Audience.DM):
        return (), ""
    since = None if message.about else await work.spoke_last(row)
    try:
        async with asyncio.timeout(CALL):
            return await platform.earlier(message, since, ABOUT if message.about else EARLIER), ""
    except Unreadable as refused:
        return (), str(refused).rstrip(".") or sentences.NOT_NOW
    except Exception as error:  # noqa: BLE001 - whatever the platform raised, the question can still be answered
        log.warning("What was said before could not be read: %s", type(error).__name__)
        return (), sentences.NOT_NOW

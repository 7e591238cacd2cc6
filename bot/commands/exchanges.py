"""What can be done with one exchange: keep it, take it back, rate it, have it answered again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Action, Panel, Role
from bot.commands.notice import NEVER, REMEMBER
from bot.recall import heard

if TYPE_CHECKING:
    from bot.chat import Ask, Message
    from bot.service import Service

GOOD, BAD = "good", "bad"
NOT_YOURS = "Only the person who asked can do that, and only while I still have their question."


def foot(key: str, *, again: bool) -> tuple[Action, ...]:
    """Make the actions under an answer, by the key of its question: they carry no word. `again`: it can be repeated."""
    rate = (Action("Good answer", GOOD, key, role=Role.GOOD), Action("Bad answer", BAD, key, role=Role.BAD))
    return (*rate, Action("Try again", "again", key, role=Role.AGAIN)) if again else rate


_NOT_OWN = "I remember only your own words: use this on a message that you wrote."


def _unkeepable(message: Message, ask: Ask) -> str:
    """Say why a message may not be remembered; "" where it may."""
    if message.author.space != ask.user.space:
        return _NOT_OWN
    if not message.text.strip():
        return "There are no words of yours in that message that I could remember."
    if heard(ask.thread) is None:
        return "I remember nothing of what is said here: people from elsewhere can read it, or I cannot tell."
    return ""


async def keep(service: Service, ask: Ask) -> Panel:
    """Remember a message of the person's own, though it was not said to the bot."""
    message = ask.message
    why = _unkeepable(message, ask) if message else _NOT_OWN
    if message is None or why:
        return Panel(why)
    fence = await service.wishes.fence(ask.user)
    if fence.choice == NEVER:
        return Panel("You asked me not to remember you, so I keep nothing.", actions=(REMEMBER,))
    if not fence.told:
        first = await service.command("notice", ask)
        return Panel(f"{first.text}\n\nPress one of these first, then use this again.", actions=first.actions)
    if await service.wishes.keep(message):
        return Panel(
            "I remember that now: what I learn from it shows in `/memory` after a moment. If you edit or delete the "
            "message where I can see it, my memory follows."
        )
    return Panel("I have that message already.")


async def forget_exchange(service: Service, ask: Ask) -> Panel:
    """Take back what an exchange taught, and its answer."""
    if ask.message is None or not await service.wishes.take_back(ask.user, ask.message):
        return Panel("That is no exchange of yours that I still know of, so there is nothing to take back.")
    return Panel(
        "I take back what I learned from that exchange, and my answer goes. Your own message stays in the chat: "
        "delete it there. What I know from other conversations stays; `/memory` shows it."
    )


async def rate(verdict: str, service: Service, ask: Ask) -> Panel:
    """Keep what the person thinks of an answer to them."""
    if await service.wishes.rate(ask.user, ask.argument, verdict):
        return Panel("Thank you. I keep only that you pressed this, with the exchange, for as long as I have it.")
    return Panel(NOT_YOURS)


async def again(service: Service, ask: Ask) -> Panel:
    """Answer a question once more, in the place of its answer."""
    if await service.wishes.again(ask.user, ask.argument):
        return Panel("")  # what there is to see is the answer itself
    return Panel("I leave that answer as it is: more was said since, its question is gone, or it was not yours.")

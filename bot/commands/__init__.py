"""The commands, the same on every platform. They need no model; each answers a panel to that person only."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bot.chat import Action, Command, Panel
from bot.commands.exchanges import BAD, GOOD, again, foot, forget_exchange, keep, rate
from bot.commands.memory import forget_me, home, memory, remember
from bot.commands.notice import NEVER, REMEMBER, About, notice

if TYPE_CHECKING:
    from bot.chat import Ask
    from bot.service import Service

__all__ = ("REMEMBER", "About", "foot", "notice", "offered", "pressed")

CHOICE = Action("What I keep, and your choice", "notice")


def offered(service: Service) -> tuple[Command, ...]:
    """Make the commands that a platform shows."""
    return (
        Command("memory", "See what I remember about you (only you see it).", partial(memory, service), window=True),
        Command("forget-me", "Delete everything I know about you.", partial(forget_me, service), window=True),
        Command("new", "Start a fresh conversation; I keep what I remember.", partial(_new, service)),
        Command("help", "What I can do, and what I keep.", partial(_help, service)),
        Command("keep", "Remember this", partial(keep, service), on_message=True),
        Command("forget-exchange", "Forget this exchange", partial(forget_exchange, service), on_message=True),
    )


def pressed(service: Service, about: About) -> tuple[Command, ...]:
    """Make the commands that only buttons give."""
    return (
        Command("remember", "Remember me from now on.", partial(remember, service)),
        Command("notice", "What I keep, and your choice.", partial(_notice, about)),
        Command("home", "Your memory page.", partial(home, service)),
        Command(GOOD, "Good answer.", partial(rate, GOOD, service)),
        Command(BAD, "Bad answer.", partial(rate, BAD, service)),
        Command("again", "Answer again.", partial(again, service)),
    )


async def _new(service: Service, ask: Ask) -> Panel:
    await service.wishes.fresh(ask.user, ask.thread)
    fence = await service.wishes.fence(ask.user)
    return Panel("A fresh conversation." + ("" if fence.choice == NEVER else " I still remember you."))


async def _help(service: Service, ask: Ask) -> Panel:  # noqa: ARG001 - the same for everybody
    lines = [f"`/{one.name}` {one.description}" for one in service.commands if not one.on_message]
    private = (
        "Where others read along, `/ask` answers you alone, and a message's own menu has Catch me up, Remember this "
        "and Forget this exchange: in chats that offer them."
    )
    choice = 'Whether I remember you is your choice, at any time: `/forget-me`, then "for good", ends it.'
    text = "\n".join(("Write to me in a direct message, or mention me in a channel.", *lines, private, choice))
    return Panel(text, actions=(CHOICE,))


async def _notice(about: About, ask: Ask) -> Panel:  # noqa: ARG001 - the same for everybody
    return notice(about)

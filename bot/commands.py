"""The commands, the same on every platform. They need no model; each answers a panel to that person only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.chat import Action, Ask, Command, Item, Panel
from bot.recall import where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.recall import Known
    from bot.service import Service

FRESH, NEVER = "fresh", "never"
SHOWN = 20
"""Memories that `/memory` shows at most."""

DONT_REMEMBER = Action("Don't remember", "forget-me", NEVER, danger=True)
REMEMBER = Action("Remember me", "remember")


@dataclass(frozen=True, slots=True)
class About:
    """What the first-contact notice says about whoever runs this bot. Blank names are left out."""

    operator: str
    privacy_url: str
    memory: str  # where the memory is: "by Geniffy (api.geniffy.com)"
    model: str  # who writes the answers


def notice(about: About) -> Panel:
    """Say what a person must know before anything is kept."""
    runner = f" It is run by {about.operator}." if about.operator else ""
    more = f"\nMore: {about.privacy_url}" if about.privacy_url else ""
    text = (
        f"**I am an AI and can be wrong.**{runner} I remember what you tell me, for you alone: what you say in a "
        "direct message never comes up where others can read it.\n"
        f"Your words are kept {about.memory}; answers are written by {about.model}. "
        f"`/memory` shows what I know, `/forget-me` deletes it.{more}"
    )
    return Panel(text, actions=(Action("OK, remember", "remember"), DONT_REMEMBER))


def offered(service: Service) -> tuple[Command, ...]:
    """Make the commands that a platform shows."""
    return (
        Command("memory", "See what I remember about you (only you see it).", _Memory(service)),
        Command("forget-me", "Delete everything I know about you.", _ForgetMe(service)),
        Command("new", "Start a fresh conversation; I keep what I remember.", _New(service)),
        Command("help", "What I can do, and what I keep.", _Help(service)),
    )


def pressed(service: Service, about: About) -> tuple[Command, ...]:
    """Make the commands that only buttons give."""
    return (
        Command("remember", "Remember me from now on.", _Remember(service)),
        Command("notice", "What I keep, and your choice.", _Notice(about)),
    )


class _Run:
    """A command over the service."""

    def __init__(self, service: Service) -> None:
        self._service = service


class _Memory(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        fence = await self._service.fence(ask.user)
        if fence.choice == NEVER:
            return Panel("You asked me not to remember you, so I keep nothing about you.", actions=(REMEMBER,))
        try:
            known = await self._service.known(ask.user, SHOWN + 1)
        except Exception:  # noqa: BLE001 - whatever the memory's trouble is, the person gets a sentence
            return Panel("I could not read your memory just now. Please try again in a minute.")
        forget = Action("Forget everything", "forget-me", danger=True)
        if not known:
            return Panel("I remember nothing about you yet. What you tell me is learned after a moment.")
        more = f" These are the newest {SHOWN}." if len(known) > SHOWN else ""
        return Panel(f"What I remember about you, newest first.{more}", _items(known[:SHOWN]), (forget,))


def _items(known: Sequence[Known]) -> tuple[Item, ...]:
    return tuple(Item(one.text, _place(one)) for one in known)


def _place(one: Known) -> str:
    when = f", {one.said_at:%Y-%m-%d}" if one.said_at else ""
    return f"{where(one.heard)}{when}"


class _ForgetMe(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        if ask.argument in (FRESH, NEVER):
            return await self._forget(ask)
        fence = await self._service.fence(ask.user)
        state = "An erase you asked for is still running; I keep at it.\n" if fence.erase_due_at else ""
        text = (
            f"{state}This deletes everything I know about you, and what I have of our conversations. "
            "It cannot be undone. Messages in this chat stay until you delete them."
        )
        fresh = Action("Forget me and start fresh", "forget-me", FRESH, danger=True)
        return Panel(text, actions=(fresh, Action("Forget me for good", "forget-me", NEVER, danger=True)))

    async def _forget(self, ask: Ask) -> Panel:
        fence = await self._service.forget(ask.user, never=ask.argument == NEVER)
        then = "I will not remember you again." if ask.argument == NEVER else "From here on we start fresh."
        actions = (REMEMBER,) if ask.argument == NEVER else ()
        if fence.erased_at is None:
            return Panel(
                "What I had of our conversations is deleted. Your memory is not gone yet: the service that keeps it "
                f"has not confirmed the erase. I keep trying; `/forget-me` shows whether it is done. {then}",
                actions=actions,
            )
        return Panel(
            f"You are forgotten: I erased your memory, looked again and found nothing. {then}", actions=actions
        )


class _New(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        await self._service.fresh(ask.user, ask.thread)
        return Panel("A fresh conversation. I still remember you.")


class _Remember(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        await self._service.remember(ask.user)
        return Panel("Thank you. From now on I remember what you tell me. `/memory` shows it, `/forget-me` deletes it.")


class _Help(_Run):
    async def __call__(self, ask: Ask) -> Panel:  # noqa: ARG002 - the same for everybody
        lines = [f"`/{one.name}` {one.description}" for one in self._service.commands]
        return Panel("Write to me in a direct message, or mention me in a channel.\n" + "\n".join(lines))


class _Notice:
    def __init__(self, about: About) -> None:
        self._about = about

    async def __call__(self, ask: Ask) -> Panel:  # noqa: ARG002 - the same for everybody
        return notice(self._about)

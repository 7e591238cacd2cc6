"""The commands, the same on every platform. They need no model; each answers a panel to that person only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.chat import Action, Ask, Command, Item, Panel, Role
from bot.recall import heard, where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import Message
    from bot.recall import Known
    from bot.service import Service

FRESH, NEVER = "fresh", "never"
GOOD, BAD = "good", "bad"
SHOWN = 20
"""Memories that `/memory` shows at most."""

DONT_REMEMBER = Action("Don't remember", "forget-me", NEVER, danger=True)
REMEMBER = Action("Remember me", "remember")
BEFORE = (
    "This deletes everything I know about you, and what I have of our conversations. It cannot be undone. What we "
    "wrote in this chat stays: delete a message of yours first, and my answer to it goes with it. Whoever provides the "
    "model, and the operator's backups, have their own terms."
)
GONE = "You are forgotten: I erased your memory, looked again and found nothing."
NOT_GONE = (
    "What I had of our conversations is deleted. Your memory is not gone yet: its erase is not confirmed. I keep "
    "trying; `/forget-me` shows whether it is done."
)
NOT_YOURS = "Only the person who asked can do that, and only while I still have their question."
CHOICE = Action("What I keep, and your choice", "notice")


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
        "`/memory` shows what I know. As long as you choose nothing I remember, from your first message on. You can "
        f'choose later, at any time: `/forget-me` deletes everything, and there "for good" ends the remembering.{more}'
    )
    return Panel(text, actions=(Action("OK, remember", "remember"), DONT_REMEMBER))


def foot(key: str, *, again: bool) -> tuple[Action, ...]:
    """Make the actions under an answer, by the key of its question: they carry no word. `again`: it can be repeated."""
    rate = (Action("Good answer", GOOD, key, role=Role.GOOD), Action("Bad answer", BAD, key, role=Role.BAD))
    return (*rate, Action("Try again", "again", key, role=Role.AGAIN)) if again else rate


def offered(service: Service) -> tuple[Command, ...]:
    """Make the commands that a platform shows."""
    return (
        Command("memory", "See what I remember about you (only you see it).", _Memory(service), window=True),
        Command("forget-me", "Delete everything I know about you.", _ForgetMe(service), window=True),
        Command("new", "Start a fresh conversation; I keep what I remember.", _New(service)),
        Command("help", "What I can do, and what I keep.", _Help(service)),
        Command("keep", "Remember this", _Keep(service), on_message=True),
        Command("forget-exchange", "Forget this exchange", _ForgetExchange(service), on_message=True),
    )


def pressed(service: Service, about: About) -> tuple[Command, ...]:
    """Make the commands that only buttons give."""
    return (
        Command("remember", "Remember me from now on.", _Remember(service)),
        Command("notice", "What I keep, and your choice.", _Notice(about)),
        Command("home", "Your memory page.", _Home(service)),
        Command(GOOD, "Good answer.", _Rate(service, GOOD)),
        Command(BAD, "Bad answer.", _Rate(service, BAD)),
        Command("again", "Answer again.", _Again(service)),
    )


class _Run:
    """A command over the service."""

    def __init__(self, service: Service) -> None:
        self._service = service


class _Memory(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        fence = await self._service.wishes.fence(ask.user)
        if fence.choice == NEVER:
            return Panel("You asked me not to remember you, so I remember nothing about you.", actions=(REMEMBER,))
        try:
            known = await self._service.wishes.known(ask.user, SHOWN + 1)
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
        fence = await self._service.wishes.fence(ask.user)
        fresh = Action("Forget me and start fresh", "forget-me", FRESH, danger=True)
        never = Action("Forget me for good", "forget-me", NEVER, danger=True)
        return Panel(_erase(fence.erased_at, fence.erase_due_at) + BEFORE, actions=(fresh, never))

    async def _forget(self, ask: Ask) -> Panel:
        fence = await self._service.wishes.forget(ask.user, never=ask.argument == NEVER)
        actions = (REMEMBER,) if fence.choice == NEVER else ()
        if fence.choice == NEVER and ask.argument == NEVER:
            then = "I will not remember you again, unless you press Remember me."
        elif fence.choice == NEVER:  # an old button does not undo the choice
            then = "You asked me before not to remember you; that stays so, unless you press Remember me."
        else:
            after = "once that is done" if fence.erased_at is None else "after a few more seconds"
            then = f"From here on we start fresh: what you tell me now is remembered, {after}."
        return Panel(f"{NOT_GONE if fence.erased_at is None else GONE} {then}", actions=actions)


def _erase(erased_at: float | None, due_at: float | None) -> str:
    """Say how far the last erase is, in a line of its own; nothing where there was none. Times as in a fence."""
    if erased_at is None:
        return "An erase you asked for is still running; I keep at it.\n" if due_at else ""
    if due_at is not None:
        return "What you asked me to forget is gone; I look once more in a few seconds.\n"
    return f"You were forgotten on {datetime.fromtimestamp(erased_at, UTC):%Y-%m-%d}; nothing of that is owed.\n"


class _New(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        await self._service.wishes.fresh(ask.user, ask.thread)
        fence = await self._service.wishes.fence(ask.user)
        return Panel("A fresh conversation." + ("" if fence.choice == NEVER else " I still remember you."))


class _Remember(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        await self._service.wishes.remember(ask.user)
        return Panel("Thank you. From now on I remember what you tell me. `/memory` shows it, `/forget-me` deletes it.")


class _Help(_Run):
    async def __call__(self, ask: Ask) -> Panel:  # noqa: ARG002 - the same for everybody
        lines = [f"`/{one.name}` {one.description}" for one in self._service.commands if not one.on_message]
        choice = 'Whether I remember you is your choice, at any time: `/forget-me`, then "for good", ends it.'
        text = "\n".join(("Write to me in a direct message, or mention me in a channel.", *lines, choice))
        return Panel(text, actions=(CHOICE,))


class _Home(_Run):
    """One page with everything: the notice as long as it was not seen, what is known, what can be done."""

    async def __call__(self, ask: Ask) -> Panel:
        page = await self._service.command("memory", ask)
        if (await self._service.wishes.fence(ask.user)).told:
            return page
        first = await self._service.command("notice", ask)
        return Panel(f"{first.text}\n\n{page.text}", page.items, (*first.actions, *page.actions))


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


class _Keep(_Run):
    """Remember a message of the person's own, though it was not said to the bot."""

    async def __call__(self, ask: Ask) -> Panel:
        message = ask.message
        why = _unkeepable(message, ask) if message else _NOT_OWN
        if message is None or why:
            return Panel(why)
        fence = await self._service.wishes.fence(ask.user)
        if fence.choice == NEVER:
            return Panel("You asked me not to remember you, so I keep nothing.", actions=(REMEMBER,))
        if not fence.told:
            first = await self._service.command("notice", ask)
            return Panel(f"{first.text}\n\nChoose first, then use this again.", actions=first.actions)
        if await self._service.wishes.keep(message):
            return Panel("I remember that now. If you edit or delete that message, my memory follows.")
        return Panel("I have that message already.")


class _ForgetExchange(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        if ask.message is None or not await self._service.wishes.take_back(ask.user, ask.message):
            return Panel("That is no exchange of yours that I still know of, so there is nothing to take back.")
        return Panel(
            "I take back what I learned from that exchange, and my answer goes. Your own message stays in the chat: "
            "delete it there. What I know from other conversations stays; `/memory` shows it."
        )


class _Rate(_Run):
    def __init__(self, service: Service, verdict: str) -> None:
        super().__init__(service)
        self._verdict = verdict

    async def __call__(self, ask: Ask) -> Panel:
        if await self._service.wishes.rate(ask.user, ask.argument, self._verdict):
            return Panel("Thank you. I keep only that you pressed this, with the exchange, for as long as I have it.")
        return Panel(NOT_YOURS)


class _Again(_Run):
    async def __call__(self, ask: Ask) -> Panel:
        if await self._service.wishes.again(ask.user, ask.argument):
            return Panel("")  # what there is to see is the answer itself
        return Panel(f"{NOT_YOURS} If more was said since, please ask again.")


class _Notice:
    def __init__(self, about: About) -> None:
        self._about = about

    async def __call__(self, ask: Ask) -> Panel:  # noqa: ARG002 - the same for everybody
        return notice(self._about)

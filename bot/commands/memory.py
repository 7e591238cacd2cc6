"""A person's hold on their memory: see it, forget it, be remembered again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.chat import Action, Item, Panel
from bot.commands.notice import NEVER, REMEMBER
from bot.recall import where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import Ask
    from bot.recall import Known
    from bot.service import Service

FRESH = "fresh"
SHOWN = 20
"""Memories that `/memory` shows at most."""

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


async def memory(service: Service, ask: Ask) -> Panel:
    """Show what is known, newest first."""
    fence = await service.wishes.fence(ask.user)
    if fence.choice == NEVER:
        return Panel("You asked me not to remember you, so I remember nothing about you.", actions=(REMEMBER,))
    try:
        known = await service.wishes.known(ask.user, SHOWN + 1)
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


async def forget_me(service: Service, ask: Ask) -> Panel:
    """Say what forgetting means and ask which kind; with the kind, do it."""
    if ask.argument in (FRESH, NEVER):
        return await _forget(service, ask)
    fence = await service.wishes.fence(ask.user)
    fresh = Action("Forget me and start fresh", "forget-me", FRESH, danger=True)
    never = Action("Forget me for good", "forget-me", NEVER, danger=True)
    return Panel(_erase(fence.erased_at, fence.erase_due_at) + BEFORE, actions=(fresh, never))


async def _forget(service: Service, ask: Ask) -> Panel:
    fence = await service.wishes.forget(ask.user, never=ask.argument == NEVER)
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


async def remember(service: Service, ask: Ask) -> Panel:
    """Remember the person from now on."""
    await service.wishes.remember(ask.user)
    return Panel("Thank you. From now on I remember what you tell me. `/memory` shows it, `/forget-me` deletes it.")


async def home(service: Service, ask: Ask) -> Panel:
    """Show one page with everything: the notice as long as it was not seen, what is known, what can be done."""
    page = await service.command("memory", ask)
    if (await service.wishes.fence(ask.user)).told:
        return page
    first = await service.command("notice", ask)
    return Panel(f"{first.text}\n\n{page.text}", page.items, (*first.actions, *page.actions))

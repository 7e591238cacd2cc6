"""What the commands say, in each state that a person's wish can be in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import pytest

from bot import commands
from bot.chat import Ask, Audience, Command, Panel, Thread, User
from bot.store import NEVER, Fence

if TYPE_CHECKING:
    from bot.service import Service

ANA = User("console", "ana", "Ana")
THREAD = Thread("console", "ana", "terminal", "1", Audience.DM)
ABOUT = commands.About("The testers", "", "by the tests", "a script")
LONG_AGO = 1_600_000_000.0  # 2020-09-13


@dataclass
class Wishes:
    """What a service knows of a person's wishes: a fence, and nothing more."""

    wish: Fence

    async def fence(self, user: User) -> Fence:
        assert user == ANA
        return self.wish

    async def forget(self, user: User, *, never: bool) -> Fence:
        assert user == ANA
        self.wish = replace(self.wish, choice=NEVER if never else self.wish.choice)
        return self.wish

    async def fresh(self, user: User, thread: Thread) -> None:
        assert (user, thread) == (ANA, THREAD)


@dataclass
class Wishing:
    """A service with wishes alone."""

    wishes: Wishes
    commands: tuple[Command, ...] = ()


async def said(name: str, wish: Fence, argument: str = "") -> Panel:
    service = cast("Service", Wishing(Wishes(wish)))
    known = {one.name: one for one in (*commands.offered(service), *commands.pressed(service, ABOUT))}
    return await known[name].run(Ask(ANA, THREAD, argument))


@pytest.mark.parametrize(
    ("wish", "state"),
    [
        (Fence(), "This deletes"),
        (Fence(erase_due_at=LONG_AGO), "An erase you asked for is still running"),
        (Fence(erase_due_at=LONG_AGO, erased_at=LONG_AGO), "What you asked me to forget is gone; I look once more"),
        (Fence(erased_at=LONG_AGO), "You were forgotten on 2020-09-13; nothing of that is owed."),
    ],
)
async def test_forget_me_says_how_far_the_last_erase_is(wish: Fence, state: str) -> None:
    panel = await said("forget-me", wish)
    assert panel.text.startswith(state)
    assert {action.argument for action in panel.actions} == {"fresh", "never"}


async def test_forget_me_says_before_the_press_what_stays_elsewhere() -> None:
    text = (await said("forget-me", Fence())).text
    assert "delete a message of yours first, and my answer to it goes with it" in text
    assert "backups" in text
    assert "provides the model" in text


async def test_for_good_is_not_undone_by_an_old_button() -> None:
    panel = await said("forget-me", Fence(choice=NEVER, erased_at=LONG_AGO), "fresh")
    assert "start fresh" not in panel.text
    assert "that stays so, unless you press Remember me" in panel.text
    assert panel.actions == (commands.REMEMBER,)


async def test_for_good_says_how_it_could_end() -> None:
    panel = await said("forget-me", Fence(erased_at=LONG_AGO), "never")
    assert "I will not remember you again, unless you press Remember me." in panel.text
    assert panel.actions == (commands.REMEMBER,)


async def test_a_fresh_start_says_from_when_words_are_kept() -> None:
    panel = await said("forget-me", Fence(erased_at=LONG_AGO), "fresh")
    assert "what you tell me now is remembered, after a few more seconds" in panel.text
    assert panel.actions == ()


async def test_an_erase_without_an_answer_blames_nobody() -> None:
    panel = await said("forget-me", Fence(erase_due_at=LONG_AGO), "fresh")
    assert "not gone yet" in panel.text
    assert "service" not in panel.text
    assert "once that is done" in panel.text


async def test_whoever_is_not_remembered_is_told_so_and_nothing_more() -> None:
    wish = Fence(choice=NEVER)
    assert "I remember nothing about you" in (await said("memory", wish)).text
    assert (await said("new", wish)).text == "A fresh conversation."
    assert "I still remember you" in (await said("new", Fence())).text


async def test_the_choice_can_be_made_at_any_time() -> None:
    first = await said("notice", Fence())
    assert "choose later, at any time: `/forget-me`" in first.text
    assert "As long as you choose nothing I remember" in first.text
    helped = await said("help", Fence())
    assert '`/forget-me`, then "for good", ends it' in helped.text
    (action,) = helped.actions
    assert (await said(action.command, Fence())) == first

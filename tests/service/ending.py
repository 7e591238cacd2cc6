"""What tests of ends look at, and how they let time pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from bot.store import Install, now
from bot.store.ends import LEAVE
from bot.store.schema import exchanges, fences, installs
from tests.fakes.platform import ANA, FakePlatform
from tests.fakes.poll import until

if TYPE_CHECKING:
    from sqlalchemy import Delete, Select, Update

    from bot.chat import Message, User
    from tests.service.conftest import House

WORD = "zanzibar"
HOME, ANNEX = Install("test", "home"), Install("test", "annex")


@dataclass
class Campus(FakePlatform):
    """A platform with two installs in which the same people can be, as in a Slack organisation."""

    def serves(self, install: str) -> bool:
        return install in {"home", "annex"}


def at(which: Install, message: Message) -> Message:
    return replace(message, thread=replace(message.thread, install=which.install))


async def write(house: House, statement: Update | Delete) -> None:
    async with house.store.inbox._db.write() as connection:
        await connection.execute(statement)


async def count(house: House, query: Select[Any]) -> float:
    async with house.store.inbox._db.read() as connection:
        return float((await connection.execute(query)).scalar_one())


async def rows(house: House) -> float:
    return await count(house, select(func.count()).select_from(exchanges))


async def ended(house: House) -> float:
    return await count(house, select(func.count()).select_from(installs).where(installs.c.ended_at.is_not(None)))


async def pass_grace(house: House, which: Install = HOME) -> None:
    due = update(installs).where(installs.c.install == which.install, installs.c.ended_at.is_not(None))
    await write(house, due.values(erase_due_at=now() - 1))


async def pass_leave(house: House) -> None:
    """Let the days pass since an account ended."""
    owed = fences.c.leave_due_at.is_not(None)
    await write(house, update(exchanges).values(sent_at=exchanges.c.sent_at - LEAVE))
    await write(house, update(fences).where(owed).values(leave_due_at=fences.c.leave_due_at - LEAVE))


async def second_look(house: House) -> bool:
    """Let the second look at erased memories come now; True once no erase is owed."""
    erased = (fences.c.erased_at.is_not(None), fences.c.erase_due_at > now())
    await write(house, update(fences).where(*erased).values(erase_due_at=now() - 1))
    return not await count(house, select(func.count()).select_from(fences).where(fences.c.erase_due_at.is_not(None)))


async def all_erased(house: House) -> None:
    """Wait until nothing is owed for any end."""
    await until(partial(_gone, house), 20)


async def _gone(house: House) -> bool:
    return await second_look(house) and await ended(house) == 0


async def remembered(house: House, user: User = ANA) -> str:
    """Give all that the memory holds of a person, "" for nothing."""
    await house.learned()
    space = house.geniffy.space(user.space)
    export = await space.export()
    sources = (await space.sources.list()).sources
    return " ".join(str(one) for one in (*export["memories"], *export["sources"], *sources))


async def forgotten(house: House, user: User = ANA) -> bool:
    return await remembered(house, user) == ""


async def generation(house: House, user: User = ANA) -> int:
    return (await house.store.fences.of(user.space)).generation


def in_files(house: House, *words: str) -> list[str]:
    found = [file for file in house.path.rglob("*") if file.is_file()]
    return [file.name for file in found if any(word.encode() in file.read_bytes() for word in words)]

"""What this process knows to stand in a thread as one reply. Keeps ids and numbers, and refuses to keep any words."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adapters.slack.calls import CallError
from adapters.slack.payload import text_at

if TYPE_CHECKING:
    from adapters.slack.payload import Json


@dataclass
class Stream:
    """What was streamed of one reply, as places in its text: no word of it."""

    starts: list[int] = field(default_factory=list)
    """Where each of its messages begins; the last of them may not be there yet."""
    sent: int = 0
    seen: int = hash("")
    """The text as far as it was sent, as a number that this process alone can make; `settled`: in ended messages."""
    settled: int = hash("")
    since: float = 0.0
    open: bool = False
    """Its last message is there and grows."""
    unsure: bool = False
    """Something was sent, and it is not known what came of it."""
    over: bool = False
    halted: bool = False
    """The person pressed stop: nothing more is shown until the end."""

    def agrees(self, text: str) -> bool:
        """Whether the text goes on from what was sent."""
        return not self.unsure and len(text) >= self.sent and hash(text[: self.sent]) == self.seen

    def advance(self, text: str, to: int) -> None:
        """Note that the text stands there up to this place."""
        self.sent, self.seen = to, hash(text[:to])

    def next_message(self, text: str, start: int) -> None:
        """Note that the message is ended and that the next one will begin here."""
        self.starts.append(start)
        self.advance(text, start)
        self.settled, self.open = self.seen, False


@dataclass
class Shown:
    """`ids` are its messages in order; `surplus` has still to go."""

    ids: list[str] = field(default_factory=list)
    surplus: list[str] = field(default_factory=list)
    posts: list[asyncio.Task[Json]] = field(default_factory=list)
    """Requests to post, which go on to their end even when whoever asked has given up."""
    glimpse: int = 0
    """Which text is shown, as a number that this process alone can make."""
    not_before: float = 0.0
    doubtful: bool = False
    """A post may have landed without our knowing."""
    stream: Stream = field(default_factory=Stream)
    recipient: tuple[str, str] | None = None
    """The team and the id of the person to whom it may be streamed."""
    whole: bool = False
    """All of it was written by this process, so that nothing else of it stands anywhere."""

    def merge(self, ids: list[str]) -> None:
        """Add messages; Slack's ids are times, so their order is the order they stand in."""
        self.ids = sorted({*self.ids, *ids} - {"", *self.surplus}, key=_time)

    def give_up(self, slot: int) -> None:
        """Keep none of the messages from this one on: what follows has to stand after it."""
        self.surplus += self.ids[slot:]
        del self.ids[slot:]

    def found(self, ids: list[str]) -> None:
        """Take in what was looked up. Where the thread cannot be read, one repeat is accepted."""
        self.merge(ids)
        self.doubtful = False

    def complete(self) -> None:
        """Note that the whole answer stands there."""
        self.whole, self.glimpse, self.not_before = True, 0, 0.0

    def wait_for(self, seconds: float) -> None:
        """Let the next glimpse come no sooner."""
        self.not_before = time.monotonic() + seconds

    async def landed(self) -> None:
        """Wait for posts that an attempt before left under way, and learn what came of them."""
        if self.posts:
            await asyncio.wait(self.posts)
            self.learn()

    def learn(self) -> None:
        """Take in what came of the posts that have ended."""
        for post in [post for post in self.posts if post.done()]:
            self.posts.remove(post)
            failed = None if post.cancelled() else post.exception()
            if post.cancelled() or (isinstance(failed, CallError) and failed.lost):
                self.doubtful = True
            elif failed is None:
                self.merge([text_at(post.result(), "ts")])


def _time(ts: str) -> list[int]:
    return [int(part) for part in ts.split(".") if part.isdigit()]

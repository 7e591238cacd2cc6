"""Calls Slack's Web API: waits out rate limits within a bound and tells errors apart. Refuses to repeat a lost post.

`ok:false ratelimited` comes with status 200, which the SDK's own rate-limit handler does not repeat, and that handler
knows no bound: a glimpse of an answer would wait with it. So the waiting is here, for both forms.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.pace import SENDS, Busy, Pace
from adapters.slack.payload import text_at
from adapters.slack.quiet import sdk_logger
from bot.chat import Undeliverable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.slack.payload import Json

BAD_TOKEN = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type"}
)
_NOWHERE = BAD_TOKEN | {
    "cannot_dm_bot",
    "channel_not_found",
    "ekm_access_denied",
    "is_archived",
    "is_inactive",
    "messages_tab_disabled",
    "missing_scope",
    "no_permission",
    "not_in_channel",
    "restricted_action",
    "restricted_action_non_threadable_channel",
    "restricted_action_read_only_channel",
    "restricted_action_thread_locked",
    "restricted_action_thread_only_channel",
    "team_access_not_granted",
    "thread_locked",
    "user_disabled",
    "user_not_found",
    "user_not_in_channel",
}
_NETWORK = (aiohttp.ClientError, TimeoutError, OSError)
# A repeat of these changes nothing more. A post is not among them: the lost one may have landed.
_REPEATABLE = frozenset(
    {
        "auth.test",
        "chat.update",
        "chat.delete",
        "conversations.history",
        "conversations.info",
        "conversations.replies",
        "files.info",
        "users.info",
    }
)
_READS = frozenset({"conversations.history", "conversations.info", "conversations.replies", "files.info", "users.info"})
_TRIES, AS_LONG_AS_IT_TAKES = 3, 1_000
_LONGEST_PAUSE = 5.0
_TIME_TO_SEND = 5.0  # kept of the patience while waiting for a turn: a send that is cut short may have landed


class Closed(Undeliverable):
    """Slack said for good that this token cannot do this here; `error` is its code."""

    def __init__(self, method: str, error: str) -> None:
        """Keep the code only."""
        super().__init__(f"Slack's {method} answered {error}.")
        self.error = error


class CallError(Exception):
    """A call did not succeed. `error` is Slack's own code for it, or the class of what went wrong on the way.

    `waits` are the seconds to wait, as Slack asked or as its channel is `busy`; 0 when nothing says so. `lost`: it may
    have had its effect.
    """

    def __init__(self, method: str, error: str, *, waits: float = 0, lost: bool = False) -> None:
        """Keep the code only: the SDK's errors carry whole answers."""
        super().__init__(f"Slack's {method} failed: {error}.")
        self.error, self.waits, self.lost = error, waits, lost


class Calls:
    """The Web API with one token. Two calls at once are fine."""

    def __init__(self, client: AsyncWebClient) -> None:
        """Use this client, whose session is already open."""
        self._client = client
        self.pace = Pace()
        self._under_way: set[asyncio.Task[Json]] = set()

    async def close(self) -> None:
        """End what is still under way though nobody waits for it any more."""
        for request in self._under_way:
            request.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def __call__(
        self,
        method: str,
        arguments: Json | None = None,
        *,
        patience: float = 60.0,
        wait: bool = True,
        tries: int = _TRIES,
        follow: list[asyncio.Task[Json]] | None = None,
    ) -> Json:
        """Call a method, for `patience` seconds in all; `wait`: rate limits are waited out in that time.

        What is sent to a channel waits for its turn there, too; without `wait` it is sent at once or not at all.

        What may be repeated is tried `tries` times when it got lost. With `follow`, each request is put there and goes
        on to its end even when whoever called is cancelled or out of patience: only so it is known what came of it.

        Raises:
            Undeliverable: there is nowhere (or no way) to reply with this token.
            CallError: anything else; whoever calls may try again later.
        """
        deadline = time.monotonic() + patience
        channel = text_at(arguments or {}, "channel") if method in SENDS else ""
        for tried in range(1, 1000):
            await self._turn(method, channel, deadline - min(_TIME_TO_SEND, patience / 2), wait=wait)
            try:
                async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                    return await self._request(method, arguments or {}, follow)
            except CallError as failed:
                pause = failed.waits
                if channel and pause:
                    self.pace.hold(channel, pause)
                if failed.lost and method in _REPEATABLE and tried < tries:
                    pause = min(0.1 * 2**tried, _LONGEST_PAUSE)
                if not wait or not pause or time.monotonic() + pause > deadline:
                    raise
            except TimeoutError:
                raise CallError(method, "TimeoutError", lost=True) from None
            await asyncio.sleep(pause)
        raise CallError(method, "ratelimited")

    async def _turn(self, method: str, channel: str, deadline: float, *, wait: bool) -> None:
        if not channel:
            return
        try:
            await self.pace.turn(channel, patience=deadline - time.monotonic(), wait=wait)
        except Busy as busy:
            raise CallError(method, "busy", waits=busy.seconds) from None

    async def _request(self, method: str, arguments: Json, follow: list[asyncio.Task[Json]] | None) -> Json:
        if follow is None:
            return await self._once(method, arguments)
        request = asyncio.ensure_future(self._once(method, arguments))
        follow.append(request)
        self._under_way.add(request)
        request.add_done_callback(self._ended)
        return await asyncio.shield(request)

    def _ended(self, request: asyncio.Task[Json]) -> None:
        self._under_way.discard(request)
        if not request.cancelled():
            request.exception()  # looked at: perhaps nobody else does

    async def _once(self, method: str, arguments: Json) -> Json:
        try:
            if method in _READS:
                answer = await self._client.api_call(method, http_verb="GET", params=arguments)
            else:
                answer = await self._client.api_call(method, json=arguments or None)
        except SlackApiError as error:
            raise _told_apart(method, error) from None
        except (SlackClientError, AttributeError) as error:  # the SDK reads a text answer (a proxy's) as an object
            raise CallError(method, type(error).__name__, lost=True) from None
        except _NETWORK as error:
            raise CallError(method, type(error).__name__, lost=True) from None
        return answer.data if isinstance(answer.data, dict) else {}


def _told_apart(method: str, error: SlackApiError) -> Exception:
    """What Slack answered, as what it means to us. Its answer may be a dict, or a bare response of a broken body."""
    answer = error.response
    status: int = getattr(answer, "status_code", 0) or getattr(answer, "status", 0)
    data = getattr(answer, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == 429 or code in {"ratelimited", "rate_limited"}:  # noqa: PLR2004 - HTTP's own number
        return CallError(method, "ratelimited", waits=_seconds(getattr(answer, "headers", {})))
    if code in _NOWHERE:
        return Closed(method, code)
    unsure = not code or status >= 500 or code in {"internal_error", "fatal_error", "service_unavailable"}  # noqa: PLR2004 - HTTP's own number
    return CallError(method, code or f"status {status}", lost=unsure)


def _seconds(headers: object) -> float:
    """`Retry-After` in seconds; one second when it is missing or odd."""
    values = {str(key).lower(): value for key, value in getattr(headers, "items", dict)()}
    with contextlib.suppress(TypeError, ValueError):
        return max(float(str(values.get("retry-after", "1"))), 0.05)
    return 1.0


@contextlib.asynccontextmanager
async def open_client(token: str, api_url: str) -> AsyncIterator[AsyncWebClient]:
    """A client with its own session: without one the SDK opens a connection for each call, at a third of the speed."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
        # No handler repeats a call by itself: a post that was lost on the way back must not be made twice.
        yield AsyncWebClient(token, base_url=api_url, session=session, logger=sdk_logger(), retry_handlers=[])

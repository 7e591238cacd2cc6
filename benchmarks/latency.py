"""From a signed Slack event to the ack, the first text and the whole answer: the bot against a bare Bolt handler.

Both run as processes of their own, one after the other in the same run, against the same Slack and the same instant
model on loopback. Quote the ratios: absolute times are this machine's. Run as `python -m benchmarks.latency [events]`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import aiohttp

from tests.fakes.openai import Answer, FakeOpenAI
from tests.fakes.poll import until
from tests.fakes.process import BotProcess
from tests.fakes.slack import BOT_TOKEN, SIGNING_SECRET, FakeSlack
from tests.fakes.slack_requests import Sender, dm_event

if TYPE_CHECKING:
    from aiohttp import web

WARM_UP = 20
ANSWER = "An instant answer, long enough that a phone shows something of it at once."
STEPS = ("ack", "first text", "final")


@dataclass
class TimedSlack(FakeSlack):
    """Notes when the first and the whole text of an answer arrived; `seen` is by the question's id."""

    seen: dict[str, dict[str, float]] = field(default_factory=dict)
    _threads: dict[str, str] = field(default_factory=dict)

    async def _api(self, request: web.Request) -> web.StreamResponse:
        at = time.perf_counter()
        before = len(self.calls)
        answer = await super()._api(request)
        if before < len(self.calls):
            self._note(*self.calls[-1], at)
        return answer

    def _note(self, method: str, arguments: dict[str, Any], at: float) -> None:
        if method not in ("chat.postMessage", "chat.update") or "I am an AI" in str(arguments):
            return
        if method == "chat.postMessage":
            question = str(arguments["thread_ts"])
            self._threads[max(ts for _, ts in self.messages)] = question
        else:
            question = self._threads.get(str(arguments["ts"]), "")
        times = self.seen.setdefault(question, {})
        times.setdefault("first text", at)
        if ANSWER in str(arguments):
            times.setdefault("final", at)


class BareProcess(BotProcess):
    """The bare handler under uvicorn, as a process."""

    command = ("-m", "benchmarks.serve_bare")


async def measure(process: BotProcess, slack: TimedSlack, events: int) -> dict[str, list[float]]:
    """Send events one after the other; give milliseconds for each step."""
    times: dict[str, list[float]] = {step: [] for step in STEPS}
    async with Sender(process.address) as sender:
        for number in range(WARM_UP + events):
            event = dm_event(f"Question {number}")
            began = time.perf_counter()
            await sender.event(event)
            acked = time.perf_counter()
            await until(lambda ts=event["ts"]: "final" in slack.seen.get(ts, {}))
            if number >= WARM_UP:
                seen = {"ack": acked, **slack.seen[event["ts"]]}
                for step in STEPS:
                    times[step].append(1000 * (seen[step] - began))
            await asyncio.sleep(0.01)
    return times


def resident(pid: int) -> float:
    """Give the resident memory of a process in MiB (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def run(kind: type[BotProcess], events: int) -> tuple[dict[str, list[float]], float, float]:
    """Measure one kind of process: its times, start in seconds, memory in MiB."""
    with tempfile.TemporaryDirectory() as home:
        async with TimedSlack() as slack, FakeOpenAI() as openai:
            openai.say(Answer(ANSWER), when=lambda _: True)
            process = kind(
                Path(home),
                SLACK_BOT_TOKEN=BOT_TOKEN,
                SLACK_SIGNING_SECRET=SIGNING_SECRET,
                SLACK_API_URL=slack.api_url,
                OPENAI_API_KEY="k",
                OPENAI_BASE_URL=openai.url,
            )
            began = time.perf_counter()
            await process.start()
            try:
                await _listening(process)
                started = time.perf_counter() - began
                times = await measure(process, slack, events)
                return times, started, resident(process.process.pid)
            finally:
                await process.kill()


async def _listening(process: BotProcess) -> None:
    async def so() -> bool:
        try:
            async with aiohttp.ClientSession() as session, session.get(f"{process.address}/healthz"):
                return True
        except aiohttp.ClientError:
            return False

    await until(so, 30)


async def main(events: int) -> None:
    """Measure both and print the table."""
    results = {kind.__name__: await run(kind, events) for kind in (BareProcess, BotProcess)}
    (bare, bare_start, bare_memory), (bot, bot_start, bot_memory) = results.values()
    print(f"{events} events, one after the other, milliseconds")
    print(f"{'':12}{'bare p50':>10}{'bot p50':>10}{'ratio':>8}{'bare p99':>10}{'bot p99':>10}{'ratio':>8}")
    for step in STEPS:
        middle = median(bare[step]), median(bot[step])
        tail = quantiles(bare[step], n=100)[98], quantiles(bot[step], n=100)[98]
        cells = "".join(f"{a:10.1f}{b:10.1f}{b / a:8.1f}" for a, b in (middle, tail))
        print(f"{step:12}{cells}")
    print(f"start        {bare_start:.2f} s bare, {bot_start:.2f} s bot ({bot_start / bare_start:.1f}x)")
    print(f"memory       {bare_memory:.0f} MiB bare, {bot_memory:.0f} MiB bot ({bot_memory / bare_memory:.1f}x)")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))

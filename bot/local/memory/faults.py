"""Switches for tests: the failures of the hosted service, on demand. All are off unless a test turns them on."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Fault:
    """One thing that goes wrong with calls to `path` (a prefix): so many times, None for ever."""

    status: int = 200
    code: str = ""
    times: int | None = 1
    path: str = "/v1"
    method: str = ""
    seconds: float = 0.0
    retry_after: float | None = None
    malformed: bool = False

    def takes(self, method: str, path: str) -> bool:
        """Tell whether it applies to a call, and count it."""
        if self.times == 0 or not path.startswith(self.path) or self.method not in {"", method}:
            return False
        self.times = None if self.times is None else self.times - 1
        return True


_CODES = {
    401: "bad_key", 402: "allowance_used", 403: "wrong_space", 404: "not_switched_on", 429: "busy", 500: "internal",
    502: "memory_unavailable", 503: "memory_unavailable",
}  # fmt: skip


@dataclass(slots=True)
class Faults:
    """What goes wrong from now on. The first fault that applies to a call is taken.

    `waiting`: additions are saved but not learned, as past the month's use. `empty_briefing`: briefings say nothing.
    """

    waiting: bool = False
    empty_briefing: bool = False
    queue: list[Fault] = field(default_factory=list)

    def fail(
        self,
        status: int,
        *,
        times: int | None = 1,
        path: str = "/v1",
        method: str = "",
        retry_after: float | None = None,
    ) -> None:
        """Answer the next `times` calls (None = all) with an error: 402, 404 (not switched on), 429, 500 or 503."""
        code = _CODES.get(status, "error")
        self.queue.append(Fault(status, code, times, path, method, retry_after=retry_after))

    def slow(self, seconds: float, *, times: int | None = 1, path: str = "/v1", method: str = "") -> None:
        """Answer the next `times` calls that many seconds late."""
        self.queue.append(Fault(times=times, path=path, method=method, seconds=seconds))

    def malform(self, *, times: int | None = 1, path: str = "/v1", method: str = "") -> None:
        """Answer the next `times` calls with 200 and a body that is not what was asked for."""
        self.queue.append(Fault(times=times, path=path, method=method, malformed=True))

    def clear(self) -> None:
        """End all of it."""
        self.waiting = self.empty_briefing = False
        self.queue.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault that this call meets."""
        return next((fault for fault in self.queue if fault.takes(method, path)), None)

"""Rate limits, retry policy, budget and clock of the collector."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Protocol

from duologue.core.errors import DuologueError
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

TIMELINE_MINIMUM = 5
"""Minimum page size of a timeline (API v2)."""
_DAY_SECONDS = 86_400.0
_MANY = 1e15
_LAST_SECOND = 1e12
"""Since 1970; what is said to happen later, or is no number, is not waited for."""
_MAX_DOUBLED = 1000
"""Times that a back-off is doubled: of more there is no float."""


class Clock(Protocol):
    """Clock protocol; tests use a simulated one."""

    def now(self) -> float:
        """Return seconds since 1970."""
        ...

    def sleep(self, seconds: float) -> None:
        """Sleep."""
        ...


class WallClock:
    """System clock."""

    def now(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


class RetryPolicy(Record, frozen=True, kw_only=True):
    """Retries with exponential back-off and time-outs."""

    margin_seconds: float = 5.0
    """Seconds added to the promised reset of a rate limit."""
    first_seconds: float = 1.0
    """Back-off after the first error; doubles with each further one."""
    max_seconds: float = 905.0
    """Maximum back-off: one rate-limit window plus five seconds, as the official collector."""
    tries: int = 11
    """Maximum consecutive errors; with the defaults about 17 minutes, longer than a window."""
    answer_seconds: float = 120.0
    """Time-out of a whole response; slower ones are aborted and retried."""
    silence_seconds: float = 30.0
    """Time-out between bytes."""

    def after(self, errors: int, rng: Random) -> float:
        """Return the back-off in seconds after consecutive errors, doubled each time, with 50 % jitter.

        Two collectors that were refused together do not come back together.
        """
        full = min(self.max_seconds, self.first_seconds * 2.0 ** min(errors - 1, _MAX_DOUBLED))
        return full * (0.5 + 0.5 * rng.random())


class RateLimits:
    """Remaining calls per endpoint, from response headers."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[int, float]] = {}

    def note(self, family: str, headers: Mapping[str, str]) -> bool:
        """Update from response headers; return whether they included a limit."""
        left, reset = headers.get("x-rate-limit-remaining"), headers.get("x-rate-limit-reset")
        try:
            self.set(family, int(left or ""), float(reset or ""))
        except ValueError:
            return False
        return True

    def set(self, family: str, left: int, reset: float) -> None:
        """Set the remaining calls and the reset time (seconds since 1970)."""
        if abs(reset) < _LAST_SECOND:
            self._left[family] = (left, reset)

    def wait(self, family: str, now: float, margin: float) -> float:
        """Return the seconds to wait before a call: until the reset plus a margin where no call is left."""
        left, reset = self._left.get(family, (1, 0.0))
        if left > 0:
            return 0.0
        del self._left[family]  # fresh afterwards, until an answer says otherwise
        return min(max(0.0, reset + margin - now), _DAY_SECONDS)


class BudgetSpentError(DuologueError):
    """The next call could exceed the budget; what was collected is kept."""

    exit_code = 0


class Prices(Record, frozen=True, kw_only=True):
    """Prices per read in USD: list prices of the X API in August 2026."""

    post: float = 0.005
    user: float = 0.010


class Budget:
    """Budget of posts and USD, and what was used.

    Every post that is delivered counts, also one delivered before: the service charges a post once a UTC day, so that
    its bill can only be lower. Users count where they are asked for by name or searched, not where they come along
    with posts.
    """

    def __init__(
        self, prices: Prices | None = None, *, max_posts: int | None = None, max_usd: float | None = None
    ) -> None:
        self.prices = prices or Prices()
        self.max_posts = max_posts
        self.max_usd = max_usd
        self.posts = 0
        self.users = 0

    @property
    def limited(self) -> bool:
        """Whether any limit is set."""
        return self.max_posts is not None or self.max_usd is not None

    @property
    def usd(self) -> float:
        """Cost so far in USD."""
        return self.posts * self.prices.post + self.users * self.prices.user

    def afford_posts(self, limit: int, least: int = 1) -> int:
        """Return how many of `limit` posts one may ask for. Raises `BudgetSpentError` for fewer than `least`."""
        left = limit if self.max_posts is None else min(limit, self.max_posts - self.posts)
        if self.max_usd is not None and self.prices.post > 0:
            left = min(left, self._affordable(self.prices.post))
        return self._enough(left, least)

    def afford_users(self, limit: int) -> int:
        """Return how many of `limit` users one may ask for. Raises `BudgetSpentError` for none."""
        if self.max_usd is not None and self.prices.user > 0:
            limit = min(limit, self._affordable(self.prices.user))
        return self._enough(limit, 1)

    def _affordable(self, price: float) -> int:
        assert self.max_usd is not None
        return math.floor(min((self.max_usd - self.usd) / price + 1e-9, _MANY))

    def _enough(self, left: int, least: int) -> int:
        if left < least:
            raise BudgetSpentError(
                f"the budget is spent: {self.told()}; everything is kept, and the same command goes on from here"
            )
        return left

    def told(self) -> str:
        """Return what was read and its cost as text."""
        users = f" and {self.users:,} users" if self.users else ""
        return f"{self.posts:,} posts{users} read, at most {self.usd:,.2f} USD"

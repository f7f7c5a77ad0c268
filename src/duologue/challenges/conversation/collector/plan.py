"""Dry run: calls and cost of a collection, estimated without calling anything."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.collector.api import BATCH
from duologue.core.text_columns import aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.collector.rate_limits import Budget

_TIMELINE_POSTS = 3_200
"""Maximum posts of a timeline, in both APIs."""


class PlannedCalls(NamedTuple):
    """Estimated calls of one endpoint: minimum and maximum of calls, posts and users."""

    endpoint: str
    calls: tuple[int, int]
    posts: tuple[int, int] = (0, 0)
    users: tuple[int, int] = (0, 0)


def timeline_steps(service: str, accounts: int, unknown: int, limit: int | None) -> list[PlannedCalls]:
    """Estimate the calls for accounts, `unknown` of which have no user id in the store yet (v2 only)."""
    posts = accounts * _TIMELINE_POSTS
    replies = posts if limit is None else min(posts, accounts * limit)
    pages = _TIMELINE_POSTS // BATCH
    if service == "v1":
        return [
            PlannedCalls("/application/rate_limit_status.json", (accounts, 2 * accounts)),
            PlannedCalls("/statuses/user_timeline.json", (accounts, accounts * (pages + 1)), (0, posts)),
            PlannedCalls("/statuses/lookup.json", (0, accounts * pages), (0, replies)),
        ]
    batches = math.ceil(unknown / BATCH)
    return [
        PlannedCalls("/2/users/by", (batches, batches), users=(unknown, unknown)),
        PlannedCalls("/2/users/:id/tweets", (accounts, accounts * pages), (0, posts)),
        PlannedCalls("/2/tweets", (0, accounts * pages), (0, replies)),
    ]


def lookup_steps(service: str, ids: int) -> list[PlannedCalls]:
    """Estimate the calls for fetching posts by id."""
    calls = math.ceil(ids / BATCH)
    if service == "v1":
        status = (min(calls, 1),) * 2
        return [
            PlannedCalls("/application/rate_limit_status.json", status),
            PlannedCalls("/statuses/lookup.json", (calls, calls), (0, ids)),
        ]
    return [PlannedCalls("/2/tweets", (calls, calls), (0, ids))]


def plan_text(steps: Sequence[PlannedCalls], budget: Budget, base_url: str) -> str:
    """Format an estimate: calls, reads and cost per endpoint, and in total."""
    rows = [("GET", "calls", "posts", "users", "USD at most")]
    low = high = 0.0
    for step in steps:
        least, most = (step.posts[at] * budget.prices.post + step.users[at] * budget.prices.user for at in (0, 1))
        low, high = low + least, high + most
        rows.append((step.endpoint, _span(step.calls), _span(step.posts), _span(step.users), f"{most:,.2f}"))
    lines = [f"nothing is called; against {base_url} it would be"]
    lines += [f"  {line}" for line in aligned(rows, [False, True, True, True, True])]
    lines.append(f"cost: {low:,.2f} to {high:,.2f} USD" if round(low, 2) < round(high, 2) else f"cost: {high:,.2f} USD")
    if budget.max_posts is not None:
        lines.append(f"it would stop before post {budget.max_posts + 1:,} of this run (--max-posts)")
    if budget.max_usd is not None:
        lines.append(f"it would stop before {budget.max_usd:,.2f} USD are exceeded (--max-usd)")
    return "\n".join(lines)


def _span(bounds: tuple[int, int]) -> str:
    low, high = bounds
    return f"{high:,}" if low == high else f"{low:,} to {high:,}"

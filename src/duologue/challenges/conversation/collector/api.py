"""Common protocol of the two API versions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from duologue.challenges.conversation.collector.client import HttpClient
    from duologue.challenges.conversation.collector.rate_limits import Budget

    Row = dict[str, Any]

BATCH = 100
"""Batch size of look-ups by id or name, and page size of timelines."""


class FetchedPost(NamedTuple):
    """A post in stored form, with its original where that holds more."""

    post: Row
    """In the form of REST API 1.1."""
    raw: str | None = None
    """The JSON object of API v2."""


class TimelinePage(NamedTuple):
    """A page of a timeline, newest first."""

    posts: Sequence[FetchedPost]
    beside: Sequence[FetchedPost]
    """Posts replied to that came along."""
    before: int | None
    """The oldest id read so far: the next page has smaller ones. `None` where nothing was read."""


class LookupResult(NamedTuple):
    """Result of one look-up call."""

    posts: Sequence[FetchedPost]
    absent: dict[int, str]
    """Ids without a post (deleted, protected, unknown) -> reason."""


class Api(ABC):
    """API of the service. Calls count towards the budget, and raise `CallError` as `HttpClient.get` does."""

    thrifty: ClassVar[bool]
    """Whether posts delivered with the timeline are not looked up again, as the official collector does."""

    def __init__(self, caller: HttpClient, budget: Budget, say: Callable[[str], object] = lambda _: None) -> None:
        self._caller = caller
        self.budget = budget
        self._say = say

    @abstractmethod
    def timeline(
        self, account: str, *, since: int | None, before: int | None, limit: int | None
    ) -> Iterator[TimelinePage]:
        """Yield the pages of an account's timeline without retweets: ids above `since`, below `before`.

        `limit` posts are wanted, which may make pages smaller. Raises `GoneError` for an account that is not there
        or may not be read, and `BudgetSpentError` before a call that the budget does not allow.
        """

    def look_up(self, ids: Sequence[int]) -> Iterator[LookupResult]:
        """Yield the posts with these ids, a batch at a time. Raises `BudgetSpentError` as `timeline` does."""
        rest = list(ids)
        while rest:
            size = self.budget.afford_posts(min(BATCH, len(rest)))
            asked, rest = rest[:size], rest[size:]
            posts, reasons = self._batch(asked)
            there = {sent.post["id"] for sent in posts}
            yield LookupResult(posts, {one: reasons.get(one, "not in the answer") for one in asked if one not in there})

    @abstractmethod
    def _batch(self, ids: Sequence[int]) -> tuple[Sequence[FetchedPost], Mapping[int | None, str]]:
        """Return the posts with these ids in one call, and why others are absent, as far as the service says."""

    @abstractmethod
    def search_users(self, words: str, limit: int) -> Iterator[Row]:
        """Yield up to `limit` user objects that match keywords."""

    def _tell_incomplete(self, missing: int, rows: int) -> None:
        if missing:
            self._say(f"{missing} of {rows} posts lack fields and are left out")

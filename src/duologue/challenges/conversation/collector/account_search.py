"""Account search by keywords (specification, section 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.collector.rate_limits import BudgetSpentError
from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.challenges.conversation.collector.api import Api


class AccountSearchResult(Record, frozen=True, kw_only=True):
    """Result of a search."""

    names: tuple[str, ...]
    """Screen names in the service's ranking."""
    rows: tuple[dict[str, Any], ...]
    """User objects as returned."""
    stopped: str | None = None
    """Why the search stopped before its end."""


def search_accounts(api: Api, words: str, limit: int) -> AccountSearchResult:
    """Return up to `limit` matching accounts. Raises `CallError` as `HttpClient.get` does."""
    rows: list[dict[str, Any]] = []
    stopped = None
    try:
        for row in api.search_users(words, limit):
            rows.append(row)  # noqa: PERF402  # what came before the budget was spent stays
    except BudgetSpentError as error:
        stopped = str(error)
    names = [row.get("screen_name") or row.get("username") for row in rows]
    return AccountSearchResult(
        names=tuple(name for name in names if isinstance(name, str)), rows=tuple(rows), stopped=stopped
    )

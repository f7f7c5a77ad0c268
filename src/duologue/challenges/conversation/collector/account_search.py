"""Finding accounts by words (specification, section 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.collector.rate_limits import BudgetSpentError
from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.challenges.conversation.collector.api import Api


class AccountSearchResult(Record, frozen=True, kw_only=True):
    """What a search found."""

    names: tuple[str, ...]
    """Screen names, as the service ranks them."""
    rows: tuple[dict[str, Any], ...]
    """What the service says of each."""
    stopped: str | None = None
    """Why the search stopped before its end."""


def search_accounts(api: Api, words: str, most: int) -> AccountSearchResult:
    """Return up to so many accounts that the service finds. Raises `CallError` as `Caller.get` does."""
    rows: list[dict[str, Any]] = []
    stopped = None
    try:
        for row in api.search_users(words, most):
            rows.append(row)  # noqa: PERF402  # what came before the budget was spent stays
    except BudgetSpentError as error:
        stopped = str(error)
    names = [row.get("screen_name") or row.get("username") for row in rows]
    return AccountSearchResult(
        names=tuple(name for name in names if isinstance(name, str)), rows=tuple(rows), stopped=stopped
    )

"""Usage: what the answers of a system took, such as calls, tokens, cost and latency, where the system tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import System

_UNREAD = "unparsable"
USAGE = "usage"
"""Under which `Report.meta` has the usage of each partner, by its part: `system`, `user`."""


def accounts_of(system: System) -> list[dict[str, Any]]:
    """Return an account of each answer that a system has given so far, in their order; none of most systems."""
    return list(getattr(system, "accounts", ()))


def forget_accounts(system: System) -> None:
    """Forget the accounts of the answers so far: of a system that answers for days, and is never asked for them."""
    found = getattr(system, "accounts", None)
    if isinstance(found, list):
        found.clear()


def usage_of(system: System, accounts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the answers with these accounts took in all; nothing where there is none."""
    return dict(_teller(system).usage(accounts)) if accounts else {}


def usage_lines(system: System) -> list[str]:
    """Return what a system tells of the answers that it has given so far, a line each; nothing of most systems."""
    accounts, teller = accounts_of(system), _teller(system)
    return list(teller.usage_lines(teller.usage(accounts), len(accounts))) if accounts else []


def unread_answers(usage: Mapping[str, Any]) -> list[Problem]:
    """Return a warning for each partner some of whose answers could not be read; `usage` is as `Report.meta` has it."""
    counts = {part: taken.get(_UNREAD) for part, taken in usage.items() if isinstance(taken, dict)}
    return [
        Problem(
            rule="answers-unread",
            place=part,
            message=f"answers of a model that could not be read and count as empty (rankings as by lot): {count:,}",
            advice="ask in another form, or another model",
            severity="warning",
        )
        for part, count in counts.items()
        if type(count) is int and count > 0
    ]


def _teller(system: System) -> Any:
    """Return a system as one that tells its usage: `usage` adds up accounts, `usage_lines` puts that into words."""
    return system

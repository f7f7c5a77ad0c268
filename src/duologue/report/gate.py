"""A gate for changes: whether a second system is shown to be worse than the first on the score that ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.report.numbers import points, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.report.comparison import Comparison


class GateVerdict(NamedTuple):
    """Whether a change may pass, and why."""

    score: str
    """The score that ranks, by which it is judged."""
    passed: bool
    reason: str
    """One sentence with the figures."""


def gate(found: Sequence[Comparison], rank_by: str) -> GateVerdict:
    """Judge a comparison of an accepted system A with a new one B: B fails where it is shown to be worse than A.

    A difference that is not shown passes; where nothing could be tested, nothing passes.
    """
    one = next((one for one in found if one.tested.name == rank_by), None)
    if one is None or not one.is_tested:
        return GateVerdict(
            rank_by, passed=False, reason=f"{rank_by}, which ranks, could not be tested, so nothing passes"
        )
    difference = f"B - A in {rank_by}: {points(-one.tested.difference, one.percent)}"
    told = f"{difference}{' points' if one.percent else ''}, p adj. {probability(one.tested.p_adjusted)}, n {one.n}"
    if one.better == "a":
        return GateVerdict(rank_by, passed=False, reason=f"B ({one.b}) is worse than A ({one.a}); {told}")
    how = "is better than" if one.better == "b" else "is not shown to be worse than"
    return GateVerdict(rank_by, passed=True, reason=f"B ({one.b}) {how} A ({one.a}); {told}")

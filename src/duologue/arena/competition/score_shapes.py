"""What the database keeps of scores as JSON: the summary of an entry, and the board of a phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from duologue.arena.database.damage import damaged

if TYPE_CHECKING:
    from collections.abc import Sequence


class KeptProblem(TypedDict):
    """A problem of an entry's file, as `core.records.Problem` tells it."""

    rule: str
    message: str
    severity: str
    place: str
    advice: str
    stands_for: NotRequired[int]


class KeptScore(TypedDict):
    """A score with its interval."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    percent: bool
    """Whether it is a fraction, which is printed in percent."""
    higher_is_better: NotRequired[bool]
    note: NotRequired[str]
    """How the figure is to be taken, which stands beside it; none where nothing is said of it."""


class SummarySlice(TypedDict):
    """The scores of a part of the items."""

    by: str
    value: str
    n: int
    scores: dict[str, float | None]


class BoardSlice(TypedDict):
    """The score that ranks on a part of the items."""

    by: str
    value: str
    n: int
    score: float | None


class KeptDifference(TypedDict):
    """A paired test against the team's former entry: `a` is the new one."""

    score: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_adjusted: float | None
    better: Literal["a", "b"] | None
    wins: NotRequired[int | None]
    losses: NotRequired[int | None]
    percent: NotRequired[bool]


class EntrySummary(TypedDict):
    """What a team may see of its entry's report."""

    n: int
    variant: str
    rank_by: str
    higher_is_better: bool
    signature: str
    caution: str
    scores: list[KeptScore]
    slices: list[SummarySlice]
    difference: list[KeptDifference]
    """Paired tests against the team's former entry, as `compare` has them."""


class BoardRow(TypedDict):
    """One team on the board of a phase."""

    team: str
    tier: int | None
    rank: tuple[int, int]
    value: float | None
    scores: list[KeptScore]
    slices: list[BoardSlice]
    signature: str


class PhaseBoard(TypedDict):
    """The board of a phase as last computed."""

    n: int
    rank_by: str
    variant: str
    caution: str
    untested: str
    """Why no test could be made; empty where there are tests."""
    detectable: float | None
    comparisons: list[dict[str, Any]]
    rows: list[BoardRow]


def ranking_score(scores: Sequence[KeptScore], rank_by: str) -> KeptScore:
    """Return the score that ranks. Raises `StorageError` where none has its name: some byte was changed."""
    for one in scores:
        if one["name"] == rank_by:
            return one
    raise damaged("the database", f"scores are ranked by '{rank_by}', which is none of them")

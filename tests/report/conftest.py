"""Small invented reports."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

import pytest

from duologue.core.records import Report, Slice
from duologue.metrics.counts import sign
from duologue.metrics.rank import count_ranks, ranking_metrics
from duologue.metrics.significance import scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Problem


class MakeReport(Protocol):
    def __call__(
        self,
        system: str = "",
        *,
        wrong: int = 0,
        n: int = 100,
        test_set: str | None = "tst1",
        ids: Sequence[str] = (),
        variant: str = "strict",
        seen: str = "",
        slices: bool = False,
        problems: tuple[Problem, ...] = (),
        commands: Sequence[str] = (),
        gold: str = "",
    ) -> Report: ...


def _make(
    system: str = "",
    *,
    wrong: int = 0,
    n: int = 100,
    test_set: str | None = "tst1",
    ids: Sequence[str] = (),
    variant: str = "strict",
    seen: str = "",
    slices: bool = False,
    problems: tuple[Problem, ...] = (),
    commands: Sequence[str] = (),
    gold: str = "",
) -> Report:
    """Return the report of a system that ranks the answer third in its first `wrong` items."""
    names = list(ids) or [f"{test_set or 'x'}/{number:04}" for number in range(n)]
    counts = count_ranks(names, [3 if number < wrong else 1 for number in range(len(names))])
    metrics = ranking_metrics()
    signature = sign(
        metrics, "toy", variant, f"n {len(names)}", f"pred {hashlib.sha256(system.encode()).hexdigest()[:8]}"
    )
    half = len(names) // 2
    parts = {"api_call": range(half), "question": range(half, len(names))} if slices else {}
    meta: dict[str, object] = {"commands": list(commands)}
    if test_set:
        meta["test_set"] = test_set
    if gold:
        signature += f" | gold {gold}"
    return Report(
        task="toy",
        variant=variant,
        n=len(names),
        scores=scores(counts, metrics, seed=1, signature=signature, resamples=500),
        rank_by="p@1",
        signature=signature,
        slices=tuple(
            Slice(
                by="answer-type",
                value=value,
                n=len(rows),
                scores=scores(counts.take(rows), metrics, seed=1, resamples=500),
            )
            for value, rows in parts.items()
        ),
        columns=counts.columns,
        items=counts.rows(),
        problems=problems,
        system=system,
        seen=seen,
        meta=meta,
    )


@pytest.fixture
def make_report() -> MakeReport:
    """Make the report of an invented system; see `_make`."""
    return _make

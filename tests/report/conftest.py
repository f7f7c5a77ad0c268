"""Small invented reports."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

import pytest

from duologue.core.records import Report, Signature, Slice
from duologue.metrics.intervals import scores
from duologue.metrics.rank import count_ranks, ranking_metrics

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
        dialogues: bool = True,
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
    dialogues: bool = True,
) -> Report:
    """Return the report of a system that ranks the answer third in its first `wrong` items, each a dialogue."""
    names = list(ids) or [f"{test_set or 'x'}/{number:04}" for number in range(n)]
    counts = count_ranks(
        names, [3 if number < wrong else 1 for number in range(len(names))], groups=names if dialogues else None
    )
    metrics = ranking_metrics()
    hashes = {"pred": hashlib.sha256(system.encode()).hexdigest(), **({"gold": gold} if gold else {})}
    formulas = tuple(one.formula for one in metrics)
    signature = Signature(formulas=formulas, task="toy", variant=variant, n=len(names), hashes=hashes)
    half = len(names) // 2
    parts = {"api_call": range(half), "question": range(half, len(names))} if slices else {}
    meta: dict[str, object] = {"commands": list(commands)}
    if test_set:
        meta["test_set"] = test_set
    return Report(
        task="toy",
        variant=variant,
        n=len(names),
        scores=scores(counts, metrics, signature),
        rank_by="p@1",
        signature=counts.sign(signature),
        slices=tuple(
            Slice(
                by="answer-type",
                value=value,
                n=len(rows),
                scores=scores(counts.take(rows), metrics),
            )
            for value, rows in parts.items()
        ),
        columns=counts.columns,
        items=counts.rows(),
        groups=counts.groups or (),
        problems=problems,
        system=system,
        seen=seen,
        meta=meta,
    )


@pytest.fixture
def make_report() -> MakeReport:
    """Make the report of an invented system; see `_make`."""
    return _make

"""Reports and comparisons as JSON objects (`--json`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Report, Score
    from duologue.report.comparison import Comparison, Gap


def to_json(report: Report) -> dict[str, Any]:
    """Return `{"task", "variant", "n", "scores": {name: {"value", "low", "high"}}, "signature"}`.

    Scores are unrounded fractions; `None` (JSON null) where there is no interval, or no item to score. A score that
    says how it is to be taken has that as `note`. Added when known: `system`, `seen` (data seen in training),
    `exposure` (how much of the truth was among it) and `slices`, a list of `{"by", "value", "n", "scores"}`. `external`
    names declared external data, null: not declared.
    """
    found: dict[str, Any] = {
        "task": report.task,
        "variant": report.variant,
        "n": report.n,
        "scores": _scores(report.scores),
        "signature": str(report.signature),
    }
    if report.caution:
        found["caution"] = report.caution
    if report.system:
        found["system"] = report.system
    if report.seen:
        found["seen"] = report.seen
    found["external"] = report.external
    if report.exposure is not None:
        found["exposure"] = msgspec.to_builtins(report.exposure) | {"leak": report.exposure.leak}
    if report.slices:
        found["slices"] = [
            {"by": part.by, "value": part.value, "n": part.n, "scores": _scores(part.scores)} for part in report.slices
        ]
    return found


def comparisons_to_json(found: Sequence[Comparison], rank_by: str = "", gaps: Sequence[Gap] = ()) -> dict[str, Any]:
    """Return `{"comparisons": [...], "differ_most": {"score", "items"}}`: a row per score, and the items apart most.

    `better` is `"a"`, `"b"` or null: no difference is shown at 5 % over its `family`, or nothing was tested (`p` null).
    `detectable` is the true difference that this test finds with a chance of 80 %; `wins` counts items on which A is
    better than B.
    """
    rows = [
        {
            "score": one.tested.name,
            "a": one.a,
            "b": one.b,
            "n": one.n,
            "value_a": json_number(one.tested.a),
            "value_b": json_number(one.tested.b),
            "difference": json_number(one.tested.difference),
            "low": json_number(one.tested.low),
            "high": json_number(one.tested.high),
            "p": json_number(one.tested.p),
            "p_adjusted": json_number(one.tested.p_adjusted),
            "detectable": json_number(one.tested.detectable),
            "family": one.family,
            "swaps": one.swaps,
            "better": one.better,
            **({} if one.win_loss is None else one.win_loss._asdict()),
            **({"caution": one.caution} if one.caution else {}),
            **({"note": one.note} if one.note else {}),
        }
        for one in found
    ]
    return {"comparisons": rows, "differ_most": {"score": rank_by, "items": [gap._asdict() for gap in gaps]}}


def _scores(scores: Iterable[Score]) -> dict[str, dict[str, float | str | None]]:
    return {
        score.name: {
            "value": json_number(score.value),
            "low": json_number(score.low),
            "high": json_number(score.high),
            **({"note": score.note} if score.note else {}),
        }
        for score in scores
    }


def json_number(value: float | None) -> float | None:
    """Return the number, and `None` for NaN and infinities, which JSON does not have."""
    return None if value is None or not math.isfinite(value) else value

"""Counts of a sample's selected triples against the gold ones (specification, sections 3.1 and 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from duologue.challenges.spoken.schema.triples import key_of
from duologue.metrics.overlap import overlap_metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.schema.triples import Key
    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.metrics.counts import Floats

    Attrs = Sequence[dict[str, Any]]

_COUNTS = ("triples hit", "triples said", "triples wanted")


def count_triples(golds: Sequence[Attrs], said: Sequence[Attrs | None], options: ScoringOptions) -> dict[str, Floats]:
    """Return the counts of samples by name: `kept`, the triples' own, and each sample's precision, recall and F1.

    `said` is `None` where a sample has no reply: it scores 0 even where there was nothing to say.
    """
    rows = [_count(gold, given, options) for gold, given in zip(golds, said, strict=True)]
    counts = np.array([row or (0, 0, 0) for row in rows], dtype=np.float64).reshape(len(rows), len(_COUNTS))
    kept = np.array([row is not None for row in rows], dtype=np.float64)
    answered = kept * [given is not None for given in said]
    nothing = float(options.empty == "one")
    measures = {one.name: one.total(counts) * answered for one in overlap_metrics("triples", nothing=nothing)}
    return {"kept": kept, **measures, **dict(zip(_COUNTS, counts.T, strict=True))}


def _count(gold: Attrs, said: Attrs | None, options: ScoringOptions) -> tuple[int, int, int] | None:
    """Return triples hit, said and wanted of a sample; `None` where option `empty` leaves it out."""
    wanted, given = _keys(gold, options), _keys(said or (), options)
    if (options.empty == "gold_only" and not wanted) or (options.empty == "skip" and not wanted and not given):
        return None
    known = set(wanted)
    return sum(key in known for key in given), len(given), len(wanted)


def _keys(attrs: Attrs, options: ScoringOptions) -> list[Key]:
    keys = [key_of(attr, strict_types=options.strict_types == "true") for attr in attrs]
    return list(dict.fromkeys(keys)) if options.duplicates == "dedupe" else keys

"""Counts of a sample's selected triples against the gold ones (specification, sections 3.1 and 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.spoken.schema.triples import key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.schema.triples import Key
    from duologue.challenges.spoken.scoring.options import ScoringOptions

COLUMNS = ("kept", "precision", "recall", "f1", "triples hit", "triples said", "triples wanted")
"""Names of the counts."""

LEFT_OUT = (0.0,) * len(COLUMNS)
"""The counts of a sample that `Choices.empty` leaves out."""


def count_triples(
    gold: Sequence[dict[str, Any]], said: Sequence[dict[str, Any]] | None, options: ScoringOptions
) -> tuple[float, ...]:
    """Return the counts of a sample in the order of `COLUMNS`; `said` is `None` where the sample has no reply.

    A sample without a reply scores 0 even where there was nothing to say.
    """
    wanted = _keys(gold, options)
    given = _keys(said or (), options)
    if (options.empty == "gold_only" and not wanted) or (options.empty == "skip" and not wanted and not given):
        return LEFT_OUT
    known = set(wanted)
    hits = sum(key in known for key in given)
    if not wanted and not given:
        precision = recall = f1 = float(options.empty == "one" and said is not None)
    elif not hits:
        precision = recall = f1 = 0.0
    else:
        precision, recall = hits / len(given), hits / len(wanted)
        f1 = 2 * precision * recall / (precision + recall)
    return 1.0, precision, recall, f1, float(hits), float(len(given)), float(len(wanted))


def _keys(attrs: Sequence[dict[str, Any]], options: ScoringOptions) -> list[Key]:
    keys = [key_of(attr, strict_types=options.strict_types == "true") for attr in attrs]
    return list(dict.fromkeys(keys)) if options.duplicates == "dedupe" else keys

"""Paired tests of a benchmark page: all that are made on the same items are one family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.metrics.significance import Contrast, paired_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Counts, Metric
    from duologue.metrics.significance import PairedTest


def tested(tests: Sequence[tuple[Counts, Counts, Metric[Any]]]) -> list[PairedTest]:
    """Return the outcome of each test, corrected over all tests on the same items."""
    found: dict[int, PairedTest] = {}
    families: dict[frozenset[str], list[int]] = {}
    for place, (first, _, _) in enumerate(tests):
        families.setdefault(frozenset(first.ids), []).append(place)
    for places in families.values():
        systems: list[Counts] = []
        for place in places:
            systems += [one for one in tests[place][:2] if not any(one is known for known in systems)]
        home = {id(one): number for number, one in enumerate(systems)}
        contrasts = [Contrast(home[id(a)], home[id(b)], metric) for a, b, metric in (tests[place] for place in places)]
        found.update(zip(places, paired_tests(systems, contrasts).tests, strict=True))
    return [found[place] for place in range(len(tests))]

"""The baselines of the literature beside our rankers: a section of RESTAURANT.md, made by `restaurant.py`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from duologue.metrics.counts import Counts
from duologue.metrics.intervals import intervals
from duologue.metrics.rank import PrecisionAt
from duologue.metrics.significance import Contrast, paired_tests
from restaurant_simulated import SYSTEMS, UNSEEN, VARIANTS, counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Report
    from restaurant_simulated import Judged

FIRST = PrecisionAt(1)
AS_A = next(iter(VARIANTS))

Sets = dict[str, dict[str, Counts]]


def section(real: Mapping[str, Mapping[str, Report]], judged: Sequence[Judged]) -> str:
    """Return this part of the page, from reports over whole real test sets and from what simulated ones gave."""
    sets: Sets = {name: {one: Counts.of_report(of) for one, of in own.items()} for name, own in real.items()}
    sets |= {f"simulated {part}": simulated(judged, part) for part in UNSEEN}
    order = list(dict.fromkeys(system for own in sets.values() for system in own))
    lines = []
    for system in order:
        cells = [cell(own[system]) if system in own else "-" for own in sets.values()]
        lines.append(f"| {system} | {' | '.join(cells)} |")
    return TEXT.format(
        sets=" | ".join(sets), rule="---|" * (len(sets) + 1), rows="\n".join(lines), tests="\n".join(tests(sets))
    )


def simulated(judged: Sequence[Judged], part: str) -> dict[str, Counts]:
    """Return the ranks of each system on a simulated set with candidates and cuts as in release A."""
    own = {
        name: [one for one in judged if (one.variant, one.part, one.system) == (AS_A, part, name)] for name in SYSTEMS
    }
    return {name: counts(found) for name, found in own.items() if found}


def cell(found: Counts) -> str:
    """Return P@1 in percent with its interval."""
    one = intervals(found, [FIRST])[0]
    ends = "" if one.low is None or one.high is None else f" ({100 * one.low:.2f}-{100 * one.high:.2f})"
    return f"{100 * one.value:.2f}{ends}"


def tests(sets: Sets) -> list[str]:
    """Return the paired tests of neighbours by P@1 in each set, corrected over all pairs of systems in it."""
    lines = []
    for name, own in sets.items():
        order = sorted(own, key=lambda system: (-FIRST.value(own[system]), system))
        pairs = list(combinations(range(len(order)), 2))
        family = paired_tests([own[system] for system in order], [Contrast(a, b, FIRST) for a, b in pairs])
        for (a, b), tested in zip(pairs, family.tests, strict=True):
            if b == a + 1:
                better = order[a] if tested.differs else "tie"
                lines.append(
                    f"| {name} | {order[a]} | {order[b]} | {100 * tested.difference:.2f} "
                    f"| {100 * tested.low:.2f} to {100 * tested.high:.2f} | {tested.p_adjusted:.4f} | {better} |"
                )
    return lines


TEXT = """
## Baselines of the literature

`memn2n` is the end-to-end memory network (Sukhbaatar et al. 2015) with match types (Bordes et al. 2017): words as they
are, three hops over the turns. `hcn` is the hybrid code network (Williams et al. 2017), adapted to the ranking of
candidates: a recurrent state over the turns chooses among action templates, code tracks the latest value of each slot
and the restaurants by rating, and forbids calls without their values. Both learned from the same simulated dialogues
of knowledge base 1 as `ranker-closed` (the real training data obtained are 2,000 dialogues of two subtasks, and no
system here saw them); their sizes are first guesses, nothing was chosen on a file of this page. P@1 in percent over
all dialogues of the five subtasks with its 95 % interval; A and B are the releases, the simulated sets have candidates
and cuts as in release A. Published, for a recurrent entity network with delexicalisation (Wu et al. 2017): 96.56, the
mean over the five subtasks of all four real sets, two of which are held out here, after training on the challenge's own
dialogues; no interval was published.

| system | {sets} |
|{rule}
{rows}

Neighbours in the order of P@1, approximate randomisation, corrected over all pairs of systems of a set:

| set | A | B | A - B (points) | 95 % interval | p, corrected | better |
|---|---|---|---|---|---|---|
{tests}
"""

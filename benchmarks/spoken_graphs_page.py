"""The page of `benchmarks/spoken_graphs.py`: what the graphs hold, selection on both, by domain and for another mix."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.spoken.schema.domains import domain_of
from duologue.challenges.spoken.schema.triples import attr_of
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.records import Scoring
from duologue.metrics.counts import Counts, Metric
from families import tested
from p_values import p_value
from spoken_page import Result, report_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.records import Example, Fact, Report
    from duologue.knowledge.graph import Graph

REBUILT, DENSER, THINNED = "rebuilt", "denser", "thinned"
_THINNED = """Thinned: the same reader on the denser graph, among as many attributes of each entity as the rebuilt
graph has: those that the dialogue spoke of so far, those that the sample wants, and others drawn at random, true or
false. What of the distance is gone there is due to the number of alternatives. What is left has further false values of
the attributes that are wanted, and others in place of those that people like to speak of."""
_SELECTION = ("precision", "recall", "f1")


class Selection(NamedTuple):
    """What one system selected in one fold on each graph."""

    system: str
    fold: str
    examples: list[Example]
    unseen: set[str]
    """Samples of which no wanted entity is in a triple of the training dialogues."""
    replies: Mapping[str, dict[str, Any]]
    """By graph: replies by sample id in the form of result.json, without words."""


def holds(graph: Graph, whole: Graph, dialogues: Sequence[Sequence[Sequence[Fact]]]) -> list[str]:
    """Return lines that say what the rebuilt graph holds: how much of it dialogues use, and what its order tells.

    `dialogues` has the facts of each turn of each dialogue that the graph was made of.
    """
    used: dict[str, set[int]] = {}
    first: dict[Fact, tuple[int, int]] = {}
    for number, turns in enumerate(dialogues):
        for place, facts in enumerate(turns):
            for fact in facts:
                first.setdefault(fact, (number, place))
                used.setdefault(fact.subject, set()).add(number)
    complete = {fact.subject for fact in whole}
    others = [fact for fact in graph if fact.subject not in complete]
    entities = {fact.subject for fact in others}
    there = sum(fact in first for fact in others)
    once = sum(len(used.get(name, ())) == 1 for name in entities)
    pairs = [
        (first[one], first[other])
        for one, other in pairwise(others)
        if one.subject == other.subject and one in first and other in first and first[one] != first[other]
    ]
    each, in_travel = len(others) / len(entities), len(whole) / len(complete)
    kept = _percent(sum(one < other for one, other in pairs), len(pairs))
    first_line = (
        f"* Outside travel: {len(entities):,} entities with {len(others):,} triples, {each:.1f} each; in travel, "
    )
    second_line = f"* {_percent(there, len(others))} of these triples are used in some dialogue, "
    third_line = "* Of two neighbouring triples of an entity that different turns were the first to use, "
    return [
        f"{first_line}whose graph is whole, {in_travel:.1f}.",
        f"{second_line}{_percent(once, len(entities))} of these entities in one alone (noisy copies count as others).",
        f"{third_line}{kept} stand in the order of use.",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.0f} %"


def by_system(found: Sequence[Selection]) -> dict[tuple[str, str], Result]:
    """Return the pooled results of each system on each graph."""
    made: dict[tuple[str, str], Result] = {}
    for one in found:
        for graph, replies in one.replies.items():
            known = made.get((one.system, graph))
            examples = [*(known.examples if known else ()), *one.examples]
            pooled = {**(known.replies if known else {}), **replies}
            made[one.system, graph] = Result(f"{one.system}, {graph}", "system", "cv", 0, examples, pooled, [], None)
    return made


def mean_of(values: Iterable[float]) -> float:
    """Return the mean; 0 of nothing."""
    listed = list(values)
    return sum(listed) / max(1, len(listed))


def reweighted(scores: Mapping[str, float], shares: Mapping[str, float], given: Mapping[str, float]) -> float:
    """Return a mean of scores by domain where some domains have the share given, the others theirs in proportion.

    >>> reweighted({"a": 1.0, "b": 0.0, "c": 0.5}, {"a": 0.5, "b": 0.25, "c": 0.25}, {"b": 0.5})
    0.4166666666666667
    """
    rest = sum(share for domain, share in shares.items() if domain not in given)
    left = 1 - sum(given.values())
    return sum(given.get(domain, left * shares[domain] / rest) * score for domain, score in sorted(scores.items()))


def scores_of(result: Result) -> dict[str, float]:
    """Return the F1 of each sample with knowledge."""
    found = {}
    for one in result.examples:
        wanted = {scorer_key(attr_of(fact)) for fact in gold_facts(one)}
        if wanted:
            said = {scorer_key(attr) for attr in result.replies[one.sample.id].get("attrs", ())}
            found[one.sample.id] = 2 * len(wanted & said) / (len(wanted) + len(said))
    return found


def scorer_key(attr: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what two equal triples have in common."""
    return tuple(str(attr[name]) for name in ("name", "attrname", "attrvalue"))


def domains_of(examples: Sequence[Example]) -> dict[str, str]:
    """Return the domain of each sample's dialogue by sample id."""
    attributes: dict[str, list[str]] = {}
    for one in examples:
        attributes.setdefault(one.sample.dialogue_id, []).extend(fact.relation for fact in gold_facts(one))
    return {one.sample.id: domain_of(attributes[one.sample.dialogue_id]) or "other" for one in examples}


def page(
    found: Sequence[Selection],
    graphs: Sequence[str],
    rows: Mapping[str, Sequence[str]],
    mix: Mapping[str, float],
    seed: int,
) -> str:
    """Return the page; `graphs` are the lines that say what the graphs hold, `rows` what each row sets in the recipe.

    A row that has not all folds stands in the table by fold and in the tests, on the folds that it has.
    """
    everything = by_system(found)
    folds = list(dict.fromkeys(one.fold for one in found))
    whole = {row for row in rows if {one.fold for one in found if one.system == row} == set(folds)}
    results = {key: result for key, result in everything.items() if key[0] in whole}
    head = f"""# Spoken dialogue: what the rebuilt graph flatters

Made by `python benchmarks/spoken_graphs.py --data FOLDER --write`, seed {seed}: the selection of triples by `grounded`,
{len(folds)} of 5 folds of the cross-validation of [SPOKEN.md](SPOKEN.md) ({", ".join(folds)}), the samples with
knowledge. No replies are worded here.
"""
    parts = {
        "What the graphs hold": graphs,
        "Systems": _systems(rows),
        "Selection on each graph": _selection(results),
        "By fold": _by_fold(found, folds),
        "By domain": _by_domain(results),
        "Entities that nobody saw": _unseen(found, results),
        "Another mix of domains": _mix(results, mix),
        "Paired tests": _tests(everything),
    }
    return head + "".join(f"\n## {name}\n\n" + "\n".join(lines) + "\n" for name, lines in parts.items())


def _systems(rows: Mapping[str, Sequence[str]]) -> list[str]:
    lines = []
    for row, settings in rows.items():
        told = " ".join(f"`--set {one}`" for one in settings) or "nothing, it is the system as it comes"
        lines.append(f"* `{row}` sets {told}.")
    return lines


def _value(report: Report, name: str) -> float:
    return next(score.value for score in report.scores if score.name == name)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def _selection(results: Mapping[tuple[str, str], Result]) -> list[str]:
    rows = []
    for (system, graph), result in results.items():
        report = report_of(result, "knowledge")
        f1 = next(score for score in report.scores if score.name == "f1")
        values = [f"{_value(report, name):.3f}" for name in _SELECTION]
        rows.append([system, graph, str(report.n), *values, f"{f1.low:.3f}-{f1.high:.3f}"])
    lines = _table(["system", "graph", "n", *_SELECTION, "95 % of F1"], rows)
    for system in dict.fromkeys(name for name, _ in results):
        gaps = [f"{_f1(results[system, graph]) - _f1(results[system, REBUILT]):+.3f}" for graph in (DENSER, THINNED)]
        lines.append(f"\nFrom the rebuilt to the denser graph `{system}` goes {gaps[0]}, to the thinned one {gaps[1]}.")
    return [*lines, "", _THINNED]


def _f1(result: Result) -> float:
    return mean_of(scores_of(result).values())


def _by_fold(found: Sequence[Selection], folds: Sequence[str]) -> list[str]:
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for one in found:
        for (system, graph), result in by_system([one]).items():
            cells.setdefault((system, graph), {})[one.fold] = f"{_f1(result):.3f}"
    rows = [[system, graph, *(line.get(fold, "-") for fold in folds)] for (system, graph), line in cells.items()]
    return ["F1.", "", *_table(["system", "graph", *folds], rows)]


def _by_domain(results: Mapping[tuple[str, str], Result]) -> list[str]:
    names = domains_of(next(iter(results.values())).examples)
    scores = {key: scores_of(result) for key, result in results.items()}
    counts = Counter(names[name] for name in next(iter(scores.values())))
    rows = []
    for domain in sorted(counts):
        of = [mean_of(score for name, score in one.items() if names[name] == domain) for one in scores.values()]
        share = f"{100 * counts[domain] / counts.total():.1f} %"
        rows.append([domain, str(counts[domain]), share, *(f"{value:.3f}" for value in of)])
    even = [
        mean_of(mean_of(s for name, s in one.items() if names[name] == domain) for domain in counts)
        for one in scores.values()
    ]
    rows.append(["mean of domains", str(counts.total()), "", *(f"{value:.3f}" for value in even)])
    return ["F1.", "", *_table(["domain", "n", "share", *(f"{one}, {other}" for one, other in results)], rows)]


def _unseen(found: Sequence[Selection], results: Mapping[tuple[str, str], Result]) -> list[str]:
    unseen = {name for one in found for name in one.unseen}
    rows = []
    for (system, graph), result in results.items():
        scores = scores_of(result)
        new = [score for name, score in scores.items() if name in unseen]
        known = [score for name, score in scores.items() if name not in unseen]
        rows.append([system, graph, f"{mean_of(known):.3f} ({len(known)})", f"{mean_of(new):.3f} ({len(new)})"])
    text = "F1 of the samples with an entity that training dialogues spoke of, and of those without one."
    return [text, "", *_table(["system", "graph", "seen (n)", "unseen (n)"], rows)]


def _mix(results: Mapping[tuple[str, str], Result], mix: Mapping[str, float]) -> list[str]:
    names = domains_of(next(iter(results.values())).examples)
    rows = []
    for (system, graph), result in results.items():
        scores = scores_of(result)
        counts = Counter(names[name] for name in scores)
        shares = {domain: count / counts.total() for domain, count in counts.items()}
        means = {d: mean_of(score for name, score in scores.items() if names[name] == d) for d in counts}
        there = mean_of(scores.values())
        other = reweighted(means, shares, mix)
        rows.append([system, graph, f"{there:.3f}", f"{other:.3f}", f"{other - there:+.3f}"])
    told = ", ".join(f"{share:.0%} {domain}" for domain, share in mix.items())
    text = f"The same scores by domain with {told} and the other domains in proportion: what another mix alone changes."
    return [text, "", *_table(["system", "graph", "these folds", "the other mix", "difference"], rows)]


def _compared(one: Result, other: Result, metric: Metric[Any]) -> tuple[Counts, Counts, Metric[Any]]:
    """Return the counts of two results on the samples that both have."""
    shared = {found.sample.id for found in one.examples} & {found.sample.id for found in other.examples}
    first, second = (
        Counts.of_report(
            report_of(
                result._replace(
                    examples=[found for found in result.examples if found.sample.id in shared],
                    replies={name: reply for name, reply in result.replies.items() if name in shared},
                ),
                "knowledge",
            )
        )
        for result in (one, other)
    )
    return first, second, metric


def _tests(results: Mapping[tuple[str, str], Result]) -> list[str]:
    metric = next(one for one in SpokenTask().metrics(Scoring(variant="strict")) if one.name == "f1")
    systems = list(dict.fromkeys(name for name, _ in results))
    pairs = [((new, graph), (systems[0], graph)) for new in systems[1:] for graph in (REBUILT, DENSER)]
    last = systems[-1]
    pairs += [((last, graph), (known, graph)) for known in systems[1:-1] for graph in (REBUILT, DENSER)]
    pairs += [((system, graph), (system, REBUILT)) for graph in (DENSER, THINNED) for system in systems]
    outcome = tested([_compared(results[one], results[other], metric) for one, other in pairs])
    rows = []
    for (one, other), test in zip(pairs, outcome, strict=True):
        cells = [", ".join(one), ", ".join(other), f"{test.difference:+.3f}", f"{test.low:+.3f} to {test.high:+.3f}"]
        rows.append([*cells, p_value(test.p_adjusted)])
    text = "F1 on the samples that both rows have; dialogues swapped whole, p corrected as one family over the table."
    return [text, "", *_table(["first", "second", "difference", "95 % interval", "p"], rows)]

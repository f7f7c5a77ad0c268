"""The page of `benchmarks/spoken.py`: scores, tests, errors by cause, costs; and dialogues to read."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.spoken.schema.domains import domain_of
from duologue.challenges.spoken.schema.triples import attr_of, key_of
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.records import Scoring
from duologue.metrics.counts import Counts
from families import tested
from p_values import p_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.core.records import Example, Report, Score

_SCORES = ("precision", "recall", "f1", "bleu-1", "bleu-2", "generation-f1", "total")
_TESTED = ("f1", "total")
_CAUSES = ("silence", "entity", "attribute", "count", "span", "reply", "right")
_POOR = 0.5
"""Generation F1 below which a reply that says the right triples counts as wrong."""
_SHOWN = 10

_CV = """Challenge dialogues with recogniser noise, whole rebuilt graph at run time. The samples with knowledge; last
column: total of all samples."""
_FLATTERS = """The graph flatters: outside travel it was rebuilt from what dialogues speak of, so nearly all of it is
asked for by somebody. [SPOKEN_GRAPHS.md](SPOKEN_GRAPHS.md) measures the selection of triples on a denser graph too, for
entities that nobody saw, and for another mix of domains."""
_DOMAINS = """F1 and total of the samples with knowledge, by the domain of the dialogue where one can be told."""
_ON_KDCONV = """Clean; trained on the challenge dialogues that have no twin there. F1 of the samples with knowledge."""
_TESTS = """Dialogues swapped whole; p of the paired randomisation test, corrected as one family over
the table; on the samples that both rows have."""
_ERRORS = f"""Samples with knowledge by what went wrong first: no triple chosen, another entity, another attribute, too
many or too few values; with the right triples, a reply with generation F1 below {_POOR} (span: of a long text)."""
_COSTS = """Mean over folds: wall and CPU seconds and memory of `duologue train` and of `duologue run`, start included;
milliseconds per answer on one core over a graph of 38,000 entities and 500,000 triples, and the seconds until the first
one."""


class Result(NamedTuple):
    """What a row came to in a setting."""

    name: str
    kind: str
    setting: str
    """`cv`, or a domain of KdConv."""
    folds: int
    """How many folds are there; 0 outside `cv`."""
    examples: list[Example]
    replies: dict[str, Any]
    """By sample id, in the form of result.json."""
    costs: list[dict[str, Any]]
    """Per fold."""
    latency: dict[str, float] | None


def report_of(result: Result, samples: str) -> Report:
    """Score a result's replies as those of an official file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        path.write_text(json.dumps(result.replies, ensure_ascii=False), encoding="utf-8")
        task = SpokenTask()
        return task.score(result.examples, task.read(path), Scoring(variant="strict", samples=samples, by=("domain",)))


def page(results: Sequence[Result], seed: int) -> str:
    """Return the page as far as there are results."""
    cv = [one for one in results if one.setting == "cv"]
    most = max((one.folds for one in cv), default=0)
    main = next((one for one in cv if one.kind == "system"), None)
    rows = [one for one in cv if one.folds == most]
    for one in cv:
        if one.folds != most:
            rows.append(one._replace(name=f"{one.name} ({one.folds} of {most} folds)"))
            if main is not None and main.folds > one.folds:
                rows.append(_on(one, main)._replace(name=f"{main.name} ({one.folds} of {most} folds)"))
    parts = {
        f"Cross-validation, {most} of 5 folds": (_CV, _scores(list({one.name: one for one in rows}.values()))),
        "By domain": (_DOMAINS, _by_domain([one for one in cv if one.folds == most])),
        "KdConv development dialogues": (_ON_KDCONV, _kdconv([one for one in results if one.setting != "cv"])),
        "Paired tests": (_TESTS, _tests(cv)),
        "Errors of grounded": (_ERRORS, _errors(main) if main else []),
        "Costs": (_COSTS, _costs(results)),
    }
    head = "# Spoken dialogue: all systems on the visible data\n\n"
    head += f"Made by `python benchmarks/spoken.py --data FOLDER`, seed {seed}. See its docstring for the settings.\n"
    head += f"\n{_FLATTERS}\n"
    tables = (f"\n## {name}\n\n{text}\n\n" + "\n".join(lines) + "\n" for name, (text, lines) in parts.items() if lines)
    return head + "".join(tables)


def _value(report: Report, name: str) -> float:
    return _score(report.scores, name)


def _score(scores: Iterable[Score], name: str) -> float:
    return next(score.value for score in scores if score.name == name)


def _on(fewer: Result, result: Result) -> Result:
    """Return a result on the samples that another has too."""
    names = {one.sample.id for one in fewer.examples}
    examples = [one for one in result.examples if one.sample.id in names]
    replies = {one.sample.id: result.replies[one.sample.id] for one in examples}
    return result._replace(examples=examples, replies=replies)


def _scores(results: Sequence[Result]) -> list[str]:
    lines = [f"| system | n | {' | '.join(_SCORES)} | all: total |", f"|---|---|{'---|' * (len(_SCORES) + 1)}"]
    for one in results:
        report = report_of(one, "knowledge")
        cells = [f"{_value(report, name):.3f}" for name in _SCORES]
        total = next(score for score in report.scores if score.name == "total")
        cells[-1] += f" ({total.low:.3f}-{total.high:.3f})"
        every = _value(report_of(one, "all"), "total")
        lines.append(f"| {one.name} | {report.n} | {' | '.join(cells)} | {every:.3f} |")
    return lines


def _by_domain(results: Sequence[Result]) -> list[str]:
    found = {one.name: report_of(one, "knowledge") for one in results}
    cells = {
        (name, cut.value): (cut.n, tuple(_score(cut.scores, score) for score in _TESTED))
        for name, report in found.items()
        for cut in report.slices
    }
    domains = sorted({domain for _, domain in cells})
    lines = [f"| domain | n | {' | '.join(found)} |", f"|---|---|{'---|' * len(found)}"]
    for domain in domains:
        n = next(cells[name, domain][0] for name in found)
        values = (" ".join(f"{value:.3f}" for value in cells[name, domain][1]) for name in found)
        lines.append(f"| {domain} | {n} | {' | '.join(values)} |")
    means = []
    for name in found:
        columns = zip(*(cells[name, domain][1] for domain in domains), strict=True)
        means.append(" ".join(f"{sum(column) / len(domains):.3f}" for column in columns))
    return [*lines, f"| mean of domains | | {' | '.join(means)} |"] if domains else []


def _kdconv(results: Sequence[Result]) -> list[str]:
    domains = sorted({one.setting for one in results})
    found: dict[str, dict[str, str]] = {}
    for one in results:
        report = report_of(one, "knowledge")
        found.setdefault(one.name, {})[one.setting] = (
            f"{_value(report, 'f1'):.3f} (total {_value(report, 'total'):.3f})"
        )
    lines = [f"| system | {' | '.join(domains)} |", f"|---|{'---|' * len(domains)}"]
    rows = (f"| {name} | {' | '.join(cells.get(domain, '-') for domain in domains)} |" for name, cells in found.items())
    return [*lines, *rows] if found else []


def _tests(results: Sequence[Result]) -> list[str]:
    metrics = [one for one in SpokenTask().metrics(Scoring(variant="strict")) if one.name in _TESTED]
    known: dict[tuple[str, frozenset[str]], Counts] = {}
    pairs: list[tuple[str, str, Counts, Counts]] = []
    for one, other in combinations(results, 2):
        sides = _on(one, other), _on(other, one)
        samples = frozenset(sides[0].replies)
        if not samples:
            continue
        for side in sides:
            if (side.name, samples) not in known:
                known[side.name, samples] = Counts.of_report(report_of(side, "knowledge"))
        first, second = (known[side.name, samples] for side in sides)
        pairs.append((other.name, one.name, first, second))
    if not pairs:
        return []
    tests = [(*pair, metric) for pair in pairs for metric in metrics if metric.additive]
    outcome = tested([one[2:] for one in tests])
    lines = ["| first | second | score | difference | 95 % interval | p |", "|---|---|---|---|---|---|"]
    for (name, beside, *_), found in zip(tests, outcome, strict=True):
        cells = (name, beside, found.name, f"{found.difference:+.3f}", f"{found.low:+.3f} to {found.high:+.3f}")
        lines.append(f"| {' | '.join(cells)} | {p_value(found.p_adjusted)} |")
    return lines


def cause_of(example: Example, reply: dict[str, Any], overlap: float) -> str:
    """Return what went wrong first with a reply to a sample with knowledge, one of `_CAUSES`."""
    wanted = {key_of(attr_of(fact)) for fact in gold_facts(example)}
    said = {key_of(attr) for attr in reply.get("attrs", ())}
    if not said:
        return "silence"
    if said != wanted:
        if {key[0] for key in said}.isdisjoint(key[0] for key in wanted):
            return "entity"
        return "attribute" if {key[:2] for key in said} != {key[:2] for key in wanted} else "count"
    if overlap >= _POOR:
        return "right"
    return "span" if any(fact.relation == "Information" for fact in gold_facts(example)) else "reply"


def _errors(result: Result) -> list[str]:
    domains: dict[str, list[str]] = {}
    for one in result.examples:
        domains.setdefault(one.sample.dialogue_id, []).extend(fact.relation for fact in gold_facts(one))
    found: dict[str, Counter[str]] = {}
    for one in result.examples:
        if gold_facts(one):
            reply = result.replies[one.sample.id]
            cause = cause_of(one, reply, _overlap(reply["message"], one.references[0].text or ""))
            for group in (domain_of(domains[one.sample.dialogue_id]) or "other", "all"):
                found.setdefault(group, Counter())[cause] += 1
    lines = [f"| domain | n | {' | '.join(_CAUSES)} |", f"|---|---|{'---|' * len(_CAUSES)}"]
    for group in sorted(found, key=lambda name: (name == "all", name)):
        n = found[group].total()
        lines.append(f"| {group} | {n} | {' | '.join(f'{100 * found[group][cause] / n:.1f} %' for cause in _CAUSES)} |")
    return lines


def _overlap(said: str, wanted: str) -> float:
    """Return the F1 of the characters of two replies, blanks apart."""
    one, other = (Counter(sign for sign in text if not sign.isspace()) for text in (said, wanted))
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _costs(results: Sequence[Result]) -> list[str]:
    lines = [
        "| system | setting | training: wall | CPU | MB | answering: wall | CPU | p50 ms | p95 ms | ready s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        cells = [_mean(one.costs, "train", part) for part in ("wall", "cpu", "mb")]
        cells += [_mean(one.costs, "run", part) for part in ("wall", "cpu")]
        cells += [f"{one.latency[part]:.0f}" if one.latency else "-" for part in ("p50", "p95", "ready")]
        lines.append(f"| {one.name} | {one.setting} | {' | '.join(cells)} |")
    return lines


def _mean(costs: Sequence[dict[str, Any]], of: str, part: str) -> str:
    found = [one[of][part] for one in costs if of in one]
    return f"{sum(found) / len(found):.0f}" if found else "-"


def dialogues(results: Sequence[Result], seed: int) -> str:
    """Return ten dialogues of the cross-validation, chosen by a seed, with what `grounded` chose and said."""
    main = next((one for one in results if one.kind == "system" and one.setting == "cv"), None)
    return "" if main is None else "\n".join(_told(main, seed))


def _told(result: Result, seed: int) -> Iterator[str]:
    by_dialogue: dict[str, list[Example]] = {}
    for one in result.examples:
        by_dialogue.setdefault(one.sample.dialogue_id, []).append(one)
    names = sorted(by_dialogue)
    for name in Random(seed).sample(names, min(_SHOWN, len(names))):
        yield f"== dialogue {name}"
        for one in by_dialogue[name]:
            reply = result.replies[one.sample.id]
            yield f"user:   {one.sample.history[-1].text}"
            yield f"person: {one.references[0].text}"
            yield from (f"        {fact.subject} | {fact.relation} | {fact.object}" for fact in gold_facts(one))
            yield f"system: {reply['message']}"
            yield from (f"        {' | '.join(map(str, attr.values()))}" for attr in reply.get("attrs", ()))
        yield ""

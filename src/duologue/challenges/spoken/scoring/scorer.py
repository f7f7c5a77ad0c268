"""Scorer of the spoken challenge (specification, section 3), as sums of counts per sample.

* `strict` (the default): the recommended definition, every option by its name.
* `official`: the challenge document, with the scorer of triples that was published with its baseline.

`scoring.options` says what each option means and what `official` is. There was no official scoring program, so no
variant has a transcript. A sample without a reply is defined in both: it scores 0 everywhere and stays in every mean.
So a file is scored although it lacks samples, and its report warns of them; `check` calls that an error in `strict`,
since what is handed in should answer everything.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from duologue.challenges.spoken.schema.triples import ATTRIBUTE, attr_of, plain
from duologue.challenges.spoken.scoring import checker
from duologue.challenges.spoken.scoring.formulas import ORDERS, formulas_of
from duologue.challenges.spoken.scoring.generation import count_replies
from duologue.challenges.spoken.scoring.options import scoring_options
from duologue.challenges.spoken.scoring.selection import count_triples
from duologue.challenges.spoken.scoring.slices import domain_of, kind_of_answer, number_of_triples
from duologue.core import disk
from duologue.core.decoded import shown
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.records import Problem, Report, Score, Signature, Slice
from duologue.metrics.counts import Counts
from duologue.metrics.intervals import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.core.records import Example, Scoring, Submission
    from duologue.metrics.counts import Metric

VERSION = "v1"
RANK_BY = "total"
SLICES = ("domain", "answer-kind", "triples")

_MISSING = frozenset({"id-missing"})
"""Errors with which a file is scored all the same, since the definition says what they score."""


def metrics(how: Scoring) -> tuple[Metric[Any], ...]:
    """Return the formulas of all scores under a way of scoring. Raises `UsageError` for a choice there is not."""
    return formulas_of(scoring_options(how))


def score(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score a result file against examples with references.

    Raises `FormatError` for gold that cannot be scored against and for a file with errors, missing samples apart,
    unless `how.partial`: then a reply with an error counts as missing. Raises `UsageError` as `scoring_options` does
    and for an unknown slice.
    """
    options = scoring_options(how)
    for by in how.by:
        if by not in SLICES:
            raise UsageError(f"spoken cannot be cut by '{by}'{did_you_mean(by, SLICES)}")
    truth = truth_problems(examples)
    if truth:
        raise FormatError("the truth", truth)
    findings = checker.examine(submission, examples, how.variant)
    grave = [problem for problem in findings.errors if problem.rule not in _MISSING]
    if grave and (not how.partial or any(problem.rule in checker.UNREADABLE for problem in grave)):
        raise FormatError(submission.path, findings.problems)
    golds = {one.sample.id: gold_attrs(one) for one in examples}
    chosen = [one for one in examples if how.samples == "all" or golds[one.sample.id]]
    if not chosen:
        message = "no sample has gold triples; score --samples all"
        raise FormatError("the truth", [Problem(rule="truth-empty", message=message)])
    told = tuple(_as_scored(problem) for problem in findings.problems)
    return _Scorer(examples, chosen, golds, findings.replies, options).report(submission, how, told)


def _as_scored(problem: Problem) -> Problem:
    """Return a problem as the report of a scored file tells it: what is missing has scored 0 and is a warning there."""
    if problem.rule not in _MISSING:
        return problem
    message = f"{problem.message} and scores 0"
    return msgspec.structs.replace(problem, severity="warning", message=message, advice="`check` refuses such a file")


def gold_attrs(example: Example) -> list[dict[str, Any]]:
    """Return the gold triples as they stand in the file, else as the reference's facts give them."""
    row = example.source
    if isinstance(row, dict) and "message" in row:
        attrs: list[dict[str, Any]] = row.get("attrs", [])
        return attrs
    annotation = example.references[0].annotation
    return [attr_of(fact) for fact in annotation.facts] if annotation is not None else []


def truth_problems(examples: Sequence[Example]) -> list[Problem]:
    """Return the problems of the gold examples: none at all, unknown replies, repeated ids."""
    if not examples:
        return [Problem(rule="truth-empty", message="there is no sample to score against")]
    found = []
    times = Counter(one.sample.id for one in examples)
    for one in examples:
        place = f"sample {shown(one.sample.id)}"
        if not one.references or one.references[0].text is None:
            advice = "give gold in the form of result.json, or dialogues (valid.json)"
            message = "the true reply is not known"
            found.append(Problem(rule="truth-unknown", place=place, message=message, advice=advice))
    for name, count in times.items():
        if count > 1:
            message = f"the sample occurs {count} times"
            found.append(Problem(rule="id-repeated", place=f"sample {shown(name)}", message=message))
    return found


class _Scorer:
    """Counts the chosen samples once and builds their report."""

    def __init__(
        self,
        examples: Sequence[Example],
        chosen: Sequence[Example],
        golds: Mapping[str, list[dict[str, Any]]],
        replies: Mapping[str, dict[str, Any]],
        options: ScoringOptions,
    ) -> None:
        self._examples, self._chosen, self._golds = examples, chosen, golds
        self._choices = options
        self._formulas = formulas_of(options)
        given = [replies.get(one.sample.id) for one in chosen]
        groups = [one.sample.dialogue_id for one in chosen]
        counted = count_replies(
            ["" if reply is None else reply["message"] for reply in given],
            [one.references[0].text or "" for one in chosen],
            options,
            groups,
        )
        said = [None if reply is None else reply.get("attrs", []) for reply in given]
        triples = count_triples([golds[one.sample.id] for one in chosen], said, options)
        self._pools = counted.pools
        found = {**counted.columns, **triples}
        found["items"] = np.ones(len(chosen))
        columns = tuple(dict.fromkeys(column for one in self._formulas for column in one.columns))
        names = tuple(one.sample.id for one in chosen)
        grouped = any(group != name for group, name in zip(groups, names, strict=True))
        array = np.stack([found[column] for column in columns], axis=-1)
        self._counts = Counts(names, columns, array, tuple(groups) if grouped else None)

    def report(self, submission: Submission, how: Scoring, problems: tuple[Problem, ...]) -> Report:
        signature = self._signature(submission, how)
        return Report(
            task="spoken",
            variant=how.variant,
            n=len(self._counts),
            scores=self._pooled(scores(self._counts, self._formulas, signature)),
            rank_by=RANK_BY,
            signature=self._counts.sign(signature.of([one.formula for one in self._formulas])),
            slices=self._slices(how, signature),
            columns=self._counts.columns,
            items=self._counts.rows(),
            groups=self._counts.groups or (),
            problems=problems,
            meta={"options": list(self._choices.changed()), "samples": how.samples},
        )

    def _signature(self, submission: Submission, how: Scoring) -> Signature:
        gold = json.dumps([[one.sample.id, one.references[0].text, self._golds[one.sample.id]] for one in self._chosen])
        return Signature(
            task="spoken",
            variant=how.variant,
            options=(*self._choices.changed(), f"samples {how.samples}"),
            version=VERSION,
            n=len(self._chosen),
            hashes={"gold": disk.sha256(gold.encode("ascii")), "pred": submission.hash or "none"},
        )

    def _pooled(self, found: tuple[Score, ...]) -> tuple[Score, ...]:
        """Add the jackknife intervals of pooled DISTINCT."""
        pooled = {f"pooled-distinct-{n}": n for n in ORDERS}
        if self._choices.scope == "corpus" and self._choices.distinct == "types":
            pooled |= {f"distinct-{n}": n for n in ORDERS}
        made = []
        for one in found:
            pool = self._pools[pooled[one.name]] if one.name in pooled else None
            if pool is not None and pool.said.sum():
                spread = pool.spread()
                made.append(msgspec.structs.replace(one, low=spread.low, high=spread.high))
            else:
                made.append(one)
        return tuple(made)

    def _slices(self, how: Scoring, signature: Signature) -> tuple[Slice, ...]:
        """Return the scores of the slices; pooled DISTINCT has none, as it is not additive."""
        additive = [formula for formula in self._formulas if formula.additive]
        made = []
        for by in how.by or SLICES:
            rows = self._rows_by(by)
            for value in sorted(rows):
                cut = signature.of([], f"{by} {value}", len(rows[value]))
                found = scores(self._counts.take(rows[value]), additive, cut)
                made.append(Slice(by=by, value=value, n=len(rows[value]), scores=found))
        return tuple(made)

    def _rows_by(self, by: str) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        value_of = self._domains() if by == "domain" else _CUTS[by]
        for row, one in enumerate(self._chosen):
            value = value_of(one, self._golds[one.sample.id])
            if value is not None:
                rows.setdefault(value, []).append(row)
        return rows

    def _domains(self) -> Callable[[Example, list[dict[str, Any]]], str | None]:
        attributes: dict[str, list[str]] = {}
        for one in self._examples:
            names = (plain(attr[ATTRIBUTE]) for attr in self._golds[one.sample.id])
            attributes.setdefault(one.sample.dialogue_id, []).extend(names)
        domains = {name: domain_of(found) for name, found in attributes.items()}
        return lambda one, _: domains[one.sample.dialogue_id]


_CUTS: dict[str, Callable[[Example, list[dict[str, Any]]], str | None]] = {
    "answer-kind": lambda _, attrs: kind_of_answer(attrs),
    "triples": lambda _, attrs: number_of_triples(attrs),
}

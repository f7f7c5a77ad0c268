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

from duologue.challenges.spoken.schema.domains import domain_of
from duologue.challenges.spoken.schema.triples import ATTRIBUTE, attr_of, plain
from duologue.challenges.spoken.scoring import checker
from duologue.challenges.spoken.scoring.formulas import formulas_of
from duologue.challenges.spoken.scoring.generation import count_replies
from duologue.challenges.spoken.scoring.options import INFO, scoring_options
from duologue.challenges.spoken.scoring.selection import count_triples
from duologue.challenges.spoken.scoring.slices import kind_of_answer, number_of_triples
from duologue.core import disk
from duologue.core.decoded import shown
from duologue.core.errors import FormatError, TruthError, UsageError, did_you_mean
from duologue.core.records import Problem
from duologue.metrics.counts import Counts
from duologue.metrics.reports import report_of, signature_of, slices_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.spoken.scoring.generation import ReplyCounts
    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.core.records import Example, Report, Scoring, Submission
    from duologue.metrics.counts import Metric

VERSION = "v1"
RANK_BY = "total"

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
    scoring_options(how)
    for by in how.by:
        if by not in INFO.slices:
            raise UsageError(f"spoken cannot be cut by '{by}'{did_you_mean(by, INFO.slices)}")
    truth = truth_problems(examples)
    if truth:
        raise TruthError(truth)
    findings = checker.examine(submission, examples, how.variant)
    grave = [problem for problem in findings.errors if problem.rule not in _MISSING]
    if grave and (not how.partial or any(problem.rule in checker.UNREADABLE for problem in grave)):
        raise FormatError(submission.path, findings.problems)
    golds = {one.sample.id: gold_attrs(one) for one in examples}
    chosen = [one for one in examples if how.samples == "all" or golds[one.sample.id]]
    if not chosen:
        message = "no sample has gold triples; score --samples all"
        raise TruthError([Problem(rule="truth-empty", message=message)])
    return _report(examples, chosen, golds, findings, submission, how)


def _as_scored(problem: Problem) -> Problem:
    """Return a problem as the report of a scored file tells it: what is missing has scored 0 and is a warning there."""
    if problem.rule not in _MISSING:
        return problem
    message = f"{problem.message} and scores 0"
    return msgspec.structs.replace(problem, severity="warning", message=message, advice="`check` refuses such a file")


def _triples_unknown(attrs: Sequence[Sequence[object]]) -> list[Problem]:
    """Return a warning where no reference has a triple, such as plain replies: all who choose none are right then."""
    if any(attrs):
        return []
    message = (
        "no reference has a triple: precision, recall and F1, and their part of total, tell nothing of the replies"
    )
    advice = "look at BLEU and generation-f1, or give references with `attrs`"
    return [Problem(rule="truth-without-triples", severity="warning", message=message, advice=advice)]


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


def _report(
    examples: Sequence[Example],
    chosen: Sequence[Example],
    golds: Mapping[str, list[dict[str, Any]]],
    findings: checker.CheckedResult,
    submission: Submission,
    how: Scoring,
) -> Report:
    """Count the chosen samples and return their report."""
    options = scoring_options(how)
    formulas = formulas_of(options)
    attrs = [golds[one.sample.id] for one in chosen]
    given = [findings.replies.get(one.sample.id) for one in chosen]
    said = ["" if reply is None else reply["message"] for reply in given]
    wanted = [one.references[0].text or "" for one in chosen]
    names, groups = tuple(one.sample.id for one in chosen), tuple(one.sample.dialogue_id for one in chosen)
    replies = count_replies(said, wanted, options, groups)
    triples = count_triples(attrs, [None if reply is None else reply.get("attrs", []) for reply in given], options)
    found = {**replies.columns, **triples, "items": np.ones(len(chosen))}
    columns = tuple(dict.fromkeys(column for one in formulas for column in one.columns))
    array = np.stack([found[column] for column in columns], axis=-1)
    counts = Counts(names, columns, array, groups if groups != names else None)
    gold = json.dumps([[one.sample.id, one.references[0].text, golds[one.sample.id]] for one in chosen])
    signature = signature_of(
        INFO,
        how,
        submission,
        disk.sha256(gold.encode()),
        len(chosen),
        options=(*options.changed(), f"samples {how.samples}"),
        version=VERSION,
    )
    cuts = {by: _values_by(by, examples, chosen, golds) for by in how.by or INFO.slices}
    return report_of(
        counts,
        formulas,
        signature,
        rank_by=RANK_BY,
        slices=slices_of(counts, formulas, signature, cuts),
        problems=(*(_as_scored(problem) for problem in findings.problems), *_triples_unknown(attrs)),
        meta={"options": list(options.changed()), "samples": how.samples},
        ends=_ends(replies, options),
    )


def _ends(replies: ReplyCounts, options: ScoringOptions) -> dict[str, tuple[float, float]]:
    """Return the jackknife intervals of pooled DISTINCT."""
    names = ["pooled-distinct"]
    if options.scope == "corpus" and options.distinct == "types":
        names.append("distinct")
    ends = {n: pool.ends() for n, pool in replies.pools.items()}
    return {f"{name}-{n}": both for name in names for n, both in ends.items() if both is not None}


def _values_by(
    by: str, examples: Sequence[Example], chosen: Sequence[Example], golds: Mapping[str, list[dict[str, Any]]]
) -> list[str | None]:
    """Return the value of each chosen sample by which scores are cut; the domain is that of its whole dialogue."""
    if by != "domain":
        value_of = {"answer-kind": kind_of_answer, "triples": number_of_triples}[by]
        return [value_of(golds[one.sample.id]) for one in chosen]
    attributes: dict[str, list[str]] = {}
    for one in examples:
        names = (plain(attr[ATTRIBUTE]) for attr in golds[one.sample.id])
        attributes.setdefault(one.sample.dialogue_id, []).extend(names)
    domains = {name: domain_of(found) for name, found in attributes.items()}
    return [domains[one.sample.dialogue_id] for one in chosen]

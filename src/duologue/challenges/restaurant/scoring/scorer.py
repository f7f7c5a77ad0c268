"""Scorer of result files: P@1, P@2, P@5 and MRR in the official and the strict variant.

Variant `official` scores the rows as they are with every quirk of the specification's section 10, among them
that only ten ranks are kept, or as many as `input-nb-candidate` says. Variant `strict` scores the answers made from a
file that the checker passes, over all candidates. Both count per dialogue; a dialogue without answer counts as wrong.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.restaurant.formats.data_rules import id_problems, place_of
from duologue.challenges.restaurant.formats.files import truth_row
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.challenges.restaurant.schema.templates import answer_type
from duologue.challenges.restaurant.scoring import checker, official
from duologue.core import disk
from duologue.core.decoded import is_text, shown
from duologue.core.errors import FormatError, TruthError, UsageError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example, Report, Scoring, Submission
    from duologue.metrics.counts import Metric

VERSION = "v1"
SLOTS = "input-nb-candidate"
"""Option of the official scorer, by its own name: how many ranks of a result are kept (10)."""
MAX_SLOTS = 10_000
RANK_BY = "p@1"
BY = "answer-type"
"""Name of the slices: the kind of the true answer."""


def score(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score a result file against truth examples, data examples with answers, or both merged.

    Raises `FormatError` where the official program exits with 1 (its lines in `transcript`), and in variant
    `strict` for a file with errors unless `how.partial`: then dialogues without a usable answer count as wrong.
    """
    INFO.expect_variant(how.variant)
    if how.variant == "official":
        return _official(examples, submission, how)
    if SLOTS in how.options:
        raise UsageError(f"option '{SLOTS}' is one of variant official; strict sees all ranks")
    return _strict(examples, submission, how)


def metrics() -> tuple[Metric[int | None], ...]:
    """Return the formulas: P@1, P@2, P@5 and MRR; the variants differ in the ranks that they see, not in these."""
    from duologue.metrics.rank import ranking_metrics

    return ranking_metrics(official.KS)


def _slots(how: Scoring) -> int:
    """Return how many ranks the official scorer keeps. Raises `UsageError` for what is no such number."""
    text = how.options.get(SLOTS, str(official.SLOTS))
    if not (text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= MAX_SLOTS):
        raise UsageError(f"option '{SLOTS}' is {shown(text)}, expected a whole number from 1 to {MAX_SLOTS}")
    return int(text)


def _official(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    slots = _slots(how)
    refused = checker.official_refusal(submission)
    if refused:
        raise FormatError(submission.path, refused)
    outcome = official.score_rows(submission.rows, [truth_row(one) for one in examples], slots)
    if outcome.exit_code:
        message = f"the official scorer ends with exit status 1: {outcome.error}"
        problem = Problem(rule="official-refusal", message=message, advice="see all problems with variant strict")
        raise FormatError(submission.path, [problem], transcript=outcome.stdout)
    names = {name: _name(name) for name in outcome.truth}
    ranks = {names[name]: outcome.rank(name) for name in outcome.truth}
    problems = checker.check(submission, None, "strict")
    return _report(examples, submission, how, ranks, problems, f"{slots} slots", outcome.stdout)


def _name(dialogue: Any) -> str:
    """Return a dialogue id as text; ids that are no texts stand in JSON, apart from texts of the same letters."""
    return str(dialogue) if is_text(dialogue) else f"{json.dumps(dialogue)} (no text)"


def _strict(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    from duologue.metrics.rank import rank_of  # numpy stays out of what only lists tasks

    truth = truth_problems(examples)
    if truth:
        raise TruthError(truth)
    findings = checker.examine(submission, examples)
    errors = [problem for problem in findings.problems if problem.severity == "error"]
    if errors and (not how.partial or any(problem.rule in checker.UNUSABLE for problem in errors)):
        raise FormatError(submission.path, findings.problems)
    ranks: dict[str, int | None] = {}
    for one in examples:
        answer = findings.answers.get(one.sample.id)
        ranks[one.sample.id] = rank_of(_gold(one), answer.ranking if answer else None)
    problems = (*findings.problems, *_ranked_truth(examples))
    return _report(examples, submission, how, ranks, problems, "all ranks")


def _gold(example: Example) -> str | None:
    ranking = example.references[0].ranking if example.references else None
    return ranking[0] if ranking else None


def truth_problems(examples: Sequence[Example]) -> list[Problem]:
    """Return why examples cannot be scored against strictly: odd truth rows, unknown answers, repeated ids."""
    if not examples:
        return [Problem(rule="truth-empty", message="there is no dialogue to score against")]
    found: list[Problem] = []
    seen: set[str] = set()
    for number, one in enumerate(examples, start=1):
        row = one.source
        bare = isinstance(row, dict) and "lst_candidate_id" in row
        place = place_of(row, number) if bare else f"dialogue {shown(one.sample.id)}"
        if bare:
            problems = [*id_problems(row, "dialog_id", "dialog-id"), *checker.ranked_problems(row, 0)]
            found += [msgspec.structs.replace(problem, place=place) for problem in problems]
        if one.sample.id in seen:
            found.append(Problem(rule="dialog-id-repeated", place=place, message="the dialogue occurs twice"))
        seen.add(one.sample.id)
        if _gold(one) is None:
            advice = "give the truth file (.answers.json), or data with answers"
            message = "no candidate with rank 1, so the true answer is not known"
            found.append(Problem(rule="truth-unknown", place=place, message=message, advice=advice))
        elif one.sample.candidates and _gold(one) not in {candidate.id for candidate in one.sample.candidates}:
            message = f"the true answer {shown(_gold(one))} is not among the candidates of the data"
            advice = "do data and truth belong together?"
            found.append(Problem(rule="truth-foreign", place=place, message=message, advice=advice))
    return found


def _ranked_truth(examples: Sequence[Example]) -> list[Problem]:
    """Return a warning where truth rows rank several candidates, as those of a result do: the best counts as right."""
    rows = [(number, one.source) for number, one in enumerate(examples, start=1) if isinstance(one.source, dict)]
    lists = [(number, row, row.get("lst_candidate_id")) for number, row in rows]
    several = [(number, row, len(ranked)) for number, row, ranked in lists if isinstance(ranked, list) and ranked[1:]]
    if not several:
        return []
    number, row, many = several[0]
    message = (
        f"the truth ranks {many} candidates, expected the right one alone; {len(several):,} of its rows rank several, "
        "of which the best is taken for right"
    )
    advice = "is the truth a result? what is scored comes first, the truth behind --gold"
    place = place_of(row, number)
    return [Problem(rule="truth-ranked", severity="warning", place=place, message=message, advice=advice)]


def _report(
    examples: Sequence[Example],
    submission: Submission,
    how: Scoring,
    ranks: dict[str, int | None],
    problems: Sequence[Problem],
    seen: str,
    transcript: Sequence[str] = (),
) -> Report:
    from duologue.metrics.rank import count_ranks
    from duologue.metrics.reports import report_of, signature_of, slices_of

    formulas = metrics()
    names = list(ranks)
    counts = count_ranks(names, list(ranks.values()), ks=official.KS, groups=names)  # an item is a dialogue
    gold = disk.sha256(json.dumps([[one.sample.id, _gold(one)] for one in examples]).encode("ascii"))
    signature = signature_of(INFO, how, submission, gold, len(ranks), options=(seen,), version=VERSION)
    texts = {one.sample.id: _gold_text(one) for one in examples}
    kinds = [answer_type(text) if (text := texts.get(name)) is not None else None for name in names]
    return report_of(
        counts,
        formulas,
        signature,
        rank_by=RANK_BY,
        slices=slices_of(counts, formulas, signature, {BY: kinds}),
        problems=problems,
        transcript=transcript,
    )


def _gold_text(example: Example) -> str | None:
    gold = _gold(example)
    if gold is None:
        return None
    known = {candidate.id: candidate.text for candidate in example.sample.candidates}
    return known.get(gold, example.references[0].text)

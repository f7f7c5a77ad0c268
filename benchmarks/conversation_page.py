"""The page of the table of systems that answer: scores, the rule, paired tests, costs; and replies to read."""

from __future__ import annotations

import random
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from conversation_texts import SETS
from duologue.challenges.conversation.scoring.terms import terms
from duologue.metrics.counts import Counts
from duologue.run.saved import formulas_of
from families import tested
from p_values import p_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from conversation_texts import Texts
    from duologue.core.records import Example, Report, Score
    from duologue.metrics.significance import PairedTest

PROBES = ("constant", "central")
"""Rows of one sentence; a system must beat the first to count as better."""
EMBEDDING = ("embedding-average", "vector-extrema", "greedy-matching", "greedy-idf")
DIVERSE = ("distinct-2", "different-replies")
_MATCHES = ("bleu-1", "bleu-2", "bleu-4", "rouge-l", "cider", "chrf")
_TOLD = ("relevance", *EMBEDDING, "distinct-1", *DIVERSE, "commonest-reply")
_TESTED = (*EMBEDDING, "relevance", "bleu-4", "rouge-l", "chrf")
_ALPHA = 0.05
_READ = 25
TITLES = {
    "twitter": "Company tweets (twitter_care, held-out dialogues)",
    "sgd": "Written service dialogues (sgd_text, dev and test)",
}


class Result(NamedTuple):
    """What a row came to on an evaluation set."""

    row: str
    kind: str
    task: str
    """Empty for what is not trained."""
    evaluation: str
    report: Report
    replies: list[str]
    costs: dict[str, Any]
    """Of training, answering and single answers, by name."""
    seen: str
    settings: tuple[str, ...]
    """What `--set` got in training."""

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.row} ({self.task})" if self.task else self.row

    def score(self, name: str) -> Score:
        """Return a score by its name."""
        return next(one for one in self.report.scores if one.name == name)


class Test(NamedTuple):
    """One paired test with its corrected p-value."""

    first: Result
    second: Result
    found: PairedTest
    p: float

    @property
    def better(self) -> bool:
        """Whether the first is better."""
        return self.p < _ALPHA and self.found.difference > 0


def page(texts: Texts, examples: Mapping[str, Sequence[Example]], results: Sequence[Result], seed: int) -> str:
    """Return the page."""
    notes = "\n".join(f"* {note}" for note in texts.notes)
    head = f"""# Systems that answer: what a company says next

Made by `python benchmarks/conversation_systems.py --data FOLDER`, seed {seed}. Task A is training on the given
dialogues (`sgd`, `twitter`), task B with external ones as well (`twcs`, `topical`).

{notes}

`people` says what the company said. `constant` is the sentence that beat every ordinary system of 2017 on BLEU-4,
`central` the training reply of the same kind of text that agrees most with the others, `drawn` one drawn by chance,
`nearest` the reply to the most similar last turn (BM25). In brackets 95 % intervals.

Relevance: does the reply find its own context among ten, by a judge fitted on all training text (chance 0.1).
Embedding scores use word vectors made from the same text (PPMI and SVD, 100 dimensions; no pretrained table could be
had), so they compare with each other and with nothing published. The retriever uses vectors made in the same way from
its own training text, which may favour it there. One reference per sample. Which scores can tell people from a constant
sentence, and that none ranks systems as people do: [CONVERSATION_MEASURES.md](CONVERSATION_MEASURES.md)."""
    lines = [head, *_compared(results)]
    lines += ["", "## What is wrong with replies", "", *_faults(examples, results)]
    lines += ["", "## Costs", "", *_costs(results)]
    return "\n".join(lines) + "\n"


def comparison(
    texts: Texts, results: Sequence[Result], head: str, pairs: Collection[tuple[str, str]] | None = None
) -> str:
    """Return a page of some systems: what the texts hold, scores, the rule and paired tests, below its own head.

    `pairs` names the rows that are tested against each other, the first against the second; without it all are.
    """
    notes = [f"* {note}" for note in texts.notes]
    return "\n".join([head, *notes, *_compared(results, pairs)]) + "\n"


def _compared(results: Sequence[Result], pairs: Collection[tuple[str, str]] | None = None) -> list[str]:
    lines = []
    for name in SETS:
        here = [one for one in results if one.evaluation == name]
        if here:
            lines += ["", f"## {TITLES[name]}", "", *_scores(here, _MATCHES, lengths=True), "", *_scores(here, _TOLD)]
    tests = _against_probes(results)
    lines += ["", "## Better than a constant sentence?", "", *_rule(results, tests)]
    return [*lines, "", "## Paired tests", "", *_tests_table(tests, _between(results, pairs))]


def _scores(results: Sequence[Result], names: Sequence[str], *, lengths: bool = False) -> list[str]:
    heads = [*names, *(["words"] if lengths else [])]
    lines = [f"| system | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for one in results:
        cells = [_cell(one.score(name)) for name in names]
        if lengths:
            cells.append(f"{sum(len(reply.split()) for reply in one.replies) / len(one.replies):.1f}")
        lines.append(f"| {one.name} | {' | '.join(cells)} |")
    return lines


def _cell(score: Score) -> str:
    if score.low is None or score.high is None:
        return f"{score.value:.3f}"
    return f"{score.value:.3f} ({score.low:.3f}-{score.high:.3f})"


def _tested(pairs: Sequence[tuple[Result, Result]], names: Sequence[str]) -> list[Test]:
    """Test the first of each pair against the second; p-values are corrected over all of them."""
    counts = {id(one): Counts.of_report(one.report) for pair in pairs for one in pair}
    formulas = {id(one): formulas_of(one.report) for one, _ in pairs}
    tests = [
        (first, second, metric)
        for first, second in pairs
        for metric in formulas[id(first)]
        if metric.name in names and metric.additive
    ]
    found = tested([(counts[id(first)], counts[id(second)], metric) for first, second, metric in tests])
    return [Test(first, second, one, one.p_adjusted) for (first, second, _), one in zip(tests, found, strict=True)]


def _against_probes(results: Sequence[Result]) -> list[Test]:
    probes = [one for one in results if one.row in PROBES]
    systems = [one for one in results if one.row not in PROBES]
    return _tested([(one, two) for one in systems for two in probes if one.evaluation == two.evaluation], _TESTED)


def _between(results: Sequence[Result], named: Collection[tuple[str, str]] | None = None) -> list[Test]:
    """Test systems of one task against each other, and each system's two tasks; of `named` pairs those of one task."""
    systems = [one for one in results if one.kind == "system" or one.row == "nearest"]
    pairs = []
    if named is not None:
        for one, two in permutations(systems, 2):
            if (one.row, two.row) in named and (one.task, one.evaluation) == (two.task, two.evaluation):
                pairs.append((one, two))
        return _tested(pairs, ("bleu-4", "greedy-idf", "relevance", "rouge-l"))
    for place, one in enumerate(systems):
        for two in systems[place + 1 :]:
            alike = one.task == two.task or one.row == two.row or not two.task
            if one.evaluation == two.evaluation and alike:
                pairs.append((two, one))
    return _tested(pairs, ("bleu-4", "greedy-idf", "relevance", "rouge-l"))


def _rule(results: Sequence[Result], tests: Sequence[Test]) -> list[str]:
    """Return the verdict on each row: better only if better than the probe in all three respects."""
    lines = [
        f"""A row counts as better only if it beats `constant` in the four embedding scores and in relevance (paired
randomisation, all tests against constant rows on one set a family, p < {_ALPHA}) and in diversity
(DISTINCT-2 with intervals apart, and more different replies). The last column asks the same of `central`, which is
fitted to the text.
""",
        f"| set | system | {' | '.join(EMBEDDING)} | relevance | diversity | counts as better | beats central too |",
        f"|---|---|{'---|' * (len(EMBEDDING) + 4)}",
    ]
    for one in results:
        if one.row in (*PROBES, "people"):
            continue
        held = {probe: _beaten(one, probe, results, tests) for probe in PROBES}
        if not all(held.values()):
            continue
        marks = ["yes" if value else "no" for value in held[PROBES[0]].values()]
        verdicts = ["yes" if all(found.values()) else "no" for found in held.values()]
        lines.append(f"| {one.evaluation} | {one.name} | {' | '.join(marks)} | **{verdicts[0]}** | {verdicts[1]} |")
    return lines


def _beaten(one: Result, probe: str, results: Sequence[Result], tests: Sequence[Test]) -> dict[str, bool]:
    """Return in which respects a row beats a probe; nothing where the probe was not made."""
    rivals = [two for two in results if two.evaluation == one.evaluation and two.row == probe]
    if not rivals:
        return {}
    better = {test.found.name for test in tests if test.first is one and test.second is rivals[0] and test.better}
    return {**{name: name in better for name in (*EMBEDDING, "relevance")}, "diversity": _more_diverse(one, rivals[0])}


def _more_diverse(one: Result, two: Result) -> bool:
    here, there = one.score(DIVERSE[0]), two.score(DIVERSE[0])
    apart = (here.low if here.low is not None else here.value) > (there.high if there.high is not None else there.value)
    return apart and one.score(DIVERSE[1]).value > two.score(DIVERSE[1]).value


def _tests_table(probes: Sequence[Test], between: Sequence[Test]) -> list[str]:
    lines = [
        f"""The first against the second on the same samples; p of the paired randomisation test, corrected over
all tests against constant rows ({len(probes)}), and over those between systems ({len(between)}).
""",
        "| set | first | second | score | difference | 95 % interval | p |",
        "|---|---|---|---|---|---|---|",
    ]
    shown = [one for one in probes if one.first.kind == "system" and one.found.name in ("bleu-4", "relevance")]
    for one in (*shown, *between):
        found = one.found
        cells = (one.first.evaluation, one.first.name, one.second.name, found.name, f"{found.difference:+.3f}")
        lines.append(f"| {' | '.join(cells)} | {found.low:+.3f} to {found.high:+.3f} | {p_value(one.p)} |")
    return lines


def _costs(results: Sequence[Result]) -> list[str]:
    lines = [
        "Wall and CPU seconds and megabytes of `duologue train`, start included; milliseconds per single reply after",
        "loading, on one thread of a machine that had other work to do (CPU: what the reply itself took).",
        "",
        "| system | saw in training | settings | train: wall | CPU | MB | set | p50 ms | p95 ms | CPU p50 | CPU p95 |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    total = 0.0
    for one in results:
        if f"latency-{one.evaluation}" not in one.costs:
            continue
        train = one.costs.get("train")
        first = one.evaluation == SETS[0]
        total += train["cpu"] if train and first else 0.0
        cells = [one.name, *((one.seen, " ".join(one.settings)) if first else ("", ""))]
        cells += [f"{train[part]:.0f}" if train and first else "" for part in ("wall", "cpu", "mb")]
        times = one.costs[f"latency-{one.evaluation}"]
        cells += [one.evaluation, *(f"{times[part]:.0f}" for part in ("p50", "p95", "cpu-p50", "cpu-p95"))]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, "", f"All trainings together: {total / 60:.0f} minutes of CPU."]


def replies_to_read(examples: Mapping[str, Sequence[Example]], results: Sequence[Result], seed: int) -> str:
    """Return the replies of all rows to samples drawn by seed."""
    lines = ["# Replies to read", ""]
    for name, several in examples.items():
        here = [one for one in results if one.evaluation == name]
        lines += [f"## {name}", ""]
        for place in sorted(random.Random(seed).sample(range(len(several)), min(_READ, len(several)))):
            sample = several[place].sample
            lines += [f"### {name} {sample.id}", "", *(f"    {turn.speaker}: {turn.text}" for turn in sample.history)]
            lines += [f"    -> {one.name}: {one.replies[place]}" for one in here] + [""]
    return "\n".join(lines)


def _faults(examples: Mapping[str, Sequence[Example]], results: Sequence[Result]) -> list[str]:
    """Return how often replies show faults that can be counted without a judge."""
    lines = [
        """Shares of replies: without a word; with a number or time that nobody has said (people state new ones too:
they look them up); that say the company's last reply again; half of whose words the customer has just said.
""",
        "| set | system | empty | new number | said again | echo |",
        "|---|---|---|---|---|---|",
    ]
    for one in results:
        told = [
            _faults_of(example, reply) for example, reply in zip(examples[one.evaluation], one.replies, strict=True)
        ]
        shares = (sum(column) / len(told) for column in zip(*told, strict=True))
        lines.append(f"| {one.evaluation} | {one.name} | {' | '.join(f'{share:.2f}' for share in shares)} |")
    return lines


def _faults_of(example: Example, reply: str) -> tuple[bool, bool, bool, bool]:
    history, words = example.sample.history, terms(reply)
    said = {term for turn in history for term in terms(turn.text)}
    last = {term for turn in history[-1:] for term in terms(turn.text)}
    own = [terms(turn.text) for turn in history if turn.speaker == "system"]
    new = any(word[0].isdigit() and word not in said for word in words)
    echo = len(words) > 2 and sum(word in last for word in words) * 2 >= len(words)
    return not words, new, own[-1:] == [words], echo

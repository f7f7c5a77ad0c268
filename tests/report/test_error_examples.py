from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.records import (
    Act,
    Annotation,
    Answer,
    Candidate,
    Example,
    Fact,
    Mention,
    Report,
    Sample,
    Signature,
    Turn,
    Value,
)
from duologue.metrics.caption import Average
from duologue.metrics.counts import Metric, share
from duologue.report.comparison import ranking_formulas
from duologue.report.error_examples import MOST_FACTS, distributions, find_error_examples
from duologue.report.html import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.metrics.counts import Floats
    from tests.report.conftest import MakeReport


def example(name: str) -> Example:
    facts = tuple(Fact(subject="s", relation="r", object=f"o{number}") for number in range(MOST_FACTS + 2))
    sample = Sample(
        id=name,
        dialogue_id=name,
        history=(Turn(speaker="user", text=f"<hi> from {name}"),),
        knowledge=facts,
        candidates=(Candidate(id="a", text="yes"), Candidate(id="b", text="no")),
    )
    return Example(sample=sample, references=(Answer(ranking=("a",)),))


def names_of(report: Report) -> list[str]:
    return [name for name, _ in report.items]


def test_a_distribution_counts_every_item_once(make_report: MakeReport) -> None:
    report = make_report(wrong=30)
    found = {one.score: one for one in distributions(report, ranking_formulas(report))}
    assert sum(bar.items for bar in found["p@1"].bars) == 100
    assert (found["p@1"].bars[0].items, found["p@1"].bars[-1].items) == (30, 70)
    assert [bar.items for bar in found["mrr"].bars if bar.items] == [30, 70]
    assert found["mrr"].bars[3].items == 30  # a third


def test_a_report_without_counts_has_no_distributions(make_report: MakeReport) -> None:
    bare = msgspec.structs.replace(make_report(), items=())
    assert distributions(bare, ranking_formulas(bare)) == ()
    assert find_error_examples(bare, ranking_formulas(bare), [], {}).best == ()


def test_the_best_and_the_worst_items_come_with_their_context(make_report: MakeReport) -> None:
    report = make_report(wrong=2)
    examples = [example(name) for name in names_of(report)]
    answers = {name: Answer(ranking=("b", "a")) for name in names_of(report)}
    found = find_error_examples(report, ranking_formulas(report), examples, answers, most=3)
    assert [item.id for item in found.worst] == names_of(report)[:3]
    assert [item.value for item in found.worst] == [0, 0, 1]
    assert [item.value for item in found.best] == [1, 1, 1]
    first = found.worst[0]
    assert first.history == (("user", f"<hi> from {first.id}"),)
    assert (len(first.knowledge), first.more_knowledge) == (MOST_FACTS, 2)
    assert first.references == ("yes",)
    assert first.answer == ("1. no", "2. yes")


class Ratio(Metric[float]):
    """A column by another."""

    formula = "part / whole"

    def __init__(self, name: str, part: str, whole: str) -> None:
        self.name, self.columns = name, (part, whole)

    def count(self, seen: float) -> tuple[float, float]:
        return seen, 1.0

    def total(self, sums: Floats) -> Floats:
        return share(sums[..., 0], sums[..., 1])


def ranked(rows: Mapping[str, tuple[float, ...]], *formulas: Ratio, most: int) -> tuple[list[str], list[str]]:
    """Return the best and the worst items by `points` of counts `one`, `points`, `asked`, `right`."""
    columns = ("one", "points", "asked", "right")
    report = Report(
        task="x",
        variant="strict",
        n=len(rows),
        scores=(),
        rank_by="points",
        columns=columns,
        items=tuple(rows.items()),
        signature=Signature(),
    )
    found = find_error_examples(report, formulas, [example(name) for name in rows], {}, most=most)
    return [item.id for item in found.best], [item.id for item in found.worst]


def test_items_are_ordered_by_the_score_that_ranks_wherever_it_stands_in_the_list() -> None:
    rows = {"a": (1.0, 3.0, 1.0, 5.0), "b": (1.0, 1.0, 1.0, 9.0), "c": (1.0, 2.0, 1.0, 0.0), "d": (1.0, 4.0, 1.0, 2.0)}
    points, right = Ratio("points", "points", "one"), Ratio("right", "right", "asked")
    for formulas in ((right, points), (points, right)):
        assert ranked(rows, *formulas, most=2) == (["d", "a"], ["b", "c"])


def test_among_equals_a_score_that_says_nothing_of_an_item_counts_as_0() -> None:
    rows = {"a": (1.0, 1.0, 1.0, 2.0), "b": (1.0, 1.0, 0.0, 0.0), "c": (1.0, 1.0, 1.0, 1.0), "d": (1.0, 1.0, 1.0, 3.0)}
    formulas = Ratio("points", "points", "one"), Ratio("right", "right", "asked")
    assert ranked(rows, *formulas, most=2) == (["d", "a"], ["b", "c"])


def test_items_without_a_sample_or_an_answer_are_dealt_with(make_report: MakeReport) -> None:
    report = make_report(wrong=2)
    found = find_error_examples(report, ranking_formulas(report), [example(names_of(report)[1])], {})
    assert [item.id for item in (*found.best, *found.worst)] == [names_of(report)[1]] * 2
    assert found.worst[0].answer == ()


def test_annotations_are_shown_in_lines(make_report: MakeReport) -> None:
    report = make_report(n=2)
    annotation = Annotation(
        facts=(Fact(subject="Q", relation="height", object=("1", "2")),),
        acts=(Act(speaker="user", name="ask", args=("price",)), Act(speaker="system", name="tell")),
        mentions=(Mention(label="plan", text="big one"),),
        values=(Value(slot="price", text="8"),),
    )
    answers = {name: Answer(text="hello", annotation=annotation) for name in names_of(report)}
    found = find_error_examples(report, ranking_formulas(report), [example(name) for name in names_of(report)], answers)
    assert found.best[0].answer == (
        "hello",
        "Q · height · 1、2",
        "user: ask(price)",
        "system: tell",
        "plan: big one",
        "user · price · 8",
    )


def test_the_page_shows_distributions_and_items_escaped(make_report: MakeReport) -> None:
    report = make_report("solver", wrong=2)
    examples = [example(name) for name in names_of(report)]
    cases = {0: find_error_examples(report, ranking_formulas(report), examples, {})}
    text = page([report], showcases=cases)
    assert 'class="bars"' in text
    assert "&lt;hi&gt; from" in text
    assert "<hi>" not in text
    assert "example" not in page([report]).replace(".example", "")


def test_a_score_that_counts_once_per_dialogue_is_shown_by_whole_dialogues() -> None:
    rows = {"d1#1": (1, 1, 3), "d1#2": (1, 0, 1), "d2#1": (1, 1, 0), "d2#2": (1, 0, 1), "d3#1": (1, 0, 2)}
    groups = tuple(name[:2] for name in rows)
    report = Report(
        task="x",
        variant="strict",
        n=5,
        scores=(),
        rank_by="goals",
        columns=("items", "dialogues", "points"),
        items=tuple((name, tuple(map(float, counts))) for name, counts in rows.items()),
        groups=groups,
    )
    goals = Average("goals", "points / dialogues", percent=False)
    goals.columns = ("dialogues", "points")
    plain = Average("plain", "points / items", percent=False)
    plain.columns = ("items", "points")
    spread, single = distributions(report, [goals, plain])
    assert (spread.grouped, sum(bar.items for bar in spread.bars), spread.unknown) == (True, 2, 1)
    assert (single.grouped, sum(bar.items for bar in single.bars), single.unknown) == (False, 5, 0)
    answers = {name: Answer(text=f"said {name}") for name in rows}
    found = find_error_examples(report, [goals, plain], [example(name) for name in rows], answers)
    assert [(item.id, item.value) for item in (*found.best, *found.worst)] == [("d1", 4.0), ("d2", 1.0)]
    assert found.best[0].answer == ("1. said d1#1", "2. said d1#2")
    assert found.best[0].references == ("1. yes", "2. yes")
    assert found.best[0].history == (("user", "<hi> from d1#2"),)

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.annotation import Bilingual
from duologue.core.marked_text import MarkedText, Stretch
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
    Span,
    Turn,
    Value,
)
from duologue.metrics.counts import Metric, share
from duologue.metrics.formulas import Average
from duologue.report.comparison import ranking_formulas
from duologue.report.error_examples import Distribution, distributions, find_error_examples
from duologue.report.html import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.dialogue_view import Said
    from duologue.metrics.counts import Floats
    from tests.report.conftest import MakeReport


def example(name: str) -> Example:
    facts = tuple(Fact(subject="s", relation="r", object=f"o{number}") for number in range(32))
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


def test_a_distribution_is_one_of_items_unless_it_is_said_to_be_one_of_dialogues(make_report: MakeReport) -> None:
    report = make_report(wrong=3)
    assert not Distribution("p@1", percent=True, bars=(), unknown=0).grouped
    assert not any(one.grouped for one in distributions(report, ranking_formulas(report)))


def test_a_report_without_counts_has_no_distributions(make_report: MakeReport) -> None:
    bare = msgspec.structs.replace(make_report(), items=())
    assert distributions(bare, ranking_formulas(bare)) == ()
    assert find_error_examples(bare, ranking_formulas(bare), [], {}).best == ()


def test_the_best_and_the_worst_items_come_with_their_context(make_report: MakeReport) -> None:
    report = make_report(wrong=2)
    examples = [example(name) for name in names_of(report)]
    answers = {name: Answer(ranking=("b", "a")) for name in names_of(report)}
    found = find_error_examples(report, ranking_formulas(report), examples, answers, limit=3)
    assert [item.id for item in found.worst] == names_of(report)[:3]
    assert [item.value for item in found.worst] == [0, 0, 1]
    assert [item.value for item in found.best] == [1, 1, 1]
    first = found.worst[0]
    assert first.history == (("user", f"<hi> from {first.id}"),)
    assert (len(first.knowledge), first.more_knowledge) == (30, 2)
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


def report_of(rows: Mapping[str, tuple[float, ...]]) -> Report:
    """Return a report that ranks by `points`, of counts `one`, `points`, `asked`, `right`."""
    return Report(
        task="x",
        variant="strict",
        n=len(rows),
        scores=(),
        rank_by="points",
        columns=("one", "points", "asked", "right"),
        items=tuple(rows.items()),
        signature=Signature(),
    )


def ranked(rows: Mapping[str, tuple[float, ...]], *formulas: Ratio, limit: int) -> tuple[list[str], list[str]]:
    """Return the best and the worst items by `points` of counts `one`, `points`, `asked`, `right`."""
    found = find_error_examples(report_of(rows), formulas, [example(name) for name in rows], {}, limit=limit)
    return [item.id for item in found.best], [item.id for item in found.worst]


def test_items_are_ordered_by_the_score_that_ranks_wherever_it_stands_in_the_list() -> None:
    rows = {"a": (1.0, 3.0, 1.0, 5.0), "b": (1.0, 1.0, 1.0, 9.0), "c": (1.0, 2.0, 1.0, 0.0), "d": (1.0, 4.0, 1.0, 2.0)}
    points, right = Ratio("points", "points", "one"), Ratio("right", "right", "asked")
    for formulas in ((right, points), (points, right)):
        assert ranked(rows, *formulas, limit=2) == (["d", "a"], ["b", "c"])


def test_among_equals_a_score_that_says_nothing_of_an_item_counts_as_0() -> None:
    rows = {"a": (1.0, 1.0, 1.0, 2.0), "b": (1.0, 1.0, 0.0, 0.0), "c": (1.0, 1.0, 1.0, 0.5), "d": (1.0, 1.0, 1.0, 3.0)}
    formulas = Ratio("points", "points", "one"), Ratio("right", "right", "asked")
    assert ranked(rows, *formulas, limit=2) == (["d", "a"], ["b", "c"])


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
        Bilingual(en="user: ask(price)", zh="用户: ask(price)"),
        Bilingual(en="system: tell", zh="系统: tell"),
        "plan: big one",
        Bilingual(en="user · price · 8", zh="用户 · price · 8"),
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
    mention = Mention(label="greeting", text="<hi>", span=Span(turn=0, start=0, end=4))
    wanted = {"d1#2": (Answer(annotation=Annotation(mentions=(mention,))),)}
    right = (Answer(ranking=("a",)),)
    examples = [msgspec.structs.replace(example(name), references=wanted.get(name, right)) for name in rows]
    found = find_error_examples(report, [goals, plain], examples, answers)
    assert [(item.id, item.value) for item in (*found.best, *found.worst)] == [("d1", 4.0), ("d2", 1.0)]
    assert found.best[0].answer == ("1. said d1#1", "2. said d1#2")
    assert found.best[0].references == ("1. yes", "2. greeting: <hi>")
    assert found.best[0].history == (("user", MarkedText("<hi> from d1#2", (Stretch(0, 4, "-: greeting"),))),)


def test_ranges_hold_their_lower_end_and_go_beyond_0_and_1_where_scores_do() -> None:
    rows = {name: (1.0, points, 0.0, 0.0) for name, points in (("a", 0.0), ("b", 0.1), ("c", 0.3), ("d", 1.0))}
    rows["e"] = (0.0, 1.0, 0.0, 0.0)
    points = Ratio("points", "points", "one")
    (found,) = distributions(report_of(rows), [points])
    assert [bar.items for bar in found.bars] == [1, 1, 0, 1, 0, 0, 0, 0, 0, 1]
    assert [bar.share for bar in found.bars][:2] == [0.25, 0.25]
    assert (found.bars[0].low, found.bars[-1].high, found.unknown, found.percent) == (0.0, 1.0, 1, True)
    (found,) = distributions(report_of({"x": (1.0, 0.25, 0.0, 0.0), "y": (1.0, 0.5, 0.0, 0.0)}), [points])
    assert [bar.items for bar in found.bars] == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0]
    wide = rows | {"f": (1.0, -1.0, 0.0, 0.0), "g": (1.0, 4.0, 0.0, 0.0)}
    (found,) = distributions(report_of(wide), [points])
    assert [(bar.low, bar.high) for bar in (found.bars[0], found.bars[-1])] == [(-1.0, -0.5), (3.5, 4.0)]
    assert [bar.items for bar in found.bars] == [1, 0, 3, 0, 1, 0, 0, 0, 0, 1]


def test_a_score_that_says_nothing_of_any_item_has_no_ranges() -> None:
    (found,) = distributions(report_of({"a": (0.0, 1.0, 0.0, 0.0)}), [Ratio("points", "points", "one")])
    assert (found.bars, found.unknown, found.grouped) == ((), 1, False)


def test_an_item_stands_among_the_best_or_the_worst_as_far_as_there_are_enough() -> None:
    rows = {name: (1.0, float(place), 0.0, 0.0) for place, name in enumerate("abcde")}
    points = Ratio("points", "points", "one")
    assert ranked(rows, points, limit=9) == (["e", "d", "c"], ["a", "b", "c"])
    assert ranked(rows, points, limit=1) == (["e"], ["a"])
    assert ranked(dict(list(rows.items())[:4]), points, limit=9) == (["d", "c"], ["a", "b"])
    assert ranked({}, points, limit=9) == ([], [])


def test_five_of_the_best_and_the_worst_are_shown_unless_another_number_is_asked_for(make_report: MakeReport) -> None:
    report = make_report(n=20, wrong=10)
    known = [example(name) for name in names_of(report)]
    found = find_error_examples(report, ranking_formulas(report), known, {})
    assert (len(found.best), len(found.worst)) == (5, 5)
    assert {one.value for one in found.best} == {1.0}
    assert {one.value for one in found.worst} == {0.0}


def test_knowledge_that_fits_is_shown_whole(make_report: MakeReport) -> None:
    report = make_report(n=1)
    one = example(names_of(report)[0])
    fits = msgspec.structs.replace(one, sample=msgspec.structs.replace(one.sample, knowledge=one.sample.knowledge[:2]))
    (found,) = find_error_examples(report, ranking_formulas(report), [fits], {}).best
    assert (found.knowledge, found.more_knowledge) == (("s · r · o0", "s · r · o1"), 0)


def test_a_ranking_is_shown_where_there_is_no_text(make_report: MakeReport) -> None:
    report = make_report(n=1)
    (name,) = names_of(report)

    def said(answer: Answer) -> tuple[Said, ...]:
        return find_error_examples(report, ranking_formulas(report), [example(name)], {name: answer}).best[0].answer

    assert said(Answer(text="", ranking=("a",))) == ("",)
    assert said(Answer(ranking=("b", "x", "a", "c"))) == ("1. no", "2. x", "3. yes")
    assert said(Answer(ranking=())) == ()
    assert said(Answer()) == ()


def test_labels_are_told_with_english_names_and_what_is_wanted_is_marked_in_the_page(make_report: MakeReport) -> None:
    report = make_report(n=2)
    annotation = Annotation(
        acts=(Act(speaker="user", name="询问", args=("ent-1-业务费用",)),),
        mentions=(Mention(label="套餐", text="<hi>", entity="ent-1", span=Span(turn=0, start=0, end=4)),),
        values=(Value(slot="短信", text="from", span=Span(turn=1, start=0, end=4)),),
    )
    examples = [
        msgspec.structs.replace(example(name), references=(Answer(annotation=annotation),)) for name in names_of(report)
    ]
    names = {"询问": "ask", "业务费用": "fee", "套餐": "plan"}
    found = find_error_examples(report, ranking_formulas(report), examples, {}, names=names)
    told = "user: 询问 (ask)(ent-1-业务费用 (fee)) / 套餐 (plan): <hi> / user · 短信 · from"
    chinese = "用户: 询问(ent-1-业务费用) / 套餐: <hi> / 用户 · 短信 · from"
    assert found.best[0].references == (Bilingual(en=told, zh=chinese),)
    made = page([report], formulas=ranking_formulas, showcases={0: found})
    assert '<mark title="ent-1: 套餐 (plan)">&lt;hi&gt;</mark> from ' in made

from __future__ import annotations

from duologue.core.annotation import Bilingual
from duologue.core.answer_lines import answer_lines, fact_cells, fact_line, told_annotation
from duologue.core.records import Act, Annotation, Answer, Candidate, Fact, Mention, Sample, Value

SAMPLE = Sample(id="a", dialogue_id="a", candidates=(Candidate(id="c1", text="hello"), Candidate(id="c2", text="bye")))


def test_a_ranking_is_told_by_its_texts_and_not_beside_a_text() -> None:
    answer = Answer(ranking=("c2", "c1", "gone"))
    assert answer_lines(answer, SAMPLE, 3, {}) == ("1. bye", "2. hello", "3. gone")
    assert answer_lines(answer, SAMPLE, 1, {}) == ("bye",)
    assert answer_lines(Answer(text="so", ranking=("c2",)), SAMPLE, 3, {}) == ("so",)


def test_an_annotation_is_told_with_english_names() -> None:
    annotation = Annotation(
        facts=(Fact(subject="a", relation="费用", object=("1", "2")),),
        acts=(Act(speaker="user", name="询问", args=("ent-1-费用",)),),
        mentions=(Mention(label="套餐", text="它"),),
        values=(Value(slot="费用", text="十元"),),
    )
    assert answer_lines(Answer(annotation=annotation), SAMPLE, 1, {"费用": "fee", "询问": "ask"}) == (
        "a · 费用 (fee) · 1、2",
        "user: 询问 (ask)(ent-1-费用 (fee))",
        "套餐: 它",
        "user · 费用 (fee) · 十元",
    )
    assert [(one.en, one.zh) for one in told_annotation(annotation, {"费用": "fee"})] == [
        ("a · 费用 (fee) · 1、2", "a · 费用 · 1、2"),
        ("user: 询问(ent-1-费用 (fee))", "用户: 询问(ent-1-费用)"),
        ("套餐: 它", "套餐: 它"),
        ("user · 费用 (fee) · 十元", "用户 · 费用 · 十元"),
    ]
    assert told_annotation(None, {}) == []
    assert fact_line(Fact(subject="a", relation="b", object=3), {}) == "a · b · 3"
    fact = Fact(subject="a", relation="费用", object=("1", "2"))
    assert fact_cells(fact, {"费用": "fee"}) == ("a", Bilingual(en="费用 (fee)", zh="费用"), "1、2")
    assert fact_cells(fact, {}) == ("a", "费用", "1、2")

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.scoring.extraction import laid_over
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import in_english, view_lines
from duologue.core.errors import FormatError, TruthError
from duologue.core.records import Example, Scoring, Submission

GOLDEN = Path(__file__).resolve().parents[4] / "golden/mobilecs"
TASK = ExtractionTask()
TRUTH = list(TASK.load(GOLDEN / "extraction/contract/raw.json"))


def mention(**changed: Any) -> dict[str, Any]:
    return {
        "id": "x",
        "name": "青松套餐",
        "type": "主套餐",
        "turn_id": 0,
        "utterance_id": 1,
        "position": [0, 4],
        **changed,
    }


def value(**changed: Any) -> dict[str, Any]:
    place = {"turn_id": 1, "utterance_id": 2, "position": [6, 9]}
    return {"ent-id": "x", "prop": "业务费用", "value": "四十六元", **place, **changed}


def result(entities: list[Any], triples: list[Any], examples: list[Example] | None = None) -> Submission:
    rows = [{"id": (examples or TRUTH)[0].sample.id, "entities": entities, "triples": triples}]
    return Submission(rows=rows, layout="", problems=(), hash="", path="result.json")


def told(submission: Submission) -> list[str]:
    (shown,) = laid_over.laid_over(TRUTH[:1], submission)
    return [line.strip() for line in view_lines(shown)]


def test_each_mention_and_value_is_hit_missed_or_false_where_it_stands() -> None:
    lines = told(result([mention(), mention(id="y", type="业务")], [value(), value(prop="业务规则")]))
    assert [line for line in lines if line and line[0] in "¹²³⁴"][:5] == [
        "¹ hit: 青松套餐: ent-1 is 主套餐 (main plan)",
        "² false: 青松套餐: y (in the result alone) is 业务 (service)",
        "¹ missed: 青松套餐: ent-1 is 主套餐 (main plan)",
        "² hit: 四十六元: ent-1 has 业务费用 (fee)",
        "³ false: 四十六元: ent-1 has 业务规则 (rule)",
    ]
    assert "user: [¹[²青松套餐²]¹]一个月要交多少" in lines
    assert lines[lines.index("in the truth  in the result") + 1 :][:2] == ["ent-1         x", "-             y"]


def test_a_mention_that_is_right_and_counted_to_another_entity_says_so() -> None:
    lines = told(
        result([mention(), mention(id="y", turn_id=1, utterance_id=2, position=[0, 4])], [value(**{"ent-id": "y"})])
    )
    assert "¹ hit: 青松套餐: ent-1 is 主套餐 (main plan), counted to an entity of the result alone" in lines


def test_what_stands_in_no_utterance_comes_last_with_what_the_checker_refuses() -> None:
    entities = [mention(turn_id=99, utterance_id=198), 5, {"id": "z"}]
    (shown,) = laid_over.laid_over(TRUTH[:1], result(entities, [value(value="十元")]))
    (table,) = shown.after
    assert [[in_english(cell) for cell in row] for row in table.rows] == [
        ["turn 1, utterance 2, characters 6-9", "十元", "x (in the result alone)", "业务费用 (fee)"],
        ["turn 99, utterance 198, characters 0-4", "青松套餐", "x", "主套餐"],
        ["", "5", "-", "-"],
        ["", "-", "z", "-"],
    ]


def test_a_dialogue_without_an_answer_says_so_in_both_languages() -> None:
    shown = [one.title for one in laid_over.laid_over(TRUTH, result([], []))]
    assert in_english(shown[0]) == TRUTH[0].sample.id
    assert shown[1] == Bilingual(en=f"{TRUTH[1].sample.id} (no answer)", zh=f"{TRUTH[1].sample.id}（没有答案）")


def test_a_truth_without_annotation_and_a_file_without_answers_are_refused() -> None:
    bare = [Example(sample=TRUTH[0].sample)]
    with pytest.raises(TruthError):
        list(laid_over.laid_over(bare, result([], [])))
    raw = Submission(rows=[one.source for one in TRUTH], layout="", problems=(), hash="", path="raw.json")
    with pytest.raises(FormatError, match="raw data, and no answers"):
        list(laid_over.laid_over(TRUTH, raw))
    with pytest.raises(FormatError):
        list(laid_over.laid_over(TRUTH, Submission(rows={}, layout="", problems=(), hash="", path="x")))


@given(st.data())
def test_what_is_shown_is_what_the_strict_scorer_counts(data: st.DataObject) -> None:
    path = GOLDEN / "extraction/contract/raw.json"
    examples = list(TASK.load(path))
    rows = []
    for example in examples:
        annotation = example.references[0].annotation
        assert annotation is not None
        spans = [one.span for one in annotation.mentions if one.span is not None]
        entities = [
            {
                "id": data.draw(st.sampled_from("ab")),
                "name": one.text,
                "type": data.draw(st.sampled_from(["业务", one.label])),
            }
            | {"turn_id": span.turn // 2, "utterance_id": span.turn, "position": [span.start, span.end]}
            for one, span in zip(annotation.mentions, spans, strict=True)
            if data.draw(st.booleans())
        ]
        triples = [
            {
                "ent-id": data.draw(st.sampled_from(["a", "b", "NA"])),
                "prop": one.slot,
                "value": one.text,
                "turn_id": one.span.turn // 2,
            }
            for one in annotation.values
            if one.span is not None and data.draw(st.booleans())
        ]
        rows.append({"id": example.sample.id, "entities": entities, "triples": triples})
    submission = Submission(rows=rows, layout="", problems=(), hash="", path="x")
    scores = {
        one.name: one.value for one in TASK.score(examples, submission, Scoring(variant="strict", partial=True)).scores
    }
    views = list(laid_over.laid_over(examples, submission))
    for at, what in enumerate(("entity", "triple")):
        cells = [list(map(in_english, one.tables[0].rows[at])) for one in views]
        hit, missed, false = (sum(int(row[place]) for row in cells) for place in (1, 2, 3))
        assert scores[f"{what}-recall"] == pytest.approx(hit / (hit + missed) if hit + missed else 0.0)
        assert scores[f"{what}-precision"] == pytest.approx(hit / (hit + false) if hit + false else 0.0)


def test_long_files_take_one_pass() -> None:
    def made(n: int) -> tuple[list[Example], Submission]:
        first = TRUTH[0]
        examples = [
            Example(
                sample=type(first.sample)(id=str(at), dialogue_id=str(at), history=first.sample.history),
                references=first.references,
            )
            for at in range(n)
        ]
        rows = [{"id": str(at), "entities": [mention()], "triples": [value()]} for at in range(n)]
        return examples, Submission(rows=rows, layout="", problems=(), hash="", path="x")

    assert growth(made, lambda both: list(laid_over.laid_over(*both)), 40) < LINEAR

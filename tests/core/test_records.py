from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from duologue.core.records import (
    LARGEST_COUNT,
    SMALLEST_COUNT,
    Answer,
    Dialogue,
    Example,
    Exposure,
    Fact,
    Problem,
    Record,
    Report,
    Sample,
    Score,
    Scoring,
    Signature,
    Span,
    Turn,
)
from tests.records_in import demand_strict, records_in
from tests.strategies import answers, dialogues, examples, samples

_PARTS = records_in("duologue.core")


@pytest.mark.parametrize("kind", _PARTS, ids=lambda kind: kind.__name__)
def test_every_record_is_frozen_keyword_only_and_refuses_unknown_fields(kind: type[Record]) -> None:
    demand_strict(kind)


@pytest.mark.parametrize("kind", [one for one in _PARTS if one.__name__[0] != "_"], ids=lambda kind: kind.__name__)
def test_every_record_says_what_it_holds(kind: type[Record]) -> None:
    assert kind.__doc__


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Turn(speaker="user", text="hi").text = "ho"  # type: ignore[misc]  # the error is what is tested


def test_an_unknown_field_is_refused_when_decoding() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `role`"):
        msgspec.convert({"speaker": "user", "text": "hi", "role": "x"}, Turn)


def test_an_answer_that_is_not_given_is_not_an_empty_one() -> None:
    assert Answer() != Answer(text="")
    assert msgspec.json.decode(msgspec.json.encode(Answer()), type=Answer).text is None


def test_a_fact_keeps_the_type_of_its_object() -> None:
    wire = [
        msgspec.json.encode(Fact(subject="s", relation="r", object=value)) for value in (70, "70", 70.5, ("a", "b"))
    ]
    kept = [msgspec.json.decode(line, type=Fact).object for line in wire]
    assert kept == [70, "70", 70.5, ("a", "b")]
    assert [type(value) for value in kept] == [int, str, float, tuple]


def test_a_span_cuts_characters_and_not_bytes() -> None:
    dialogue = Dialogue(id="d", turns=(Turn(speaker="user", text="x"), Turn(speaker="system", text="有一个流量包")))
    assert Span(turn=1, start=3, end=6).cut(dialogue) == "流量包"


def test_a_sample_has_no_place_for_references() -> None:
    hidden = {"references", "answer", "source", "user_goal", "asked", "meta"}
    assert not hidden & set(Sample.__struct_fields__)
    assert {"references", "user_goal", "asked"} <= set(Example.__struct_fields__)


@settings(max_examples=40)
@given(dialogue=dialogues)
def test_a_dialogue_survives_json_with_the_key_order_of_its_source(dialogue: Dialogue) -> None:
    wire = msgspec.json.encode(dialogue)
    again = msgspec.json.decode(wire, type=Dialogue)
    assert again == dialogue
    assert msgspec.json.encode(again) == wire


@settings(max_examples=40)
@given(sample=samples, answer=answers, example=examples)
def test_what_systems_and_scorers_get_survives_json(sample: Sample, answer: Answer, example: Example) -> None:
    for value in (sample, answer, example):
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value


@pytest.mark.parametrize(
    ("exposure", "share", "leak"),
    [
        (Exposure(samples=100, samples_seen=5, by_chance=0.0), 0.05, True),
        (Exposure(samples=1000, samples_seen=5, by_chance=0.0), 0.005, False),
        (Exposure(samples=100, samples_seen=20, by_chance=0.1), 0.2, False),
        (Exposure(samples=100, samples_seen=40, by_chance=0.1), 0.4, True),
        (Exposure(files=("test.json",)), 1.0, True),
        (Exposure(files=("test.json",), samples=10), 0.0, True),
        (Exposure(), 0.0, False),
    ],
)
def test_more_than_chance_of_the_truth_seen_in_training_is_a_leak(
    exposure: Exposure, share: float, leak: object
) -> None:
    assert exposure.share == share
    assert exposure.leak is leak


SIGNED = Signature(
    formulas=("a = 1", "b = 2"), task="toy", variant="strict", options=("empty=zero", "partial"), tokens="words",
    references="1 to 3", version="v1", n=9, dialogues=4, hashes={"pred": "0123456789", "gold": "ab"},
    prompts={"user": "u/1", "system": "s/1"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, "empty=zero | partial | words, 1 to 3 ref | v1 | n 9 | 4 dialogues | jackknife 2"),
        ({"options": (), "tokens": "", "dialogues": 1}, "1 to 3 ref | v1 | n 9 | 1 dialogue | jackknife 2"),
        ({"options": (), "references": "", "dialogues": 0}, "words | v1 | n 9 | 0 dialogues | jackknife 2"),
        ({"options": ("x",), "dialogues": None}, "x | words, 1 to 3 ref | v1 | n 9"),
        (
            {"options": ("x",), "dialogues": None, "unit": "sample"},
            "x | words, 1 to 3 ref | v1 | n 9 | dialogues unknown, by sample | jackknife 2",
        ),
        (
            {"options": ("x",), "unit": "sample", "part": "task 1", "resampling": "draws"},
            "x | words, 1 to 3 ref | v1 | n 9 | 4 dialogues | draws | task 1",
        ),
    ],
)
def test_a_signature_is_one_line_from_formulas_to_hashes(changed: dict[str, Any], told: str) -> None:
    line = str(msgspec.structs.replace(SIGNED, **changed))
    marks = "system prompt s/1 | user prompt u/1 | pred 01234567 | gold ab"
    assert line == f"a = 1, b = 2 | toy | strict | {told} | {marks}"


def test_the_signature_of_a_part_has_its_name_and_number() -> None:
    part = SIGNED.of(["c = 3"], "task 2", 5)
    assert (part.formulas, part.part, part.n) == (("c = 3",), "task 2", 5)
    assert SIGNED.of(["c = 3"], "task 2").n == 9
    assert SIGNED.of(["c = 3"], n=5) == msgspec.structs.replace(SIGNED, formulas=("c = 3",))  # the whole has its own
    assert Signature().n == 0
    assert [bool(one) for one in (SIGNED, Signature(task="toy"), Signature(formulas=("a",)), Signature(n=3))] == [
        True, True, True, False,
    ]  # fmt: skip


def test_the_greatest_share_of_counts_has_a_square() -> None:
    assert 0 < SMALLEST_COUNT < 1 < LARGEST_COUNT
    assert math.isfinite((LARGEST_COUNT / SMALLEST_COUNT) ** 2)


def test_nothing_is_said_to_be_seen_unless_it_is_counted() -> None:
    nothing = dict.fromkeys(("samples", "samples_seen", "by_chance", "replies", "replies_seen", "held_out"), 0)
    assert msgspec.structs.asdict(Exposure()) == {"unknown": "", "files": (), "examples": (), **nothing}


def test_a_report_warns_where_it_has_items_whose_dialogues_are_not_known() -> None:
    bare = Report(task="t", variant="v", n=0, scores=(), rank_by="")
    assert bare.caution == ""
    items = (("a", (1.0,)), ("b", (0.0,)))
    assert msgspec.structs.replace(bare, items=items, groups=("d", "d")).caution == ""
    assert msgspec.structs.replace(bare, items=items).caution.startswith("dialogues are not known, so each item is ")


def test_a_report_is_a_table_of_its_scores() -> None:
    scores = (Score(name="f1", value=0.5, low=0.25, high=0.75), Score(name="bleu", value=0.125))
    report = Report(task="t", variant="v", n=2, scores=scores, rank_by="f1")
    assert report.rows() == [("f1", 0.5, 0.25, 0.75), ("bleu", 0.125, None, None)]


@pytest.mark.parametrize(
    ("part", "whole"), [("samples_seen", "samples"), ("replies_seen", "replies"), ("held_out", "samples_seen")]
)
def test_all_that_there_is_may_have_been_seen_and_no_more(part: str, whole: str) -> None:
    counts: dict[str, Any] = {"samples": 9, "replies": 9, whole: 3}
    all_of_it, more = ({**counts, part: number} for number in (3, 4))
    assert getattr(Exposure(**all_of_it), part) == 3
    with pytest.raises(ValueError, match=f"{part} is 4, more than {whole}, 3"):
        Exposure(**more)


@pytest.mark.parametrize(
    ("seen", "samples", "by_chance", "leak"),
    [(1, 100, 0.0, True), (9, 1000, 0.0, False), (30, 100, 0.1, False), (32, 100, 0.1, True), (75, 100, 0.5, True),
     (74, 100, 0.5, False)],
)  # fmt: skip
def test_a_leak_is_three_times_what_chance_gives_or_half_of_what_is_left(
    seen: int, samples: int, by_chance: float, *, leak: bool
) -> None:
    assert Exposure(samples=samples, samples_seen=seen, by_chance=by_chance).leak == leak


def test_what_is_not_said_of_scores_problems_and_scoring() -> None:
    score = Score(name="f1", value=0.5)
    assert (score.percent, score.higher_is_better, score.low, score.high, score.note) == (True, True, None, None, "")
    problem = Problem(rule="r", message="m")
    assert (problem.severity, problem.stands_for, problem.place, problem.advice) == ("error", 1, "", "")
    assert (Scoring(variant="strict").partial, Scoring(variant="strict").samples) == (False, "all")


def test_a_report_without_a_system_is_titled_by_its_scores() -> None:
    report = Report(task="t", variant="v", n=2, scores=(Score(name="f1", value=0.5),), rank_by="f1")
    assert str(report).splitlines()[0] == "scores on t, v, 2 items"
    named = msgspec.structs.replace(report, system="solver")
    assert "<caption>solver on t, v, 2 items</caption>" in named._repr_html_()


def test_a_report_shows_what_stands_beside_its_figures_and_counts_further_problems() -> None:
    problems = tuple(
        Problem(rule="id-missing", message="has no answer", severity="warning", place=f"sample {number}" * (number > 0))
        for number in range(7)
    )
    rows = (("1", (1.0,)), ("2", (0.0,)))
    shown = Report(
        task="t", variant="v", n=2, scores=(), rank_by="f1", columns=("hits",), items=rows, problems=problems
    )
    *_, caution, first, second, _third, _fourth, fifth, more, signature = str(shown).splitlines()
    assert caution == shown.caution
    assert (first, second) == ("warning: has no answer", "warning: sample 1: has no answer")
    assert (fifth, more) == ("warning: sample 4: has no answer", "and 2 more problems")
    assert signature == str(shown.signature)
    assert f"<p>{caution}</p><p>{first}</p><p>{second}</p>" in shown._repr_html_()
    alone = msgspec.structs.replace(shown, groups=("a", "b"), problems=problems[:5])
    assert str(alone).splitlines()[2] == first
    assert "more problems" not in str(alone)

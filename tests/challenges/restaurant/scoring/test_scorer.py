from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.restaurant.formats import files
from duologue.challenges.restaurant.formats.data_rules import NOT_A_LIST
from duologue.challenges.restaurant.formats.python2 import print_float
from duologue.challenges.restaurant.scoring import official, scorer
from duologue.challenges.restaurant.scoring.scorer import truth_problems
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Answer, Example, Report, Scoring, Submission
from duologue.run.evaluate import join

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "restaurant" / "official"
CASES = [json.loads(path.read_bytes()) for path in sorted(GOLDEN.glob("*.json"))]


def submission(rows: Any) -> Submission:
    return Submission(rows=rows, layout=files.LAYOUT, hash="0123456789abcdef", path="x.answers.json")


def score(examples: list[Example], submission: Submission, variant: str, *, partial: bool = False) -> Report:
    return scorer.score(examples, submission, Scoring(variant=variant, partial=partial))


def item(name: Any, *ids: Any) -> dict[str, Any]:
    return {
        "dialog_id": name,
        "lst_candidate_id": [{"candidate_id": one, "rank": rank} for rank, one in enumerate(ids, start=1)],
    }


def data_example(name: str, texts: dict[str, str], best: str) -> Example:
    row = {
        "dialog_id": name,
        "utterances": ["hi"],
        "candidates": [{"candidate_id": one, "utterance": text} for one, text in texts.items()],
        "answer": {"candidate_id": best, "utterance": texts[best]},
    }
    return files.example_of(row)


DATA = [
    data_example("d1", {"a": "i'm on it", "b": "where should it be", "c": "no"}, "a"),
    data_example("d2", {"a": "i'm on it", "b": "where should it be"}, "b"),
]


def values(report: Report) -> dict[str, float]:
    return {one.name: one.value for one in report.scores}


def loaded(tmp_path: Path, rows: Any) -> list[Example]:
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(rows))
    return files.load(path)


@pytest.mark.parametrize(
    ("slots", "lines"),
    [
        ("1", ("0.5", "0.5", "0.5")),  # the second truth is at rank 2, which one slot does not keep
        ("2", ("0.5", "1.0", "1.0")),
        ("3", ("0.0", "1.0", "1.0")),  # rank -2 is the first of three slots and overwrites the truth there
        ("12", ("0.5", "1.0", "1.0")),
    ],
)
def test_the_official_scorer_keeps_as_many_ranks_as_it_is_told(slots: str, lines: tuple[str, ...]) -> None:
    odd = [{"candidate_id": "z", "rank": -2}, {"candidate_id": "a", "rank": 2}] if slots == "3" else []
    first = item("d1", "a", "b")
    rows = [{**first, "lst_candidate_id": first["lst_candidate_id"] + odd}, item("d2", "a", "b")]
    how = Scoring(variant="official", options={"input-nb-candidate": slots})
    report = scorer.score(DATA, submission(rows), how)
    assert report.transcript == tuple(f"Precision @{k}: {line}" for k, line in zip((1, 2, 5), lines, strict=True))
    assert f"{slots} slots" in str(report.signature)


@pytest.mark.parametrize("text", ["0", "-1", "x", "", "10001", "²", "9" * 5000])
def test_a_number_of_ranks_that_is_none_is_refused(text: str) -> None:
    how = Scoring(variant="official", options={"input-nb-candidate": text})
    with pytest.raises(UsageError, match="expected a whole number from 1 to 10000"):
        scorer.score(DATA, submission([]), how)
    with pytest.raises(UsageError, match="strict sees all ranks"):
        scorer.score(DATA, submission([]), Scoring(variant="strict", options={"input-nb-candidate": "3"}))


@pytest.mark.parametrize("case", [case for case in CASES if case["tool"] == "score"], ids=lambda case: case["name"])
def test_variant_official_gives_the_official_lines(tmp_path: Path, case: dict[str, Any]) -> None:
    for name, value in case["files"].items():
        (tmp_path / name).write_text(json.dumps(value))
    truth, result = files.load(tmp_path / "truth.json"), files.read_result(tmp_path / "result.json")
    if case["exit_code"]:
        with pytest.raises(FormatError) as caught:
            score(truth, result, "official")
        lines = caught.value.transcript
    else:
        report = score(truth, result, "official")
        lines = report.transcript
        assert [f"Precision @{k}: {print_float(values(report)[f'p@{k}'])}" for k in (1, 2, 5)] == list(lines)[-3:]
    assert "".join(f"{line}\n" for line in lines) == case["stdout"]


def test_strict_scores_by_hand() -> None:
    report = score(DATA, submission([item("d1", "b", "a", "c"), item("d2", "b", "a")]), "strict")
    assert values(report) == {"p@1": 0.5, "p@2": 1.0, "p@5": 1.0, "mrr": 0.75}
    assert (report.n, report.rank_by, report.task, report.variant) == (2, "p@1", "restaurant", "strict")
    assert report.columns == ("items", "hit@1", "hit@2", "hit@5", "reciprocal rank")
    assert report.items == (("d1", (1.0, 0.0, 1.0, 1.0, 0.5)), ("d2", (1.0, 1.0, 1.0, 1.0, 1.0)))
    assert report.groups == ("d1", "d2")  # an item is a dialogue
    assert report.caution == ""


def test_scores_are_cut_by_the_kind_of_the_true_answer() -> None:
    report = score(DATA, submission([item("d1", "b", "a", "c"), item("d2", "b", "a")]), "strict")
    assert [(one.by, one.value, one.n, one.scores[0].value) for one in report.slices] == [
        ("answer-type", "ask-location", 1, 1.0),
        ("answer-type", "on-it", 1, 0.0),
    ]


def test_a_truth_file_alone_gives_scores_without_slices(tmp_path: Path) -> None:
    truth = loaded(tmp_path, [item("d1", "a"), item("d2", "b")])
    rows = submission([item("d1", "b", "a", "c"), item("d2", "b", "a")])
    assert score(truth, rows, "strict").slices == ()
    assert values(score(truth, rows, "strict")) == values(score(DATA, rows, "strict"))
    assert score(join(DATA, truth), rows, "strict").slices == score(DATA, rows, "strict").slices


def test_the_signature_names_formula_variant_n_and_hashes() -> None:
    one = score(DATA, submission([item("d1", "b", "a", "c"), item("d2", "b", "a")]), "strict").scores[0]
    parts = str(one.signature).split(" | ")
    assert parts[:6] == ["p@1 = hit@1 / items", "restaurant", "strict", "all ranks", "v1", "n 2"]
    assert parts[6:8] == ["2 dialogues", "jackknife 2"]
    assert parts[8].startswith("gold ")
    assert parts[9] == "pred 01234567"


def test_another_truth_has_another_signature(tmp_path: Path) -> None:
    rows = submission([item("d1", "a", "b", "c"), item("d2", "b", "a")])
    first = score(loaded(tmp_path, [item("d1", "a"), item("d2", "b")]), rows, "strict").signature
    second = score(loaded(tmp_path, [item("d1", "a"), item("d2", "a")]), rows, "strict").signature
    assert first != second


def test_the_eleventh_candidate_counts_strictly_and_is_never_seen_officially() -> None:
    texts = {f"c{number}": f"text {number}" for number in range(11)}
    example = data_example("d", texts, "c10")
    rows = submission([item("d", *texts)])
    assert values(score([example], rows, "strict"))["mrr"] == pytest.approx(1 / 11)
    assert values(score([example], rows, "official"))["mrr"] == 0


def test_strict_refuses_a_file_with_errors_and_partial_counts_them_as_wrong() -> None:
    rows = submission([item("d1", "a", "b", "c"), item("d1", "b", "a", "c")])
    with pytest.raises(FormatError) as caught:
        score(DATA, rows, "strict")
    assert {problem.rule for problem in caught.value.problems} == {"dialog-id-repeated", "dialog-missing"}
    report = score(DATA, rows, "strict", partial=True)
    assert (report.n, values(report)["p@5"]) == (2, 0.0)
    assert report.problems == caught.value.problems
    assert values(score(DATA, submission([item("d1", "a", "b", "c")]), "strict", partial=True))["p@1"] == 0.5


def test_partial_cannot_help_a_file_without_rows() -> None:
    with pytest.raises(FormatError, match="not-a-list"):
        score(DATA, submission({"a": 1}), "strict", partial=True)


def test_a_file_of_very_many_faults_is_scored_in_part_like_any_other() -> None:
    report = score(DATA, submission([*[0] * 2000, item("d1", "a", "b", "c")]), "strict", partial=True)
    assert (report.n, values(report)["p@1"]) == (2, 0.5)
    assert len(report.problems) == 1001


def test_warnings_do_not_stop_the_score(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps([item("d1", "a", "b", "c"), item("d2", "b", "a")]).encode())
    report = score(DATA, files.read_result(path), "strict")
    assert values(report)["p@1"] == 1
    assert [problem.rule for problem in report.problems] == ["byte-order-mark"]
    with pytest.raises(FormatError, match="byte order mark") as caught:
        score(DATA, files.read_result(path), "official")
    assert caught.value.transcript == ()


@pytest.mark.parametrize(
    ("truth", "rules"),
    [
        ([], {"truth-empty"}),
        ([item("d1", "a"), item("d1", "a")], {"dialog-id-repeated"}),
        (
            [{"dialog_id": "d1", "lst_candidate_id": [{"candidate_id": "a", "rank": 2}]}],
            {"rank-range", "truth-unknown"},
        ),
        ([{"lst_candidate_id": [{"candidate_id": "a", "rank": 1}]}], {"dialog-id-missing"}),
        ([item("d1", "a"), 7], {"truth-unknown"}),
    ],
)
def test_an_odd_truth_is_refused_strictly(tmp_path: Path, truth: Any, rules: set[str]) -> None:
    examples = loaded(tmp_path, truth)
    assert {problem.rule for problem in truth_problems(examples)} == rules
    with pytest.raises(FormatError, match="the truth"):
        score(examples, submission([item("d1", "a")]), "strict")


def test_a_result_in_the_place_of_the_truth_brings_a_warning_strictly(tmp_path: Path) -> None:
    swapped = loaded(tmp_path, [item("d1", "a", "b"), item("d2", "b", "a")])
    given = submission([item("d1", "a"), item("d2", "b")])
    (found,) = score(swapped, given, "strict").problems
    assert (found.rule, found.severity, found.place) == ("truth-ranked", "warning", "dialogue 'd1'")
    assert "the truth ranks 2 candidates, expected the right one alone; 2 of its rows" in found.message
    assert "is the truth a result?" in found.advice
    assert score(loaded(tmp_path, [item("d1", "a"), item("d2", "b")]), given, "strict").problems == ()
    assert score(swapped, given, "official").problems == ()


def test_what_is_odd_in_a_truth_is_told_by_dialogue_or_number(tmp_path: Path) -> None:
    nameless = {"lst_candidate_id": [{"candidate_id": "a", "rank": 1}]}
    merged = join(DATA, loaded(tmp_path, [item("d1", "a"), item("d2", "z")]))
    found = truth_problems([*loaded(tmp_path, [item("d7"), item("d7", "a"), nameless]), merged[1]])
    assert [(problem.rule, problem.place) for problem in found] == [
        ("list-empty", "dialogue 'd7'"),
        ("truth-unknown", "dialogue 'd7'"),
        ("dialog-id-repeated", "dialogue 'd7'"),
        ("dialog-id-missing", "item 3"),
        ("truth-foreign", "dialogue 'd2'"),
    ]


def test_an_odd_truth_is_taken_officially(tmp_path: Path) -> None:
    truth = loaded(tmp_path, [item("d1", "a"), item("d1", "b"), {"lst_candidate_id": []}, item(7, "c")])
    report = score(truth, submission([item("d1", "b"), item(7, "c")]), "official")
    assert report.transcript == (official.NO_DIALOG_ID, *(f"Precision @{k}: 1.0" for k in (1, 2, 5)))
    assert [name for name, _ in report.items] == ["d1", "7 (no text)"]


def test_the_official_end_carries_what_was_said(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        score(loaded(tmp_path, []), submission([{}]), "official")
    assert caught.value.transcript == (official.NO_DIALOG_ID,)
    with pytest.raises(FormatError) as caught:
        score(DATA, submission({}), "official")
    assert caught.value.transcript == (NOT_A_LIST,)


def test_data_and_truth_that_do_not_belong_together_are_told(tmp_path: Path) -> None:
    merged = join(DATA, loaded(tmp_path, [item("d1", "z"), item("d2", "b")]))
    assert [problem.rule for problem in truth_problems(merged)] == ["truth-foreign"]


def test_data_without_answers_cannot_be_scored_against() -> None:
    row = {key: value for key, value in DATA[0].source.items() if key != "answer"}
    with pytest.raises(FormatError, match="not known"):
        score([files.example_of(row)], submission([item("d1", "a", "b", "c")]), "strict")
    with pytest.raises(UsageError, match="not known"):
        score([files.example_of(row)], submission([item("d1", "a", "b", "c")]), "official")


def test_an_unknown_variant_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        score(DATA, submission([]), "strikt")


@settings(max_examples=40)
@given(st.permutations(["a", "b", "c"]), st.permutations(["a", "b"]), st.sampled_from([1, -1]))
def test_scores_do_not_depend_on_the_order_of_the_file_and_the_variants_agree_on_good_files(
    first: list[str], second: list[str], order: int
) -> None:
    rows = [item("d1", *first), item("d2", *second)]
    strict = score(DATA, submission(rows[::order]), "strict")
    assert values(strict) == values(score(DATA, submission(rows), "official"))
    assert values(strict)["p@1"] <= values(strict)["p@2"] <= values(strict)["p@5"]
    assert values(strict)["p@1"] <= values(strict)["mrr"] <= 1


@pytest.mark.real_data(twin="test_every_file_is_valid_and_a_perfect_agent_scores_1")
def test_the_true_answers_score_one_on_real_files(real_restaurant: Path, tmp_path: Path) -> None:
    truth_file = next((real_restaurant / "release_a" / "tst1").glob("*task5*answers.json.gz"))
    data = files.load(truth_file.with_name(truth_file.name.replace(".answers", "")))
    merged = join(data, files.load(truth_file))
    out = tmp_path / "best.answers.json"
    best = {one.sample.id: (one.references[0].ranking or ("",))[0] for one in merged}
    files.write_result(
        (
            (
                one.sample.id,
                Answer(
                    ranking=tuple(sorted((c.id for c in one.sample.candidates), key=lambda c: c != best[one.sample.id]))
                ),
            )
            for one in data
        ),
        out,
    )
    for variant in ("strict", "official"):
        report = score(merged, files.read_result(out), variant)
        assert set(values(report).values()) == {1.0}
        assert sum(one.n for one in report.slices) == report.n == 1000
        assert "other" not in {one.value for one in report.slices}


@pytest.mark.parametrize(("text", "slots"), [("1", 1), ("10000", 10_000), ("00003", 3)])
def test_from_one_to_ten_thousand_ranks_can_be_kept(text: str, slots: int) -> None:
    how = Scoring(variant="official", options={"input-nb-candidate": text})
    report = scorer.score(DATA, submission([item("d1", "a"), item("d2", "b")]), how)
    assert f"{slots} slots" in str(report.signature)
    with pytest.raises(UsageError, match="expected a whole number from 1 to 10000"):
        scorer.score(DATA, submission([]), Scoring(variant="official", options={"input-nb-candidate": f"{text:0>6}"}))

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.challenges.restaurant.formats.data_rules import NOT_A_LIST
from duologue.challenges.restaurant.scoring import official

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "restaurant" / "official"
CASES = [json.loads(path.read_bytes()) for path in sorted(GOLDEN.glob("*.json"))]


def contents(case: dict[str, Any]) -> dict[str, bytes]:
    return {
        name: (value if isinstance(value, str) else json.dumps(value)).encode() for name, value in case["files"].items()
    }


def entry(name: Any, rank: Any) -> dict[str, Any]:
    return {"candidate_id": name, "rank": rank}


def item(name: Any, *entries: Any) -> dict[str, Any]:
    return {"dialog_id": name, "lst_candidate_id": list(entries)}


def precision(result: Any, truth: Any, n: int = 10) -> tuple[str, ...]:
    outcome = official.score(json.dumps(result).encode(), json.dumps(truth).encode(), n)
    assert outcome.exit_code == 0, outcome.error
    return tuple(line.rpartition(" ")[2] for line in outcome.stdout)


TRUTH = [item("d1", entry("a", 1))]


def test_there_are_eight_golden_cases() -> None:
    assert len(CASES) == 8


@pytest.mark.parametrize("case", [case for case in CASES if case["tool"] == "score"], ids=lambda case: case["name"])
def test_the_scorer_prints_what_the_official_program_printed(case: dict[str, Any]) -> None:
    given = contents(case)
    outcome = official.score(given["result.json"], given["truth.json"])
    assert "".join(f"{line}\n" for line in outcome.stdout) == case["stdout"]
    assert outcome.exit_code == case["exit_code"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["tool"] == "check_validity"], ids=lambda case: case["name"]
)
def test_the_check_prints_what_the_official_program_printed(case: dict[str, Any]) -> None:
    outcome = official.check_validity(contents(case)["result.json"])
    assert "".join(f"{line}\n" for line in outcome.stdout) == case["stdout"]
    assert outcome.exit_code == case["exit_code"]


def test_of_equal_ranks_the_later_wins_and_of_equal_dialogues_too() -> None:
    assert precision([item("d1", entry("a", 1), entry("b", 1))], TRUTH) == ("0.0", "0.0", "0.0")
    assert precision([item("d1", entry("b", 1), entry("a", 1))], TRUTH) == ("1.0", "1.0", "1.0")
    assert precision([item("d1", entry("a", 1)), item("d1", entry("a", 2))], TRUTH) == ("0.0", "1.0", "1.0")


def test_ranks_beyond_the_slots_are_dropped_and_ranks_below_one_wrap_around() -> None:
    assert precision([item("d1", entry("a", 11))], TRUTH) == ("0.0", "0.0", "0.0")
    assert precision([item("d1", entry("a", -9))], TRUTH) == ("1.0", "1.0", "1.0")
    assert precision([item("d1", entry("a", -8))], TRUTH) == ("0.0", "1.0", "1.0")
    assert precision([item("d1", entry("a", 0))], TRUTH) == ("0.0", "0.0", "0.0")
    assert precision([item("d1", entry("a", 0))], TRUTH, n=5) == ("0.0", "0.0", "1.0")
    below = official.score_rows([item("d1", entry("a", -10))], TRUTH)
    assert (below.stdout, below.exit_code) == ((), 1)


def test_the_truth_has_one_slot_so_rank_zero_is_the_answer_and_rank_two_is_none() -> None:
    assert precision([item("d1", entry("a", 1))], [item("d1", entry("a", 0))]) == ("1.0", "1.0", "1.0")
    assert official.score_rows([item("d1")], [item("d1", entry("a", -1))]).exit_code == 1
    empty = [item("d1", entry("a", 2))]
    assert precision([item("d1", entry("a", 1))], empty) == ("0.0", "1.0", "1.0")
    assert precision([item("d1", *(entry(str(rank), rank) for rank in range(1, 11)))], empty) == ("0.0", "0.0", "0.0")
    assert precision([], empty) == ("0.0", "0.0", "0.0")


@pytest.mark.parametrize("rank", ["1", " 1 ", "+1", "+ 1", "\u00a01", "１", "0001", 1.9, True, 1.0])
def test_ranks_that_python_2_takes_for_one(rank: Any) -> None:
    assert precision([item("d1", entry("a", rank))], TRUTH) == ("1.0", "1.0", "1.0")


@pytest.mark.parametrize(
    "rank", ["1_0", "first", "", "1.0", "0x1", "1L", "--1", float("nan"), float("inf"), [1], {}, "1\x00"]
)
def test_ranks_that_end_python_2(rank: Any) -> None:
    outcome = official.score_rows([item("d1", entry("a", rank))], TRUTH)
    assert (outcome.stdout, outcome.exit_code) == ((), 1)


def test_ranks_of_thousands_of_digits_are_numbers_like_others() -> None:
    assert official.score_rows([item("d1", entry("a", "9" * 5000))], TRUTH).exit_code == 0
    assert official.score_rows([item("d1", entry("a", "-" + "9" * 5000))], TRUTH).exit_code == 1


def test_ids_are_compared_as_json_values() -> None:
    assert precision([item("d1", entry(1, 1))], [item("d1", entry("1", 1))]) == ("0.0", "0.0", "0.0")
    assert precision([item(1, entry("a", 1))], [item("1", entry("a", 1))]) == ("0.0", "0.0", "0.0")
    assert precision([item(1, entry(["x"], 1))], [item(1, entry(["x"], 1))]) == ("1.0", "1.0", "1.0")


@pytest.mark.parametrize(
    ("result", "line"),
    [
        ({}, NOT_A_LIST),
        (None, NOT_A_LIST),
        ([{"dialog_id": "d1"}], official.NO_LIST),
        ([{"dialog_id": "d1", "lst_candidate_id": None}], official.NO_LIST),
        ([item("d1", {"rank": 1})], official.NO_CANDIDATE_ID),
        ([item("d1", entry(None, 1))], official.NO_CANDIDATE_ID),
        ([item("d1", entry("a", None))], official.NO_RANK),
        ([item("d1", {})], official.NO_RANK),
        ([item("d1", {"rank": "first"})], official.NO_CANDIDATE_ID),
    ],
)
def test_what_is_missing_is_said_on_standard_output(result: Any, line: str) -> None:
    outcome = official.score_rows(result, TRUTH)
    assert (outcome.stdout, outcome.exit_code) == ((line,), 1)
    checked = official.check_rows(result)
    assert (checked.stdout, checked.exit_code) == ((line.replace("candidate_id key", "id key", 1),), 1) or (
        line == official.NO_LIST and checked.stdout == (line,)
    )


@pytest.mark.parametrize(
    "result",
    [
        ["x"],
        [None],
        [{"dialog_id": "d1", "lst_candidate_id": "ab"}],
        [{"dialog_id": "d1", "lst_candidate_id": 3}],
        [{"dialog_id": "d1", "lst_candidate_id": True}],
        [{"dialog_id": "d1", "lst_candidate_id": {"a": 1}}],
        [item("d1", "x")],
    ],
)
def test_what_is_no_object_ends_both_programs_in_silence(result: Any) -> None:
    for outcome in (official.score_rows(result, TRUTH), official.check_rows(result)):
        assert (outcome.stdout, outcome.exit_code) == ((), 1)
        assert outcome.error


def test_an_empty_text_or_object_is_an_empty_list() -> None:
    nothing: tuple[Any, ...] = ("", {}, [])
    for ranked in nothing:
        result = [{"dialog_id": "d1", "lst_candidate_id": ranked}]
        assert precision(result, TRUTH) == ("0.0", "0.0", "0.0")
        assert official.check_rows(result).stdout == (official.VALID,)


def test_a_dialogue_id_that_cannot_be_a_key_ends_the_scorer_but_not_the_check() -> None:
    assert official.score_rows([item(["d1"])], TRUTH).exit_code == 1
    assert official.check_rows([item(["d1"])]).exit_code == 0


def test_ids_that_are_nested_too_deeply_to_compare_end_the_scorer() -> None:
    deep: list[list[Any]] = [[], []]
    for _ in range(100_000):
        deep = [[one] for one in deep]
    outcome = official.score_rows([item("d1", entry(deep[0], 1))], [item("d1", entry(deep[1], 1))])
    assert (outcome.stdout, outcome.exit_code) == ((), 1)


def test_an_empty_truth_is_a_division_by_zero_after_what_was_said_before() -> None:
    outcome = official.score_rows([{}, {}], [])
    assert (outcome.stdout, outcome.exit_code) == ((official.NO_DIALOG_ID,) * 2, 1)


def test_the_result_is_loaded_before_the_truth() -> None:
    assert official.score_rows([{}], {}).stdout == (official.NO_DIALOG_ID, NOT_A_LIST)
    assert official.score(b"[{}]", b"junk").stdout == (official.NO_DIALOG_ID,)


@pytest.mark.parametrize(
    "data", [b"", b"[", b"\xef\xbb\xbf[]", "[]".encode("utf-16"), b'["\xff"]', b"[" * 100_000, b"[1,]", b"[] x"]
)
def test_bytes_that_do_not_decode_end_both_programs_in_silence(data: bytes) -> None:
    for outcome in (official.score(data, json.dumps(TRUTH).encode()), official.check_validity(data)):
        assert (outcome.stdout, outcome.exit_code) == ((), 1)
        assert outcome.error


def test_not_a_number_decodes() -> None:
    assert official.check_validity(b'[{"dialog_id": NaN, "lst_candidate_id": []}]').exit_code == 0

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.restaurant.formats import format_sniffer as peek
from duologue.challenges.restaurant.formats.files import LAYOUT, example_of, read_result
from duologue.challenges.restaurant.scoring import official
from duologue.challenges.restaurant.scoring.checker import RULES, check, examine
from duologue.core.errors import UsageError
from duologue.core.problems import total
from duologue.core.records import Submission

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example


def data_row(name: str, *ids: str) -> dict[str, Any]:
    return {
        "dialog_id": name,
        "utterances": ["hi"],
        "candidates": [{"candidate_id": one, "utterance": f"text of {one}"} for one in ids],
    }


DATA = [example_of(data_row("dialogue-one", "a1", "a2", "a3")), example_of(data_row("dialogue-two", "b1", "b2"))]


def item(name: Any, *entries: Any) -> dict[str, Any]:
    return {"dialog_id": name, "lst_candidate_id": [{"candidate_id": one, "rank": rank} for one, rank in entries]}


ONE = item("dialogue-one", ("a1", 1), ("a2", 2), ("a3", 3))
TWO = item("dialogue-two", ("b2", 1), ("b1", 2))


def packed(value: Any) -> bytes:
    return json.dumps(value).encode()


def with_list(ranked: Any) -> bytes:
    return packed([ONE, {"dialog_id": "dialogue-two", "lst_candidate_id": ranked}])


BROKEN: dict[str, bytes] = {
    "gzip-damaged": gzip.compress(packed([ONE, TWO]))[:-9],
    "not-utf8": packed([ONE, TWO]).replace(b"a1", b"a\xff"),
    "byte-order-mark": b"\xef\xbb\xbf" + packed([ONE, TWO]),
    "not-json": packed([ONE, TWO])[:-4],
    "not-a-list": packed({"dialogue-one": ONE}),
    "item-not-object": packed([ONE, TWO, "x"]),
    "dialog-id-missing": packed([ONE, TWO, {"lst_candidate_id": ONE["lst_candidate_id"]}]),
    "dialog-id-type": packed([ONE, TWO, item(7, ("a1", 1))]),
    "dialog-id-repeated": packed([ONE, TWO, TWO]),
    "dialog-unknown": packed([ONE, TWO, item("dialogue-tow", ("b1", 1))]),
    "dialog-missing": packed([ONE]),
    "list-missing": packed([ONE, {"dialog_id": "dialogue-two"}]),
    "list-type": with_list("b1"),
    "list-empty": with_list([]),
    "candidate-not-object": with_list([*TWO["lst_candidate_id"], "b1"]),
    "candidate-id-missing": with_list([*TWO["lst_candidate_id"], {"rank": 3}]),
    "candidate-id-type": with_list([*TWO["lst_candidate_id"], {"rank": 3, "candidate_id": 5}]),
    "candidate-id-repeated": with_list([*TWO["lst_candidate_id"], {"rank": 3, "candidate_id": "b1"}]),
    "candidate-unknown": packed([ONE, item("dialogue-two", ("b1", 1), ("b3", 2))]),
    "candidate-missing": packed([ONE, item("dialogue-two", ("b1", 1))]),
    "rank-missing": with_list([{"candidate_id": "b1"}, {"candidate_id": "b2", "rank": 2}]),
    "rank-type": packed([ONE, item("dialogue-two", ("b1", 1), ("b2", float("nan")))]),
    "rank-range": packed([ONE, item("dialogue-two", ("b1", 1), ("b2", 3))]),
    "rank-repeated": packed([ONE, item("dialogue-two", ("b1", 1), ("b2", 1))]),
}


def rules_of(tmp_path: Path, data: bytes, variant: str = "strict") -> list[str]:
    path = tmp_path / "x.answers.json"
    path.write_bytes(data)
    return [problem.rule for problem in check(read_result(path), DATA, variant)]


def test_a_good_file_has_no_problem(tmp_path: Path) -> None:
    good = packed([ONE, TWO])
    for data in (good, packed([TWO, ONE]), gzip.compress(good), json.dumps([ONE, TWO], indent=1).encode()):
        assert rules_of(tmp_path, data) == []
    windows = json.dumps([ONE, TWO], indent=1).replace("\n", "\r\n").encode()
    assert rules_of(tmp_path, windows) == []


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_file_alone(tmp_path: Path, rule: str) -> None:
    assert rules_of(tmp_path, BROKEN[rule]) == [rule]


def test_every_rule_has_its_broken_file() -> None:
    told_elsewhere = {"no-dialogues", "unpacked-size", "foreign-file", "official-refusal", "too-many-problems"}
    assert set(RULES) == set(BROKEN) | told_elsewhere


@pytest.mark.parametrize("rank", ["1", " 2 ", 1.0, True, "first", "", 1.5, float("inf"), [1], {}])
def test_ranks_of_other_types_are_refused(tmp_path: Path, rank: Any) -> None:
    (tmp_path / "x.json").write_bytes(packed([ONE, item("dialogue-two", ("b1", rank), ("b2", 2))]))
    (problem,) = check(read_result(tmp_path / "x.json"), DATA, "strict")
    assert (problem.rule, problem.place) == ("rank-type", "dialogue 'dialogue-two', candidate 1")
    assert problem.message.endswith(", expected an integer from 1 to 2")
    assert problem.advice == ("write it without quotes" if rank in ("1", " 2 ") else "")


@pytest.mark.parametrize("rank", [0, -1, 3, 10**30])
def test_ranks_outside_the_candidates_are_refused(tmp_path: Path, rank: int) -> None:
    assert rules_of(tmp_path, packed([ONE, item("dialogue-two", ("b1", rank), ("b2", 2))])) == ["rank-range"]


def test_an_empty_list_is_a_warning_and_misses_every_dialogue(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"[]")
    found = check(read_result(path), DATA, "strict")
    assert [(problem.rule, problem.severity) for problem in found] == [
        ("no-dialogues", "warning"),
        ("dialog-missing", "error"),
        ("dialog-missing", "error"),
    ]


def test_a_very_large_foreign_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peek, "LARGE", 100)
    assert rules_of(tmp_path, packed([0] * 1000)) == ["foreign-file"]
    assert rules_of(tmp_path, packed([0] * 1000), "official") == ["foreign-file"]


def test_all_problems_come_at_once_with_places_and_advice(tmp_path: Path) -> None:
    rows = [item("dialogue-one", ("a1", "1"), ("a2", 2), ("A3", 3)), item("dialogue-tow", ("b1", 1))]
    path = tmp_path / "x.json"
    path.write_bytes(packed(rows))
    found = check(read_result(path), DATA, "strict")
    assert [(one.place, one.rule, one.advice) for one in found] == [
        ("dialogue 'dialogue-one', candidate 1", "rank-type", "write it without quotes"),
        ("dialogue 'dialogue-tow'", "dialog-unknown", "did you mean 'dialogue-two'?"),
        ("dialogue 'dialogue-two'", "dialog-missing", ""),
    ]


def test_an_unknown_candidate_gets_a_near_one_of_its_dialogue_as_advice(tmp_path: Path) -> None:
    known = [example_of(data_row("d", "0a1b2c3d", "ffffffff"))]
    path = tmp_path / "x.json"
    path.write_bytes(packed([item("d", ("0a1b2c3e", 1), ("ffffffff", 2))]))
    (problem,) = check(read_result(path), known, "strict")
    assert (problem.rule, problem.advice) == ("candidate-unknown", "did you mean '0a1b2c3d'?")


def test_without_data_only_the_file_itself_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(packed([item("anything", ("x", 2), ("y", 1))]))
    assert check(read_result(path), None, "strict") == ()


def test_of_a_file_of_nothing_but_problems_a_thousand_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(packed([0] * 50_000))
    found = examine(read_result(path), DATA)
    assert len(found.problems) == 1001
    assert found.problems[-1].rule == "too-many-problems"
    assert total(found.problems) == 50_000 + len(DATA)
    assert not found.answers


def test_thousands_of_missing_dialogues_are_summed_up(tmp_path: Path) -> None:
    many = [example_of(data_row(f"d{number}", "a", "b")) for number in range(5000)]
    path = tmp_path / "x.json"
    path.write_bytes(packed([item("d7", ("a", 2), ("b", 1))]))
    found = examine(read_result(path), many)
    assert len(found.problems) == 1001
    assert found.problems[-1].message == "and 3,999 more problems, all errors; 4,999 in all"
    assert found.answers["d7"].ranking == ("b", "a")


def test_answers_are_made_of_items_without_fault_and_doubtful_ones_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(packed([ONE, TWO, TWO, TWO, item("d3", ("a", 1), ("b", 1)), item("d4", ("b", 2), ("a", 1))]))
    answers = examine(read_result(path), None).answers
    assert {name: answer.ranking for name, answer in answers.items()} == {
        "dialogue-one": ("a1", "a2", "a3"),
        "d4": ("a", "b"),
    }


def test_an_unknown_variant_is_a_wrong_call(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(packed([ONE]))
    with pytest.raises(UsageError, match="did you mean 'official'"):
        check(read_result(path), None, "oficial")


OFFICIAL_CASES: list[bytes] = [
    *BROKEN.values(),
    packed([ONE, TWO]),
    b"[]",
    b"null",
    b"3",
    packed([None]),
    packed([item(None)]),
    packed([item(["x"], (["y"], {}))]),
    packed([{"dialog_id": 0, "lst_candidate_id": ""}]),
    packed([{"dialog_id": "x", "lst_candidate_id": "abc"}]),
    packed([item("x", (None, 1))]),
    b'[{"dialog_id": "\xed\xa0\x80", "lst_candidate_id": []}]',
    b'[{"dialog_id": ' + b"1" * 6000 + b', "lst_candidate_id": []}]',
]


@pytest.mark.parametrize("data", OFFICIAL_CASES, ids=range(len(OFFICIAL_CASES)))
def test_variant_official_accepts_exactly_what_the_official_check_accepts(tmp_path: Path, data: bytes) -> None:
    outcome = official.check_validity(data)
    found = rules_of(tmp_path, data, "official")
    assert (not found) == (outcome.exit_code == 0)
    assert set(found) <= set(RULES)


def test_variant_official_says_the_official_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(packed([item("x", ("a", None))]))
    (problem,) = check(read_result(path), None, "official")
    assert (problem.rule, problem.message) == ("rank-missing", official.NO_RANK)


@pytest.mark.parametrize(
    ("ranked", "said"),
    [
        ("abcd", []),
        ("abcx", ["candidate 'x' does not belong to this dialogue"]),
        ("abcdx", ["candidate 'x' does not belong to this dialogue"]),
        ("abc", ["3 of 4 candidates are ranked; missing: 'd'"]),
        ("a", ["1 of 4 candidates are ranked; missing: 'b', 'c', 'd'"]),
        (
            "x",
            [
                "candidate 'x' does not belong to this dialogue",
                "1 of 4 candidates are ranked; missing: 'a', 'b', 'c', ...",
            ],
        ),
    ],
)
def test_candidates_that_are_missing_or_strange_are_told_by_name(tmp_path: Path, ranked: str, said: list[str]) -> None:
    (tmp_path / "r.json").write_bytes(packed([item("d", *((one, at) for at, one in enumerate(ranked, start=1)))]))
    found = check(read_result(tmp_path / "r.json"), [example_of(data_row("d", *"abcd"))], "strict")
    assert [one.message for one in found] == said


def test_a_result_of_other_dialogues_is_told_in_the_time_of_one_pass() -> None:
    """Each id that the data does not have once took a list of all ids that it has."""

    def strange(n: int) -> tuple[Submission, list[Example]]:
        known = [example_of(data_row(f"dialogue-{number}", "a1")) for number in range(n)]
        return Submission(rows=[item(f"x{number:x}", ("a1", 1)) for number in range(n)], layout=LAYOUT), known

    assert len(examine(*strange(2)).problems) == 4
    assert growth(strange, lambda given: examine(*given), 1_500) < LINEAR


def test_five_unknown_ids_get_a_near_one_as_advice(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(packed([ONE, TWO, *(item(f"dialogue-on{sign}", ("a", 1)) for sign in "abcdfgh")]))
    found = check(read_result(path), DATA, "strict")
    near, far = "did you mean 'dialogue-one'?", "is this the result of another file?"
    assert [one.rule for one in found] == ["dialog-unknown"] * 7
    assert [one.advice for one in found] == [near] * 5 + [far] * 2


def test_a_rank_may_be_as_high_as_there_are_candidates_in_the_data_or_in_the_list(tmp_path: Path) -> None:
    assert rules_of(tmp_path, packed([ONE, item("dialogue-two", ("b1", 2))])) == ["candidate-missing"]
    path = tmp_path / "x.json"
    for ranks, wrong in (((1, 3), True), ((2, 1), False), ((0, 1), True)):
        path.write_bytes(packed([item("d", *zip("ab", ranks, strict=True))]))
        found = check(read_result(path), None, "strict")
        assert [one.rule for one in found] == ["rank-range"] * wrong


def test_what_is_repeated_is_told_with_the_first_of_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(packed([ONE, TWO, ONE]))
    (repeated,) = check(read_result(path), DATA, "strict")
    assert repeated.message == "item 3 answers the same dialogue as item 1"
    path.write_bytes(packed([item("d", ("a", 1), ("b", 2), ("a", 2))]))
    found = check(read_result(path), None, "strict")
    assert [(one.place, one.message) for one in found] == [
        ("dialogue 'd', candidate 3", "id 'a' is already that of candidate 1"),
        ("dialogue 'd', candidate 3", "rank 2 is already that of candidate 2; ranks must be 1 to 3, each once"),
    ]

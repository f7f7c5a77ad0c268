from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.core.errors import FormatError
from duologue.ratings.files import read_ratings
from duologue.ratings.judgement import Preference, Rating
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from pathlib import Path

PROACTIVE = find_protocol("proactive")
LONG = "item,system,rater,criterion,value\n1,planner,ann,coherence,3\n1,planner,ann,goal_completion,2\n"
WIDE = "item,system,rater,Coherence,goal completion\n1,planner,ann,3,2\n1,planner,ben,1,\n"


def written(folder: Path, text: str, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def problems_of(path: Path, **options: bool) -> list[tuple[str, str, str]]:
    with pytest.raises(FormatError) as caught:
        read_ratings(path, PROACTIVE, **options)
    return [(one.rule, one.place, one.message) for one in caught.value.problems]


def test_long_and_wide_tables_and_json_lines_are_the_same(tmp_path: Path) -> None:
    long = read_ratings(written(tmp_path, LONG), PROACTIVE)
    wide = read_ratings(written(tmp_path, WIDE), PROACTIVE)
    rows = [
        {"item": 1, "system": "planner", "rater": "ann", "coherence": 3, "goal-completion": 2.0},
        {"item": "1", "system": "planner", "rater": "ben", "criterion": "coherence", "value": 1},
    ]
    lines = read_ratings(written(tmp_path, "\n".join(map(json.dumps, rows)), "r.jsonl"), PROACTIVE)
    tabs = read_ratings(written(tmp_path, WIDE.replace(",", "\t"), "r.tsv"), PROACTIVE)
    assert long.ratings == wide.ratings[:2]
    assert wide.ratings == lines.ratings == tabs.ratings
    assert wide.ratings[2] == Rating("1", "planner", "ben", "coherence", 1.0)
    assert not wide.warnings


def test_a_spreadsheet_may_write_semicolons_and_a_byte_order_mark(tmp_path: Path) -> None:
    sheet = WIDE.replace(",", ";").replace("planner", '"a;b, c"').replace("\n", "\r\n")
    read = read_ratings(written(tmp_path, f"\ufeff{sheet}"), PROACTIVE)
    assert not read.warnings
    found = read.ratings
    plain = read_ratings(written(tmp_path, WIDE.replace("planner", '"a;b, c"')), PROACTIVE).ratings
    assert found == plain
    assert found[0].system == "a;b, c"


def test_all_problems_are_told_at_once_with_line_field_found_and_expected(tmp_path: Path) -> None:
    text = (
        "item,system,rater,criterion,value\n"
        "1,a,ann,coherence,4\n"
        "1,a,ann,fluency,2\n"
        "1,a,,coherence,2\n"
        "1,a,ann,coherence\n"
        "1,a,ann,coherence,2.5\n"
        "1,a,ann,coherence,2\n"
        "1,a,ann,coherence,2\n"
        "1,a,ben,coherence,nan\n"
    )
    found = problems_of(written(tmp_path, text))
    assert [(rule, place) for rule, place, _ in found] == [
        ("rating-value", "line 2"),
        ("rating-criterion", "line 3"),
        ("rating-field", "line 4"),
        ("rating-row", "line 5"),
        ("rating-value", "line 6"),
        ("rating-repeated", "line 8"),
        ("rating-value", "line 9"),
    ]
    assert "field value: found '4', expected a whole number from 0 to 3" in found[0][2]
    assert "found 'fluency', expected one of coherence, goal-completion" in found[1][2]
    assert "field rater: found '', expected a name" in found[2][2]
    assert "the first is in line 7" in found[5][2]


def test_a_judge_may_give_fractions_and_needs_no_rater(tmp_path: Path) -> None:
    path = written(tmp_path, "item,system,coherence,goal-completion\n1,a,2.25,0.5\n")
    found = read_ratings(path, PROACTIVE, judge=True)
    assert found.ratings == (
        Rating("1", "a", "judge", "coherence", 2.25),
        Rating("1", "a", "judge", "goal-completion", 0.5),
    )
    assert [rule for rule, _, _ in problems_of(path)] == ["rating-value", "rating-field"] * 2 or problems_of(path)


def test_pairwise_judgements_name_the_winner_by_name_or_letter(tmp_path: Path) -> None:
    text = "item,system_a,system_b,rater,winner\n1,x,y,ann,x\n2,x,y,ann,b\n3,y,x,ann,tie\n4,x,y,ann,y\n"
    found = read_ratings(written(tmp_path, text), PROACTIVE)
    assert [one.outcome for one in found.preferences] == ["a", "b", "tie", "b"]
    assert found.preferences[0] == Preference("1", "x", "y", "ann", "overall", "a")
    wrong = text + "5,x,x,ann,x\n6,x,y,ann,z\n1,y,x,ann,x\n"
    assert [rule for rule, _, _ in problems_of(written(tmp_path, wrong))] == [
        "rating-systems",
        "rating-winner",
        "rating-repeated",
    ]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "ratings-none"),
        ("item,system,rater,coherence\n", "ratings-none"),
        ("item,system,rater,fluency\n1,a,ann,2\n", "rating-columns"),
        ("item,item,rater,value\n1,a,ann,2\n", "rating-columns"),
        ('item,system\n"1,a\n', "not-csv"),
        (LONG + "item,a,b\n", "rating-row"),
    ],
    ids=["empty", "head alone", "other criteria", "twice", "quotes", "cells"],
)
def test_files_that_are_none(tmp_path: Path, text: str, rule: str) -> None:
    assert rule in [found for found, _, _ in problems_of(written(tmp_path, text))]


def test_ratings_and_judgements_do_not_mix_and_json_may_be_damaged(tmp_path: Path) -> None:
    rows = [
        '{"item": "1", "system": "a", "rater": "ann", "coherence": 3}',
        '{"item": "1", "system_a": "a", "system_b": "b", "rater": "ann", "winner": "a"}',
    ]
    assert [rule for rule, _, _ in problems_of(written(tmp_path, "\n".join(rows), "r.jsonl"))] == ["ratings-mixed"]
    damaged = ['{"item"', "[1]", '{"item": [], "system": {}, "rater": true, "criterion": [], "value": {}}']
    assert [(rule, place) for rule, place, _ in problems_of(written(tmp_path, "\n".join(damaged), "r.jsonl"))] == [
        ("not-json", "line 1, column 8"),
        ("rating-row", "line 2"),
        ("rating-criterion", "line 3"),
        ("rating-field", "line 3"),
        ("rating-field", "line 3"),
        ("rating-field", "line 3"),
    ]


def test_a_column_that_nothing_reads_is_a_warning(tmp_path: Path) -> None:
    found = read_ratings(
        written(tmp_path, LONG.replace("value\n", "value,remark\n").replace("3\n", "3,\n").replace("2\n", "2,x\n")),
        PROACTIVE,
    )
    assert [(one.rule, one.severity) for one in found.warnings] == [("rating-column-unread", "warning")]
    assert len(found.ratings) == 2


def test_columns_that_nothing_reads_are_named_in_the_order_of_the_file(tmp_path: Path) -> None:
    names = ["zeal", "area", "mood", "city", "kind", "year"]
    header, *ratings = LONG.splitlines()
    rows = "\n".join([f"{header},{','.join(names)}", *(f"{rating},1,2,3,4,5,6" for rating in ratings)])
    told = [one.message.split("'")[1] for one in read_ratings(written(tmp_path, rows), PROACTIVE).warnings]
    assert told == names


def test_the_only_criterion_need_not_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "item,system,rater,value\n1,a,ann,5\n")
    assert read_ratings(path, find_protocol("conversation")).ratings == (Rating("1", "a", "ann", "quality", 5.0),)


def test_a_head_of_very_many_columns_is_read_in_the_time_of_one_pass(tmp_path: Path) -> None:
    """JSON in one line called .csv has such a head; each of its columns once was counted among all."""

    def head(n: int) -> Path:
        return written(tmp_path, ",".join(f"column {number}" for number in range(n)) + "\n", f"{n}.csv")

    def read(path: Path) -> None:
        with pytest.raises(FormatError):
            read_ratings(path, PROACTIVE)

    assert growth(head, read, 1_000) < LINEAR

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.mobilecs_tracks import Track, changed, dialogue_track

from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.scoring.dialogue import checker
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def track(tmp_path: Path) -> Track:
    return dialogue_track(tmp_path)


FILLED = {"用户意图-生成": "", "客服意图-生成": "", "客服-生成": "好"}
BROKEN: dict[str, tuple[str, Any]] = {
    "content-type": ("/0/content", None),
    "turn-type": ("/0/content/0", []),
    "turn-missing": ("/0/content/3", ...),
    "turn-unknown": ("/0/content/+", FILLED),
    "user-text-differs": ("/0/content/0/用户", "别的"),
    "generated-missing": ("/0/content/0/客服-生成", ...),
    "generated-type": ("/0/content/0/客服-生成", None),
    "label-unknown": ("/0/content/0/客服意图-生成", "通知,介绍"),
    "argument-with-id": ("/0/content/0/用户意图-生成", "询问(ent-1-业务费用)"),
}


def test_a_good_file_has_no_problem(track: Track) -> None:
    for rows in (track.rows, track.rows[::-1]):
        for known in (True, False):
            for variant in ("strict", "official"):
                assert track.rules(rows, variant, known=known) == []


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_file_alone(rule: str, track: Track) -> None:
    severity = "warning" if "(a warning" in checker.RULES[rule] else "error"
    assert track.rules(changed(track.rows, *BROKEN[rule])) == [(rule, severity)]


def test_every_rule_of_the_track_has_its_broken_file() -> None:
    assert set(checker.RULES) == {*results.RULES, *BROKEN, "official-crash", "too-many-problems"}


def test_a_turn_without_generated_fields_is_refused_where_the_data_is_known(track: Track) -> None:
    rows = changed(track.rows, "/0/content/0", {"用户": "青松套餐一个月要交多少"})
    assert track.rules(rows) == [("turn-missing", "error")]
    assert track.rules(rows, known=False) == [("turn-missing", "warning")]
    assert track.rules(rows, "official") == []


@pytest.mark.parametrize("rule", ["generated-missing", "generated-type", "content-type"])
def test_the_official_check_names_the_crash(rule: str, track: Track) -> None:
    for known in (True, False):
        found = track.rules(changed(track.rows, *BROKEN[rule]), "official", known=known)
        assert found == [("official-crash", "error")]


def test_rows_of_one_id_find_their_dialogues_in_order(track: Track) -> None:
    row = dict(track.examples[0].source)
    twice = checker.merged(track.examples, [{**row, "content": [{**turn, **FILLED} for turn in row["content"]]}] * 2)
    assert [len(one["content"]) for one in twice] == [4, 4, 3, 2, 3]
    assert twice[1]["content"][0]["客服-生成"] == "好"  # stays as it is: the data has no second dialogue of the id


def test_rows_that_cannot_be_merged_are_an_official_crash(track: Track) -> None:
    with pytest.raises(OfficialError, match="TypeError"):
        checker.merged(track.examples, 3)

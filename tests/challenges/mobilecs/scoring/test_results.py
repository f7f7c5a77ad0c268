"""What holds for the result files of both tracks."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.mobilecs_tracks import Track, dialogue_track, extraction_track

from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Scoring, Submission

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


STRICT = Scoring(variant="strict")
TRACKS = {"track 1": extraction_track, "track 2": dialogue_track}
BROKEN: dict[str, Callable[[list[Any]], Any]] = {
    "not-a-list": lambda rows: {"rows": rows},
    "no-dialogues": lambda rows: rows[:0],
    "item-not-object": lambda rows: [*rows, 3],
    "raw-file": lambda rows: [
        {"id": rows[0]["id"], "content": [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"}]},
        *rows[1:],
    ],
    "dialog-id-missing": lambda rows: [*rows, {key: part for key, part in rows[0].items() if key != "id"}],
    "dialog-id-type": lambda rows: [*rows, {**rows[0], "id": 3}],
    "dialog-id-repeated": lambda rows: [*rows, rows[0]],
    "dialog-unknown": lambda rows: [*rows, {**rows[0], "id": "x"}],
    "dialog-missing": lambda rows: rows[1:],
}
CONSEQUENCES = {"not-a-list": 4, "no-dialogues": 4}
"""How many dialogues a file with this fault leaves unanswered as well."""


@pytest.fixture(params=TRACKS)
def track(request: pytest.FixtureRequest, tmp_path: Path) -> Track:
    return TRACKS[request.param](tmp_path)


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_of_both_tracks_is_broken_by_its_own_file(rule: str, track: Track) -> None:
    severity = "warning" if "(a warning" in results.RULES[rule] else "error"
    expected = [(rule, severity)] + [("dialog-missing", "error")] * CONSEQUENCES.get(rule, 0)
    found = track.rules(BROKEN[rule](track.rows))
    assert [one for one in found if one[0] in results.RULES] == expected


def test_files_that_break_their_bytes(track: Track) -> None:
    data = json.dumps(track.rows, ensure_ascii=False).encode()
    assert track.rules(b"\x1f\x8b" + data) == [("gzip-damaged", "error")]
    assert track.rules(gzip.compress(data)[:-9]) == [("gzip-damaged", "error")]
    assert track.rules(data.replace("套餐".encode(), b"\xff")) == [("not-utf8", "error")]
    assert track.rules(data[:-3]) == [("not-json", "error")]
    assert track.rules(b"\xef\xbb\xbf" + data) == [("byte-order-mark", "warning")]
    assert track.rules(b"\xef\xbb\xbf" + data, "official") == [("byte-order-mark", "error")]
    assert track.rules(b"3", known=False) == [("not-a-list", "error")]
    assert track.rules(b"[]", known=False) == [("no-dialogues", "warning")]
    assert track.rules(list(range(1001)), known=False)[-1] == ("too-many-problems", "error")


def test_a_raw_file_is_no_result_even_where_the_data_is_not_known(track: Track) -> None:
    assert track.rules(BROKEN["raw-file"](track.rows), known=False) == [("raw-file", "error")]


def test_rows_that_are_no_object_are_an_official_crash(track: Track) -> None:
    for known in (True, False):
        assert track.rules([*track.rows, 3], "official", known=known) == [("official-crash", "error")]


def test_every_rule_of_both_tracks_has_its_broken_file() -> None:
    of_bytes = {"gzip-damaged", "unpacked-size", "not-utf8", "byte-order-mark", "not-json"}
    assert set(results.RULES) == {*BROKEN, *of_bytes}


def test_a_file_with_errors_is_scored_in_part_alone(track: Track) -> None:
    for rule in ("dialog-missing", "dialog-id-repeated", "item-not-object"):
        submission = track.read(BROKEN[rule](track.rows))
        with pytest.raises(FormatError) as refused:
            track.task.score(track.examples, submission, STRICT)
        assert rule in {problem.rule for problem in refused.value.problems}
        report = track.task.score(track.examples, submission, Scoring(variant="strict", partial=True))
        assert report.scores[0].value > 0
        assert report.problems == refused.value.problems


def test_a_file_that_leaves_no_answers_is_not_scored_even_in_part(track: Track) -> None:
    with pytest.raises(FormatError, match="expected a list"):
        track.task.score(track.examples, track.read({}), Scoring(variant="strict", partial=True))


def test_rows_that_share_an_id_count_as_no_answer(track: Track) -> None:
    (whole, twice, none) = (
        track.task.score(track.examples, track.read(rows), Scoring(variant="strict", partial=True)).items
        for rows in (track.rows, [*track.rows, track.rows[0]], track.rows[1:])
    )
    assert twice == none != whole


def test_a_dialogue_without_turns_needs_no_row(tmp_path: Path) -> None:
    for task, gold in ((ExtractionTask(), {"id": "d"}), (DialogueTask(), {"id": "d", "KB": {}})):
        (tmp_path / "gold.json").write_text(json.dumps([{**gold, "content": []}]), encoding="utf-8")
        (tmp_path / "result.json").write_text("[]", encoding="utf-8")
        found = task.check(task.read(tmp_path / "result.json"), list(task.load(tmp_path / "gold.json")), "strict")
        assert [problem.rule for problem in found] == ["no-dialogues"]


def test_an_unknown_variant_is_refused(track: Track) -> None:
    submission = track.read(track.rows)
    calls: tuple[Callable[[], object], ...] = (
        lambda: track.task.check(submission, None, "offical"),
        lambda: track.task.score(track.examples, submission, Scoring(variant="offical")),
        lambda: track.task.metrics(Scoring(variant="offical")),
    )
    for call in calls:
        with pytest.raises(UsageError, match="did you mean 'official'"):
            call()


def test_of_rows_with_one_id_the_place_of_the_first_is_told() -> None:
    rows = [{"id": "a"}, {"id": "b"}, {"id": "a"}]
    found, parsed = results.examine(
        Submission(rows=rows, layout="x"), {"a": ["hi"], "b": [], "c": [], "d": ["hi"]}, "id", lambda row, *_: row["id"]
    )
    assert [(one.rule, one.message) for one in found] == [
        ("dialog-id-repeated", "the item at /0 has the same id"),
        ("dialog-missing", "the file has no answer to this dialogue"),
    ]
    assert found[1].place == "dialogue 'd'"
    assert parsed == {"b": "b"}

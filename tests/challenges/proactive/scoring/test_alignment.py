from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.scoring import alignment
from duologue.core import decompression, disk
from duologue.core.errors import FormatError
from duologue.core.records import Answer, Example, Sample, Submission

if TYPE_CHECKING:
    from pathlib import Path


def examples(*replies: str | None) -> list[Example]:
    return [
        Example(sample=Sample(id=str(at), dialogue_id=str(at)), references=() if text is None else (Answer(text=text),))
        for at, text in enumerate(replies)
    ]


def submission(tmp_path: Path, text: str) -> Submission:
    (tmp_path / "p.txt").write_text(text, encoding="utf-8", newline="")
    return files.read_result(tmp_path / "p.txt")


def test_predictions_stand_before_the_replies_of_the_data_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decompression, "PIECE", 2)
    monkeypatch.setattr(disk, "SMALL", -1)
    given = submission(tmp_path, "a  b\n\nc\u3000d\n")
    data = examples("x", "y", "z z")
    official = [pair for portion in alignment.official_pairs(given, data) for pair in portion]
    assert official == [("a  b", "x"), None, ("c\u3000d", "z z")]
    strict = [pair for portion in alignment.strict_pairs(given, data) for pair in portion]
    assert strict == [("a b", "x"), ("", "y"), ("c d", "z z")]


def test_missing_predictions_are_empty_and_more_than_the_data_asks_for_are_left_out(tmp_path: Path) -> None:
    for text, expected in (("a\n", [("a", "x"), ("", "y")]), ("a\nb\nc\n", [("a", "x"), ("b", "y")])):
        given = submission(tmp_path, text)
        strict = [pair for portion in alignment.strict_pairs(given, examples("x", "y")) for pair in portion]
        assert strict == expected
    official = list(alignment.official_pairs(submission(tmp_path, "a\n"), examples("x", "y")))
    assert [pair for portion in official for pair in portion] == [("a", "x"), None]


def test_a_tab_in_a_prediction_makes_the_program_take_what_follows_for_the_reference(tmp_path: Path) -> None:
    given = submission(tmp_path, "a\tb\nc\nd\n")
    official = [pair for portion in alignment.official_pairs(given, examples("x", "y", "z")) for pair in portion]
    assert official[0] == ("a", "b")


def test_an_evaluation_file_keeps_the_reference_of_an_empty_prediction(tmp_path: Path) -> None:
    given = submission(tmp_path, "a\tx\n\ty\t!\n")
    assert alignment.carries_references(given)
    assert [pair for portion in alignment.strict_pairs(given, ()) for pair in portion] == [("a", "x"), ("", "y")]
    assert [pair for portion in alignment.official_pairs(given, ()) for pair in portion] == [("a", "x"), ("y", "!")]
    with_data = [pair for portion in alignment.strict_pairs(given, examples("u", "v")) for pair in portion]
    assert with_data == [("a", "u"), ("", "v")]


def test_the_hash_of_the_truth_does_not_depend_on_predictions(tmp_path: Path) -> None:
    one = alignment.gold_hash(submission(tmp_path, "a\tx\nb\ty\n"), ())
    assert one == alignment.gold_hash(submission(tmp_path, "\tx\nc\t y\n"), ())
    assert one != alignment.gold_hash(submission(tmp_path, "a\tx\nb\tz\n"), ())
    data = examples("x", "y")
    assert alignment.gold_hash(submission(tmp_path, "a\nb\n"), data) == alignment.gold_hash(
        submission(tmp_path, "c\n"), data
    )


def test_there_is_nothing_to_score_against_without_replies(tmp_path: Path) -> None:
    alone = submission(tmp_path, "a\nb\n")
    with pytest.raises(FormatError, match="--gold"):
        alignment.expect_truth(alone, ())
    with pytest.raises(FormatError) as caught:
        alignment.expect_truth(alone, examples(None, "a\nb", "fine"))
    assert [problem.rule for problem in caught.value.problems] == ["truth-unknown", "truth-lines"]
    alignment.expect_truth(submission(tmp_path, "a\tb\n"), ())


def test_official_needs_one_line_with_two_fields_and_no_more(tmp_path: Path) -> None:
    alignment.expect_truth(submission(tmp_path, "a\nb\tc\nd\n"), (), "official")
    for content in ("", "a\nb\n", "a\n\tb\nc\n"):
        with pytest.raises(FormatError, match="calc_f1: ZeroDivisionError"):
            alignment.expect_truth(submission(tmp_path, content), (), "official")

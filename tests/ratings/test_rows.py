from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core.errors import UsageError
from duologue.ratings.files import read_ratings
from duologue.ratings.judgement import Preference, Rating
from duologue.ratings.protocol import find_protocol
from duologue.ratings.rows import ratings_text

SPOKEN = find_protocol("spoken")
RATINGS = (Rating("1", 'a,"b', "m", "coherence", 2.0), Rating("二", "c", "m", "informativeness", 0.5))
PAIRS = (
    Preference("1", "b", "a", "m", "overall", "a"),
    Preference("2", "b", "a", "m", "overall", "b"),
    Preference("3", "b", "a", "m", "overall", "tie"),
)


@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.jsonl"])
def test_what_is_written_is_what_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(ratings_text(RATINGS, path), encoding="utf-8")
    assert read_ratings(path, SPOKEN, judge=True).ratings == RATINGS
    path.write_text(ratings_text(PAIRS, path), encoding="utf-8")
    assert read_ratings(path, SPOKEN).preferences == PAIRS


def test_a_name_with_a_line_separator_is_read_back(tmp_path: Path) -> None:
    path, ratings = tmp_path / "r.jsonl", (Rating("1\u2028a\x85b", "s", "m", "coherence", 2.0),)
    path.write_text(ratings_text(ratings, path), encoding="utf-8")
    assert read_ratings(path, SPOKEN, judge=True).ratings == ratings


def test_whole_points_are_written_as_whole_numbers() -> None:
    assert ratings_text(RATINGS[:1], Path("r.csv")).splitlines()[1] == '1,"a,""b",m,coherence,2'
    assert ratings_text([], Path("r.csv")) == "item,system,rater,criterion,value\n"


def test_another_ending_is_refused() -> None:
    with pytest.raises(UsageError, match=r"r\.txt: a file of ratings is called"):
        ratings_text(RATINGS, Path("r.txt"))

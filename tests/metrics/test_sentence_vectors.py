from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.core.errors import FormatError, UsageError
from duologue.metrics.sentence_vectors import SENTENCE_COSINE, SentenceVectors, read_sentence_vectors

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "we can help\t1 0\nwe  cannot\t3 4\nask us\t0\t2\nnothing\t0 0\n\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.txt"
    path.write_text(TABLE)
    return path


def test_the_best_reference_counts(table: Path) -> None:
    vectors = read_sentence_vectors(table)
    assert vectors.hash == hashlib.sha256(TABLE.encode()).hexdigest()
    found = vectors.likeness(
        ["we can help", " we can  help ", "ask us", "nothing"],
        [["we cannot"], ["ask us", "we cannot"], ["ask us"], ["ask us", "nothing"]],
    )
    assert found.tolist() == pytest.approx([0.6, 0.6, 1.0, 0.0])


def test_a_reply_that_is_its_reference_has_1_whatever_the_rounding(tmp_path: Path) -> None:
    path, rng = tmp_path / "table.txt", np.random.default_rng(1)
    texts = [f"text {number}" for number in range(100)]
    path.write_text("".join(f"{text}\t{' '.join(map(str, rng.normal(size=30)))}\n" for text in texts))
    assert set(read_sentence_vectors(path).likeness(texts, [[text] for text in texts]).tolist()) == {1}


def test_a_text_without_words_is_like_nothing(table: Path) -> None:
    assert read_sentence_vectors(table).likeness(["", "ask us"], [["ask us"], [" "]]).tolist() == [0.0, 0.0]
    table.write_text(TABLE + "\t0 5\n")
    assert read_sentence_vectors(table).likeness([""], [["ask us"]]).tolist() == [1.0]


def test_texts_without_a_vector_are_counted_and_one_is_shown(table: Path) -> None:
    vectors = read_sentence_vectors(table)
    with pytest.raises(
        UsageError, match=r"table.txt has no vector for 2 of 3 different texts, such as 'thanks'; .*TAB"
    ):
        vectors.likeness(["thanks", "ask us"], [["ask us"], ["good bye"]])
    with pytest.raises(UsageError, match="no vector for 1 of 1"):
        read_sentence_vectors(table, {"ask us"}).likeness(["nothing"], [["nothing"]])


def test_a_table_may_be_packed(tmp_path: Path) -> None:
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress(TABLE.encode()))
    assert read_sentence_vectors(path).likeness(["ask us"], [["ask us"]]).tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a 1 2\n", "line 1"),
        ("a\t1 2\nb\t1\n", "line 2"),
        ("a\t1 2\nb\tx y\n", "line 2"),
        ("a\t1 nan\n", "line 1"),
        ("a\t1 1e101\n", "line 1"),
        ("a\t\n", "line 1"),
        ("\n\n", ""),
    ],
)
def test_lines_that_are_none_are_named(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "table.txt"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_sentence_vectors(path)
    assert [problem.place for problem in caught.value.problems] == [place]


def test_the_first_twenty_broken_lines_are_told_with_their_start(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_text("a\t1 2\n" + f"{'b' * 50}\t1\n" * 25)
    with pytest.raises(FormatError) as caught:
        read_sentence_vectors(path)
    assert [problem.place for problem in caught.value.problems] == [f"line {number}" for number in range(2, 22)]
    assert caught.value.problems[0].message == f"found '{'b' * 40}', expected a text, a TAB and 2 numbers"
    path.write_text("b\n")
    with pytest.raises(FormatError, match="found 'b', expected a text, a TAB and numbers"):
        read_sentence_vectors(path)


def test_a_missing_text_is_shown_whole_up_to_sixty_characters(table: Path) -> None:
    vectors = read_sentence_vectors(table)
    for length, shown in ((60, "x" * 60), (61, "x" * 60 + "...")):
        with pytest.raises(UsageError, match=rf"such as '{shown}';"):
            vectors.likeness(["x" * length], [["ask us"]])
    with pytest.raises(UsageError, match="the table has no vector for 1 of 1"):
        SentenceVectors({}).likeness(["x"], [["x"]])


def test_the_score_lies_between_the_ends_of_a_cosine(tmp_path: Path) -> None:
    assert list(SENTENCE_COSINE.bounds) == [-1, 1]
    path = tmp_path / "table.txt"
    path.write_text("much\t1e100 0\nless\t-1e100 0\n")
    assert read_sentence_vectors(path).likeness(["much"], [["less"]]).tolist() == [-1.0]

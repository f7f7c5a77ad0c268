from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import FormatError, StorageError
from duologue.metrics.word_vectors import EMBEDDING, Likeness, Vectors, read_vectors

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "conversation" / "official"
TABLE = Vectors(["a", "b", "c"], np.array([[1.0, 0.0], [0.0, 1.0], [-2.0, 0.5]]))
texts = st.lists(st.sampled_from(["a", "b", "c", "unknown"]), max_size=5)


def test_the_golden_case_with_toy_vectors_is_equal() -> None:
    rows = [json.loads(line) for line in (GOLDEN / "multi_reference.jsonl").read_text().splitlines()]
    expected = json.loads((GOLDEN / "multi_reference_expected.json").read_text())["embedding_toy"]
    vectors = read_vectors(GOLDEN / "toy_vectors.txt")
    found = [vectors.likeness(row["hyp"].split(), [one.split() for one in row["refs"]]) for row in rows]
    assert [round(value, 6) for value in np.mean(found, axis=0).tolist()] == list(expected.values())


def test_an_unknown_word_is_the_mean_of_all_vectors() -> None:
    assert TABLE.of(["b", "?"]).tolist() == [[0.0, 1.0], pytest.approx([-1 / 3, 0.5])]


def test_extreme_values_keep_their_sign() -> None:
    said = TABLE.likeness(["a", "c"], [["c"]])
    assert said.extrema == pytest.approx(1)
    assert said.average < 1


def test_greedy_matching_averages_both_directions() -> None:
    found = TABLE.likeness(["a", "b"], [["a"]])
    assert found.greedy == pytest.approx((0.5 + 1) / 2)


@given(texts, st.lists(texts, min_size=1, max_size=3))
def test_likeness_is_a_cosine_and_a_reference_has_the_most(said: list[str], references: list[list[str]]) -> None:
    found = TABLE.likeness(said, references)
    assert all(-1 <= value <= 1 for value in found)
    assert TABLE.likeness(said, references[::-1]) == pytest.approx(found)
    if references[0]:
        own = TABLE.likeness(references[0], references)
        assert own.greedy == 1


@given(st.lists(texts, min_size=1, max_size=3))
def test_an_empty_reply_is_like_nothing(references: list[list[str]]) -> None:
    assert TABLE.likeness([], references) == Likeness(0, 0, 0)


def test_a_reply_that_is_its_reference_is_wholly_like_it_whatever_the_rounding() -> None:
    rng = np.random.default_rng(1)
    words = [f"w{number}" for number in range(50)]
    vectors = Vectors(words, rng.normal(size=(50, 30)).round(5))
    for _ in range(100):
        text = rng.choice(words, size=9).tolist()
        assert vectors.likeness(text, [text]) == Likeness(1, 1, 1)
        assert vectors.likeness(text, [text[::-1]]) == Likeness(1, 1, 1)
    near = Vectors(["a", "b"], np.array([[1.0, 0.0], [1.0, 1e-5]]))
    assert near.likeness(["a"], [["b"]]).average < 1


def test_the_formulas_are_means_in_the_order_of_the_likeness() -> None:
    assert [metric.name for metric in EMBEDDING] == ["embedding-average", "vector-extrema", "greedy-matching"]
    assert all(metric.additive for metric in EMBEDDING)


def test_a_table_is_read_with_and_without_its_head_and_packed(tmp_path: Path) -> None:
    bare, headed, packed = tmp_path / "bare", tmp_path / "headed", tmp_path / "packed.gz"
    bare.write_text("a 1 2\nnew york 3 4\na 5 6\n")
    headed.write_text("3 2\na 1 2\nnew york 3 4\na 5 6")
    packed.write_bytes(gzip.compress(bare.read_bytes()))
    for path in (bare, headed, packed):
        assert read_vectors(path).of(["a", "new york"]).tolist() == [[5, 6], [3, 4]]
    assert len(read_vectors(bare).hash) == 64


@pytest.mark.parametrize("text", ["\n\nhello 1 2\nyou 3 4\n", " \n2 2\n\nhello 1 2\nyou 3 4\n"])
def test_empty_lines_before_the_first_vector_do_not_say_how_long_it_is(tmp_path: Path, text: str) -> None:
    """The word was taken to be `hello 1`, and no word was found."""
    path = tmp_path / "table.txt"
    path.write_text(text, "utf-8")
    assert read_vectors(path).of(["you"]).tolist() == [[3, 4]]


def test_words_that_are_not_wanted_count_in_the_mean_only(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("a 1 2\nb 3 4\nc 8 0\n")
    assert read_vectors(path, {"b"}).of(["a", "b", "?"]).tolist() == [[4, 2], [3, 4], [4, 2]]
    assert read_vectors(path, set()).of(["a"]).tolist() == [[4, 2]]


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "a\n", "a 1 2\nb 1\n", "a 1 2\nb x 2\n", "a 1 2\nb nan 2\n", "2 2\n", "5 1", "a 1 2\nb 1 -1e101\n"],
)
def test_a_broken_table_names_its_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table"
    path.write_text(text)
    with pytest.raises(FormatError, match="vector"):
        read_vectors(path)


def test_a_missing_table_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        read_vectors(tmp_path / "none")


def test_a_table_in_memory_needs_a_row_per_word() -> None:
    with pytest.raises(ValueError, match="vectors of shape"):
        Vectors(["a"], np.zeros((2, 3)))
    with pytest.raises(ValueError, match="0 words"):
        Vectors([], np.zeros((0, 3)))
    assert not math.isnan(Vectors(["a"], np.zeros((1, 3))).likeness(["a"], [["a"]]).average)


def test_the_first_twenty_lines_that_are_no_vectors_are_told(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_text("a 1 2\n" + "b 1\n" * 30, "utf-8")
    with pytest.raises(FormatError) as refused:
        read_vectors(path)
    assert [one.place for one in refused.value.problems] == [f"line {number}" for number in range(2, 22)]
    assert refused.value.problems[0].message == "found 'b 1', expected a word and 2 numbers"


def test_a_line_that_is_no_vector_is_shown_by_its_start_and_large_numbers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_text("a 1 2\n" + "b" * 50 + "\n")
    with pytest.raises(FormatError, match=f"found '{'b' * 40}', expected"):
        read_vectors(path)
    path.write_text("a 1e100 -1e100\n")
    assert read_vectors(path).likeness(["a"], [["a"]]) == Likeness(1, 1, 1)
    assert [one.bounds for one in EMBEDDING] == [(-1, 1)] * 3

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from duologue.challenges.conversation.scoring import ppmi
from duologue.challenges.conversation.scoring.ppmi import (
    MeanVectors,
    PairVectors,
    WordVectors,
    count_pairs,
    ppmi_matrix,
    train_word_vectors,
    truncated_svd,
    word_ids,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def test_words_are_numbered_by_frequency_then_code_point() -> None:
    assert word_ids([["b", "a", "b"], ["c", "a"]], limit=10) == {"a": 0, "b": 1, "c": 2}
    assert word_ids([["b", "a", "b"], ["c"]], limit=2) == {"b": 0, "a": 1}
    assert word_ids([["b", "a", "b"]], limit=10, least=2) == {"b": 0}


def test_pairs_are_counted_in_any_portions() -> None:
    codes = np.array([0, 1, 1, 3], dtype=np.int64)
    assert count_pairs([codes], 2).tolist() == [[1, 2], [0, 1]]
    assert count_pairs([codes[:1], codes[1:], codes[:0]], 2).tolist() == [[1, 2], [0, 1]]
    assert count_pairs([], 2).tolist() == [[0, 0], [0, 0]]


def test_information_is_that_of_the_formula_and_never_negative() -> None:
    counts = np.array([[4, 0], [1, 3]], dtype=np.float32)
    rights = np.array([5, 3]) ** 0.75
    expected = np.log(counts[0, 0] * rights.sum() / (4 * rights[0]))
    told = ppmi_matrix(counts)
    assert told[0, 0] == pytest.approx(expected, rel=1e-5)
    assert told[0, 1] == 0
    assert told[1, 0] == 0  # rarer together than by chance
    assert (ppmi_matrix(np.zeros((2, 2), dtype=np.float32)) == 0).all()


def test_directions_give_a_matrix_of_low_rank_back() -> None:
    rng = np.random.default_rng(1)
    matrix = (rng.random((40, 3)) @ rng.random((3, 40))).astype(np.float32)
    sides = truncated_svd(matrix, 3)
    assert sides.left.shape == (40, 3)
    assert np.allclose(sides.left @ sides.right.T, matrix, atol=1e-3)
    assert np.array_equal(truncated_svd(matrix, 3).left, sides.left)
    assert truncated_svd(matrix[:2, :2], 9).left.shape == (2, 2)


def test_vectors_of_a_matrix_without_a_clear_rank_are_the_same_in_every_version() -> None:
    """They are as near the exact ones as the rounds and the spare dimensions bring them; relevance hangs on it."""
    matrix = np.random.default_rng(5).random((60, 60)).astype(np.float32)
    sides = truncated_svd(matrix, 4)
    assert np.abs(sides.left[0]) == pytest.approx([0.7099, 0.0451, 0.3453, 0.0712], abs=5e-4)
    assert np.abs(sides.right[0]) == pytest.approx([0.6965, 0.0340, 0.2095, 0.3342], abs=5e-4)


def test_words_in_like_places_have_like_vectors() -> None:
    texts = [f"the {animal} eats its food".split() for animal in ("cat", "dog") for _ in range(5)]
    texts += [f"a {train} leaves from here".split() for train in ("train", "bus") for _ in range(5)]
    table = train_word_vectors(texts, rank=6, reach=2)
    rows = dict(zip(table.words, table.vectors, strict=True))

    def cosine(one: str, other: str) -> float:
        a, b = rows[one], rows[other]
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    assert cosine("cat", "dog") > 0.9 > cosine("cat", "bus")
    lines = list(table.lines())
    assert [line.split(" ")[0] for line in lines] == table.words
    again = WordVectors.of_lines(lines)
    assert again.words == table.words
    assert np.array_equal(again.vectors, table.vectors.astype(np.float32))
    with pytest.raises(ValueError, match="could not convert"):
        WordVectors.of_lines(["cat 0.1 zero"])


def test_unless_told_otherwise_vectors_are_of_5000_words_in_100_directions_four_words_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[np.ndarray, int]] = []

    def decompose(matrix: np.ndarray, rank: int) -> PairVectors:
        asked.append((matrix, rank))
        return PairVectors(matrix[:, :1], matrix[:, :1])

    monkeypatch.setattr(ppmi, "truncated_svd", decompose)
    monkeypatch.setattr(ppmi, "ppmi_matrix", lambda counts: counts)
    table = train_word_vectors([[f"{number:04}" for number in range(5001)]])
    assert table.words == [f"{number:04}" for number in range(5000)]
    ((matrix, rank),) = asked
    assert (matrix.shape, rank) == ((5000, 5000), 100)
    assert np.flatnonzero(matrix[2000]).tolist() == [1996, 1997, 1998, 1999, 2001, 2002, 2003, 2004]


def test_a_text_is_the_weighted_mean_of_its_words_and_unknown_ones_have_the_mean_of_all() -> None:
    table = WordVectors(["a", "b"], np.array([[2, 0], [0, 1]], dtype=np.float32))
    assert MeanVectors(table).of([["a", "b"], ["b", "b"], []]) == pytest.approx(
        np.array([[2 / 5**0.5, 1 / 5**0.5], [0, 1], [0, 0]]), abs=1e-6
    )
    weighted = MeanVectors(table, {"a": 1.0}, rare=2.0)
    assert weighted.of([["a", "b"]]) == pytest.approx(np.array([[0.5**0.5, 0.5**0.5]]), abs=1e-6)
    assert weighted.of([["c"]]) == pytest.approx(np.array([[2 / 5**0.5, 1 / 5**0.5]]), abs=1e-6)


def test_pairs_beyond_what_is_counted_at_once_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [np.array(part, dtype=np.int64) for part in ([0, 1], [1], [], [3, 3, 2], [0])]
    for most in range(1, 9):
        monkeypatch.setattr(ppmi, "_PART", most)
        assert count_pairs(codes, 2).tolist() == [[2, 2], [1, 2]]


def test_words_up_to_four_places_apart_are_neighbours_unless_another_reach_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[list[int]] = []

    def noted(parts: Iterable[Any], size: int) -> Any:
        counted.append([len(part) for part in parts])
        return np.ones((size, size), dtype=np.float32)

    monkeypatch.setattr(ppmi, "count_pairs", noted)
    texts = [["a", "b", "c", "d", "e", "f", "g"], ["a", "b"], ["a"], []]
    for reach, lengths in ((None, [6, 5, 4, 3, 1]), (1, [6, 1]), (9, [6, 5, 4, 3, 2, 1, 1])):
        train_word_vectors(texts, rank=2) if reach is None else train_word_vectors(texts, rank=2, reach=reach)
        assert counted.pop() == lengths
    train_word_vectors([["a", "b", "c"]] * 2 + [["a", "a"]], rank=2, limit=2)
    assert counted.pop() == [1, 0, 1, 0, 1]  # a word that is not among the most frequent has no neighbours


def test_vectors_have_four_decimals_in_their_files() -> None:
    table = WordVectors(["a"], np.array([[0.12345, -1, 2]], dtype=np.float32))
    assert list(table.lines()) == ["a 0.1235 -1.0000 2.0000"]
    trained = train_word_vectors([["a", "b", "c"]] * 3, rank=3)
    assert np.array_equal(trained.vectors, trained.vectors.round(4))

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.models.choices import ChoiceEncoder, UtilitySize
from duologue.models.train import TrainConfig
from duologue.retrieval.reranker import Reranker, RerankingExample, sample_candidates
from duologue.retrieval.template_index import RetrievedTemplate, TemplateCandidate, TemplateEntry, TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class Number(TemplateEntry, frozen=True, kw_only=True):
    value: int


class Sum(TemplateCandidate, frozen=True, kw_only=True):
    value: int

    @property
    def key(self) -> int:
        return self.value


class Sums:
    """Candidates are sums of a state, a number, and those of the index; the nearest to a reference is best."""

    def __init__(self, values: range) -> None:
        entries = [
            Number(source=str(value), turn=0, groups=((1.0, ("all",)),), value=value, needs=("7",) * (value == 7))
            for value in values
        ]
        self.index = TemplateIndex(entries)

    def candidates(self, state: int, apart: str | None = None) -> list[Sum]:
        def fill(one: RetrievedTemplate) -> list[Sum]:
            value = self.index.entries[one.entry].value + state
            return [Sum(entry=one.entry, similarity=one.similarity, value=value)]

        usable = np.ones(len(self.index.entries), dtype=bool)
        return self.index.distinct(
            self.index.nearest([(1.0, ["all"])], usable, pool=20, apart=apart), fill, known="", limit=20
        )

    def features(self, state: int, candidates: Sequence[Sum]) -> Floats:
        return np.array([[one.value, abs(one.value - 2 * state)] for one in candidates], dtype=np.float32)

    def utilities(self, candidates: Sequence[Sum], reference: str) -> Floats:
        return np.array([[1 / (1 + abs(one.value - int(reference)))] for one in candidates], dtype=np.float32)

    def state_words(self, state: int) -> list[str]:
        return ["odd" if state % 2 else "even"]

    def template_words(self) -> list[list[str]]:
        return [[str(entry.value)] for entry in self.index.entries]


EXAMPLES = [RerankingExample(f"#{state}", state, str(2 * state), str(state)) for state in range(6)]
CONFIG = TrainConfig(epochs=30, batch=4, learning_rate=1e-2, threads=1)


def new_reranker(values: range = range(9)) -> Reranker[int, Sum]:
    size = UtilitySize(features=2, hidden=16, width=4, dropout=0.0, word_dropout=0.0)
    return Reranker(Sums(values), ChoiceEncoder(["even", "odd"], ["1", "2"]), size)


def trained(folder: Path) -> Reranker[int, Sum]:
    reranker = new_reranker()
    rows = reranker.training_rows(EXAMPLES)
    reranker.train(rows, rows, CONFIG, Run(folder=folder, seed=1))
    return reranker


def test_rows_have_the_candidates_of_other_sources_with_their_utilities() -> None:
    rows = new_reranker().training_rows(EXAMPLES)
    assert [row.templates.tolist() for row in rows[:2]] == [[1, 2, 3, 4, 5, 6, 8], [0, 2, 3, 4, 5, 6, 8]]
    assert rows[1].utility[:3, 0].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 3])
    assert [row.words.tolist() for row in rows[:2]] == [[2], [3]]
    assert new_reranker(range(1)).training_rows(EXAMPLES[:1]) == []


def test_no_more_candidates_than_asked_for_are_drawn_by_the_name() -> None:
    reranker = new_reranker()
    rows = reranker.training_rows(EXAMPLES, limit=3)
    assert [len(row.templates) for row in rows] == [3] * 6
    whole = reranker.training_rows(EXAMPLES)[0]
    assert sample_candidates(whole, 3, "#0").templates.tolist() == rows[0].templates.tolist()
    assert sample_candidates(whole, 7, "#0") is whole
    assert len({tuple(sample_candidates(whole, 3, str(name)).templates.tolist()) for name in range(9)}) > 1


def test_what_it_learned_it_knows_after_saving(tmp_path: Path) -> None:
    reranker = trained(tmp_path)
    lists = [(state, reranker.task.candidates(state)) for state in (2, 3, 4)]
    scored = reranker.utilities([*lists, (5, [])])
    assert [len(one) for one in scored] == [8, 8, 8, 0]
    best = [found[int(one.argmax())].value for (_, found), one in zip(lists, scored, strict=False)]
    assert best == [4, 6, 8]
    reranker.save(tmp_path / "weights")
    other = new_reranker()
    other.load(tmp_path / "weights")
    for one, again in zip(scored, other.utilities(lists), strict=False):
        assert one.tolist() == again.tolist()


def test_an_index_of_more_replies_takes_the_place_of_the_first(tmp_path: Path) -> None:
    reranker = trained(tmp_path)
    reranker.use(Sums(range(12)))
    found = reranker.task.candidates(3)
    assert len(found) == 11
    assert len(reranker.utilities([(3, found)])[0]) == 11


def test_without_rows_or_weights_it_says_so(tmp_path: Path) -> None:
    reranker = new_reranker()
    with pytest.raises(UsageError, match="too small to learn replies from"):
        reranker.train([], [], CONFIG, Run(folder=tmp_path, seed=1))
    with pytest.raises(UsageError, match="not learned yet"):
        reranker.utilities([(1, reranker.task.candidates(1))])
    reranker.save(tmp_path / "weights")
    assert not (tmp_path / "weights").exists()
    with pytest.raises(StorageError, match="weights"):
        reranker.load(tmp_path / "weights")

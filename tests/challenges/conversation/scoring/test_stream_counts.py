from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.scoring import items as module
from duologue.challenges.conversation.scoring.counts import MOST_FREQUENT, SENTENCES, count
from duologue.challenges.conversation.scoring.items import ItemStream, ScoredItems
from duologue.challenges.conversation.scoring.stream_counts import count_runs
from duologue.core.records import Scoring
from duologue.metrics.greedy_idf import GREEDY_IDF
from duologue.metrics.sentence_vectors import SENTENCE_COSINE
from duologue.metrics.word_vectors import EMBEDDING

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "\ud800"]), max_size=5).map("  ".join)
SAMPLES = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=12)


@given(SAMPLES, st.integers(1, 5), st.integers(1, 4), st.sampled_from(["strict", "official"]))
def test_counts_of_runs_are_those_of_their_samples_wherever_portions_end(
    samples: list[tuple[str, list[str]]], portion: int, most: int, variant: str
) -> None:
    names = [str(row) for row in range(len(samples))]
    items = ScoredItems(names, [said for said, _ in samples], [wanted for _, wanted in samples], [])
    how = Scoring(variant=variant)
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PORTION", portion)
        runs = count_runs(ItemStream.of(items), how, most, lambda part: told.extend(part.ids))
    assert told == items.ids
    step = -(-len(samples) // most)
    starts = list(range(0, len(samples), step))
    ends = [min(start + step, len(samples)) - 1 for start in starts]
    assert runs.names == [f"samples {start}-{end}" for start, end in zip(starts, ends, strict=True)]
    whole = count(items, how)
    assert runs.columns.keys() == whole.columns.keys()
    for name, values in whole.columns.items():
        expected = np.add.reduceat(values, starts)
        if name == MOST_FREQUENT.name:  # of several equally frequent replies another may be taken
            assert runs.columns[name].sum() == expected.sum()
        else:
            assert runs.columns[name] == pytest.approx(expected, rel=1e-12, abs=1e-15), name


@given(st.lists(st.sampled_from(["a b", "a  b", "b a", "c", ""]), min_size=1, max_size=12), st.integers(1, 5))
def test_the_most_frequent_reply_is_one_reply_whatever_its_spaces(replies: list[str], portion: int) -> None:
    items = ScoredItems([str(row) for row in range(len(replies))], replies, [["a b"] for _ in replies], [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PORTION", portion)
        marked = count_runs(ItemStream.of(items), Scoring(variant="official"), len(replies), lambda _: None).columns
    times = Counter(" ".join(one.split()) for one in replies)
    chosen = {" ".join(one.split()) for one, flag in zip(replies, marked[MOST_FREQUENT.name], strict=True) if flag}
    assert len(chosen) == 1
    assert times[chosen.pop()] == max(times.values()) == marked[MOST_FREQUENT.name].sum()


def test_runs_have_the_scores_of_vectors_that_their_samples_have(tmp_path: Path) -> None:
    """The idf weights are those of the references of the whole file, wherever portions end."""
    words, sentences = tmp_path / "words", tmp_path / "sentences"
    words.write_text("we 1 0 0\nask 0 1 0\nhelp 0.6 0.8 0\ncan 0 0.6 0.8\n", encoding="utf-8")
    sentences.write_text(
        "we can help\t3 4\nask us\t1 0\nwe ask\t0 1\nwe help\t1 1\nwe can\t1 2\nhelp\t2 1\n", encoding="utf-8"
    )
    replies = ["we can help", "ask us", "we ask", "we can help", "ask us"]
    wanted = [["we help", "we can help"], ["we ask"], ["ask us"], ["we can"], ["help"]]
    items = ScoredItems([str(row) for row in range(5)], replies, wanted, [])
    how = Scoring(variant="strict", options={"vectors": str(words), SENTENCES: str(sentences), "meteor": ""})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PORTION", 2)
        runs = count_runs(ItemStream.of(items), how, 5, lambda _: None)
    whole = count(items, how)
    assert (runs.vectors, runs.sentences) == (whole.vectors, whole.sentences)
    assert len({runs.vectors, runs.sentences, ""}) == 3
    assert runs.columns.keys() == whole.columns.keys()
    for metric in (*EMBEDDING, GREEDY_IDF, SENTENCE_COSINE):
        assert runs.columns[metric.name] == pytest.approx(whole.columns[metric.name]), metric.name
        assert len(set(whole.columns[metric.name])) > 1

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.scoring.generation import count_replies
from duologue.challenges.spoken.scoring.options import ScoringOptions
from duologue.challenges.spoken.systems.template_nlg.features import FEATURE_NAMES, candidate_features, utility_of
from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyTemplateIndex
from duologue.challenges.spoken.systems.template_nlg.training_pairs import training_replies

if TYPE_CHECKING:
    from pathlib import Path

texts = st.text(alphabet="青石岛白沙湾 30，。", max_size=12)


@settings(max_examples=30)
@given(st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=3))
def test_utility_is_what_the_scorer_counts(candidates: list[str], references: list[str]) -> None:
    found = utility_of(candidates, references)
    for column, reference in enumerate(references):
        counted = count_replies(candidates, [reference] * len(candidates), ScoringOptions()).columns
        for ours, theirs in zip(found, ("generation-f1", "bleu-1", "bleu-2"), strict=True):
            np.testing.assert_allclose(ours[:, column], counted[theirs], atol=1e-9)
    assert found.mean.shape == (len(candidates), len(references))


def test_every_candidate_has_every_figure(golden: Path) -> None:
    training, _ = training_replies(files.load(golden / "contract" / "valid.json"), [])
    index = ReplyTemplateIndex([one.entry for one in training])
    context = training[1].context
    found = index.search(context, limit=20, pool=50)
    table = candidate_features(context, found, index)
    assert table.shape == (len(found), len(FEATURE_NAMES))
    assert np.isfinite(table).all()
    similarity = table[:, FEATURE_NAMES.index("behind the first")]
    assert similarity.max() == pytest.approx(0)
    below = [place for place, name in enumerate(FEATURE_NAMES) if name.endswith("below the best")]
    assert np.allclose(table[:, below].max(axis=0), 0)

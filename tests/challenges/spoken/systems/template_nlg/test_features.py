from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.scoring.generation import count_replies
from duologue.challenges.spoken.scoring.options import Choices
from duologue.challenges.spoken.systems.template_nlg.features import NAMES, figures, utility_of
from duologue.challenges.spoken.systems.template_nlg.template_index import Bank
from duologue.challenges.spoken.systems.template_nlg.training_pairs import lessons_of

if TYPE_CHECKING:
    from pathlib import Path

texts = st.text(alphabet="青石岛白沙湾 30，。", max_size=12)


@settings(max_examples=30)
@given(st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=3))
def test_utility_is_what_the_scorer_counts(candidates: list[str], references: list[str]) -> None:
    found = utility_of(candidates, references)
    for column, reference in enumerate(references):
        counted = count_replies(candidates, [reference] * len(candidates), Choices()).columns
        for ours, theirs in zip(found, ("generation-f1", "bleu-1", "bleu-2"), strict=True):
            np.testing.assert_allclose(ours[:, column], counted[theirs], atol=1e-9)
    assert found.mean.shape == (len(candidates), len(references))


def test_every_candidate_has_every_figure(golden: Path) -> None:
    lessons, _ = lessons_of(files.load(golden / "contract" / "valid.json"), [])
    bank = Bank([one.entry for one in lessons])
    now = lessons[1].now
    found = bank.search(now, "", most=20, pool=50)
    table = figures(now, found, bank)
    assert table.shape == (len(found), len(NAMES))
    assert np.isfinite(table).all()
    likeness = table[:, NAMES.index("behind the first")]
    assert likeness.max() == pytest.approx(0)
    below = [place for place, name in enumerate(NAMES) if name.endswith("below the best")]
    assert np.allclose(table[:, below].max(axis=0), 0)

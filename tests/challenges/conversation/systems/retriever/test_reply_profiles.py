from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.scoring.ppmi import MeanVectors, train_word_vectors
from duologue.challenges.conversation.scoring.terms import tokens
from duologue.challenges.conversation.systems.mbr import pairwise_agreement
from duologue.challenges.conversation.systems.retriever import reply_profiles
from duologue.challenges.conversation.systems.retriever.reply_profiles import ReplyProfiles

VECTORS = MeanVectors(train_word_vectors([["we", "are", "here"], ["we", "help", "you"], ["are", "you", "here"]]))
replies = st.lists(st.text("wehlp aruy?.", max_size=12), min_size=1, max_size=8)


@given(replies, st.sampled_from([0.0, 0.5, 2.0]))
def test_agreement_is_of_ngrams_and_of_mean_vectors(said: list[str], meaning: float) -> None:
    found = ReplyProfiles(VECTORS).agreement(said, meaning)
    vectors = VECTORS.of([tokens(one) for one in said])
    wanted = pairwise_agreement([one.lower().split() for one in said]) + np.float32(meaning) * (vectors @ vectors.T)
    assert found == pytest.approx(wanted, abs=1e-6)


def test_what_is_kept_changes_nothing_and_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_profiles, "KEPT", 2)
    kept = ReplyProfiles(VECTORS)
    said = ["we are here", "we help", "you are here , we help"]
    first = kept.agreement(said, 0.5)
    assert (kept.agreement(said, 0.5) == first).all()
    assert (ReplyProfiles(VECTORS).agreement(said, 0.5) == first).all()
    assert kept.kept == 2

from __future__ import annotations

import numpy as np
import pytest

from duologue.challenges.spoken.systems.template_nlg.reranking_task import mbr_scores
from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyCandidate


def found(text: str, *, head: bool = False) -> ReplyCandidate:
    return ReplyCandidate(entry=0, similarity=1.0, said=(text,), pieces=(text,), order=(), head=head)


def test_what_the_best_agree_on_wins_over_what_one_says() -> None:
    candidates = [found("门票30元。"), found("是30元的门票。"), found("要30元门票。"), found("没去过呀")]
    scored = np.array([0.50, 0.50, 0.50, 0.51], dtype=np.float32)
    assert mbr_scores(candidates, scored, 0.0).argmax() == 3
    assert mbr_scores(candidates, scored, 1.0).argmax() < 3


def test_heads_are_judged_and_not_heard() -> None:
    candidates = [found("门票30元，便宜吧？"), found("没去过呀。", head=True), found("没去过呀，你呢？", head=True)]
    scored = np.zeros(3, dtype=np.float32)
    assert mbr_scores(candidates, scored, 1.0).argmax() == 0
    alone = mbr_scores(candidates[1:], scored[1:], 1.0)  # where there is nobody else, heads are heard
    assert alone[0] == pytest.approx(alone[1], abs=0.2)
    assert (alone > 0).all()

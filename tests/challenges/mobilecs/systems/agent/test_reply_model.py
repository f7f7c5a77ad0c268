from __future__ import annotations

import numpy as np

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.reply_model import reply_model, reply_terms

BASE = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}}


def test_terms_are_the_text_around_values_and_their_slots() -> None:
    view = CallView([], "彩铃多少钱", BASE)
    terms = reply_terms(view, "每月五元的")
    assert "<业务费用>" in terms
    assert "每月" in terms
    assert not any("五" in one for one in terms)
    assert reply_terms(view, "") == ["<>"]


def test_a_reply_is_likeliest_under_the_labels_that_it_was_said_with() -> None:
    shares = np.eye(2, dtype=np.float32)
    model = reply_model([(["请问", "一下"], shares[0]), (["请问"], shares[0]), (["每月"], shares[1])] * 5, 2)
    assert model.log_likelihood(["请问"])[0] > model.log_likelihood(["请问"])[1]
    assert model.log_likelihood(["每月"])[1] > model.log_likelihood(["每月"])[0]
    assert model.log_likelihood(["从未"]).tolist() == model.base.tolist()

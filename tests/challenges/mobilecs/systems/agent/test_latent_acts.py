from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.latent_acts import posterior
from duologue.challenges.mobilecs.systems.agent.network import new_network
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.reply_model import reply_model, reply_terms
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues
from duologue.challenges.mobilecs.systems.agent.trainer import answered_turns, new_encoder, size_of
from duologue.challenges.mobilecs.systems.agent.turn_encoder import vocabulary_of

if TYPE_CHECKING:
    from duologue.core.records import Example

TINY = AgentRecipe.tiny()


def test_the_posterior_knows_the_piece_that_alone_has_the_value_and_doubts_others(calls: list[Example]) -> None:
    turns = answered_turns(calls)
    vocabulary = vocabulary_of([(one.dialogue, one.view, one.truth) for one in turns], rare=1, label_sets=5)
    encoder = new_encoder(vocabulary, SlotCues([]), TINY)
    networks = [new_network(size_of(vocabulary, TINY), 1).eval()]
    sets = np.eye(5, dtype=np.float32)
    known = [(reply_terms(one.view, one.reply), sets[number % 5]) for number, one in enumerate(turns)]
    base = {
        "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元", "业务规则": "次月"},
        "ent-2": {"name": "宽带", "type": "业务", "业务费用": "五元"},
    }
    view = CallView([], "多少钱", base)
    slots = [(one.owner, one.slot) for one in view.pieces]
    found = posterior(networks, encoder, reply_model(known, 5), view, "次月五元")
    assert np.exp(found.log_labels).sum() == pytest.approx(1.0, abs=1e-3)
    assert found.told[slots.index(("ent-1", "业务规则"))] == 1
    fees = [found.told[slots.index((owner, "业务费用"))] for owner in ("ent-1", "ent-2")]
    assert all(0 < one < 1 for one in fees)
    assert sum(fees) <= 1.0 + 1e-5
    assert not posterior(networks, encoder, reply_model(known, 5), view, "您好").told.any()

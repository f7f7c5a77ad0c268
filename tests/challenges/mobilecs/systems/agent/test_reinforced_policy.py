from __future__ import annotations

import numpy as np
from tests.challenges.mobilecs.systems.agent.test_turn_options import BASE, FEE, decision

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.reinforced_policy import (
    PolicyWeights,
    ReinforcedPolicy,
    first_weights,
    shares,
)
from duologue.challenges.mobilecs.systems.agent.request_cues import RequestCues
from duologue.challenges.mobilecs.systems.agent.turn_options import OPTION_FEATURES


def test_before_anything_is_learned_the_supervised_choice_is_taken() -> None:
    made = decision(CallView([], "彩铃多少钱", BASE), {FEE: 0.9})
    assert ReinforcedPolicy(PolicyWeights.of(first_weights(), RequestCues())).choose(made) == 4


def test_weights_by_name_decide_and_unknown_names_do_nothing() -> None:
    made = decision(CallView([], "彩铃多少钱", BASE), {FEE: 0.9})
    assert ReinforcedPolicy(PolicyWeights(weights={"ask: any": 1.0, "of another version": 9.0})).choose(made) == 2
    assert ReinforcedPolicy(PolicyWeights(weights={"names": 1.0})).choose(made) == 5


def test_shares_of_options() -> None:
    weights = np.zeros(len(OPTION_FEATURES))
    features = np.zeros((2, len(OPTION_FEATURES)))
    features[1, 0] = 1
    assert shares(weights, features).tolist() == [0.5, 0.5]
    weights[0] = np.log(3)
    assert np.allclose(shares(weights, features), [0.25, 0.75])

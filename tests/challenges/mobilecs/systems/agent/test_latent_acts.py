from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from duologue.challenges.mobilecs.schema.intents import ASK, USER_LABELS
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.latent_acts import (
    LabelledTurn,
    ReplyLikelihoods,
    ReplyWeights,
    TurnEvidence,
    asks,
    evidence,
    fitting_weights,
    open_pieces,
    posterior,
    reply_likelihoods,
)
from duologue.challenges.mobilecs.systems.agent.network import new_network, probabilities
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues
from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn
from duologue.challenges.mobilecs.systems.agent.trainer import answered_turns, new_encoder, size_of, truth_of
from duologue.challenges.mobilecs.systems.agent.turn_encoder import vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.core.records import Example

    Explain = Callable[[CallView, str], tuple[ReplyLikelihoods, TurnEvidence]]

TINY = AgentRecipe.tiny()
SETS = 5
BASE = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元", "业务规则": "次月"},
    "ent-2": {"name": "宽带", "type": "业务", "业务费用": "五元"},
}


def slots(view: CallView) -> list[tuple[str, str]]:
    return [(one.owner, one.slot) for one in view.pieces]


@pytest.fixture
def explain(calls: list[Example]) -> Explain:
    turns = answered_turns(calls)
    vocabulary = vocabulary_of([(one.dialogue, one.view, one.truth) for one in turns], rare=1, label_sets=SETS)
    encoder = new_encoder(vocabulary, SlotCues([]), TINY)
    networks = [new_network(size_of(vocabulary, TINY), 1).eval()]
    known = [
        LabelledTurn(one, row.user_labels, np.eye(SETS, dtype=np.float32)[number % SETS], row.wanted)
        for number, one in enumerate(turns)
        for row in (encoder.row(one.view, one.truth),)
    ]
    likely = reply_likelihoods(known, SETS)

    def explained(view: CallView, reply: str) -> tuple[ReplyLikelihoods, TurnEvidence]:
        turn = AnsweredTurn("call", view, truth_of(view, (), reply), reply)
        return likely, evidence(networks, probabilities(networks, encoder.row(view)), likely, turn)

    return explained


def test_the_posterior_knows_the_piece_that_alone_has_the_value_and_doubts_others(explain: Explain) -> None:
    view = CallView([], "多少钱", BASE)
    found = posterior(explain(view, "次月五元")[1], ReplyWeights(1.0, 1.0))
    assert found.labels.sum() == pytest.approx(1.0, abs=1e-3)
    assert found.told[slots(view).index(("ent-1", "业务规则"))] == pytest.approx(1, abs=1e-5)
    fees = [found.told[slots(view).index((owner, "业务费用"))] for owner in ("ent-1", "ent-2")]
    assert all(0 < one < 1 for one in fees)
    assert sum(fees) <= 1.0 + 1e-5
    assert not posterior(explain(view, "您好")[1], ReplyWeights(1.0, 1.0)).told.any()


def test_what_is_told_was_more_probably_wanted_and_what_is_no_news_was_not(explain: Explain) -> None:
    view = CallView([("彩铃次月吗", "彩铃是次月")], "多少钱", BASE)
    (told, silent) = (explain(view, reply) for reply in ("五元", "您好"))
    likely = told[0]
    assert likely.told[0] < likely.told[1]
    fee, rule = (slots(view).index(("ent-1", one)) for one in ("业务费用", "业务规则"))
    assert told[1].wanted[fee] > silent[1].wanted[fee] > 0
    assert told[1].wanted[rule] == 0
    assert rule not in open_pieces(view)


def test_words_count_as_much_as_fits_held_out_turns(explain: Explain) -> None:
    view = CallView([], "多少钱", BASE)
    found = explain(view, "次月五元")[1]
    right, wrong = int(found.staff.argmax()), int(found.staff.argmin())
    nothing: Any = np.zeros(len(USER_LABELS), dtype=np.float32)
    assert fitting_weights([found], [nothing], [wrong]).staff == 0
    flat = found._replace(joint=np.zeros_like(found.joint))
    assert fitting_weights([flat], [nothing], [right]).staff == 1
    assert posterior(found, ReplyWeights(0.0, 0.0)).user_labels == pytest.approx(found.read.user_labels, abs=1e-5)


def test_questions_and_queries_ask() -> None:
    labels = np.array([0.7 if one == ASK else 0.1 for one in USER_LABELS], dtype=np.float32)
    assert asks(labels) == pytest.approx(0.7)

from __future__ import annotations

import numpy as np
from tests.challenges.mobilecs.systems.agent.test_turn_options import BASE, FEE, NAME, RULE, TYPE

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.request_cues import RequestCues, RequestReading, argument_of

ASKS_RULE = CallView([], "彩铃有什么规定", BASE)


def reading(view: CallView) -> RequestReading:
    return RequestReading.of(view, np.full(len(view.pieces), 0.1, dtype=np.float32))


def test_words_that_were_answered_make_a_slot_likelier_and_leave_others_as_they_are() -> None:
    cues, read = RequestCues(rate=0.15), reading(ASKS_RULE)
    assert cues.corrected(ASKS_RULE.pieces, read) is read.wanted
    for _ in range(20):
        cues.learn(ASKS_RULE.pieces, read, (RULE,), {"ent-1-业务规则"})
    found = cues.corrected(ASKS_RULE.pieces, read)
    assert found[RULE] > 0.5
    assert found[FEE] == found[NAME] == np.float32(0.1)
    other = CallView([], "喂", BASE)
    assert cues.corrected(other.pieces, reading(other))[RULE] < found[RULE]


def test_what_answers_nothing_makes_it_less_likely() -> None:
    cues, read = RequestCues(rate=0.15), reading(ASKS_RULE)
    for _ in range(20):
        cues.learn(ASKS_RULE.pieces, read, (RULE,), ())
    assert cues.corrected(ASKS_RULE.pieces, read)[RULE] < 0.05


def test_a_name_answers_the_request_for_its_type() -> None:
    view = CallView([], "有什么业务", BASE)
    cues, read = RequestCues(rate=0.15), reading(view)
    cues.learn(view.pieces, read, (NAME,), {"业务"})
    assert {key.partition("|")[0] for key in cues.weights} == {"业务"}
    assert cues.corrected(view.pieces, read)[TYPE] > 0.1


def test_weights_are_kept_and_without_a_rate_nothing_is_learned() -> None:
    cues, read = RequestCues(rate=0.15), reading(ASKS_RULE)
    cues.learn(ASKS_RULE.pieces, read, (RULE,), {"ent-1-业务规则"})
    again = RequestCues(cues.weights)
    expected = cues.corrected(ASKS_RULE.pieces, read)
    assert np.allclose(again.corrected(ASKS_RULE.pieces, read), expected, atol=1e-3)
    again.learn(ASKS_RULE.pieces, read, (RULE,), ())
    assert again.weights == cues.weights


def test_weights_of_a_card_that_are_very_large_decide_and_do_not_overflow() -> None:
    view = CallView([], "多少钱", BASE)
    reading = RequestReading.of(view, np.full(len(view.pieces), 0.5, dtype=np.float32))
    slot = view.pieces[FEE].slot
    for weight, share in ((1e9, 1.0), (-1e9, 0.0)):
        assert RequestCues({f"{slot}|": weight}).corrected(view.pieces, reading)[FEE] == share


def test_arguments_are_those_of_goals() -> None:
    pieces = CallView([], "喂", BASE).pieces
    assert [argument_of(one) for one in pieces[1:]] == ["ent-1-业务费用", "ent-1-业务规则", "账户余额", "业务"]

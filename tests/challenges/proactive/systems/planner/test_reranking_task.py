from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.systems.planner.features import NAMES, features
from duologue.challenges.proactive.systems.planner.numbered_slots import FilledReply
from duologue.challenges.proactive.systems.planner.reranking_task import candidate_utilities, with_generated
from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue
from duologue.challenges.proactive.systems.planner.state import PlannerState, terms_of
from duologue.challenges.proactive.systems.planner.template_index import AgentTurn, AgentTurnIndex, TurnCandidate
from duologue.retrieval.template_index import NOT_INDEXED

TEXTS = st.text(alphabet="甲乙丙丁", min_size=1, max_size=12).map(Counter)


def test_a_reply_by_hand() -> None:
    f1, gain = candidate_utilities(Counter("甲甲乙"), Counter("甲丙"))
    assert f1 == pytest.approx(2 * 1 / 5)
    assert gain == pytest.approx((2 * 1 - 0.43 * 3) / 42)


@given(TEXTS)
def test_nothing_is_better_than_the_reference(reference: Counter[str]) -> None:
    best = candidate_utilities(reference, reference)
    assert best[0] == 1.0
    for other in (reference + Counter("甲"), Counter(reference.keys()), Counter("甲乙丙丁")):
        assert all(worse <= top + 1e-12 for worse, top in zip(candidate_utilities(other, reference), best, strict=True))


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_the_gains_of_replies_tell_whether_their_f1_is_above_the_price(
    pairs: list[tuple[Counter[str], Counter[str]]],
) -> None:
    shared = sum((said & wanted).total() for said, wanted in pairs)
    said, wanted = (sum(one.total() for one in side) for side in zip(*pairs, strict=True))
    total = 42 * sum(candidate_utilities(*pair)[1] for pair in pairs) - 0.43 * wanted
    f1 = 2 * shared / (said + wanted)
    assert total == pytest.approx((f1 - 0.43) * (said + wanted), abs=1e-9)


VALUES = (SlotValue("{A}", ("海",)), SlotValue("{a.导演}", ("李",)))
STATE = PlannerState(
    turn=1, domains="FS", relations=(), values=VALUES, history=(("你", "好"),), said="", lines=("你好",)
)


def filled(text: str) -> FilledReply:
    template = tuple(text.split())
    values = dict(VALUES)
    used = tuple(SlotValue(word, values[word]) for word in template if word in values)
    return FilledReply(template, Filling(tuple(part for word in template for part in values.get(word, (word,))), used))


def candidate(entry: int, text: str, similarity: float) -> TurnCandidate:
    template, filling = filled(text)
    return TurnCandidate(entry=entry, similarity=similarity, template=template, filling=filling, variant=0)


def test_generated_replies_stand_in_the_middle_at_the_median_similarity_unless_they_are_there() -> None:
    texts = ("{A} 好看 。", "天 冷 。", "{a.导演} 拍 的 。")
    found = [candidate(number, text, 3.0 - number) for number, text in enumerate(texts)]
    listed = with_generated(
        STATE, found, [filled("天 冷 。"), filled("{A} 的 导演 是 {a.导演} 。"), filled("雨 。"), filled("雨 。")]
    )
    assert [" ".join(one.template) for one in listed] == [
        "{A} 好看 。",
        "{A} 的 导演 是 {a.导演} 。",
        "雨 。",
        "天 冷 。",
        "{a.导演} 拍 的 。",
    ]
    assert [one.similarity for one in listed] == [3.0, 2.0, 2.0, 2.0, 1.0]
    assert [one.entry for one in listed] == [0, NOT_INDEXED, NOT_INDEXED, 1, 2]
    assert listed[1].template_words == ["{A}", "的", "导演", "是", "{a.导演}", "。"]
    assert with_generated(STATE, [], [filled("雨 。")])[0].similarity == 1.0


def test_a_generated_reply_has_the_features_of_an_indexed_one_of_the_same_words() -> None:
    def turn(text: str) -> AgentTurn:
        groups = tuple((weight, tuple(terms)) for weight, terms in terms_of(STATE))
        return AgentTurn(
            source="x", turn=1, groups=groups, template=tuple(text.split()), domains="FS", reached=STATE.reached
        )

    texts = ("天 冷 。", "{A} 的 导演 是 {a.导演} 。")
    index = AgentTurnIndex([turn(text) for text in texts])
    first, second = (candidate(number, text, 2.0) for number, text in enumerate(texts))
    made = with_generated(STATE, [first], [filled(texts[1])])
    assert made[0].generated is not None  # one candidate alone has its middle before it
    indexed, generated = (features(STATE, [first, one], index)[1] for one in (second, made[0]))
    assert dict(zip(NAMES, generated.tolist(), strict=True)) == dict(zip(NAMES, indexed.tolist(), strict=True))

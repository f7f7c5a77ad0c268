from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.scoring.extraction.checker import ComparedMention, ComparedTriple, DialogueExtraction
from duologue.challenges.mobilecs.scoring.extraction.strict import count


def mention(entity: str, start: int, *, side: int | None = 0, label: str = "套餐") -> ComparedMention:
    return ComparedMention(entity, 0, side, start, start + 2, label)


def fee(entity: str | None, value: str, slot: str = "业务费用") -> ComparedTriple:
    return ComparedTriple(entity, 0, slot, value)


def counted(predicted: DialogueExtraction, gold: DialogueExtraction) -> dict[str, float]:
    return count(predicted, gold).columns


def test_the_other_side_of_a_turn_is_wrong_and_an_untold_side_may_be_either() -> None:
    gold = DialogueExtraction(mentions=[mention("a", 0, side=0), mention("a", 0, side=1)])
    for sides, right in (([0, 1], 2), ([0, 0], 1), ([None, 0], 2), ([None, None, None], 2), ([None], 1)):
        predicted = DialogueExtraction(mentions=[mention("x", 0, side=side) for side in sides])
        assert counted(predicted, gold)["entity right"] == right


@pytest.mark.parametrize("side", [0, 1])
def test_mentions_of_an_untold_side_decide_which_entity_is_which(side: int) -> None:
    gold = DialogueExtraction(mentions=[mention("a", 0, side=side), mention("b", 10, side=side)])
    predicted = DialogueExtraction(mentions=[mention("x", 10, side=None), mention("y", 0, side=None)])
    assert counted(predicted, gold)["entity right"] == 2


def test_the_type_is_compared_as_it_stands() -> None:
    gold = DialogueExtraction(mentions=[mention("a", 0, label="数据业务")])
    assert counted(DialogueExtraction(mentions=[mention("x", 0, label="业务")]), gold)["entity right"] == 0


def test_slots_take_part_in_the_assignment() -> None:
    gold = DialogueExtraction(triples=[fee("a", "十元"), fee("b", "十元", "流量总量")])
    predicted = DialogueExtraction(triples=[fee("x", "十元", "流量总量"), fee("y", "十元")])
    assert counted(predicted, gold)["triple right"] == 2


def test_entities_that_are_never_mentioned_take_part() -> None:
    gold = DialogueExtraction(triples=[fee("a", "十元")])
    assert counted(DialogueExtraction(triples=[fee("x", "十元")]), gold)["triple right"] == 1


def test_triples_of_an_entity_too_many_are_wrong_and_those_after_them_right() -> None:
    gold = DialogueExtraction(triples=[fee("a", "十元"), fee("a", "一年", "业务时长")])
    said = [fee("x", "九元"), fee("y", "十元"), fee("x", "八元"), fee("y", "一年", "业务时长")]
    assert counted(DialogueExtraction(triples=said), gold)["triple right"] == 2


def test_shared_mentions_decide_between_entities_with_equal_triples() -> None:
    gold = DialogueExtraction(
        mentions=[mention("a", 0), mention("b", 4)],
        triples=[fee("a", "十元"), fee("b", "十元"), fee("b", "一年", "业务时长"), fee("a", "半年", "业务时长")],
    )
    predicted = DialogueExtraction(
        mentions=[mention("x", 4), mention("y", 0)], triples=[fee("x", "十元"), fee("y", "十元")]
    )
    found = count(predicted, gold)
    assert (found.columns["triple right"], found.tie) == (2, False)
    crossed = DialogueExtraction(
        triples=[*predicted.triples, fee("x", "一年", "业务时长")], mentions=predicted.mentions
    )
    assert counted(crossed, gold)["triple right"] == 3


@pytest.mark.parametrize(("true", "side"), [(0, 0), (1, 1), (0, None), (1, None)])
@pytest.mark.parametrize(("start", "right"), [(0, 1), (4, 2)])
def test_of_entities_with_as_good_triples_the_one_mentioned_in_the_same_place_is_taken(
    start: int, right: int, true: int, side: int | None
) -> None:
    """As in the tie that matters: 2 / (3 + 1) = 4 / (3 + 5), one right with a, two with b."""
    gold = DialogueExtraction(
        mentions=[mention("a", 0, side=true), mention("b", 4, side=true)],
        triples=[fee("a", "0"), *[fee("b", value) for value in "01234"]],
    )
    predicted = DialogueExtraction(
        mentions=[mention("x", start, side=side)], triples=[fee("x", value) for value in "019"]
    )
    found = count(predicted, gold)
    assert (found.columns["triple right"], found.tie) == (right, False)
    elsewhere = replace(predicted, mentions=[mention("x", 8, side=side)])
    assert count(elsewhere, gold).tie


def test_places_weigh_by_their_share_and_an_entity_mentioned_elsewhere_takes_nothing_away() -> None:
    """Places: 1 + 1/3 for x as a and y as c; 1/3 + 1/3 + 1/4 for x as b, y as c, z as a. Triples are equally good."""
    places = {
        "x": [0, 4],
        "y": [8],
        "z": [4, *range(50, 55)],
        "a": [0, 4],
        "b": [0, 30, 31, 32],
        "c": [8, *range(40, 44)],
    }
    said, true = ([mention(name, start) for name in names for start in places[name]] for names in ("xyz", "abc"))
    gold = DialogueExtraction(
        mentions=true, triples=[*[fee("a", value) for value in "19"], *[fee("b", value) for value in "123456"]]
    )
    found = count(DialogueExtraction(mentions=said, triples=[fee("x", value) for value in "12"]), gold)
    assert (found.columns["triple right"], found.tie) == (1, False)


def test_a_single_shared_triple_outweighs_all_mentions_in_the_same_places() -> None:
    gold = DialogueExtraction(
        mentions=[mention("a", 0), *[mention("b", start) for start in range(4, 9)]],
        triples=[fee("a", str(number)) for number in range(40)],
    )
    predicted = DialogueExtraction(mentions=[mention("x", start) for start in range(4, 9)], triples=[fee("x", "0")])
    assert counted(predicted, gold)["triple right"] == 1


def test_where_no_entity_has_two_to_choose_from_there_is_no_tie() -> None:
    assert not count(DialogueExtraction(triples=[fee("x", "十元")]), DialogueExtraction(triples=[fee("a", "十元")])).tie
    assert not count(DialogueExtraction(), DialogueExtraction()).tie


def test_a_tie_that_matters_is_told() -> None:
    gold = DialogueExtraction(triples=[fee("a", "十元"), *[fee("b", str(number)) for number in range(3)]])
    predicted = DialogueExtraction(
        triples=[*[fee("x", value) for value in ("十元", "0", "甲", "乙", "丙")], fee("y", "二元")]
    )
    assert not count(predicted, gold).tie
    # x shares one of one with a, and two of three with b at the same similarity: 2/(2+1) = 4/(3+3).
    gold = DialogueExtraction(triples=[fee("a", "0"), *[fee("b", value) for value in ("0", "1", "2")]])
    predicted = DialogueExtraction(triples=[fee("x", "0"), fee("x", "1"), fee("x", "9")])
    assert not count(predicted, gold).tie
    gold = DialogueExtraction(triples=[fee("a", "0"), *[fee("b", value) for value in ("0", "1", "2", "3", "4")]])
    predicted = DialogueExtraction(triples=[fee("x", "0"), fee("x", "1"), fee("x", "9")])
    found = count(predicted, gold)  # 2/(3+1) = 4/(3+5): one right with a, two with b
    assert found.tie


def test_the_user_is_compared_directly_and_never_assigned() -> None:
    gold = DialogueExtraction(triples=[fee(None, "十元", "欠费")])
    assert counted(DialogueExtraction(triples=[fee(None, "十元", "欠费")]), gold)["triple right"] == 1
    assert counted(DialogueExtraction(triples=[fee("x", "十元", "欠费")]), gold)["triple right"] == 0


def test_what_could_not_be_read_counts_as_said() -> None:
    for mentions, triples in (([], []), ([mention("x", 0)], [fee("x", "十元")])):
        told = DialogueExtraction(mentions=mentions, triples=triples, wrong_mentions=3, wrong_triples=1)
        for found, kind in (
            (counted(told, DialogueExtraction()), "said"),
            (counted(DialogueExtraction(), told), "wanted"),
        ):
            assert found[f"entity {kind}"] == 3 + len(mentions)
            assert found[f"triple {kind}"] == 1 + len(triples)


mentions = st.builds(
    ComparedMention,
    st.sampled_from("abc"),
    st.integers(0, 1),
    st.integers(0, 1),
    st.integers(0, 2),
    st.integers(3, 4),
    st.sampled_from(["套餐", "业务"]),
)
told = st.builds(
    ComparedTriple,
    st.sampled_from([None, "a", "b", "c"]),
    st.integers(0, 1),
    st.sampled_from(["业务费用", "欠费"]),
    st.sampled_from(["一", "二", "三"]),
)
extractions = st.builds(DialogueExtraction, mentions=st.lists(mentions, max_size=5), triples=st.lists(told, max_size=6))


@given(extractions)
def test_the_truth_itself_is_all_right(gold: DialogueExtraction) -> None:
    found = counted(gold, gold)
    for what in ("entity", "triple"):
        assert found[f"{what} right"] == found[f"{what} said"] == found[f"{what} wanted"]


@given(extractions, extractions, st.randoms(use_true_random=False))
def test_the_order_of_an_answer_never_matters(
    predicted: DialogueExtraction, gold: DialogueExtraction, chance: Any
) -> None:
    turned = DialogueExtraction(mentions=list(predicted.mentions), triples=list(predicted.triples))
    chance.shuffle(turned.mentions)
    chance.shuffle(turned.triples)
    assert counted(turned, gold) == counted(predicted, gold)


@given(extractions, extractions)
def test_never_more_is_right_than_is_said_or_wanted(predicted: DialogueExtraction, gold: DialogueExtraction) -> None:
    found = counted(predicted, gold)
    for what in ("entity", "triple"):
        assert 0 <= found[f"{what} right"] <= min(found[f"{what} said"], found[f"{what} wanted"])


@given(extractions, st.permutations("abc"))
def test_other_names_for_the_entities_change_nothing(gold: DialogueExtraction, names: list[str]) -> None:
    new = dict(zip("abc", names, strict=True))
    renamed = DialogueExtraction(
        mentions=[one._replace(entity=new[one.entity]) for one in gold.mentions],
        triples=[one._replace(entity=new[one.entity] if one.entity else None) for one in gold.triples],
    )
    assert counted(renamed, gold)["triple right"] == len(gold.triples)


def test_an_entity_is_assigned_by_the_share_of_its_triples_and_not_by_their_number() -> None:
    predicted = DialogueExtraction(triples=[fee("x", value) for value in "12345"])
    gold = DialogueExtraction(triples=[*[fee("a", value) for value in "123678"], *[fee("b", value) for value in "45"]])
    assert counted(predicted, gold)["triple right"] == 2  # 4 / 7 with b, 6 / 11 with a


def test_gold_that_could_not_be_read_is_wanted() -> None:
    found = counted(DialogueExtraction(), DialogueExtraction(wrong_mentions=2, wrong_triples=3))
    assert (found["entity wanted"], found["triple wanted"], found["entity said"]) == (2, 3, 0)

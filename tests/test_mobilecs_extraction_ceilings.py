from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.records import Annotation, Answer, Example, Mention, Sample, Span, Turn, Value

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def ceilings() -> ModuleType:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
    try:
        import mobilecs_extraction_ceilings
    finally:
        sys.path.pop(0)
    return mobilecs_extraction_ceilings


def call(*parts: tuple[str, str, str], said: str) -> Example:
    """Return a call of one utterance: parts with their entity and what they are, a type or a slot."""
    mentions, values = [], []
    for text, entity, what in parts:
        start = said.index(text)
        span = Span(turn=0, start=start, end=start + len(text))
        if what.endswith(("套餐", "业务")):
            mentions.append(Mention(label=what, text=text, entity=entity, span=span))
        else:
            values.append(Value(slot=what, text=text, entity=entity, span=span))
    sample = Sample(id=said, dialogue_id=said, history=(Turn(speaker="system", text=said),))
    annotation = Annotation(mentions=tuple(mentions), values=tuple(values))
    return Example(sample=sample, references=(Answer(annotation=annotation),))


def shares(module: ModuleType, *calls: Example) -> list[tuple[int, int]]:
    return [(row.right, row.of) for row in module.ceilings(calls)]


def test_a_main_plan_is_known_by_its_name_or_by_what_it_has(ceilings: ModuleType) -> None:
    named = call(("主套餐", "a", "主套餐"), said="主套餐呢")
    having = call(("心享套餐", "a", "主套餐"), ("两个g", "a", "流量总量"), said="心享套餐有两个g")
    bare = call(("心享套餐", "a", "套餐"), said="心享套餐呢")
    untold = call(("乐享套餐", "a", "主套餐"), said="乐享套餐呢")
    found = shares(ceilings, named, having, bare, untold)
    assert found[:3] == [(4, 4), (2, 4), (3, 4)]


def test_ends_that_calls_show_in_two_ways_are_lost(ceilings: ModuleType) -> None:
    inside = call(("十元的那个", "a", "套餐"), said="有十元的那个吗")
    outside = call(("五元的", "a", "套餐"), said="有五元的那个吗")
    with_fee = call(("心享十元", "a", "套餐"), ("十元", "a", "业务费用"), said="心享十元呢")
    fee_behind = call(("心享", "a", "套餐"), ("十元", "a", "业务费用"), said="心享十元吧")
    broken = call(("彩铃 ", "a", "业务"), said="要彩铃 吗")
    assert shares(ceilings, inside, with_fee)[3:] == [(2, 2)] * 4
    assert shares(ceilings, inside, outside, with_fee, fee_behind, broken)[3:] == [(4, 5), (4, 5), (4, 5), (2, 5)]


def test_the_table_says_what_share_is_known(ceilings: ModuleType) -> None:
    assert ceilings.section([ceilings.Ceiling("it", 1, 4)]).endswith("| it | 1 of 4 | 25.0 |")

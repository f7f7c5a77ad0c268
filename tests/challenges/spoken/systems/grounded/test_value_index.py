from __future__ import annotations

from duologue.challenges.spoken.systems.grounded.value_index import ValueIndex
from duologue.core.records import Fact

FACTS = [
    Fact(subject="山高水长", relation="释义", object="像山一样高耸，像水一样长流，比喻品德影响深远。"),
    Fact(subject="灯下黑", relation="释义", object="灯台下面照不到光，比喻身边的事看不清。"),
    *(Fact(subject=f"岛{at}", relation="门票", object="无需门票的景点") for at in range(9)),
]


def test_a_definition_recalls_what_it_defines() -> None:
    found = ValueIndex(FACTS).search("有没有成语比喻身边的事看不清呢？")
    assert found[0][0] == "灯下黑"
    assert 0 < found[0][1] <= 1


def test_what_many_have_in_common_recalls_none_of_them() -> None:
    assert ValueIndex(FACTS).search("无需门票的景点") == []


def test_what_nobody_said_recalls_nothing() -> None:
    index = ValueIndex(FACTS)
    assert index.search("今天天气真好呀") == []
    assert index.search("") == []
    assert ValueIndex([]).search("灯台下面照不到光") == []

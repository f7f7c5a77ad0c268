from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.records import Annotation, Mention, Span, Value

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def errors() -> ModuleType:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
    try:
        import mobilecs_extraction_errors
    finally:
        sys.path.pop(0)
    return mobilecs_extraction_errors


def mention(start: int, label: str = "业务", entity: str = "a") -> Mention:
    return Mention(label=label, text="xx", entity=entity, span=Span(turn=0, start=start, end=start + 2))


def value(start: int, slot: str = "业务费用", entity: str | None = "a") -> Value:
    return Value(slot=slot, text="xx", entity=entity, span=Span(turn=0, start=start, end=start + 2))


def test_mentions_are_counted_by_what_is_wrong_with_them(errors: ModuleType) -> None:
    gold = Annotation(mentions=(mention(0), mention(4), mention(8), mention(12)))
    said = Annotation(mentions=(mention(0), mention(4, "套餐"), mention(9), mention(20)))
    wanted = {"right": 1, "wrong type": 1, "wrong ends": 1, "nothing there": 1, "missed": 1}
    assert errors.mention_errors([(gold, said)]) == wanted


def test_what_each_kind_of_error_costs_is_told_by_mending_it(errors: ModuleType) -> None:
    gold = Annotation(mentions=(mention(0), mention(4), mention(8), mention(12)))
    said = Annotation(mentions=(mention(0), mention(4, "套餐"), mention(9), mention(20)))
    wanted = {"as it is": 2 / 8, "types": 4 / 8, "ends": 4 / 8, "nothing there": 2 / 7, "missed": 4 / 9}
    assert errors.mention_mends([(gold, said)]) == pytest.approx(wanted)


def test_owners_are_compared_by_what_their_entities_share(errors: ModuleType) -> None:
    gold = Annotation(
        mentions=(mention(0), mention(4, entity="b")), values=(value(8), value(12), value(16, entity=None))
    )
    said = Annotation(
        mentions=(mention(0, entity="1"), mention(4, entity="2")),
        values=(value(8, entity="1"), value(12, entity="2"), value(16, "用户状态", None)),
    )
    found = errors.triple_errors([(gold, said)])
    assert found == {"right": 1, "wrong owner": 1, "wrong slot": 1, "missed": 0}

from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.simulator.call_plan import CallPlanner
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue, split_by_type
from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity
from duologue.challenges.mobilecs.simulator.telling_names import is_telling, tells_apart, tells_type
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text
from duologue.core.rng import Rng

PRODUCTS = split_by_type(make_catalogue(1, 0.4))


def entity_of(kind: str, *names: str, slots: tuple[str, ...] = (), number: int = 0) -> PlannedEntity:
    entity = PlannedEntity(number, PRODUCTS[kind][number])
    entity.names = [Text(name, SpanMark(number, kind, is_mention=True)) for name in names]
    entity.slots = {slot: ["一百"] for slot in slots}
    return entity


@pytest.mark.parametrize(
    ("entity", "told"),
    [
        (entity_of("套餐", "十八的"), False),
        (entity_of("套餐", "十八的", "这个套餐"), True),
        (entity_of("主套餐", "十八的套餐"), False),
        (entity_of("主套餐", "十八的套餐", slots=("通话时长",)), True),
        (entity_of("主套餐", "主套餐"), True),
        (entity_of("4G套餐", "十八的套餐", slots=("通话时长",)), False),
        (entity_of("4G套餐", "四G套餐"), True),
        (entity_of("流量包", "活动"), False),
        (entity_of("流量包", "活动", slots=("流量总量",)), True),
        (entity_of("业务", PRODUCTS["业务"][0].name), True),
        (entity_of("数据业务", "这个业务"), False),
    ],
)
def test_a_type_is_told_by_words_and_slots(entity: PlannedEntity, told: bool) -> None:  # noqa: FBT001  # a case
    assert tells_type(entity) == told


def test_an_entity_is_told_from_others_by_its_product_or_its_values() -> None:
    plan = entity_of("套餐", "套餐")
    assert tells_apart(plan, [])
    assert not tells_apart(plan, [entity_of("业务", "业务", number=1)])
    assert not tells_apart(entity_of("套餐", "这个"), [])
    named = entity_of("套餐", PRODUCTS["套餐"][0].name)
    assert tells_apart(named, [entity_of("业务", "业务", number=1)])
    assert not tells_apart(named, [entity_of("套餐", "套餐")]), "the same product"


def test_planned_entities_tell_their_types_and_which_they_are() -> None:
    planner = CallPlanner(PRODUCTS, telling=True)
    told, apart, planned = 0, 0, 0
    for number in range(150):
        entities = planner.plan(Rng("telling", number), 0.9).entities
        planned += len(entities)
        told += sum(map(tells_type, entities))
        apart += sum(is_telling(one, one.names[0]) for one in entities)
    assert told >= 0.99 * planned
    assert apart >= 0.97 * planned

from __future__ import annotations

from tests.challenges.mobilecs.simulator.call_states import entity_of, plan_of, value_of

from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle, share_facts
from duologue.core.rng import Rng


def test_every_fact_is_shared_out_once_and_the_first_bundle_introduces() -> None:
    for number in range(60):
        entity = entity_of(0, "飞享套餐", "飞享")
        entity.values = [value_of(0, "业务费用", text) for text in ("十块", "九块", "八块", "七块")]
        plan = plan_of(entity)
        shared = share_facts(plan, Rng("facts", number).unit)
        bundles = [*shared.user, *shared.staff]
        assert sorted(value.text.text for one in bundles for value in one.values) == sorted(
            value.text.text for value in [*entity.values, *plan.user_values]
        )
        assert sorted(name.text for one in bundles for name in one.names) == ["飞享", "飞享套餐"]
        assert [one.introduces for one in bundles].count(True) == 1
        assert len(entity.values) == 4
        assert not any(one.held for one in bundles)


def test_what_the_user_has_is_said_once_by_the_staff() -> None:
    for number in range(40):
        entity = entity_of(0, "飞享套餐")
        entity.held = True
        shared = share_facts(plan_of(entity), Rng("held", number).unit)
        assert [one.held for one in shared.staff].count(True) == 1
        assert not any(one.held for one in shared.user)


def test_values_of_the_user_introduce_nothing() -> None:
    assert not FactBundle(None, [], [value_of(None, "账户余额", "八块")]).introduces

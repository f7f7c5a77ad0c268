from __future__ import annotations

from tests.challenges.mobilecs.simulator.call_states import entity_of, state_of, value_of

from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle
from duologue.challenges.mobilecs.simulator.line import IntentLabel
from duologue.challenges.mobilecs.simulator.scripted_user import ScriptedUser
from duologue.challenges.mobilecs.simulator.user_query import UserQuery, is_readable
from duologue.core.rng import Rng


def query_of(*staff: FactBundle, argument_rate: float = 1.0) -> UserQuery:
    state = state_of([], list(staff))
    user = ScriptedUser(state, Rng("query"), argument_rate=argument_rate)
    return UserQuery(state, user.realiser, user.phrases, argument_rate=argument_rate)


def test_what_is_asked_for_is_requested_of_the_staff() -> None:
    own = FactBundle(None, [], [value_of(None, "账户余额", "八块")])
    query = query_of(own)
    assert query.ask("询问")[0] == IntentLabel("询问", None, "账户余额")
    assert (query.state.requested, query.state.staff_queue, query.state.listing) == ([own], [], False)
    assert query_of(own, argument_rate=0.0).ask("询问")[0].is_plain


def test_slots_of_introduced_entities_and_types_of_others_are_asked_for() -> None:
    entity = entity_of(0, "飞享套餐")
    fee = FactBundle(entity, [], [value_of(0, "业务费用", "十块")])
    query = query_of(fee)
    query.state.introduced.append(entity)
    assert query.ask("求助-查询")[0] == IntentLabel("求助-查询", 0, "业务费用")
    listing = query_of(FactBundle(entity, [entity.names[0]], []))
    listing.ask("询问")
    assert listing.state.listing
    assert listing.state.introduced == [entity]


def test_with_nothing_to_ask_for_the_question_is_general() -> None:
    query = query_of()
    label, text = query.ask("询问")
    assert label.is_plain
    assert text.text
    assert query.state.requested == []


def test_official_programs_read_neither_inner_brackets_nor_long_ids() -> None:
    introduced = [entity_of(number, "飞享") for number in range(10)]
    assert is_readable(IntentLabel("询问", 8, "业务费用"), introduced)
    assert not is_readable(IntentLabel("询问", 9, "业务费用"), introduced)
    assert not is_readable(IntentLabel("询问", None, "账户余额（欠费）"), introduced)

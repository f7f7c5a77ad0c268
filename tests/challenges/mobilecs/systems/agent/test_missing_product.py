from __future__ import annotations

import numpy as np
import torch

from duologue.challenges.mobilecs.schema.intents import ASK, USER_LABELS
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.missing_product import asking_back, is_asked_for, is_listing, not_found
from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction
from duologue.challenges.mobilecs.systems.agent.unknown_products import UnknownProduct
from duologue.core.records import Annotation, Answer, Fact

BASE = {
    "ent-1": {"name": "青松套餐", "type": "套餐", "业务费用": "三十八块钱"},
    "ent-2": {"name": "畅享套餐", "type": "套餐", "业务费用": "八十八元"},
    "NA": {"账户余额": "五十二块"},
}
FEE, OTHER_FEE, BALANCE, PLANS = 1, 3, 4, 5
NAMED = UnknownProduct(frozenset({"ent-1"}), frozenset({"ent-2"}), is_named=True, is_asked=False)
POINTED_AT = NAMED._replace(is_named=False)


def read(wanted: dict[int, float], asks: float = 0.0) -> TurnProbabilities:
    shares = np.zeros(len(CallView([], "", BASE).pieces), dtype=np.float32)
    for piece, share in wanted.items():
        shares[piece] = share
    labels = np.array([asks if one == ASK else 0.0 for one in USER_LABELS], dtype=np.float32)
    return TurnProbabilities(labels, shares, shares, np.zeros_like(shares), [torch.zeros(1, 1)])


def test_the_product_is_asked_for_where_another_one_would_be_told_for_it() -> None:
    view, recipe = CallView([], "青竹套餐", BASE), AgentRecipe()
    assert is_asked_for(view, read({FEE: 0.9}), POINTED_AT, recipe)
    assert not is_asked_for(view, read({FEE: 0.05}), POINTED_AT, recipe)
    assert not is_asked_for(view, read({FEE: 0.5, BALANCE: 0.9}), POINTED_AT, recipe)
    assert is_asked_for(view, read({}, asks=0.9), NAMED, recipe)
    assert not is_asked_for(view, read({}, asks=0.9), POINTED_AT, recipe)
    assert not is_asked_for(view, read({BALANCE: 0.9}, asks=0.9), NAMED, recipe)
    assert is_asked_for(view, read({BALANCE: 0.9}), POINTED_AT._replace(is_asked=True), recipe)


def test_who_asks_what_there_is_asks_for_no_product() -> None:
    view = CallView([], "我没用过青竹套餐，有哪些套餐", BASE)
    assert is_listing(view, read({PLANS: 0.9, FEE: 0.2}), NAMED)
    assert not is_listing(view, read({PLANS: 0.2, FEE: 0.9}), NAMED)
    assert not is_listing(view, read({PLANS: 0.9}), NAMED._replace(is_asked=True))
    assert not is_listing(CallView([], "青竹套餐", BASE), read({PLANS: 0.9}), NAMED)


def test_of_products_named_beside_it_is_told_and_no_other() -> None:
    view = CallView([], "畅享套餐和青竹套餐多少钱", BASE)
    action = asking_back(view, StaffAction(("被动确认",), (OTHER_FEE, FEE, BALANCE)), NAMED)
    assert action.tells == (OTHER_FEE,)
    assert action.kind == "answer"
    told = Annotation(facts=(Fact(subject="畅享套餐", relation="业务费用", object="八十八元"),))
    text = not_found(Answer(text="每月八十八元", annotation=told), view).text or ""
    assert text.startswith("畅享套餐，每月八十八元，")
    assert "没有查到" in text
    named = not_found(Answer(text="畅享套餐每月八十八元", annotation=told), view).text or ""
    assert named.startswith("畅享套餐每月八十八元，")


def test_what_is_not_found_is_said_in_other_words_each_time() -> None:
    said: list[tuple[str, str]] = []
    for _ in range(4):
        reply = not_found(Answer(text="好的"), CallView(said, "青竹套餐多少钱", BASE)).text or ""
        said.append(("青竹套餐多少钱", reply))
    replies = [reply for _, reply in said]
    assert len(set(replies)) == 3
    assert replies[-1] != replies[-2]
    assert not any(value in reply for reply in replies for value in ("三十八", "八十八", "五十二"))

from __future__ import annotations

import numpy as np

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.features import (
    COREFERENCE,
    PIECE_FEATURES,
    STRUCTURE,
    TURN_FEATURES,
    piece_features,
    turn_features,
)

BASE = {
    "ent-1": {"name": "飞享套餐", "type": "主套餐", "流量总量": "一个G"},
    "ent-2": {"name": "彩铃", "type": "业务", "业务费用": "五元"},
    "NA": {"账户余额": "三十块"},
}


def features(view: CallView) -> dict[tuple[str, str], dict[str, float]]:
    rows = piece_features(view)
    return {
        (piece.owner, piece.slot): dict(zip(PIECE_FEATURES, row.tolist(), strict=True))
        for piece, row in zip(view.pieces, rows, strict=True)
    }


def test_a_service_is_in_focus_where_it_was_named_last() -> None:
    found = features(CallView([("我有彩铃", "好的"), ("飞享套餐呢", "一个G")], "多少钱", BASE))
    assert found["ent-1", "流量总量"]["in focus"] == 1
    assert found["ent-2", "业务费用"]["in focus"] == 0
    assert 0 < found["ent-2", "业务费用"]["named by user, recency"] < found["ent-1", "name"]["named by user, recency"]
    assert found["ent-1", "流量总量"]["told in last reply"] == 1
    assert found["ent-2", "业务费用"]["told times"] == 0


def test_what_is_named_now_is_alike_and_marked() -> None:
    found = features(CallView([], "飞享套餐多少流量", BASE))
    assert found["ent-1", "流量总量"]["named now"] == found["ent-1", "流量总量"]["most alike"] == 1
    assert found["ent-2", "name"]["named by nobody"] == 1
    assert found["NA", "账户余额"]["is of user"] == 1
    assert found["咨询", "主套餐"]["of type 主套餐"] == 1


def test_the_order_of_the_entities_tells_nothing() -> None:
    said = [("我有彩铃", "好的")]
    turned = {key: BASE[key] for key in reversed(BASE)}
    assert features(CallView(said, "多少钱", BASE)) == features(CallView(said, "多少钱", turned))


def test_every_feature_has_a_name_and_a_base_may_be_empty() -> None:
    view = CallView([], "喂", {})
    assert piece_features(view).shape == (0, len(PIECE_FEATURES))
    row = dict(zip(TURN_FEATURES, turn_features(view).tolist(), strict=True))
    assert row["nothing in the base"] == row["first turn"] == row["short"] == 1
    assert {*COREFERENCE, *STRUCTURE} <= set(PIECE_FEATURES)
    assert np.isfinite(turn_features(CallView([("喂", "")], "", BASE))).all()

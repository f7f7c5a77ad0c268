from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.knowledge.kb import base_of, facts_of, query, query_argument
from duologue.core.records import Fact

if TYPE_CHECKING:
    from pathlib import Path


def check(cases: dict[str, Any]) -> int:
    for case in cases["queries"]:
        assert query(cases["kb"], **case["args"]) == case["result"], case["args"]
    return len(cases["queries"])


def test_queries_give_what_the_official_code_gives(golden: Path) -> None:
    assert check(json.loads((golden / "official" / "kb_query.json").read_bytes())) == 18


def test_an_unknown_type_is_a_key_error_and_an_empty_base_gives_nothing() -> None:
    base = {"ent-1": {"name": "冬日包", "type": "流量包"}}
    with pytest.raises(KeyError):
        query(base, ent_type="宽带")
    assert query({}, ent_type="宽带") is None
    assert query(base) is None
    assert query(base, ent_id="ent-1") is None


def test_an_entry_that_matches_by_name_but_has_nothing_is_passed_over() -> None:
    base = {
        "ent-1": {"name": "包", "业务规则": "每月清零"},
        "ent-2": {"name": "它,包", "办理渠道": "柜台"},
        "NA": {"name": "包", "办理渠道": "x"},
    }
    assert query(base, ent_name="包", prop="办理渠道") == "柜台"
    assert query(base, ent_name="包", prop="扣费日期") is None


EMPTY = {
    "ent-1": {"name": "湖畔包,包", "type": "流量包", "业务费用": "", "流量范围": "省内", "": ""},
    "ent-2": {"name": "包", "业务规则": "", "业务费用": "九元", "": "月底"},
    "ent-3": {"name": "雪山卡", "通话时长": ""},
    "NA": {"话费余额": "", "剩余话费": "三元", "短信": ""},
}


@pytest.mark.parametrize(
    ("args", "result"),
    [
        ({"ent_id": "ent-1", "prop": "业务费用"}, ""),
        ({"ent_id": "ent-1", "prop": ""}, None),
        ({"ent_id": "ent-2", "prop": None}, None),
        ({"ent_name": "包", "prop": "业务费用"}, ""),
        ({"ent_name": "包", "prop": "业务费用", "with_alter": False}, ""),
        ({"ent_name": "包", "prop": "通话范围"}, ""),
        ({"ent_name": "雪山卡", "prop": "业务规则"}, ""),
        ({"ent_name": "无,雪山卡", "prop": "业务费用"}, None),
        ({"ent_name": "湖畔包", "prop": ""}, ""),
        ({"ent_name": "包", "prop": ""}, ""),
        ({"ent_name": "包", "prop": None}, None),
        ({"prop": "话费余额"}, ""),
        ({"prop": "剩余话费"}, "三元"),
        ({"prop": "短信"}, ""),
        ({"prop": "通话时长"}, ""),
        ({"prop": "业务费用"}, ",九元"),
        ({"prop": ""}, ",月底"),
        ({"prop": "用户状态"}, None),
    ],
)
def test_an_empty_text_is_found_as_the_official_query_finds_it(args: dict[str, Any], result: str | None) -> None:
    assert query(EMPTY, **args) == result


@pytest.mark.parametrize(
    "base",
    [{"NA": {}}, {"NA": {"短信": "有"}, "ent-1": {"name": "包"}}, {"业务": {"name": "包", "type": "流量包"}}],
)
def test_an_unknown_type_is_nothing_where_no_entity_has_a_type(base: dict[str, dict[str, str]]) -> None:
    assert query(base, ent_type="其他") is None


texts = st.text(st.characters(codec="utf-8", exclude_characters=","), min_size=1, max_size=4)
bases = st.dictionaries(
    st.sampled_from(["ent-1", "ent-12", "NA"]),
    st.dictionaries(texts, st.lists(texts, min_size=1, max_size=3).map(",".join), min_size=1, max_size=3),
    max_size=3,
)


@given(bases)
def test_a_base_is_the_same_after_it_was_facts(base: dict[str, dict[str, str]]) -> None:
    assert base_of(facts_of(base)) == base


def test_parts_of_other_shapes_are_no_facts() -> None:
    assert facts_of([1]) == ()
    assert facts_of({"ent-1": "x", "NA": {"欠费": 3, "短信": "有"}}) == (
        Fact(subject="user", relation="短信", object="有"),
    )


@pytest.mark.parametrize(
    ("argument", "brought"),
    [
        ("ent-1-业务费用", "五元"),
        ("ent-9-业务费用", None),
        ("彩铃-业务费用", "五元"),
        ("彩铃-业务规则", "五元"),  # the official query falls back
        ("宽带-业务费用", None),
        ("业务", "彩铃,铃声"),
        ("5G套餐", None),
        ("账户余额", "三块"),
        ("积分", None),
        ("", None),
        ("-", None),
    ],
)
def test_arguments_of_intents_are_looked_up_in_every_form(argument: str, brought: str | None) -> None:
    base = {
        "ent-1": {"name": "彩铃,铃声", "type": "业务", "业务费用": "五元"},
        "ent-2": {"业务费用": "一元"},
        "NA": {"账户余额": "三块"},
    }
    assert query_argument(base, argument) == brought
    assert query_argument({}, argument) is None

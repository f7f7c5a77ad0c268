from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.schema.intents import (
    STAFF_LABELS,
    USER_LABELS,
    acts_of,
    entity_argument,
    intent_of,
    normalise_user,
    with_arguments,
)
from duologue.core.records import Act


def test_the_inventories_have_14_and_13_labels_none_within_another() -> None:
    for labels, size in ((USER_LABELS, 14), (STAFF_LABELS, 13)):
        assert len(set(labels)) == size
        assert not [(one, other) for one in labels for other in labels if one != other and one in other]


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("客套，再见", "客套,再见"),
        ("询问(ent-2-业务规则,业务时长)", "询问(ent-2-业务规则)(ent-2-业务时长)"),
        ("询问(业务规则,流量包)", "询问(业务规则)(流量包)"),
        ("询问(ent-1-业务费用,欠费)", "询问(ent-1-业务费用)(欠费)"),
        ("询问(ent-1-业务费用),(欠费)", "询问(ent-1-业务费用)(欠费)"),
        ("询问((欠费))", "询问((欠费)"),
    ],
)
def test_user_intents_are_spelled_as_the_official_preprocessing_does(raw: str, normal: str) -> None:
    assert normalise_user(raw) == normal


def test_the_first_query_like_label_without_arguments_gets_those_of_the_values_said() -> None:
    triples = [
        {"ent-id": "ent-1", "prop": "业务费用", "value": "十元"},
        {"ent-id": "NA", "prop": "欠费", "value": "十"},
        {"ent-id": "ent-1", "prop": "流量总量", "value": "一百兆"},
    ]
    assert with_arguments("主动确认,询问", "是十元吧", triples) == "主动确认,询问(ent-1-业务费用)(欠费)"
    assert with_arguments("主动确认,询问(欠费)", "十元", triples[:1]) == "主动确认(ent-1-业务费用),询问(欠费)"
    assert with_arguments("询问", "没有", triples) == "询问"


@pytest.mark.parametrize(
    ("intent", "acts"),
    [
        ("", []),
        (" 问候 , ,客套", [("问候", ()), ("客套", ())]),
        ("求助-查询（ent-10-业务规则，业务时长）", [("求助-查询", ("ent-10-业务规则", "ent-10-业务时长"))]),
        ("询问,(欠费)", [("询问", ("欠费",))]),
        ("询问(欠费", [("询问", ()), ("欠费", ())]),
        ("(欠费)", [("", ("欠费",))]),
    ],
)
def test_acts_are_read_from_odd_spellings(intent: str, acts: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(act.name, act.args) for act in acts_of(intent, "user")] == acts


def test_entity_ids_are_read_whole() -> None:
    assert entity_argument("ent-12-流量总量") == ("ent-12", "流量总量")
    assert entity_argument("冬日包-流量总量") is None


words = st.text(st.characters(codec="utf-8", exclude_characters="(),（），", exclude_categories=["Z", "C"]), min_size=1)


@given(st.lists(st.builds(Act, speaker=st.just("user"), name=words, args=st.lists(words, unique=True).map(tuple))))
def test_acts_written_and_read_again_are_the_same(acts: list[Act]) -> None:
    assert list(acts_of(intent_of(acts), "user")) == acts


@given(st.text("(),（），entab-1询问 "))
def test_any_text_is_read_and_normalised_without_an_error(text: str) -> None:
    assert all(act.name or act.args for act in acts_of(text, "user"))
    assert isinstance(normalise_user(text), str)

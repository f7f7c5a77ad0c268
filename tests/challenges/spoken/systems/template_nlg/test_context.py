from __future__ import annotations

import pytest

from duologue.challenges.spoken.systems.template_nlg.context import context_of, query_terms, value_kind
from duologue.challenges.spoken.systems.template_nlg.templates import FactGroup
from duologue.core.records import Fact, Turn

FACTS = [Fact(subject="青石岛", relation="门票", object="30元")]


def turns(*texts: str) -> list[Turn]:
    return [Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts)]


def test_the_question_is_read_without_names_marks_and_repeats() -> None:
    context = context_of(turns("你好", "你好呀。", "谢谢谢。那青石岛的的门票是30元吗？"), FACTS)
    assert context.question == "谢那E的门票是V吗？"
    assert context.asked == "那E的门票是V吗？"
    assert context.own == ("你好呀。",)
    assert context.turn == 1
    assert context.relations == ("门票",)


def test_small_talk_and_an_empty_history_are_situations_too() -> None:
    assert context_of([], []).question == ""
    assert dict(enumerate(query_terms(context_of([], []))))[0] == (2.0, ["R:"])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (("甲", "乙"), "several"),
        (("长" * 41,), "text"),
        (("1946年1月5日",), "date"),
        (("甲乙，丙丁",), "list"),
        (("30元",), "number"),
        (("《灯塔记》",), "title"),
        (("作家",), "name"),
    ],
)
def test_values_are_told_by_their_looks(values: tuple[str, ...], kind: str) -> None:
    assert value_kind(FactGroup("苏雁", "职业", values)) == kind


def test_the_same_question_about_another_entity_is_alike() -> None:
    one = context_of(turns("青石岛的门票是多少？"), FACTS)
    other = context_of(turns("白沙湾的门票是多少？"), [Fact(subject="白沙湾", relation="门票", object="免费的")])
    assert query_terms(one)[3] == query_terms(other)[3]

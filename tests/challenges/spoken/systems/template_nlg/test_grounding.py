from __future__ import annotations

from collections import Counter

import pytest

from duologue.challenges.spoken.systems.template_nlg.grounding import (
    EntityLexicon,
    claims_in,
    plain_words,
    supported_text,
    unsupported,
)
from duologue.core.records import Fact, Turn

GRAPH = [
    Fact(subject="青石岛", relation="门票", object="30元"),
    Fact(subject="雾港（2015年电影）", relation="主演", object="苏雁"),
    Fact(subject="听说", relation="原唱", object="苏雁"),
    Fact(subject="甲", relation="等级", object=70),
]
LEXICON = EntityLexicon(GRAPH, ["听说"])


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("苏雁演过雾港。", ("苏雁", "雾港")),
        ("听说青石岛不错。", ("青石岛",)),
        ("有30个，3.5分，B-side很好。", ("30", "3.5", "B-side")),
        ("《灯塔记》你看过吗？", ("《灯塔记》",)),
        ("他拿过三届奖，一直很好。", ("三",)),
        ("甲不错。", ()),
    ],
)
def test_numbers_foreign_words_titles_and_names_are_claims(text: str, claims: tuple[str, ...]) -> None:
    assert claims_in(text, LEXICON) == claims


def test_what_facts_and_history_say_may_be_said() -> None:
    facts = [Fact(subject="苏雁", relation="身高", object="168cm")]
    known = supported_text(facts, [Turn(speaker="user", text="《雾港》里的她多高？")])
    assert unsupported("苏雁身高1米68，演过雾港。", known, LEXICON) == ()
    assert unsupported("苏雁身高169cm，住在青石岛。", known, LEXICON) == ("169", "青石岛")


def test_a_part_of_a_number_is_another_number() -> None:
    known = supported_text([Fact(subject="甲", relation="门票", object="30元")], ())
    assert unsupported("3元", known, LEXICON) == ("3",)
    assert unsupported("30元", known, LEXICON) == ()


def test_a_run_is_a_word_when_people_say_it_more_often_than_facts_name_it() -> None:
    wordings = [(f"dialogue {number}", ["听说过苏雁"]) for number in range(3)]
    words = plain_words(wordings, Counter({"苏雁": 3, "听说": 2}))
    assert "听说" in words
    assert "苏雁" not in words
    assert plain_words(wordings[:2] * 2, Counter()) == []

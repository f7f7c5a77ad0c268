from __future__ import annotations

from duologue.challenges.spoken.systems.pipeline.generator_input import (
    INSIDE,
    OBJECT,
    RELATION,
    SUBJECT,
    USER,
    generator_pair,
    generator_source,
)
from duologue.core.records import Fact, Turn
from duologue.models.vocabulary import CopyVocabulary

FACTS = [Fact(subject="青石岛（景点）", relation="门票", object="30元，学生免费")]


def test_triples_come_before_the_last_turn_and_pieces_before_their_characters() -> None:
    history = [*(Turn(speaker="user", text="很早") for _ in range(2)), Turn(speaker="user", text="呢")]
    source = generator_source(FACTS, history)
    assert source.signs == ["青石岛", *"门票", "30元", *"30元", "，", "学生免费", *"学生免费", "呢"]
    inside = [OBJECT, *[INSIDE] * 3, OBJECT, OBJECT, *[INSIDE] * 4]
    assert source.kinds == [SUBJECT, RELATION, RELATION, *inside, USER]


def test_long_values_and_many_facts_are_cut() -> None:
    source = generator_source([Fact(subject="甲", relation="乙", object="长" * 500)] * 12, [])
    assert len(source.signs) == 1 + 1 + 10 * (1 + 6)
    assert max(map(len, source.signs)) == 160


def test_pieces_of_triples_and_characters_that_no_vocabulary_knows_are_copied() -> None:
    words = CopyVocabulary(list("门票是的"))
    pair, unknown = generator_pair(generator_source(FACTS, []), "青石岛的门票是30元30", words)
    assert words.text(pair.target, unknown) == ["青石岛", *"的门票是", "30元", *"30"]
    assert len(pair.source) == len(pair.kinds)


def test_of_pieces_that_begin_alike_the_longest_is_said() -> None:
    facts = [Fact(subject="甲", relation="乙", object=name) for name in ("白沙", "白沙湾")]
    pair, unknown = generator_pair(generator_source(facts, []), "白沙湾", CopyVocabulary(list("甲乙")))
    assert CopyVocabulary(list("甲乙")).text(pair.target, unknown) == ["白沙湾"]

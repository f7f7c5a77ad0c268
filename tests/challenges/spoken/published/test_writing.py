from __future__ import annotations

from duologue.challenges.spoken.published.writing import OBJECT, RELATION, SUBJECT, SYSTEM, USER, lesson_of, source_of
from duologue.core.records import Fact, Turn
from duologue.models.words import Words

FACTS = [Fact(subject="青石岛", relation="门票", object="30元")]


def test_triples_come_before_the_last_turns() -> None:
    history = [Turn(speaker="user", text="很早"), *(Turn(speaker="system", text="好") for _ in range(2))]
    source = source_of(FACTS, [*history, Turn(speaker="user", text="呢")])
    assert "".join(source.signs) == "青石岛门票30元好呢"
    assert source.kinds == [SUBJECT] * 3 + [RELATION] * 2 + [OBJECT] * 3 + [SYSTEM] + [USER]


def test_long_values_and_many_facts_are_cut() -> None:
    facts = [Fact(subject="甲", relation="乙", object="长" * 500)] * 9
    assert len(source_of(facts, []).signs) == 6 * (1 + 1 + 80)


def test_characters_that_no_vocabulary_knows_are_copied() -> None:
    words = Words(list("门票"))
    pair, unknown = lesson_of(source_of(FACTS, []), "门票30元", words)
    assert unknown == list("青石岛30元")
    assert words.text(pair.target, unknown) == list("门票30元")
    assert len(pair.source) == len(pair.kinds) == 8

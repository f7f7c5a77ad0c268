from __future__ import annotations

from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
from duologue.challenges.restaurant.systems.trained_ranker.lexicons import Lexicons
from duologue.core.records import Fact, Sample, Turn

ONE = KbLexicon([Fact(subject="old_inn", relation="location", object="rome")])
TWO = KbLexicon([Fact(subject="new_inn", relation="location", object="paris")])


def test_a_sample_is_read_with_the_world_that_it_names() -> None:
    lexicons = Lexicons({"one": ONE, "two": TWO})
    assert lexicons.of(Sample(id="1", dialogue_id="1", world="two")) is TWO
    assert lexicons.of(Sample(id="2", dialogue_id="2", world="one")) is ONE
    assert lexicons.used == [TWO, ONE]


def test_the_only_world_serves_all_samples() -> None:
    assert Lexicons({"one": ONE}).of(Sample(id="1", dialogue_id="1", world="never heard of")) is ONE


def test_without_a_world_the_fact_lines_of_the_history_make_one() -> None:
    turns = (Turn(speaker="api", text="old_inn r_rating 7"), Turn(speaker="api", text="no fact"))
    lexicon = Lexicons({"one": ONE, "two": TWO}).of(Sample(id="1", dialogue_id="1", history=turns))
    assert lexicon.fields == ("rating",)
    assert lexicon.delexicalise("old_inn").subject == "old_inn"

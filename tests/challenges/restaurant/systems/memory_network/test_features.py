from __future__ import annotations

from duologue.challenges.restaurant.systems.memory_network.features import match_types, memory_row
from duologue.challenges.restaurant.systems.trained_ranker.bags import BagTable
from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
from duologue.core.records import Candidate, Fact, Sample, Turn

FACTS = [
    Fact(subject="old_inn", relation="location", object="rome"),
    Fact(subject="new_inn", relation="location", object="paris"),
    Fact(subject="old_inn", relation="phone", object="old_inn_phone"),
]
LEXICON = KbLexicon(FACTS)
SAMPLE = Sample(
    id="1",
    dialogue_id="1",
    history=(
        Turn(speaker="api", text="old_inn r_phone old_inn_phone"),
        Turn(speaker="user", text="hello"),
        Turn(speaker="system", text="where should it be"),
        Turn(speaker="user", text="rome, please"),
    ),
    candidates=(
        Candidate(id="a", text="api_call rome"),
        Candidate(id="b", text="api_call paris"),
        Candidate(id="c", text="here it is old_inn_phone"),
        Candidate(id="d", text="the option was old_inn"),
    ),
)


def test_the_last_turn_asks_and_the_ones_before_are_remembered_with_speaker_and_age() -> None:
    table = BagTable()
    row = memory_row(SAMPLE, LEXICON, table, 64, matches=True, target=2)
    assert table.bags[row.query] == ("rome", "please")
    assert [(table.bags[bag][0], speaker, age) for bag, speaker, age in row.memories.tolist()] == [
        ("old_inn", 2, 3),
        ("hello", 0, 2),
        ("where", 1, 1),
    ]
    assert (row.length, row.target) == (3, 2)
    assert memory_row(SAMPLE, LEXICON, table, 2, matches=True).memories[:, 2].tolist() == [2, 1]


def test_values_that_the_dialogue_holds_are_told_by_their_field_and_names_of_restaurants_are_not() -> None:
    table = BagTable()
    row = memory_row(SAMPLE, LEXICON, table, 64, matches=True)
    bags = [table.bags[bag] for bag in row.candidates]
    assert bags[0] == ("api_call", "rome", "<match location>")
    assert bags[1] == ("api_call", "paris")
    assert bags[2][-1] == "<match phone>"
    assert bags[3] == ("the", "option", "was", "old_inn")
    plain = memory_row(SAMPLE, LEXICON, table, 64, matches=False)
    assert table.bags[plain.candidates[0]] == ("api_call", "rome")


def test_a_dialogue_that_has_not_begun_asks_nothing() -> None:
    table = BagTable()
    row = memory_row(Sample(id="1", dialogue_id="1", candidates=SAMPLE.candidates), LEXICON, table, 64, matches=True)
    assert table.bags[row.query] == ()
    assert row.memories.shape == (0, 3)
    assert match_types(["rome"], set(), LEXICON) == []

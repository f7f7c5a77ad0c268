from __future__ import annotations

from duologue.challenges.restaurant.systems.hybrid_code.features import OTHER, action_of, hybrid_row
from duologue.challenges.restaurant.systems.trained_ranker.bags import BagTable
from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
from duologue.core.records import Candidate, Fact, Sample, Turn

LEXICON = KbLexicon(
    [
        Fact(subject="old_inn", relation="location", object="rome"),
        Fact(subject="old_inn", relation="price", object="cheap"),
    ]
)
SAMPLE = Sample(
    id="1",
    dialogue_id="1",
    history=(
        Turn(speaker="user", text="hello"),
        Turn(speaker="system", text="where should it be"),
        Turn(speaker="user", text="in rome"),
    ),
    candidates=(Candidate(id="a", text="api_call rome"), Candidate(id="b", text="good morning")),
)


def test_an_action_is_an_utterance_without_its_entities() -> None:
    actions = [
        action_of(LEXICON.delexicalise(text)) for text in ("api_call rome", "api_call rome cheap", "see old_inn", "")
    ]
    assert actions == ["api_call <value>", "api_call <value>", "see <name>", ""]


def test_a_step_holds_words_the_action_before_and_the_context() -> None:
    table = BagTable()
    row = hybrid_row(SAMPLE, LEXICON, table, {"api_call <value>": 3}, target=0)
    assert [table.bags[step] for step in row.steps] == [
        ("hello", "<after >"),
        ("in", "<value>", "<after where should it be>", "<has location>"),
    ]
    assert row.actions.tolist() == [3, OTHER]
    assert row.allowed.tolist() == [True, True]
    assert row.fits[:, 0].tolist() == [1.0, 0.0]
    assert (row.length, row.target) == (2, 0)


def test_a_dialogue_that_has_not_begun_has_one_step() -> None:
    table = BagTable()
    row = hybrid_row(Sample(id="1", dialogue_id="1", candidates=SAMPLE.candidates), LEXICON, table, {})
    assert [table.bags[step] for step in row.steps] == [()]
    assert row.allowed.tolist() == [False, True]

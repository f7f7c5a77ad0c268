from __future__ import annotations

import pytest

from duologue.core.dialogue_view import view_lines
from duologue.core.errors import FormatError, UsageError
from duologue.core.laid_over import demand_answers, laid_over
from duologue.core.records import Annotation, Answer, Candidate, Example, Fact, Problem, Sample, Submission, Turn
from tests.growth import LINEAR, growth

HISTORY = (Turn(speaker="user", text="hi"),)
WANTED = Answer(text="hello", annotation=Annotation(facts=(Fact(subject="a", relation="is", object="b"),)))


def example(name: str = "one") -> Example:
    return Example(sample=Sample(id=name, dialogue_id=name, history=HISTORY), references=(WANTED,))


def test_what_was_wanted_stands_above_what_was_answered() -> None:
    first, second = laid_over([example(), example("two")], {"one": Answer(text="bye")}, {"is": "être"})
    assert list(view_lines(first)) == ["one", "user: hi", "wanted: hello", "    a · is (être) · b", "answered: bye"]
    assert list(view_lines(second))[-1] == "answered: (no answer)"
    assert [one.role for one in first.utterances] == ["user", "agent", "answer"]


def test_candidates_come_in_the_order_of_the_ranking_and_the_right_one_is_marked() -> None:
    candidates = tuple(Candidate(id=name, text=f"say {name}") for name in "abc")
    sample = Sample(id="one", dialogue_id="one", history=HISTORY, candidates=candidates)
    given = [Example(sample=sample, references=(Answer(ranking=("c",)),))]
    (view,) = laid_over(given, {"one": Answer(ranking=("b", "c", "unknown"))}, {})
    (table,) = view.after
    assert list(table.rows) == [("", "1", "say b", "b"), ("✓", "2", "say c", "c"), ("", "-", "say a", "a")]


def test_a_result_that_answers_nothing_says_why() -> None:
    """A file that was cut off was said to be that of another file."""
    submission = Submission(rows=None, layout="", path="x.json")
    broken = Problem(rule="not-json", message="cut off")
    warned = Problem(rule="odd", severity="warning", message="odd")
    demand_answers(submission, [broken], answered=True)
    with pytest.raises(UsageError, match="another file"):
        demand_answers(submission, [warned], answered=False)
    with pytest.raises(FormatError, match="cut off"):
        demand_answers(submission, [broken], answered=False)


def test_files_are_gone_through_once() -> None:
    def made(n: int) -> list[Example]:
        return [example(str(at)) for at in range(n)]

    assert growth(made, lambda them: list(laid_over(them, {"0": WANTED}, {})), 200) < LINEAR


def test_a_truth_without_its_data_shows_the_ranking_and_says_where_the_dialogue_is() -> None:
    bare = [Example(sample=Sample(id="one", dialogue_id="one"), references=(Answer(ranking=("c",)),))]
    (view,) = laid_over(bare, {"one": Answer(ranking=("b", "c"))}, {})
    assert "--input" in list(view_lines(view))[1]
    opening = Sample(id="one", dialogue_id="one", knowledge=(Fact(subject="a", relation="is", object="b"),))
    (first,) = laid_over([Example(sample=opening)], {"one": Answer(text="hello")}, {})
    assert [one.speaker for one in first.utterances] == ["answered"]  # nothing was said before it
    (table,) = view.after
    assert list(table.rows) == [("", "1", "–", "b"), ("✓", "2", "–", "c")]

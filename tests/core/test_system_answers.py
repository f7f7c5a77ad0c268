from __future__ import annotations

import sys
from typing import Any

import pytest

from duologue.core.errors import PlugInError
from duologue.core.records import Answer, Record, Sample
from duologue.core.system_answers import answers_of

SAMPLES = [Sample(id=name, dialogue_id="d") for name in ("1", "2")]
ODD: Any = 5
GOOD = [Answer(text="a"), Answer(text="b")]


def as_any(value: object) -> Any:
    return value


class Stranger:
    """Returns what it is given."""

    Recipe = Record
    seen = "nothing"

    def __init__(self, returned: Any) -> None:
        self.returned = returned

    def prepare(self, info: object, seed: int, worlds: object) -> None:
        """Prepare nothing."""

    def answer(self, samples: object) -> Any:
        return self.returned


def test_a_list_and_a_tuple_are_taken_as_they_are() -> None:
    assert answers_of(Stranger(GOOD), SAMPLES) == answers_of(Stranger(tuple(GOOD)), SAMPLES) == GOOD


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "Stranger returned None; a system must return a list with one Answer per sample, in order"),
        ((one for one in GOOD), "Stranger returned an object of type generator; "),
        ("ab", "Stranger returned an object of type str; "),
        (["a", "b"], "Stranger returned an object of type str as an answer; "),
        ([GOOD[0], None], "Stranger returned None as an answer; "),
        (GOOD[:1], "Stranger returned 1 answer for 2 samples; "),
        ([GOOD[0], Answer(text=ODD)], "Stranger answered sample '2' with an object of type int as its text; expected"),
        (
            [Answer(ranking=as_any(iter(("a",)))), GOOD[0]],
            "sample '1' with an object of type tuple_iterator as its ranking; exp",
        ),
        (
            [Answer(ranking=as_any("ab")), GOOD[0]],
            "sample '1' with an object of type str as its ranking; expected ids of can",
        ),
        ([Answer(ranking=("a", ODD)), GOOD[0]], "sample '1' with an object of type int in its ranking; expected ids"),
        ([Answer(annotation=ODD), GOOD[0]], "sample '1' with an object of type int as its annotation; expected an"),
    ],
)
def test_what_is_no_answer_per_sample_is_the_fault_of_the_system(returned: object, said: str) -> None:
    with pytest.raises(PlugInError, match=said):
        answers_of(Stranger(returned), SAMPLES)


def test_a_system_may_take_the_list_of_samples_apart() -> None:
    """It was told that it gave two answers for no sample."""

    class Taker(Stranger):
        def answer(self, samples: Any) -> Any:
            return [Answer(text=samples.pop(0).id) for _ in range(len(samples))]

    assert answers_of(Taker(None), SAMPLES) == [Answer(text="1"), Answer(text="2")]
    assert len(SAMPLES) == 2


def test_a_system_that_ends_the_program_is_told_of() -> None:
    class Leaver(Stranger):
        def answer(self, samples: object) -> Any:
            sys.exit(0)

    with pytest.raises(PlugInError, match=r"Leaver called sys.exit\(0\); a system must return or raise an error"):
        answers_of(Leaver(GOOD), SAMPLES)

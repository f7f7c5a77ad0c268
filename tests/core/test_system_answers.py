from __future__ import annotations

import sys
from typing import Any

import pytest

from duologue.core.errors import PlugInError
from duologue.core.records import Answer, Record, Sample
from duologue.core.system_answers import answers_of

SAMPLES = [Sample(id=name, dialogue_id="d") for name in ("1", "2")]
GOOD = [Answer(text="a"), Answer(text="b")]


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
    ],
)
def test_what_is_no_answer_per_sample_is_the_fault_of_the_system(returned: object, said: str) -> None:
    with pytest.raises(PlugInError, match=said):
        answers_of(Stranger(returned), SAMPLES)


def test_a_system_that_ends_the_program_is_told_of() -> None:
    class Leaver(Stranger):
        def answer(self, samples: object) -> Any:
            sys.exit(0)

    with pytest.raises(PlugInError, match=r"Leaver called sys.exit\(0\); a system must return or raise an error"):
        answers_of(Leaver(GOOD), SAMPLES)

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.records import Answer, Record, Sample
from duologue.run.usage import accounts_of, unread_answers, usage_lines, usage_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World


class Metered:
    """A system that counts the characters it says."""

    Recipe: type[Record] = Record
    seen = "nothing"
    prompt_mark = "toy en v1 0a1b2c3d"

    def __init__(self) -> None:
        self.recipe = Record()
        self.accounts: list[dict[str, Any]] = []

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is prepared."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        found = list(self.answer_each(samples))
        self.accounts += [account for _, _, account in found]
        return [answer for _, answer, _ in found]

    def answer_each(self, samples: Sequence[Sample]) -> Iterator[tuple[int, Answer, dict[str, Any]]]:
        for place, sample in enumerate(samples):
            text = sample.history[-1].text if sample.history else sample.id
            yield place, Answer(text=text), {"characters": len(text)}

    def usage(self, accounts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"characters": sum(one["characters"] for one in accounts)}

    def usage_lines(self, usage: dict[str, Any], answers: int) -> list[str]:
        return [f"{usage['characters']} characters in {answers} answers"]


class Silent:
    """A system that tells nothing of itself."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is prepared."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text="") for _ in samples]


def sample(name: str) -> Sample:
    return Sample(id=name, dialogue_id=name)


def test_accounts_are_added_up_as_the_system_does_it() -> None:
    system = Metered()
    assert usage_lines(system) == []
    system.answer([sample("a"), sample("bcd")])
    assert accounts_of(system) == [{"characters": 1}, {"characters": 3}]
    assert usage_of(system, accounts_of(system)[1:]) == {"characters": 3}
    assert usage_lines(system) == ["4 characters in 2 answers"]


def test_most_systems_tell_nothing() -> None:
    assert (accounts_of(Silent()), usage_of(Silent(), []), usage_lines(Silent())) == ([], {}, [])


@pytest.mark.parametrize(
    ("usage", "places"),
    [
        ({}, []),
        ({"system": {"calls": 3}}, []),
        ({"system": {"unparsable": 0}, "user": {}}, []),
        ({"system": {"unparsable": 1200}, "user": {"unparsable": 1}}, ["system", "user"]),
        ({"system": {"unparsable": "many"}, "user": "odd"}, []),
        ({"system": {"unparsable": True}}, []),
    ],
)
def test_answers_that_could_not_be_read_are_warned_of(usage: dict[str, Any], places: list[str]) -> None:
    found = unread_answers(usage)
    assert [one.place for one in found] == places
    assert {(one.rule, one.severity) for one in found} <= {("answers-unread", "warning")}
    assert [one.message.rpartition(": ")[2] for one in found] == ["1,200", "1"][: len(places)]

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.records import Answer, Example, Sample
from duologue.run.predict import answer_all

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence


def example(name: str) -> Example:
    return Example(sample=Sample(id=name, dialogue_id=name))


class Echo:
    """Answers with the sample's id."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text=sample.id) for sample in samples]


class TwoRounds:
    """Asks the second half only when it has heard the answers to the first."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def rounds(self, examples: Sequence[Example]) -> Generator[Sequence[Example], Sequence[Answer] | None, None]:
        for batch in (examples[:2], examples[2:]):
            self.heard.append((yield batch))


def test_a_task_hears_the_answers_to_each_round() -> None:
    task: Any = TwoRounds()
    system: Any = Echo()
    found = answer_all(task, system, [example(name) for name in "abcd"])
    assert [name for name, _ in found] == list("abcd")
    assert [[answer.text for answer in heard] for heard in task.heard] == [["a", "b"], ["c", "d"]]


def test_plain_rounds_are_asked_one_after_the_other() -> None:
    task: Any = type("Plain", (), {"rounds": lambda self, examples: iter([examples[:1], [], examples[1:]])})()
    system: Any = Echo()
    found = answer_all(task, system, [example(name) for name in "abc"])
    assert [answer.text for _, answer in found] == ["a", "b", "c"]

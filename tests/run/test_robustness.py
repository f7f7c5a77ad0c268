from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Annotation, Answer, Example, Record, Sample, Scoring, Turn
from duologue.run.evaluate import Truth
from duologue.run.robustness import robustness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import TaskInfo, World

HOW = Scoring(variant="strict")


class Echo:
    """Says what the user said."""

    Recipe = Record
    seen = "nothing"
    heard: ClassVar[list[str]] = []

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.heard.clear()

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.heard.extend(sample.history[-1].text for sample in samples)
        return [Answer(text=sample.history[-1].text, annotation=Annotation()) for sample in samples]


@pytest.fixture
def examples() -> list[Example]:
    said = ("你看过雨夜花这部电影吗？", "它的导演是谁呢？", "门票要多少钱啊？", "那里几点开门呢？") * 5
    return [
        Example(
            sample=Sample(id=str(at), dialogue_id=str(at), history=(Turn(speaker="user", text=text),)),
            references=(Answer(text=text, annotation=Annotation()),),
        )
        for at, text in enumerate(said)
    ]


def clean_of(examples: list[Example]) -> Truth:
    return Truth(examples, {"gold": [], "input": []}, "made")


def test_each_system_has_a_report_at_each_strength_and_noise_costs_an_echo_its_score(
    examples: list[Example], tmp_path: Path
) -> None:
    reports = robustness(SpokenTask(), [("echo", Echo())], clean_of(examples), [0, 1, 3], HOW, tmp_path, seed=1)
    assert [(one.system, one.meta["strength"], one.meta["test_set"]) for one in reports] == [
        ("echo", 0, "noise 0"),
        ("echo", 1, "noise 1"),
        ("echo", 3, "noise 3"),
    ]
    clean, some, much = (next(s.value for s in one.scores if s.name == "bleu-2") for one in reports)
    assert clean == 1
    assert clean > some > much
    assert (tmp_path / "1-echo" / "noise-1" / "result.report.json").is_file()


def test_all_systems_hear_the_same_noise(examples: list[Example], tmp_path: Path) -> None:
    task = SpokenTask()
    robustness(task, [("a", Echo())], clean_of(examples), [1], HOW, tmp_path / "a", seed=5)
    first = list(Echo.heard)
    robustness(task, [("x", Echo()), ("b", Echo())], clean_of(examples), [0.5, 1], HOW, tmp_path / "b", seed=5)
    assert Echo.heard[len(examples) :] == first


def test_a_task_without_noise_and_repeated_strengths_are_refused(examples: list[Example], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no noise model"):
        robustness(load_task("proactive"), [("echo", Echo())], clean_of(examples), [1], HOW, tmp_path)
    for strengths in ([], [1.0, 1.0]):
        with pytest.raises(UsageError, match="each once"):
            robustness(SpokenTask(), [("echo", Echo())], clean_of(examples), strengths, HOW, tmp_path)

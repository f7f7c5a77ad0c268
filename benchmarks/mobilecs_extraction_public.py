"""The public MobileCS dialogues as a test of the extractor, for `mobilecs_extraction.py`. Text stays inside."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.systems.extractor.extractor import Extractor
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.plugins import load_system
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from duologue.core.records import Answer, Example, Report

FILES = ("example_final.json", "example_first_version.json")
FOLDS = 4
COPIES, GENERATED, STEPS = 8, 300, 200
"""How often a public dialogue is learned from, and beside how many generated ones, in how many steps."""


def public_rows(
    data: Path, work: Path, score: Callable[[Any, list[Example], Path], Report]
) -> Iterator[tuple[str, Report]]:
    """Yield what the public dialogues say of systems that never saw them, and of one that learned from 15 of the 20."""
    task = ExtractionTask()
    calls = [one for name in FILES for one in task.load(data / "examples" / name)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        for name in ("pipeline", "extractor"):
            system = load_system(work / "models" / f"crowd-{name}")
            yield f"{name}, trained on generated calls alone", score(system, calls, path)
        generated = list(task.load(work / "crowd-1" / "labelled" / "train.json"))[:GENERATED]
        held_out = list(task.load(work / "crowd-1" / "labelled" / "dev.json"))[:60]
        answers: dict[str, Answer] = {}
        for fold in range(FOLDS):
            test = calls[fold::FOLDS]
            rest = [one for one in calls if one not in test]
            copies = [_copied(one, number) for one in rest for number in range(COPIES)]
            recipe = ExtractorRecipe()
            tagger = msgspec.structs.replace(recipe.tagger, least_steps=STEPS)
            system = Extractor(msgspec.structs.replace(recipe, tagger=tagger))
            system.fit([*generated, *copies], held_out, [], Run(folder=Path(folder) / str(fold), seed=1))
            said = system.answer([one.sample for one in test])
            answers |= {one.sample.id: answer for one, answer in zip(test, said, strict=True)}
        name = (
            f"extractor, trained on {GENERATED} generated calls and 15 public ones, {COPIES} times each; {FOLDS} folds"
        )
        yield name, score(_Told(answers), calls, path)


class _Told:
    """A system that says what others said before."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self._answers = answers

    def answer(self, samples: list[Any]) -> list[Answer]:
        return [self._answers[one.id] for one in samples]


def _copied(example: Example, number: int) -> Example:
    """Return a copy under another id, that of its dialogue kept: both are on one side of every split."""
    sample = msgspec.structs.replace(example.sample, id=f"{example.sample.id}~{number}")
    return msgspec.structs.replace(example, sample=sample)

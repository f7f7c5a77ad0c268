"""The systems whose use of unlabelled calls `mobilecs_semi.py` measures, with their files and recipes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.systems.extractor.extractor import Extractor
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.challenges.mobilecs.systems.extractor.semi_supervised_recipe import SemiSupervisedRecipe
from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe
from duologue.challenges.mobilecs.task import ExtractionTask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Answer, Example

ALONE = "labels alone"


class Corpus(NamedTuple):
    """Folders of the generated corpora."""

    train: Path
    test: Path


class ExtractionCells:
    """Track 1 with the joint extractor."""

    title = "Track 1: extraction (`extractor`)"
    score = "mean of entity F1 and triple F1, strict"
    pre_training = "masked-text"
    task: Task = ExtractionTask()
    ways = (ALONE, "pre-training", "both")
    columns = ("entity-f1", "triple-f1")
    ways_in_words = (
        "`pre-training`: the character encoder first tells masked characters of the unlabelled calls; `both`: then a "
        "student learns what two calibrated teachers are trusted in, before it learns from labels."
    )

    def system(self, way: str, dialogues: int) -> Any:
        """Return an untrained system for a way of learning and a number of labelled dialogues."""
        semi = SemiSupervisedRecipe(rounds=int(way == "both"))
        epochs = 30 if dialogues <= 60 else 12 if dialogues <= 200 else 4  # few calls make few steps
        tagger = CharTaggerRecipe(least_steps=0, epochs=epochs, batch=4 if dialogues <= 200 else 16)  # the same
        return Extractor(ExtractorRecipe(tagger=tagger, semi_supervised=semi, held_out=0.2))

    def load(self, path: Path) -> list[Example]:
        """Return the examples of a file."""
        return list(self.task.load_training([path]))

    def labelled(self, corpus: Corpus) -> Path:
        """Return the file of labelled dialogues."""
        return corpus.train / "labelled" / "train.json"

    def unlabelled(self, corpus: Corpus, work: Path) -> Path:  # noqa: ARG002  # the generator's own file
        """Return the file of dialogues without labels."""
        return corpus.train / "unlabelled.json"

    def tests(self, corpus: Corpus) -> Path:
        """Return the file of the test set."""
        return corpus.test / "labelled" / "test.json"

    def answers(self, system: Any, tests: Sequence[Example]) -> Iterable[tuple[str, Answer]]:
        """Return the answers to the tests."""
        answers = system.answer([one.sample for one in tests])
        return [(one.sample.id, answer) for one, answer in zip(tests, answers, strict=True)]


SemiTask = ExtractionCells
TASKS = {"extraction": ExtractionCells()}

"""The systems whose use of unlabelled calls `mobilecs_semi.py` measures, with their files and recipes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.formats.conversions import convert
from duologue.challenges.mobilecs.systems.agent.agent import CustomerAgent
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.semi_supervised_recipe import LatentActsRecipe
from duologue.challenges.mobilecs.systems.extractor.extractor import Extractor
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.challenges.mobilecs.systems.extractor.semi_supervised_recipe import SemiSupervisedRecipe
from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe
from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duologue.core.records import Answer, Example

ALONE = "labels alone"
DIALOGUES = 500
"""Unlabelled dialogues of track 2."""


class Corpus(NamedTuple):
    """Folders of the generated corpora."""

    train: Path
    test: Path


class ExtractionCells:
    """Track 1 with the joint extractor."""

    title = "Track 1: extraction (`extractor`)"
    rank_by = "ranking"
    unit, step = 100.0, 0.1
    score = "mean of entity F1 and triple F1, strict, in percent"
    pre_training = "masked-text"
    task = ExtractionTask()
    ways = (ALONE, "pre-training", "both")
    columns = ("entity-f1", "triple-f1")
    ways_in_words = (
        "`pre-training`: the character encoder first tells masked characters of the unlabelled calls; `both`: then a "
        "student learns what two calibrated teachers are trusted in, before it learns from labels."
    )

    def system(self, way: str, dialogues: int) -> Any:
        """Return an untrained system for a way of learning and a number of labelled dialogues."""
        semi = SemiSupervisedRecipe(rounds=int(way == "both"))
        batch = 4 if dialogues <= 400 else 16
        tagger = CharTaggerRecipe(least_steps=500, epochs=4, patience=9, batch=batch)
        apart = 0.25 if dialogues <= 60 else 0.1  # levels chosen by two calls are chance
        recipe = ExtractorRecipe(
            tagger=tagger, semi_supervised=semi, held_out=0.2, set_apart=apart, renamed=1.0, unseen=0.0
        )  # names as when the first cells were made
        return Extractor(recipe)

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


class DialogueCells:
    """Track 2 with the agent; the unlabelled dialogues have their local knowledge bases and no intents."""

    title = "Track 2: dialogue (`agent`)"
    score = "combined (user intent F1 + staff intent F1 + success + BLEU / 50), strict; its parts in percent"
    rank_by = "combined"
    unit, step = 1.0, 0.5
    pre_training = ""
    task = DialogueTask()
    ways = (ALONE, "pre-training", "both")
    columns = ("user-intent-f1", "system-intent-f1", "success", "bleu")
    ways_in_words = (
        "`pre-training`: the networks first learn to tell from each context of unlabelled dialogues what the reply "
        "tells and which words it has; `both`: then intents, staff acts, told and wanted pieces of these dialogues are "
        "latent variables, inferred exactly; students learn them before the labels, and the replies give wording. The "
        f"unlabelled dialogues are {DIALOGUES}. The knowledge "
        "bases of the unlabelled dialogues are those of the hidden annotation, as those of the test set are."
    )

    def system(self, way: str, dialogues: int) -> Any:
        """Return an untrained system for a way of learning and a number of labelled dialogues."""
        inferred = way == "both"
        semi = LatentActsRecipe(staff_acts=inferred, user_intents=inferred, cues=inferred)
        epochs = 60 if dialogues <= 15 else 30 if dialogues <= 45 else 15 if dialogues <= 150 else 6
        recipe = AgentRecipe(members=1, batch=16, epochs=epochs, patience=5, semi_supervised=semi, held_out=0.2)
        return CustomerAgent(recipe)

    def load(self, path: Path) -> list[Example]:
        """Return the examples of a file."""
        return list(self.task.load_training([path]))

    def labelled(self, corpus: Corpus) -> Path:
        """Return the file of labelled dialogues."""
        return corpus.train / "track2" / "train.json"

    def unlabelled(self, corpus: Corpus, work: Path) -> Path:
        """Return the file of dialogues without intents, made from the generator's hidden annotation."""
        path = work / "unlabelled.track2.json"
        if not path.is_file():
            gold = work / "unlabelled.gold.track2.json"
            convert("raw", "track2", corpus.train / "unlabelled.gold.json", gold, "strict")
            rows = json.loads(gold.read_bytes())
            bare = [
                {
                    "id": row["id"],
                    "KB": row["KB"],
                    "content": [{"用户": turn["用户"], "客服": turn["客服"]} for turn in row["content"]],
                }
                for row in rows[:DIALOGUES]
            ]
            path.write_text(json.dumps(bare, ensure_ascii=False), encoding="utf-8")
        return path

    def tests(self, corpus: Corpus) -> Path:
        """Return the file of the test set."""
        return corpus.test / "track2" / "test.json"

    def answers(self, system: Any, tests: Sequence[Example]) -> Iterable[tuple[str, Answer]]:
        """Return the answers to the tests, in rounds: each with the system's own earlier replies."""
        found: list[tuple[str, Answer]] = []
        rounds = self.task.rounds(tests)
        batch = next(rounds, None)
        while batch is not None:
            answers = system.answer([one.sample for one in batch])
            found += [(one.sample.id, answer) for one, answer in zip(batch, answers, strict=True)]
            try:
                batch = rounds.send(answers)
            except StopIteration:
                batch = None
        return found


SemiTask = ExtractionCells | DialogueCells
TASKS: dict[str, SemiTask] = {"extraction": ExtractionCells(), "dialogue": DialogueCells()}

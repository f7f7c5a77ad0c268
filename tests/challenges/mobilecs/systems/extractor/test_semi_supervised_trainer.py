from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.systems.extractor.extractor import Extractor
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.protocols import Run
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TINY = ExtractorRecipe.tiny()


def bare(examples: list[Example]) -> list[Example]:
    return [msgspec.structs.replace(one, references=()) for one in examples]


def trained(folder: Path, recipe: ExtractorRecipe, examples: list[Example], unlabelled: list[Example]) -> Extractor:
    system = Extractor(recipe)
    system.fit(examples, [], unlabelled, Run(folder=folder, seed=1))
    return system


@pytest.mark.slow
def test_bare_calls_change_what_is_learned_and_what_is_said_to_be_seen(tmp_path: Path) -> None:
    examples, unlabelled = generated(8), bare(generated(12)[8:])
    one = trained(tmp_path / "one", TINY, examples, unlabelled)
    assert one.seen.endswith("annotated calls, and the text of 4 calls without annotation")
    other = trained(tmp_path / "other", TINY, examples, unlabelled)
    alone = trained(tmp_path / "alone", TINY, examples, [])
    for name, system in (("one", one), ("other", other), ("alone", alone)):
        (tmp_path / "saved" / name).mkdir(parents=True)
        system.save(tmp_path / "saved" / name)
    weights = {
        name: (tmp_path / "saved" / name / "tagger.safetensors").read_bytes() for name in ("one", "other", "alone")
    }
    assert weights["one"] == weights["other"]
    assert weights["one"] != weights["alone"]


@pytest.mark.slow
def test_without_any_part_they_teach_nothing(tmp_path: Path) -> None:
    idle = msgspec.structs.replace(TINY.semi_supervised, pre_training=False, rounds=0)
    recipe = msgspec.structs.replace(TINY, semi_supervised=idle)
    examples = generated(8)
    system = trained(tmp_path / "a", recipe, examples, bare(generated(12)[8:]))
    alone = trained(tmp_path / "b", recipe, examples, [])
    samples = [one.sample for one in generated(3)]
    assert system.answer(samples) == alone.answer(samples)


@pytest.mark.slow
def test_bare_calls_make_up_for_annotation(tmp_path: Path) -> None:
    tagger = msgspec.structs.replace(TINY.tagger, embedding=16, width=32, epochs=20, batch=4, learning_rate=0.01)
    masked = msgspec.structs.replace(TINY.semi_supervised.masked_text, passes=4, batch=4, learning_rate=0.01)
    semi = msgspec.structs.replace(TINY.semi_supervised, masked_text=masked, teachers=2, batch=4, epochs=3)
    named = {"renamed": 0.0, "unseen": 0.0}  # calls with other names make up for some of it too
    types = ExtractorRecipe().types
    recipe = msgspec.structs.replace(TINY, tagger=tagger, types=types, semi_supervised=semi, held_out=0.2, **named)
    examples, tests, unlabelled = generated(340)[:16], generated(340)[16:90], bare(generated(340)[90:])
    task = ExtractionTask()
    figures = []
    for name, some in (("with", unlabelled), ("without", [])):
        system = trained(tmp_path / name, recipe, examples, some)
        answers = system.answer([one.sample for one in tests])
        task.write(tests, [(one.sample.id, answer) for one, answer in zip(tests, answers, strict=True)], tmp_path / "r")
        report = task.score(tests, task.read(tmp_path / "r"), Scoring(variant="strict"))
        figures.append(next(score.value for score in report.scores if score.name == "ranking"))
    assert figures[0] > figures[1] + 0.02

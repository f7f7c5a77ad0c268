from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.schema.task_infos import EXTRACTION
from duologue.challenges.mobilecs.systems.extractor_pipeline import tagged_call, trainer
from duologue.challenges.mobilecs.systems.extractor_pipeline.extractor_pipeline import ExtractorPipeline
from duologue.challenges.mobilecs.systems.extractor_pipeline.pipeline_parts import new_parts, read_calls
from duologue.challenges.mobilecs.systems.extractor_pipeline.recipe import ExtractorPipelineRecipe
from duologue.challenges.mobilecs.systems.tagger.label_layer import MENTIONS
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.errors import UsageError
from duologue.core.protocols import Run
from duologue.core.records import Sample, Scoring, Turn

if TYPE_CHECKING:
    from pathlib import Path

TINY = ExtractorPipelineRecipe.tiny()


def trained(folder: Path, recipe: ExtractorPipelineRecipe = TINY, n: int = 40) -> ExtractorPipeline:
    system = ExtractorPipeline(recipe)
    system.fit(generated(n), [], [], Run(folder=folder, seed=1))
    system.prepare(EXTRACTION, 1, {})
    return system


@pytest.mark.slow
def test_it_learns_to_find_mentions_and_values(tmp_path: Path) -> None:
    tagger = msgspec.structs.replace(TINY.tagger, embedding=16, width=24, epochs=14, batch=4, learning_rate=0.01)
    system = trained(tmp_path, msgspec.structs.replace(TINY, tagger=tagger, held_out=0.1), 50)
    examples = generated(50)[:40]
    task = ExtractionTask()
    answers = system.answer([one.sample for one in examples])
    task.write(
        examples, [(one.sample.id, answer) for one, answer in zip(examples, answers, strict=True)], tmp_path / "x"
    )
    report = task.score(examples, task.read(tmp_path / "x"), Scoring(variant="official"))
    found = {score.name: score.value for score in report.scores}
    assert found["entity-f1"] > 0.1
    assert found["triple-f1"] > 0.2


@pytest.mark.slow
def test_it_answers_the_same_after_it_was_saved(tmp_path: Path) -> None:
    system = trained(tmp_path / "run")
    system.save(tmp_path / "model")
    other = ExtractorPipeline(TINY)
    other.load(tmp_path / "model")
    samples = [one.sample for one in generated(8)]
    assert other.answer(samples) == system.answer(samples)
    assert other.seen == system.seen == "28 annotated calls"


def test_calls_without_words_have_an_empty_answer(tmp_path: Path) -> None:
    system = trained(tmp_path)
    empty = [Sample(id="a", dialogue_id="a", history=()), Sample(id="b", dialogue_id="b", history=(silent(), silent()))]
    for answer in system.answer(empty):
        assert answer.annotation is not None
        assert (answer.annotation.mentions, answer.annotation.values) == ((), ())
    with pytest.raises(UsageError, match="has not learned yet"):
        ExtractorPipeline().answer(empty)


def silent() -> Turn:
    return Turn(speaker="user", text="")


def test_the_rule_of_training_decides_which_turns_the_taggers_see() -> None:
    examples = generated(10)
    turns = sum((len(one.sample.history) + 1) // 2 for one in examples)
    rules = [msgspec.structs.replace(TINY, turns=rule) for rule in ("annotated", "all")]
    annotated, known = (
        len(trainer.tagger_rows(examples, MENTIONS, recipe, new_parts(TINY, 1).entities)) for recipe in rules
    )
    assert annotated < known <= turns


def test_turns_are_cut_and_placed_in_their_call() -> None:
    history = [Turn(speaker="system", text="你好"), Turn(speaker="user", text="彩铃")] * 2
    placed = tagged_call.placed_turns(history, 3)
    assert [(one.document.text, one.offset) for one in placed] == [("你好彩", 0), ("你好彩", 4)]
    (read,) = read_calls([history], new_parts(TINY, 1), 180)
    assert [one.entities.vectors.shape for one in read] == [(4, 8), (4, 8)]
    crossing = tagged_call.found_span(placed[0], read[0].entities.vectors, 1, 3, "业务")
    assert crossing is None
    assert tagged_call.starts_of(history).tolist() == [0, 2, 4, 6, 8]

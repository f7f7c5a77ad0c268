from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES
from duologue.challenges.mobilecs.schema.task_infos import EXTRACTION
from duologue.challenges.mobilecs.systems.extractor import trainer
from duologue.challenges.mobilecs.systems.extractor.decoder import CallDecoder
from duologue.challenges.mobilecs.systems.extractor.extractor import Extractor
from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundCall, part_of
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.challenges.mobilecs.systems.extractor.training_rows import (
    CallRows,
    labelled_rows,
    renamed_documents,
    renamed_rows,
)
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.challenges.mobilecs.systems.tagger.network import IGNORED
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.core.recipe import resolve
from duologue.core.records import Sample, Scoring, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.challenges.mobilecs.systems.tagger.network import TaggedDocument
    from duologue.core.records import Answer
    from duologue.models.train import TrainConfig

TINY = ExtractorRecipe.tiny()


def trained(folder: Path, recipe: ExtractorRecipe = TINY, n: int = 8) -> Extractor:
    system = Extractor(recipe)
    system.fit(generated(n), [], [], Run(folder=folder, seed=1))
    system.prepare(EXTRACTION, 1, {})
    return system


@pytest.fixture(scope="module")
def extractor(tmp_path_factory: pytest.TempPathFactory) -> Extractor:
    return trained(tmp_path_factory.mktemp("extractor"))


@pytest.mark.slow
def test_it_learns_to_find_mentions_values_and_their_entities(tmp_path: Path) -> None:
    tagger = msgspec.structs.replace(TINY.tagger, embedding=16, width=32, epochs=35, batch=4, learning_rate=0.01)
    links = msgspec.structs.replace(TINY.links, hidden=16, epochs=6, batch=16, least_steps=300)
    recipe = msgspec.structs.replace(TINY, tagger=tagger, links=links, held_out=0.1)
    examples = generated(50)[:40]
    task = ExtractionTask()
    system = trained(tmp_path / "run", recipe, 50)
    answers = system.answer([one.sample for one in examples])
    task.write(
        examples, [(one.sample.id, answer) for one, answer in zip(examples, answers, strict=True)], tmp_path / "r"
    )
    submission = task.read(tmp_path / "r")
    assert not [one for one in task.check(submission, examples, "strict") if one.severity == "error"]
    report = task.score(examples, submission, Scoring(variant="official"))
    figures = {score.name: score.value for score in report.scores}
    assert figures["entity-f1"] > 0.3
    assert figures["triple-f1"] > 0.3
    assert any(most_mentions(answer) > 1 for answer in answers)
    system.recipe = msgspec.structs.replace(recipe, coreference=False)
    assert all(most_mentions(answer) <= 1 for answer in system.answer([one.sample for one in examples]))


def most_mentions(answer: Answer) -> int:
    """Return how many mentions the entity with the most has."""
    assert answer.annotation is not None
    return max(Counter(one.entity for one in answer.annotation.mentions).values(), default=0)


@pytest.mark.slow
def test_it_answers_the_same_after_it_was_saved(extractor: Extractor, tmp_path: Path) -> None:
    extractor.save(tmp_path)
    other = Extractor(TINY)
    other.load(tmp_path)
    samples = [one.sample for one in generated(3)]
    assert other.answer(samples) == extractor.answer(samples)
    assert other.seen == "6 annotated calls"
    (tmp_path / Extractor.card_file).write_text("{}", encoding="utf-8")
    with pytest.raises(StorageError, match="is no part of a saved model"):
        Extractor(TINY).load(tmp_path)


def test_equal_seeds_make_equal_files(extractor: Extractor, tmp_path: Path) -> None:
    again = trained(tmp_path / "run")
    for name, one in (("first", extractor), ("second", again)):
        one.save(tmp_path / name)
    for file in (tmp_path / "first").iterdir():
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes(), file.name


def test_calls_without_words_have_an_empty_answer(extractor: Extractor) -> None:
    silent = Turn(speaker="user", text="")
    empty = [Sample(id="a", dialogue_id="a", history=()), Sample(id="b", dialogue_id="b", history=(silent, silent))]
    for answer in extractor.answer(empty):
        assert answer.annotation is not None
        assert (answer.annotation.mentions, answer.annotation.values) == ((), ())


def test_levels_are_chosen_on_calls_that_the_tagger_has_not_seen(extractor: Extractor) -> None:
    parts = extractor._trained()  # what it has learned
    assert isinstance(parts, trainer.ExtractorParts)
    assert isinstance(parts.decoder(TINY), CallDecoder)
    assert 0.15 <= parts.levels.mention.level <= 0.55


def test_weights_of_the_warm_up_are_not_the_best_of_a_training_on_few_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configs: list[TrainConfig] = []
    monkeypatch.setattr(trainer, "train", lambda task, rows, held_out, config, run: configs.append(config))
    calls = generated(6)
    for least_steps in (120, 0):
        recipe = msgspec.structs.replace(TINY, tagger=msgspec.structs.replace(TINY.tagger, least_steps=least_steps))
        trainer.train_tagger(recipe, calls[:4], calls[4:], Run(folder=tmp_path, seed=1))
    few, usual = configs
    assert few.choose_from == int(0.05 * few.epochs) > 0
    assert usual.choose_from == 0


def test_what_the_official_programs_count_as_a_data_service_is_one(extractor: Extractor) -> None:
    parts = extractor._trained()  # what it has learned
    assert isinstance(parts, trainer.ExtractorParts)
    document = call_document([Turn(speaker="user", text="一家亲停开机和宽带")])
    kinds = np.where(np.arange(len(ENTITY_TYPES)) == ENTITY_TYPES.index("业务"), -0.1, -9.0)
    found = [part_of(document, *place, kinds.tolist()) for place in ((0, 6), (7, 9))]
    mentions = [part for part in found if part is not None]
    decoder = parts.decoder(msgspec.structs.replace(TINY, coreference=False))
    call = FoundCall(mentions, [], [])
    types = [ENTITY_TYPES[kind] for kind in decoder.types(call, decoder.linked(call))]
    assert types == ["数据业务", "业务"]


def test_calls_with_unseen_names_teach_the_links_where_the_recipe_says_so(extractor: Extractor, tmp_path: Path) -> None:
    other = trained(tmp_path / "trained", msgspec.structs.replace(TINY, unseen=0.0))
    extractor.save(tmp_path)
    other.save(tmp_path / "trained")
    assert (tmp_path / "tagger.safetensors").read_bytes() == (tmp_path / "trained/tagger.safetensors").read_bytes()
    assert (tmp_path / "mentions.safetensors").read_bytes() != (tmp_path / "trained/mentions.safetensors").read_bytes()


def test_labels_of_turns_without_annotation_count_only_under_our_rule() -> None:
    examples = generated(10)
    theirs = msgspec.structs.replace(TINY, turns="annotated")
    for all_turns, annotated in zip(labelled_rows(examples, TINY), labelled_rows(examples, theirs), strict=True):
        ignored = annotated.labels == IGNORED
        assert not (all_turns.labels == IGNORED).any()
        assert not all_turns.labels[ignored].any()
        assert np.array_equal(annotated.labels[~ignored], all_turns.labels[~ignored])
    assert any((row.labels == IGNORED).any() for row in labelled_rows(examples, theirs))


def test_some_calls_are_learned_again_with_other_names() -> None:
    examples = generated(40)
    some = renamed_rows(examples, msgspec.structs.replace(TINY, renamed=0.5), 1)
    assert 5 < len(some) < 35
    assert renamed_rows(examples, msgspec.structs.replace(TINY, renamed=0.0), 1) == []
    every = renamed_rows(examples, msgspec.structs.replace(TINY, renamed=1.0), 1)
    known = {row.features.tobytes() for row in labelled_rows(examples, TINY)}
    assert any(row.features.tobytes() not in known for row in every)
    thrice = renamed_rows(examples, msgspec.structs.replace(TINY, renamed=2.5), 1)
    assert 2 * len(every) < len(thrice) < 3 * len(every)
    assert [row.features.tobytes() for row in thrice[: len(every)]] == [row.features.tobytes() for row in every]


def told(rows: Iterable[TaggedDocument]) -> list[tuple[bytes, bytes]]:
    return [(row.features.tobytes(), row.labels.tobytes()) for row in rows]


def test_names_are_others_in_each_epoch_and_calls_and_labels_the_same() -> None:
    examples = generated(20)
    recipe = msgspec.structs.replace(TINY, renamed=1.5)
    rows = CallRows(examples, recipe, 1)
    plain, first = labelled_rows(examples, recipe), told(rows)
    assert first == told([*plain, *renamed_rows(examples, recipe, 1)])
    assert (len(rows), told(rows[2:4]), told([rows[len(rows) - 1]])) == (len(first), first[2:4], first[-1:])
    rows.begin(1)
    second = told(rows)
    assert second[: len(plain)] == first[: len(plain)]
    assert [labels for _, labels in second] == [labels for _, labels in first]
    other = [one != before for one, before in zip(second, first, strict=True)]
    assert sum(other) >= 10  # of 26; the others have no signs of their own
    rows.begin(2)
    assert told(rows) not in (first, second)
    rows.begin(0)
    assert told(rows) == first


class _StopError(Exception):
    pass


def test_a_tagger_stopped_in_its_second_epoch_ends_in_the_same_bits(tmp_path: Path) -> None:
    tagger = msgspec.structs.replace(TINY.tagger, epochs=3)
    recipe = msgspec.structs.replace(TINY, tagger=tagger, checkpoint_seconds=0.0)
    calls = generated(6)
    whole = trainer.train_tagger(recipe, calls[:4], calls[4:], Run(folder=tmp_path / "whole", seed=1))
    begun: list[int] = []

    def stop(done: int, *_: object) -> None:
        begun.append(done)
        if len(begun) == 2:
            raise _StopError

    with pytest.raises(_StopError):
        trainer.train_tagger(recipe, calls[:4], calls[4:], Run(folder=tmp_path / "broken", seed=1, progress=stop))
    assert begun[1] > 0
    again = trainer.train_tagger(recipe, calls[:4], calls[4:], Run(folder=tmp_path / "broken", seed=1))
    for one, other in zip(again.parameters(), whole.parameters(), strict=True):
        assert one.equal(other)


def test_a_renamed_call_keeps_its_length_and_its_utterances() -> None:
    examples = generated(20)
    renamed = renamed_documents(examples, 1.0, 1)
    assert renamed
    changed = 0
    for example, document in renamed:
        before = call_document(example.sample.history)
        assert len(document.text) == len(before.text)
        assert document.starts == before.starts
        changed += document.text != before.text
    assert changed


@pytest.mark.parametrize("entry", ["tagger.weight_decay", "names.weight_decay"])
def test_no_entry_takes_what_the_optimiser_refuses(entry: str) -> None:
    with pytest.raises(UsageError, match=r"weight_decay: expected float >= 0\.0, found -1"):
        resolve(ExtractorRecipe, overrides=[f"{entry}=-1"])

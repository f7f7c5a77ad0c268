from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.scoring.options import INFO
from duologue.challenges.spoken.systems.pipeline.components import PipelineCard
from duologue.challenges.spoken.systems.pipeline.pipeline import ATTRIBUTES, NAMES, REPAIR, REPLIES, Pipeline
from duologue.challenges.spoken.systems.pipeline.recipe import PipelineRecipe
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.knowledge.graph import Graph
from duologue.run.predict import in_world

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Answer, Example

TINY = PipelineRecipe.tiny()


@pytest.fixture(scope="module")
def graph(golden: Path) -> Graph:
    return Graph("kg", files.facts_in(files.read_graph(golden / "tiny-kg.json")))


@pytest.fixture(scope="module")
def examples(golden: Path, graph: Graph) -> list[Example]:
    return in_world(files.load(golden / "contract" / "valid.json"), graph)


def trained(examples: list[Example], graph: Graph, folder: Path, recipe: PipelineRecipe = TINY) -> Pipeline:
    pipeline = Pipeline(recipe)
    pipeline.fit(examples, [], [], Run(folder=folder, seed=1, worlds={graph.name: graph}))
    pipeline.prepare(INFO, 1, {graph.name: graph})
    return pipeline


@pytest.fixture(scope="module")
def pipeline(examples: list[Example], graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    return trained(examples, graph, tmp_path_factory.mktemp("pipeline"))


def answers(pipeline: Pipeline, examples: list[Example]) -> list[Answer]:
    """Answer some samples: each is said character by character, so that all would take long."""
    return pipeline.answer([one.sample for one in examples[::6]])


def test_the_facts_are_all_values_of_one_attribute_of_one_entity(
    pipeline: Pipeline, examples: list[Example], graph: Graph
) -> None:
    chosen = [answer.annotation.facts for answer in answers(pipeline, examples) if answer.annotation]
    some = [facts for facts in chosen if facts]
    assert some
    for facts in some:
        subject, relation = facts[0].subject, facts[0].relation
        assert facts == tuple(fact for fact in graph.about(subject) if fact.relation == relation)


def test_a_reply_is_never_empty_nor_longer_than_asked(pipeline: Pipeline, examples: list[Example]) -> None:
    told = answers(pipeline, examples)
    pieces = [
        max((len(str(fact.object)) for fact in one.annotation.facts), default=1) for one in told if one.annotation
    ]
    assert len(pieces) == len(told)
    assert all(
        0 < len(one.text or "") <= TINY.replies.longest * max(20, n) for one, n in zip(told, pieces, strict=True)
    )


def test_a_pipeline_says_again_what_it_said_before_it_was_saved(
    pipeline: Pipeline, examples: list[Example], graph: Graph, tmp_path: Path
) -> None:
    pipeline.save(tmp_path)
    other = Pipeline(TINY)
    other.load(tmp_path)
    other.prepare(INFO, 1, {graph.name: graph})
    assert answers(other, examples) == answers(pipeline, examples)
    assert other.seen == pipeline.seen
    assert pipeline.seen.endswith("replies of 10 training dialogues of people")


def test_models_saved_before_can_still_be_read(pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline.save(tmp_path)
    card = msgspec.json.decode((tmp_path / Pipeline.card_file).read_bytes())
    assert list(card) == ["signs", "grams", "rarity", "seen"] == list(PipelineCard.__struct_encode_fields__)


def test_equal_seeds_make_equal_files(
    pipeline: Pipeline, examples: list[Example], graph: Graph, tmp_path: Path
) -> None:
    again = trained(examples, graph, tmp_path / "run")
    for name, one in (("first", pipeline), ("second", again)):
        one.save(tmp_path / name)
    for file in (Pipeline.card_file, NAMES, ATTRIBUTES, REPLIES):
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes(), file


def test_drawn_replies_depend_on_the_seed_and_greedy_ones_do_not(
    examples: list[Example], graph: Graph, tmp_path: Path
) -> None:
    wild = msgspec.structs.replace(
        TINY, replies=msgspec.structs.replace(TINY.replies, longest=8, top_p=1.0, temperature=2.0)
    )
    drawn = trained(examples, graph, tmp_path / "drawn", wild)
    first = answers(drawn, examples[:13])
    drawn.prepare(INFO, 2, {graph.name: graph})
    assert answers(drawn, examples[:13]) != first
    drawn.recipe = msgspec.structs.replace(wild, replies=msgspec.structs.replace(wild.replies, search="greedy"))
    told = answers(drawn, examples[:13])
    drawn.prepare(INFO, 1, {graph.name: graph})
    assert answers(drawn, examples[:13]) == told


def test_the_words_of_the_user_are_corrected(examples: list[Example], graph: Graph, tmp_path: Path) -> None:
    pytest.importorskip("pypinyin", reason="needs the extra zh")
    recipe = msgspec.structs.replace(TINY, correct=True)
    pipeline = trained(examples, graph, tmp_path, recipe)
    first = answers(pipeline, examples[:7])
    pipeline.save(tmp_path)
    assert (tmp_path / REPAIR).is_file()
    other = Pipeline(recipe)
    other.load(tmp_path)
    other.prepare(INFO, 1, {graph.name: graph})
    assert answers(other, examples[:7]) == first


def test_what_is_missing_is_said(pipeline: Pipeline, examples: list[Example], tmp_path: Path) -> None:
    fresh = Pipeline(TINY)
    with pytest.raises(UsageError, match="train it"):
        fresh.answer([examples[0].sample])
    with pytest.raises(UsageError, match="has not learned yet"):
        fresh.save(tmp_path)
    with pytest.raises(UsageError, match="--train"):
        fresh.make_training_data(SpokenTask(), 1, None)
    with pytest.raises(UsageError, match="too few dialogues"):
        fresh.fit(examples[:2], [], [], Run(folder=tmp_path, seed=1))
    other = msgspec.structs.replace(examples[0].sample, world="other")
    with pytest.raises(UsageError, match="no graph 'other'"):
        pipeline.answer([other])
    pipeline.save(tmp_path)
    (tmp_path / Pipeline.card_file).write_text("[]")
    with pytest.raises(StorageError, match="train it again"):
        fresh.load(tmp_path)


def test_without_a_graph_there_are_no_facts(pipeline: Pipeline, examples: list[Example]) -> None:
    alone = msgspec.structs.replace(examples[1].sample, world=None)
    answer = pipeline.answer([alone])[0]
    assert answer.annotation is not None
    assert answer.annotation.facts == ()

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.scoring.generation import count_replies
from duologue.challenges.spoken.scoring.options import ScoringOptions
from duologue.challenges.spoken.systems.template_nlg.generator import CARD, FOLDER, TemplateGenerator
from duologue.challenges.spoken.systems.template_nlg.grounding import EntityLexicon, supported_text, unsupported
from duologue.challenges.spoken.systems.template_nlg.recipe import TemplateNlgRecipe
from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.core.records import Example, Fact, Sample, Turn
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TINY = TemplateNlgRecipe.tiny()


@pytest.fixture(scope="module")
def golden_graph(golden: Path) -> Graph:
    return Graph("kg", files.facts_in(files.read_graph(golden / "tiny-kg.json")))


@pytest.fixture(scope="module")
def examples(golden: Path) -> list[Example]:
    return files.load(golden / "contract" / "valid.json")


@pytest.fixture(scope="module")
def generator(
    examples: list[Example], golden_graph: Graph, tmp_path_factory: pytest.TempPathFactory
) -> TemplateGenerator:
    run = Run(folder=tmp_path_factory.mktemp("generator"), seed=1)
    return TemplateGenerator.learn(examples, golden_graph, run, TINY)


def gold(example: Example) -> Sequence[Fact]:
    annotation = example.references[0].annotation
    return annotation.facts if annotation is not None else ()


def said(generator: TemplateGenerator, examples: Sequence[Example], graph: Graph) -> list[str]:
    return [generator.reply(one.sample, gold(one), graph) for one in examples]


def asked(question: str) -> Sample:
    return Sample(id="1", dialogue_id="1", history=(Turn(speaker="user", text=question),))


def test_values_that_no_dialogue_knew_are_copied(generator: TemplateGenerator) -> None:
    fact = Fact(subject="松林", relation="门票", object="18元")
    assert "18元" in generator.reply(asked("松林的门票要多少钱？"), [fact], Graph("other", [fact]))


def test_nothing_is_said_that_nobody_knows(
    generator: TemplateGenerator, examples: list[Example], golden_graph: Graph
) -> None:
    names = EntityLexicon(golden_graph)
    some = examples[::2]
    for one, text in zip(some, said(generator, some, golden_graph), strict=True):
        assert text
        assert unsupported(text, supported_text(gold(one), one.sample.history), names) == (), text


def test_the_graph_at_hand_says_what_is_a_name(generator: TemplateGenerator) -> None:
    """A reply of the training dialogues may be a statement where its words are names."""
    sample = asked("好的，谢谢你。")
    text = generator.reply(sample, ())
    name = max(re.split("[，。？！]", text), key=len)
    graph = Graph("names", [Fact(subject=name, relation="原唱", object="甲乙丙")])
    generator.prepare_lexicon(graph)
    assert generator.reply(sample, (), graph) != text


def test_an_unknown_attribute_and_small_talk_are_answered(generator: TemplateGenerator, golden_graph: Graph) -> None:
    fact = Fact(subject="松林", relation="海拔", object="九百米")
    assert "九百米" in generator.reply(asked("松林有多高？"), [fact], golden_graph)
    assert generator.reply(asked("哈哈"), (), golden_graph)
    assert generator.reply(Sample(id="1", dialogue_id="1"), (), golden_graph)


def test_a_text_is_answered_with_a_part(generator: TemplateGenerator, golden_graph: Graph) -> None:
    about = "松林是山后的一片老林子，林子里有一条小溪。秋天的时候有很多人来看红叶，也有人来采蘑菇。"
    fact = Fact(subject="松林", relation="Information", object=about)
    text = generator.reply(asked("你知道松林吗？"), [fact], golden_graph)
    assert any(part in text for part in ("松林是山后", "有一条小溪", "秋天的时候", "采蘑菇"))


def test_a_generator_says_again_what_it_said_before_it_was_saved(
    generator: TemplateGenerator, examples: list[Example], golden_graph: Graph, tmp_path: Path
) -> None:
    generator.save(tmp_path)
    other = TemplateGenerator.load(tmp_path)
    assert other.recipe == TINY
    some = examples[::4]
    assert said(other, some, golden_graph) == said(generator, some, golden_graph)


def test_equal_seeds_make_equal_files(
    generator: TemplateGenerator, examples: list[Example], golden_graph: Graph, tmp_path: Path
) -> None:
    again = TemplateGenerator.learn(examples, golden_graph, Run(folder=tmp_path / "run", seed=1), TINY)
    for name, one in (("first", generator), ("second", again)):
        one.save(tmp_path / name)
    files_of = [sorted((tmp_path / name / FOLDER).iterdir()) for name in ("first", "second")]
    assert len(files_of[0]) == 3
    assert [path.read_bytes() for path in files_of[0]] == [path.read_bytes() for path in files_of[1]]


def test_too_few_dialogues_are_refused(examples: list[Example], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="too small to learn replies from"):
        TemplateGenerator.learn(examples[:1], Graph("kg", []), Run(folder=tmp_path, seed=1), TINY)


def test_a_damaged_file_is_named(generator: TemplateGenerator, tmp_path: Path) -> None:
    generator.save(tmp_path)
    (tmp_path / FOLDER / CARD).write_text("{}")
    with pytest.raises(StorageError, match="train it again"):
        TemplateGenerator.load(tmp_path)


def test_replies_with_gold_facts_are_close_to_those_it_learned(
    generator: TemplateGenerator, examples: list[Example], golden_graph: Graph
) -> None:
    known = [one for one in examples if gold(one)]
    texts = said(generator, known, golden_graph)
    counted = count_replies(texts, [one.references[0].text or "" for one in known], ScoringOptions()).columns
    means = [sum(counted[name]) / len(counted[name]) for name in ("bleu-1", "bleu-2", "generation-f1")]
    assert means[0] > 0.6
    assert means[1] > 0.5
    assert means[2] > 0.65


@pytest.mark.real_data(twin="test_replies_with_gold_facts_are_close_to_those_it_learned")
@pytest.mark.slow
def test_replies_with_gold_facts_are_close_to_those_of_people(real_data: Path, tmp_path: Path) -> None:
    """Trained on 150 visible dialogues, asked about 50 others."""
    graph = Graph("kg", files.facts_in(files.read_graph(real_data / "spoken" / "kg_rebuilt_visible.json.gz")))
    found = files.load(real_data / "spoken" / "challenge_valid_visible.json.gz")
    number = {one.sample.id: int(one.sample.dialogue_id) for one in found}
    learned = [one for one in found if number[one.sample.id] < 150]
    asked = [one for one in found if 150 <= number[one.sample.id] < 200 and gold(one)]
    recipe = msgspec.structs.replace(TemplateNlgRecipe(), epochs=6)
    generator = TemplateGenerator.learn(learned, graph, Run(folder=tmp_path, seed=1), recipe)
    texts = said(generator, asked, graph)
    counted = count_replies(texts, [one.references[0].text or "" for one in asked], ScoringOptions()).columns
    means = [sum(counted[name]) / len(counted[name]) for name in ("bleu-1", "bleu-2", "generation-f1")]
    assert means[0] > 0.45
    assert means[1] > 0.39
    assert means[2] > 0.54

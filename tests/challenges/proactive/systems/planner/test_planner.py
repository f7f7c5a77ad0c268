from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.schema import INFO
from duologue.challenges.proactive.systems.planner.planner import Planner
from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.challenges.proactive.systems.planner.user_turn import ACKNOWLEDGEMENT
from duologue.challenges.proactive.systems.planner.variety import Variety, word_frequencies
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.core.records import Sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.records import Example

    Make = Callable[..., Path]

TINY = PlannerRecipe.tiny()


@pytest.fixture
def examples(sessions: Make) -> list[Example]:
    return files.load(sessions(12))


def trained(examples: list[Example], folder: Path, recipe: PlannerRecipe = TINY) -> Planner:
    planner = Planner(recipe)
    planner.fit(examples, [], [], Run(folder=folder, seed=1))
    planner.prepare(INFO, 1, {})
    return planner


def texts(planner: Planner, examples: list[Example]) -> list[str | None]:
    return [answer.text for answer in planner.answer([one.sample for one in examples])]


def test_a_planner_says_again_what_it_said_before_it_was_saved(examples: list[Example], tmp_path: Path) -> None:
    planner = trained(examples, tmp_path / "run")
    planner.save(tmp_path)
    other = Planner(TINY)
    other.load(tmp_path)
    other.prepare(INFO, 1, {})
    said = texts(planner, examples)
    assert all(said)
    assert texts(other, examples) == said
    assert other.seen == planner.seen == "48 agent turns of 12 training dialogues of people"


def test_a_person_who_asks_for_a_fact_or_refuses_a_topic_is_heeded(examples: list[Example], tmp_path: Path) -> None:
    planner = trained(examples, tmp_path)
    base = next(
        one.sample
        for one in examples
        if len(one.sample.history) == 2 and any(f.relation == "导演" for f in one.sample.knowledge)
    )
    fact = next(one for one in base.knowledge if one.relation == "导演")

    def told(line: str) -> str:
        turns = (base.history[0], msgspec.structs.replace(base.history[1], text=line))
        (answer,) = planner.answer([msgspec.structs.replace(base, history=turns)])
        return answer.text or ""

    asked, refused = f"{fact.subject} 的 导演 是 谁 ？", "我 不 想 聊 这个 。"
    assert str(fact.object) in told(asked)
    assert told(refused).startswith(ACKNOWLEDGEMENT)
    planner.recipe = msgspec.structs.replace(planner.recipe, answers="live")
    assert not told(refused).startswith(ACKNOWLEDGEMENT)
    planner.prepare(msgspec.structs.replace(INFO, live=True), 1, {})
    assert told(refused).startswith(ACKNOWLEDGEMENT)
    planner.recipe = msgspec.structs.replace(planner.recipe, answers="never")
    assert not told(refused).startswith(ACKNOWLEDGEMENT)


def test_who_asks_which_film_is_told_its_name(examples: list[Example], tmp_path: Path) -> None:
    base = examples[0].sample
    assert base.goal is not None
    first = base.goal.topics[0]
    turns = files.turns_of(["有 部 电影 很 不错 。", "什么 电影 呀 ？"])
    for candidates in (10, 1):  # with one candidate none may name it: then a sentence does
        planner = trained(examples, tmp_path / str(candidates), msgspec.structs.replace(TINY, candidates=candidates))
        (answer,) = planner.answer([msgspec.structs.replace(base, history=turns)])
        assert first in (answer.text or "")


def test_replies_do_not_depend_on_what_else_is_asked(examples: list[Example], tmp_path: Path) -> None:
    planner = trained(examples, tmp_path)
    assert [texts(planner, [one])[0] for one in examples] == texts(planner, examples)


def test_equal_seeds_make_equal_planners(examples: list[Example], tmp_path: Path) -> None:
    for name in ("one", "other"):
        trained(examples, tmp_path / name).save(tmp_path / name)
    for name in ("weights.safetensors", "words.safetensors", "generator.safetensors", "planner.json", "bank.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


@pytest.mark.parametrize("how", [{"recombine": False}, {"second_choice": False}, {}])
def test_a_talk_goes_from_a_to_b_without_a_word_twice(
    how: dict[str, bool], examples: list[Example], tmp_path: Path
) -> None:
    planner = trained(examples, tmp_path, msgspec.structs.replace(TINY, candidates=40, pool=60, second_by=3, **how))
    sample = examples[0].sample
    said: list[str] = []
    for _ in range(4):
        turns = [turn for line in said for turn in files.turns_of([line, "哦 。"])]
        state = msgspec.structs.replace(sample, history=files.turns_of([turn.text for turn in turns]))
        said.append(planner.answer([state])[0].text or "")
    assert sample.goal is not None
    first, second = sample.goal.topics
    places = [next(at for at, line in enumerate(said) if topic in line) for topic in (first, second)]
    assert places == sorted(places)
    assert len(set(said)) == 4


def test_a_planner_from_before_the_second_choice_says_what_it_said(examples: list[Example], tmp_path: Path) -> None:
    generator = msgspec.structs.replace(TINY.generator, beam=0)
    recipe = msgspec.structs.replace(TINY, second_choice=False, generator=generator)
    planner = trained(examples, tmp_path / "run", recipe)
    planner.save(tmp_path)
    card = json.loads((tmp_path / "planner.json").read_text(encoding="utf-8"))
    for name in ("own_words", "reply_words", "second_choice", "generator_words"):
        del card[name]
    (tmp_path / "planner.json").write_text(json.dumps(card), encoding="utf-8")
    assert not (tmp_path / "words.safetensors").exists()
    assert not (tmp_path / "generator.safetensors").exists()
    other = Planner(TINY)
    other.load(tmp_path)
    assert texts(other, examples) == texts(planner, examples)


def test_the_second_choice_decides_unless_it_is_left_out(examples: list[Example], tmp_path: Path) -> None:
    planner = trained(examples, tmp_path)
    said = texts(planner, examples)
    planner.recipe = msgspec.structs.replace(TINY, second_choice=False)
    assert texts(planner, examples) != said


def test_a_planner_without_generated_replies_has_no_generator(examples: list[Example], tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(TINY, generator=msgspec.structs.replace(TINY.generator, beam=0, drawn=0))
    without = trained(examples, tmp_path / "without", recipe)
    without.save(tmp_path)
    assert not (tmp_path / "generator.safetensors").exists()
    assert not (tmp_path / "without" / "generator").exists()
    said = texts(without, examples)
    without.recipe = TINY  # it has none, whatever is asked for
    assert texts(without, examples) == said


@pytest.mark.slow
@pytest.mark.parametrize("off", ["knowledge", "goal", "copy", "rerank", "text", "recombine", "second_choice"])
def test_each_part_can_be_left_out(off: str, examples: list[Example], tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(TINY, **{off: False})
    planner = trained(examples, tmp_path, recipe)
    said = texts(planner, examples)
    assert all(said)
    if off in {"knowledge", "copy"}:
        assert not any("cm" in (text or "") for text in said)


def test_without_reranking_nothing_that_needs_torch_is_loaded(
    examples: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "duologue.models.utility", "duologue.models.train", "duologue.models.weights"):
        monkeypatch.setitem(sys.modules, name, None)
    recipe = msgspec.structs.replace(TINY, rerank=False)
    planner = trained(examples, tmp_path, recipe)
    assert planner.extras == ()
    planner.save(tmp_path)
    other = Planner(recipe)
    other.load(tmp_path)
    assert texts(other, examples) == texts(planner, examples)


def test_a_price_for_variety_brings_rarer_words(examples: list[Example], tmp_path: Path) -> None:
    plain = msgspec.structs.replace(TINY, second_choice=False)
    planner = trained(examples, tmp_path)
    people = word_frequencies([(one.references[0].text or "").split() for one in examples])
    variety = Variety(people, people)
    fresh = []
    for price in (0.0, 50.0):
        planner.recipe = msgspec.structs.replace(plain, variety=price)
        fresh.append(sum(variety.new_words((text or "").split(), opening=False) for text in texts(planner, examples)))
    assert fresh[0] < fresh[1]


def test_a_price_for_own_words_brings_more_different_ones(examples: list[Example], tmp_path: Path) -> None:
    planner = trained(examples, tmp_path, msgspec.structs.replace(TINY, candidates=40, pool=60))
    own = planner._trained().variety
    found = []
    for price in (0.0, 50.0):
        planner.recipe = msgspec.structs.replace(planner.recipe, own_variety=price)
        found.append(sum(own.new_to_own((text or "").split()) for text in texts(planner, examples)))
    assert found[0] < found[1]


def test_without_files_it_says_where_it_learns(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--train"):
        Planner().make_training_data(ProactiveTask(), 1, None)
    with pytest.raises(UsageError, match="not learned yet"):
        Planner().answer([])
    with pytest.raises(UsageError, match="not learned yet"):
        Planner().save(tmp_path)


def test_a_sample_without_goal_is_refused(examples: list[Example], tmp_path: Path) -> None:
    planner = trained(examples, tmp_path)
    with pytest.raises(UsageError, match="goal of two topics"):
        planner.answer([Sample(id="x#0", dialogue_id="x")])


def test_a_damaged_bank_is_named(examples: list[Example], tmp_path: Path) -> None:
    trained(examples, tmp_path).save(tmp_path)
    (tmp_path / "bank.json").write_text("[{}]", encoding="utf-8")
    with pytest.raises(StorageError, match=r"bank\.json"):
        Planner(TINY).load(tmp_path)

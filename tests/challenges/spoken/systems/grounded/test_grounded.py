from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.scoring.options import INFO
from duologue.challenges.spoken.systems.grounded.grounded import GroundedSystem
from duologue.challenges.spoken.systems.grounded.recipe import GroundedRecipe
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.core.records import Fact, Sample, Turn
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = msgspec.structs.replace(GroundedRecipe.tiny(), epochs=12, width=16, hidden=16, dropout=0.0, silence=1.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("model")


@pytest.fixture(scope="module")
def trained(golden: Path, folder: Path) -> GroundedSystem:
    examples = list(files.load(golden / "contract" / "valid.json"))
    world = SpokenTask().world(golden / "tiny-kg.json")
    system = GroundedSystem(RECIPE)
    system.fit(examples, [], [], Run(folder=folder, seed=1, worlds={world.name: world}))
    system.save(folder)
    return system


def asked(*texts: str) -> Sample:
    turns = [Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts)]
    return Sample(id="a#0", dialogue_id="a", history=tuple(turns))


INVENTED = Graph(
    "invented",
    [
        Fact(subject="鹤鸣谷", relation="门票", object="77元"),
        Fact(subject="鹤鸣谷", relation="地址", object="雁回镇西街五号"),
        Fact(subject="墨石滩", relation="门票", object="88元"),
        Fact(subject="墨石滩", relation="地址", object="雁回镇东街六号"),
    ],
)


def test_a_graph_of_invented_names_is_read_at_run_time(trained: GroundedSystem) -> None:
    trained.prepare(INFO, 1, {"invented": INVENTED})
    one, other = trained.answer([asked("鹤鸣谷的门票要多少钱？"), asked("墨石滩的门票要多少钱？")])
    assert one.annotation is not None
    assert other.annotation is not None
    assert {fact.subject for fact in one.annotation.facts} == {"鹤鸣谷"}
    assert {fact.subject for fact in other.annotation.facts} == {"墨石滩"}


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_triples_plays_no_part(trained: GroundedSystem, golden: Path, seed: int) -> None:
    twins = [
        Fact(subject=f"云亭（{kind}）", relation=relation, object=value)
        for kind in ("公园", "餐馆", "小说", "歌曲", "电影", "城市", "山")  # more namesakes than are looked at
        for relation, value in (("地址", "雁回镇西街五号"), ("周边景点", f"{kind}甲"), ("周边景点", f"{kind}乙"))
    ]
    facts = [*SpokenTask().world(golden / "tiny-kg.json"), *INVENTED, *twins]
    shuffled = list(facts)
    Random(seed).shuffle(shuffled)
    samples = [one.sample for one in files.load(golden / "contract" / "valid.json")]
    samples += [asked("云亭在哪？"), asked("云亭周边有什么景点？"), asked("哪里的地址是雁回镇西街五号？")]
    answers = []
    for order in (facts, shuffled):
        trained.prepare(INFO, 1, {"known": Graph("known", order)})
        answers.append([(trained.select([one])[0], trained.answer([one])[0]) for one in samples])
    assert answers[0] == answers[1]
    assert any(found.facts for found, _ in answers[0])


def test_what_is_chosen_stands_in_the_graph(trained: GroundedSystem) -> None:
    trained.prepare(INFO, 1, {"invented": INVENTED})
    chosen = trained.select(
        [asked("你知道鹤鸣谷吗？"), asked("你好"), asked("鹤鸣谷在哪？", "在雁回镇西街五号。", "谢谢")]
    )
    known = set(INVENTED)
    assert all(set(one.facts) <= known for one in chosen)
    assert all(0 <= one.silence <= 1 for one in chosen)


def test_selection_trained_alone_is_that_of_the_whole_system(
    trained: GroundedSystem, golden: Path, tmp_path: Path
) -> None:
    examples = list(files.load(golden / "contract" / "valid.json"))
    world = SpokenTask().world(golden / "tiny-kg.json")
    alone = GroundedSystem(RECIPE)
    alone.fit_selection(examples, Run(folder=tmp_path, seed=1, worlds={world.name: world}))
    samples = [one.sample for one in examples]
    chosen = []
    for system in (trained, alone):
        system.prepare(INFO, 1, {world.name: world})
        chosen.append(system.select(samples))
    assert chosen[0] == chosen[1]
    assert any(one.facts for one in chosen[0])


def test_a_choice_among_some_attributes_takes_no_other(
    trained: GroundedSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained.prepare(INFO, 1, {"invented": INVENTED})
    monkeypatch.setattr(trained, "_shares", lambda pairs: [np.full(len(one.pairs), 0.25, np.float32) for one in pairs])
    samples = [asked("鹤鸣谷的门票要多少钱？")]
    assert {fact.relation for fact in trained.select(samples)[0].facts} == {"门票", "地址"}
    (chosen,) = trained.select(samples, among=[lambda name, relation: (name, relation) == ("鹤鸣谷", "地址")])
    assert [fact.object for fact in chosen.facts] == ["雁回镇西街五号"]


def test_a_trace_tells_the_entity_and_the_query(trained: GroundedSystem) -> None:
    trained.prepare(INFO, 1, {"invented": INVENTED})
    sample = asked("鹤鸣谷的门票要多少钱？")
    trace = trained.trace(sample)
    assert trace.entity == "鹤鸣谷"
    assert trace.query is not None
    assert trace.facts == trained.select([sample])[0].facts
    assert trained.trace(asked()).entity is None


def test_a_loaded_model_answers_as_the_saved_one(trained: GroundedSystem, folder: Path) -> None:
    again = GroundedSystem(RECIPE)
    again.load(folder)
    samples = [asked("鹤鸣谷的门票要多少钱？"), asked("墨石滩在哪？")]
    for system in (trained, again):
        system.prepare(INFO, 1, {"invented": INVENTED})
    assert again.answer(samples) == trained.answer(samples)
    assert again.seen == trained.seen


def test_a_damaged_model_says_so(trained: GroundedSystem, folder: Path, tmp_path: Path) -> None:
    assert trained.seen
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "grounded.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StorageError, match="train it again"):
        GroundedSystem(RECIPE).load(tmp_path)


def test_without_training_or_graph_it_says_what_is_missing(trained: GroundedSystem) -> None:
    with pytest.raises(UsageError, match="not learned"):
        GroundedSystem().answer([asked("你好")])
    trained.prepare(INFO, 1, {})
    with pytest.raises(UsageError, match="--kg"):
        trained.answer([asked("你好")])
    with pytest.raises(UsageError, match="--train"):
        GroundedSystem().make_training_data(SpokenTask(), 1, None)


def test_selection_alone_learns_to_select_and_no_wording(trained: GroundedSystem, golden: Path, tmp_path: Path) -> None:
    examples = list(files.load(golden / "contract" / "valid.json"))
    world = SpokenTask().world(golden / "tiny-kg.json")
    system = GroundedSystem(RECIPE)
    system.fit_selection(examples, Run(folder=tmp_path, seed=1, worlds={world.name: world}))
    samples = [asked("鹤鸣谷的门票要多少钱？"), asked("墨石滩在哪？")]
    for one in (trained, system):
        one.prepare(INFO, 1, {"invented": INVENTED})
    assert system.select(samples) == trained.select(samples)
    assert "77元" in (system.answer(samples[:1])[0].text or "")


def test_dialogues_of_another_graph_teach_nothing(golden: Path, tmp_path: Path) -> None:
    examples = list(files.load(golden / "contract" / "valid.json"))
    talk = [one for one in examples if gold_facts(one)]
    with pytest.raises(UsageError, match="is it the graph of these dialogues"):
        GroundedSystem(RECIPE).fit(talk, [], [], Run(folder=tmp_path, seed=1, worlds={"invented": INVENTED}))

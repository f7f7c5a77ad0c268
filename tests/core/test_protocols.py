from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.protocols import Run, System, Task, TaskInfo, Trainable
from duologue.core.records import Example, Record, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator


class Silent:
    Recipe = Record
    seen = "nothing"

    def prepare(self, info: object, seed: int, worlds: object) -> None: ...

    def answer(self, samples: list[Sample]) -> list[object]:
        return []


def test_a_class_keeps_a_protocol_by_its_methods_alone() -> None:
    assert isinstance(Silent(), System)
    assert not isinstance(Silent(), Trainable)
    assert not isinstance(Silent(), Task)
    assert not isinstance(object(), System)


def test_a_task_info_offers_strict_and_official_scores_by_default() -> None:
    assert TaskInfo(name="x", version="1", language="en", answers="text").variants == ("strict", "official")


def test_a_run_is_silent_and_without_knowledge_by_default() -> None:
    run = Run(folder=Path(), seed=1)
    assert run.progress is None
    assert run.worlds == {}


def toy(**rows: list[str]) -> Any:
    """Return what looks like a task that loads examples by the name of a file: their ids, `dialogue/sample`."""

    def load(path: Path) -> Iterator[Example]:
        for name in rows[path.stem]:
            yield Example(sample=Sample(id=name, dialogue_id=name.partition("/")[0]))

    return SimpleNamespace(load=load, info=TaskInfo(name="toy", version="1", language="en", answers="text"))


def test_training_files_whose_ids_clash_are_told_apart_by_name_and_number() -> None:
    found = Task.load_training(toy(a=["x"], b=["y"]), [Path("1/a.json"), Path("b.json"), Path("2/a.json")])
    assert [one.sample.id for one in found] == ["x", "y", "a.json(3):x"]


def test_rows_are_of_the_dialogues_that_loading_gives_where_there_is_one_example_for_each(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[{}, {}, {}]", encoding="utf-8")
    for ids, dialogues in ((["d/1", "d/2", "e/1"], ["d", "d", "e"]), (["d/1", "d/2"], ["1", "2", "3"])):
        assert [row.dialogue for row in Task.rows(toy(a=ids), path).rows()] == dialogues
    path.write_text("7", encoding="utf-8")
    with pytest.raises(UsageError, match=r"task 'toy' does not say which rows of .*a\.json are one dialogue"):
        Task.rows(toy(a=["d"]), path)


def test_two_truths_of_one_sample_are_refused_where_scores_look_at_one(tmp_path: Path) -> None:
    """The second file's answer was left out in silence."""
    paths = []
    for name, right in (("a", "x"), ("b", "y")):
        paths.append(tmp_path / f"{name}.answers.json")
        row = {"dialog_id": "d1", "lst_candidate_id": [{"candidate_id": right, "rank": 1}]}
        paths[-1].write_text(json.dumps([row]), encoding="utf-8")
    restaurant = load_task("restaurant")
    assert len(restaurant.load_files(paths[:1])) == 1
    with pytest.raises(UsageError, match="sample 'd1' has 2 references, and the scores of restaurant look at one"):
        restaurant.load_files(paths)


def test_what_most_tasks_do_not_offer_is_off() -> None:
    info = TaskInfo(name="x", version="1", language="en", answers="text")
    assert (info.ordered, info.kb_beside, info.live, info.samples, info.tracks) == (False, False, False, ("all",), None)
    assert not info.one_reference
    info.expect_variant("official")
    with pytest.raises(UsageError, match="x has no variant 'offical'; did you mean 'official'"):
        info.expect_variant("offical")


def test_a_part_of_a_run_has_a_folder_of_its_own_and_a_seed_where_one_is_given() -> None:
    run = Run(folder=Path("out"), seed=7)
    assert [(one.folder.as_posix(), one.seed) for one in (run.part("a"), run.part("b", 0), run.part("c", 3))] == [
        ("out/a", 7),
        ("out/b", 0),
        ("out/c", 3),
    ]

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import FormatError, UsageError
from duologue.core.optional_protocols import Convertible
from duologue.store.graph import StoredGraph

if TYPE_CHECKING:
    from pathlib import Path


def test_dialogues_become_samples_and_gold_that_meet_again(golden: Path, tmp_path: Path) -> None:
    task = SpokenTask()
    assert isinstance(task, Convertible)
    for form in ("samples", "gold"):
        assert task.convert("dialogues", form, golden / "contract" / "valid.json", tmp_path / form, {}) == [
            tmp_path / form
        ]
    known = list(task.load(golden / "contract" / "valid.json"))
    again = task.load_files([tmp_path / "samples", tmp_path / "gold"])
    assert [(one.sample.id, one.sample.history) for one in again] == [
        (one.sample.id, one.sample.history) for one in known
    ]
    assert [one.references for one in again] == [one.references for one in known]


def test_a_graph_goes_into_a_database_and_comes_back_as_it_was(golden: Path, tmp_path: Path) -> None:
    task = SpokenTask()
    task.convert("graph", "sqlite", golden / "tiny-kg.json", tmp_path / "kg.sqlite", {})
    task.convert("sqlite", "graph", tmp_path / "kg.sqlite", tmp_path / "kg.json", {})
    assert json.loads((tmp_path / "kg.json").read_bytes()) == json.loads((golden / "tiny-kg.json").read_bytes())
    world = task.world(tmp_path / "kg.sqlite")
    assert isinstance(world, StoredGraph)
    assert list(world) == list(files.facts_in(files.read_graph(golden / "tiny-kg.json")))
    assert list(world.forms("雾港")) == ["雾港（2011年小说）", "雾港（2015年电影）"]
    world.close()


def test_a_way_that_there_is_none_is_told_with_those_that_there_are(golden: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no way from gold to samples; the ways are dialogues to gold"):
        SpokenTask().convert("gold", "samples", golden / "contract" / "valid.json", tmp_path / "out", {})
    with pytest.raises(FormatError, match="expected an object from entity"):
        SpokenTask().convert("graph", "sqlite", golden / "contract" / "valid.json", tmp_path / "out", {})
    assert not list(tmp_path.iterdir())


def test_a_database_in_the_place_of_a_graph_is_told(golden: Path, tmp_path: Path) -> None:
    task = SpokenTask()
    task.convert("graph", "sqlite", golden / "tiny-kg.json", tmp_path / "kg.sqlite", {})
    with pytest.raises(FormatError, match=r"this is an SQLite database; expected an object .*; say --from sqlite"):
        task.convert("graph", "sqlite", tmp_path / "kg.sqlite", tmp_path / "out", {})
    with pytest.raises(FormatError, match="it is an SQLite database; expected text in UTF-8"):
        task.convert("dialogues", "gold", tmp_path / "kg.sqlite", tmp_path / "out", {})


def test_a_graph_without_a_triple_is_refused(tmp_path: Path) -> None:
    """A system was asked over it, and every fact of a result was told to be unknown."""
    for text in ("{}", '{"守门人": []}'):
        (tmp_path / "kg.json").write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=r"there is no triple; give another file \[graph-empty\]"):
            SpokenTask().world(tmp_path / "kg.json")

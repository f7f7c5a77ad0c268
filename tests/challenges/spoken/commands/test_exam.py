from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.challenges.spoken.worlds import ROWS

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.simulator.exam import perfect, read_key
from duologue.challenges.spoken.task import SpokenTask
from duologue.cli.main import cli
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A file of the small world."""
    table: dict[str, list[list[str]]] = {}
    for row in ROWS:
        table.setdefault(row[0], []).append(list(row))
    path = tmp_path / "kg.json"
    path.write_text(json.dumps(table, ensure_ascii=False), encoding="utf-8")
    return path


def call(*words: object) -> str:
    result = CliRunner().invoke(cli, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.output


def test_an_exam_is_official_files_and_its_gold_is_marked_perfect(graph: Path, tmp_path: Path) -> None:
    told = call("data", "exam", graph, "--n", 3, "--seed", 1, "--out", tmp_path / "exam")
    assert "27 questions" in told
    samples, gold = (files.load(tmp_path / "exam" / name) for name in ("test.json", "gold.json"))
    assert [one.sample.id for one in samples] == [one.sample.id for one in gold]
    questions = read_key(tmp_path / "exam" / "key.json")
    world = SpokenTask().world(graph)
    result = tmp_path / "result.json"
    SpokenTask().write([], [(one.id, perfect(one, world)) for one in questions], result)
    assert "100.0 %  (27 of 27)" in call("data", "marks", tmp_path / "exam", "--pred", result)
    call("check", "spoken", result, "--input", tmp_path / "exam" / "test.json", "--kg", graph)
    scored = call("score", "spoken", result, "--gold", tmp_path / "exam" / "gold.json")
    assert re.search(r"\bf1\W+100", scored), scored


def test_noise_changes_what_is_asked_and_not_the_truth(graph: Path, tmp_path: Path) -> None:
    for name, noise in (("clean", 0), ("noisy", 1)):
        call("data", "exam", graph, "--n", 4, "--seed", 1, "--noise", noise, "--out", tmp_path / name)
    clean, noisy = tmp_path / "clean", tmp_path / "noisy"
    assert (clean / "gold.json").read_bytes() == (noisy / "gold.json").read_bytes()
    assert (clean / "test.json").read_bytes() != (noisy / "test.json").read_bytes()


def test_a_graph_without_ways_says_so(tmp_path: Path) -> None:
    path = tmp_path / "kg.json"
    path.write_text('{"一": [["一", "二", "三"]]}', encoding="utf-8")
    result = CliRunner().invoke(
        cli, ["data", "exam", str(path), "--n", "2", "--seed", "1", "--out", str(tmp_path / "e")]
    )
    assert isinstance(result.exception, UsageError)
    assert "no way of several triples" in str(result.exception)

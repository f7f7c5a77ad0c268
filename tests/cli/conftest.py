"""A small corpus made with the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Command


class Corpus(NamedTuple):
    """One generated test file with its truth and knowledge base."""

    folder: Path
    data: Path
    truth: Path
    kb: Path


@pytest.fixture(scope="session")
def corpus(duologue: Command, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    made = duologue("generate", "restaurant", "--seed", 1, "--part", "tst1", "--subtask", 5, "--n", 40, "--out", folder)
    assert made.code == 0, made.err
    data = next(folder.glob("tst1/*-tst40.json"))
    return Corpus(folder, data, data.with_name(data.name.replace(".json", ".answers.json")), folder / "extendedkb1.txt")


@pytest.fixture(scope="session")
def solved(duologue: Command, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the rule bot's result file for the corpus."""
    out = tmp_path_factory.mktemp("solved") / "solver.pred.json"
    ran = duologue("run", "restaurant", "--system", "solver", corpus.data, "--kb", corpus.kb, "--out", out)
    assert ran.code == 0, ran.err
    return out

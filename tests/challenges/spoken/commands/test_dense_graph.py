from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from duologue.challenges.spoken.task import SpokenTask
from duologue.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path


def test_a_graph_gets_distractor_triples(golden: Path, tmp_path: Path) -> None:
    out = tmp_path / "kg-dense.json"
    result = CliRunner().invoke(
        cli, ["data", "dense-graph", str(golden / "tiny-kg.json"), "--triples", "9", "--seed", "2", "--out", str(out)]
    )
    assert result.exit_code == 0, result.output
    before, after = SpokenTask().world(golden / "tiny-kg.json"), SpokenTask().world(out)
    assert set(after) > set(before)
    assert f"{len(after):,} triples of {len(after.entities):,} entities" in result.output

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.challenges.proactive.live.test_goals import graph

from duologue.challenges.proactive.formats import files
from duologue.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path


def test_goals_are_drawn_from_a_graph_and_read_as_samples(tmp_path: Path) -> None:
    source, out = tmp_path / "graph.tsv", tmp_path / "goals.jsonl"
    source.write_text("".join(f"{f.subject}\t{f.relation}\t{f.object}\n" for f in graph()), encoding="utf-8")
    result = CliRunner().invoke(cli, ["data", "goals", str(source), "--n", "100", "--seed", "3", "--out", str(out)])
    assert result.exit_code == 0, result.output
    found = files.load(out)
    assert len(found) == 18  # 12 of film and director, 6 of two films from one country
    assert "18 goals" in result.output
    assert "100 were asked for" in result.output
    words = ["data", "goals", str(source), "--n", "100", "--seed", "3", "--out", str(out)]
    out.write_text("a night's work", encoding="utf-8")
    assert "--force" in str(CliRunner().invoke(cli, words).exception)
    assert out.read_text("utf-8") == "a night's work"
    assert CliRunner().invoke(cli, [*words, "--force"]).exit_code == 0
    assert files.load(out) == found

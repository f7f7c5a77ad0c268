"""`duologue data goals`: goals with their knowledge, drawn from a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("graph", type=options.PATH)
@click.option("--n", type=options.CountNumber(min=1), default=100, show_default=True, help="How many goals.")
@click.option("--out", type=options.OUT_FILE, required=True, help="The file of samples without history to write.")
@options.force_option
@options.seed_option
def goals(*, graph: Path, n: int, out: Path, seed: int) -> None:
    """Draw goals (START, topic A, topic B, and what links them) with knowledge from GRAPH, for proactive dialogue.

    GRAPH has triples: an object of triples by entity (kg.json), a JSON triple or three cells between tabs on each line;
    or it is a session file, whose knowledge is the graph. Topics are the entities with a triple `领域`. What is written
    goes into `chat --goals`, `simulate --goals` and `talk pair --goals`.

    \b
    Examples:
      duologue data goals graph.tsv --n 50 --seed 3 --out goals.jsonl
    """
    from duologue.challenges.proactive.formats.files import write_samples
    from duologue.challenges.proactive.formats.graph_file import read_graph
    from duologue.challenges.proactive.live.goals import draw_goals
    from duologue.core.records import Example, Sample

    found = draw_goals(read_graph(graph), n, seed)
    samples = (Sample(id=one.id, dialogue_id=one.id, knowledge=one.knowledge, goal=one.goal) for one in found)
    write_samples((Example(sample=one) for one in samples), out)
    console.line(f"{len(found):,} goals with their knowledge in {out}")
    if len(found) < n:
        console.line(f"{n:,} were asked for; the graph has no more pairs of linked topics with enough knowledge")

"""`duologue data dense-graph`: a graph with distractor triples, on which selection is as hard as on a whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="dense-graph")
@click.argument("graph", type=options.PATH)
@click.option(
    "--whole", type=options.PATH, multiple=True, help="A complete graph, such as one of KdConv's; repeatable."
)
@click.option(
    "--triples", type=options.CountNumber(min=1), default=12, show_default=True, help="Triples of an entity, at least."
)
@click.option("--out", type=options.OUT_FILE, required=True, help="The graph (kg.json) to write.")
@options.force_option
@options.seed_option
def dense_graph(*, graph: Path, whole: tuple[Path, ...], triples: int, out: Path, seed: int) -> None:
    """Add distractor triples to GRAPH (kg.json) of the spoken challenge, to measure how well a system selects.

    A graph rebuilt from dialogues holds what somebody spoke of and nothing else, which makes selection easier than on
    the challenge's own. Entities of a --whole graph get all that stands there; every other one gets attributes and
    values of entities of its type. The added triples are false: use the graph for `run` and for training alone.

    \b
    Examples:
      duologue data dense-graph kg.json --whole kb_travel.json --seed 1 --out kg-dense.json
      duologue run spoken test.json --system model --kg kg-dense.json --out dense/result.json
    """
    from duologue.challenges.spoken.formats.conversions import open_graph
    from duologue.challenges.spoken.formats.files import graph_of, write_graph
    from duologue.challenges.spoken.knowledge.denser_graph import denser

    known = open_graph(graph)
    made = denser(known, [open_graph(path) for path in whole], triples=triples, seed=seed)
    write_graph(graph_of(made), out)
    console.line(
        f"{amount(len(made), 'triple')} of {amount(len(made.entities), 'entity')} in {out} "
        f"({len(known):,} of {len(known.entities):,} before)"
    )

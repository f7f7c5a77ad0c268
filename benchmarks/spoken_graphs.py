"""Measure the selection of triples on the rebuilt graph and on a denser one, and write `benchmarks/SPOKEN_GRAPHS.md`.

    python benchmarks/spoken_graphs.py --data FOLDER [--work workspace/spoken-graphs] [--folds 0 1] --write

FOLDER and folds are those of `benchmarks/spoken.py`, and so are the models of `grounded` that are in its work folder
(`--models`). Where there is none, and for each other row, what selects triples is trained, which comes to the same
selection (no wording of replies). All answer the samples of a fold on each graph; what is in `--work` is not made
again, so that folds and rows can be made one by one; after a change of the system remove it. `--mix person=0.21`
reweights the scores by domain. The denser graph is that of `duologue data dense-graph --whole kb_travel.json.gz`, seed
1. `thinned` is a selection on it among as many attributes of each entity as the rebuilt graph has. What stands in the
page behind the line `<!-- by hand -->` stays.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from duologue.challenges.spoken.knowledge.denser_graph import denser
from duologue.challenges.spoken.schema.triples import attr_of
from duologue.challenges.spoken.scoring.options import INFO
from duologue.challenges.spoken.systems.grounded.grounded import GroundedSystem
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.disk import write_text
from duologue.core.plugins import load_system
from duologue.core.protocols import Run
from duologue.core.recipe import resolve
from duologue.core.records import Fact
from duologue.core.rng import Rng
from duologue.knowledge.graph import Graph
from page_notes import by_hand
from spoken import CHALLENGE, FOLDS, GRAPH, KDCONV, Bench, Part, make_parts
from spoken import ROWS as BENCH_ROWS
from spoken_graphs_page import DENSER, REBUILT, THINNED, Selection, holds, page

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from duologue.challenges.spoken.systems.grounded.triple_choice import SelectedTriples
    from duologue.core.records import Example

ROWS: dict[str, tuple[str, ...]] = {
    "before": ("distractors=0", "encoder=none", "user_turns=false"),
    "denser training": ("encoder=none", "user_turns=false"),
    "replies alone": ("user_turns=false",),
    "grounded": (),
    "balanced": ("balance=0.5",),
}
"""Rows by name: what they set in the recipe; the first is what the others are compared with."""
PARTIAL = ("before", "denser training", "replies alone", "balanced")
"""Rows that may be made on some of the folds alone (`--some`)."""
WHOLE = "kb_travel.json.gz"


def selected(part: Part, graphs: Mapping[str, Graph], row: str, bench: Bench, work: Path) -> Selection:
    """Return what a row selects in a fold, made now or taken from the work folder."""
    seed, graph, dense = bench.seed, graphs[REBUILT], graphs[DENSER]
    path = work / "selected" / f"{part.name}-{row.replace(' ', '-')}-{part.hash[:12]}-{seed}" / "selected.json"
    training = SpokenTask().load_training(part.train)
    examples = [one for one in part.examples if gold_facts(one)]
    if not path.is_file():
        started = time.process_time()
        system = trained(part, row, training, graph, bench, path.parent)
        samples = [one.sample for one in examples]
        replies: dict[str, Any] = {}
        for name in (REBUILT, DENSER):
            system.prepare(INFO, seed, {name: graphs[name]})
            replies[name] = _replies(examples, system.select(samples))
        shuffled = {name: Rng("thinned", seed, name).shuffled(dense.relations(name)) for name in dense.entities}
        spoken = spoken_of(part.examples)
        among = [thinned(spoken[one.sample.id], graph, dense, shuffled) for one in examples]
        replies[THINNED] = _replies(examples, system.select(samples, among=among))  # over the denser graph
        write_text(path, json.dumps(replies, ensure_ascii=False))
        print(f"{row}, {part.name}: {time.process_time() - started:.0f} CPU seconds", flush=True)
    seen = {fact.subject for one in training for fact in gold_facts(one)}
    unseen = {one.sample.id for one in examples if seen.isdisjoint(fact.subject for fact in gold_facts(one))}
    return Selection(row, part.name, examples, unseen, json.loads(path.read_text("utf-8")))


def _replies(examples: Sequence[Example], chosen: Sequence[SelectedTriples]) -> dict[str, Any]:
    return {
        one.sample.id: {"message": "", "attrs": [attr_of(fact) for fact in found.facts]}
        for one, found in zip(examples, chosen, strict=True)
    }


def spoken_of(examples: Iterable[Example]) -> dict[str, set[tuple[str, str]]]:
    """Return by sample which attributes of entities its dialogue has spoken of, those that it wants itself included."""
    so_far: dict[str, set[tuple[str, str]]] = {}
    found = {}
    for one in examples:
        known = so_far.setdefault(one.sample.dialogue_id, set())
        facts = (*(one.asked.facts if one.asked is not None else ()), *gold_facts(one))
        known.update((fact.subject, fact.relation) for fact in facts)
        found[one.sample.id] = set(known)
    return found


def thinned(
    spoken: Collection[tuple[str, str]], graph: Graph, dense: Graph, shuffled: Mapping[str, Sequence[str]]
) -> Callable[[str, str], bool]:
    """Return which attributes of an entity are left: those spoken of so far, and others as they were shuffled.

    There are as many as `graph` has.
    """

    def left(name: str, relation: str) -> bool:
        if (name, relation) in spoken:
            return True
        others = [one for one in shuffled[name] if (name, one) not in spoken]
        kept = len(graph.relations(name)) - (len(dense.relations(name)) - len(others))
        return relation in others[: max(0, kept)]

    return left


def trained(part: Part, row: str, training: list[Example], graph: Graph, bench: Bench, folder: Path) -> GroundedSystem:
    """Return the system of a row, trained for a fold: that of `benchmarks/spoken.py` where that has made the same."""
    same = next((one for one in BENCH_ROWS if one.system == GroundedSystem.name and one.settings == ROWS[row]), None)
    if same is not None and bench.has_model(same, part):
        found: Any = load_system(bench.model(same, part))
        return cast("GroundedSystem", found)
    recipe: Any = resolve(GroundedSystem.Recipe, overrides=ROWS[row])
    system = GroundedSystem(recipe)
    system.fit_selection(training, Run(folder=folder, seed=bench.seed, worlds={"": graph}))
    return system


def used_in(path: Path) -> list[list[list[Fact]]]:
    """Return the facts of each turn of each dialogue of a file."""
    rows = json.loads(gzip.decompress(path.read_bytes()))
    return [[[_fact(attr) for attr in message.get("attrs", ())] for message in row["messages"]] for row in rows]


def _fact(attr: Mapping[str, Any]) -> Fact:
    return Fact(subject=attr["name"], relation=attr["attrname"], object=str(attr["attrvalue"]))


def main() -> None:
    """Read the arguments, make what is missing, print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the real files")
    parser.add_argument("--work", type=Path, default=Path("workspace/spoken-graphs"), help="folder for what is made")
    parser.add_argument("--models", type=Path, default=Path("workspace/spoken"), help="work folder of spoken.py")
    parser.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--some", type=int, nargs="+", help=f"folds of {', '.join(PARTIAL)}; else all of --folds")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--mix", nargs="+", default=["person=0.21"], metavar="DOMAIN=SHARE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the page rather than print it")
    arguments = parser.parse_args()
    graph, whole = (Graph(name, SpokenTask().world(arguments.data / name)) for name in (GRAPH, WHOLE))
    graphs = {REBUILT: graph, DENSER: denser(graph, [whole], seed=1)}
    parts = {part.name: part for part in make_parts(arguments.data, arguments.work)}
    folds = [parts[f"cv-{fold}"] for fold in arguments.folds]
    some = {f"cv-{fold}" for fold in arguments.some or arguments.folds}
    bench = Bench(arguments.data / GRAPH, arguments.models, arguments.seed)
    found = [
        selected(part, graphs, row, bench, arguments.work)
        for part in folds
        for row in arguments.rows
        if part.name in some or row not in PARTIAL
    ]
    names = (f"{CHALLENGE}.json.gz", *(f"kdconv_{domain}_dev.json.gz" for domain in KDCONV))
    lines = holds(graph, whole, [turns for name in names for turns in used_in(arguments.data / name)])
    dense = graphs[DENSER]
    others = [name for name in dense.entities if name not in whole]
    each = sum(len(dense.about(name)) for name in others) / len(others)
    lines.append(
        f"* The denser graph has {len(dense):,} triples instead of {len(graph):,}; outside travel {each:.1f} each."
    )
    mix = {domain: float(share) for domain, _, share in (one.partition("=") for one in arguments.mix)}
    text = page(found, lines, {row: ROWS[row] for row in arguments.rows}, mix, arguments.seed)
    if arguments.write:
        path = Path(__file__).with_name("SPOKEN_GRAPHS.md")
        write_text(path, text + by_hand(path))
    else:
        print(text)


if __name__ == "__main__":
    main()

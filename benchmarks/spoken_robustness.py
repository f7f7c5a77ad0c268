"""How whole systems of the spoken challenge bear noise, kind by kind: writes `SPOKEN_NOISE.md`.

    python benchmarks/spoken_robustness.py --data FOLDER [--work workspace/spoken] [--n 5] --write

KdConv's development dialogues, which are clean, `--n` of each of its three domains drawn by hash; the whole rebuilt
graph. The systems are trained on the visible challenge dialogues that have no twin there, as for KdConv's table of
`SPOKEN.md`, whose trainings in `--work` are used. Noise is laid on the user's turns alone: that of the challenge's
recogniser as it was fitted to the organisers' pairs, and each kind of the independent noise (`duologue.text.noise`),
which was fitted to no data of the challenge. What is in `--work` is not made again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.spoken.scoring.options import INFO
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import ORGANISER, SpokenTask
from duologue.core.disk import write_text
from duologue.core.noise import noise_strengths
from duologue.core.plugins import load_system
from duologue.core.records import Scoring
from duologue.metrics.counts import Counts
from duologue.run.predict import in_world
from duologue.text.noise.speech_channel import KINDS
from families import tested
from spoken import GRAPH, KDCONV, Bench, Part, Row, make_parts
from spoken_floors import FLOORS
from spoken_page import Result, report_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Answer, Example
    from duologue.knowledge.graph import Graph

PAGE = Path(__file__).with_name("SPOKEN_NOISE.md")
ROWS = (Row("first value", "first-value"), Row("pipeline", "pipeline"), Row("grounded", "grounded", kind="system"))
CLEAN = "clean"


class Channel(NamedTuple):
    """A column of the table: which kinds of noise are on, and how strong."""

    name: str
    kinds: tuple[str, ...]
    strength: float


CHANNELS = (
    Channel(CLEAN, (), 0.0),
    Channel(ORGANISER, (ORGANISER,), 1.0),
    Channel(f"{ORGANISER}, twice", (ORGANISER,), 2.0),
    *(Channel(kind, (kind,), 1.0) for kind in KINDS),
    Channel("all six", KINDS, 1.0),
    Channel("all six, twice", KINDS, 2.0),
)


def drawn(parts: Sequence[Part], n: int) -> list[Example]:
    """Return the samples with knowledge of so many dialogues of each part."""
    found = []
    for part in parts:
        names = sorted({one.sample.dialogue_id for one in part.examples}, key=_by_hash)[:n]
        found += [one for one in part.examples if one.sample.dialogue_id in names and gold_facts(one)]
    return found


def _by_hash(name: str) -> str:
    return hashlib.sha256(f"noise {name}".encode()).hexdigest()


def heard(examples: Sequence[Example], channel: Channel, seed: int) -> list[Example]:
    """Return the examples as a system hears them over a channel."""
    task = SpokenTask()
    if not channel.kinds:
        return list(examples)
    return task.noisy_examples(examples, seed=seed, strengths=noise_strengths(task, channel.kinds, channel.strength))


def replies(
    bench: Bench, row: Row, part: Part, examples: Sequence[Example], graph: Graph, folder: Path
) -> dict[str, Any]:
    """Return what a row answers over each channel, by channel; made now or taken from the folder."""
    path = folder / f"{row.system}.json"
    if not path.is_file():
        system: Any = None
        if row.system not in FLOORS:
            system = load_system(bench.model(row, part))
            system.prepare(INFO, bench.seed, {graph.name: graph})
        said: dict[str, Any] = {}
        for channel in CHANNELS:
            noisy = in_world(heard(examples, channel, bench.seed), graph)
            answers: Iterable[Answer]
            if system is None:
                answers = FLOORS[row.system](noisy, graph)
            else:
                answers = system.answer([one.sample for one in noisy])
            out = folder / row.system / channel.name.replace(" ", "-") / "result.json"
            SpokenTask().write(noisy, zip((one.sample.id for one in noisy), answers, strict=True), out)
            said[channel.name] = json.loads(out.read_text("utf-8"))
            print(f"{row.name}, {channel.name}", flush=True)
        write_text(path, json.dumps(said, ensure_ascii=False))
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def page(found: dict[str, dict[str, Any]], examples: list[Example], told: Sequence[str]) -> str:
    """Return the page: totals and F1 of each system over each channel, and what each channel costs."""
    metrics = {one.name: one for one in SpokenTask().metrics(Scoring(variant="strict"))}
    results = {
        (system, channel): Result(f"{system}, {channel}", "system", "kdconv", 0, examples, said, [], None)
        for system, by_channel in found.items()
        for channel, said in by_channel.items()
    }
    reports = {key: report_of(one, "knowledge") for key, one in results.items()}
    counts = {key: Counts.of_report(report) for key, report in reports.items()}
    lines: list[str] = []
    for score, title in (("total", "Total score"), ("f1", "F1 of the triples")):
        lines += [f"## {title}", "", f"| noise | {' | '.join(found)} |", "|---" * (len(found) + 1) + "|"]
        for channel in CHANNELS:
            values = (
                next(one.value for one in reports[system, channel.name].scores if one.name == score) for system in found
            )
            lines.append(f"| {channel.name} | {' | '.join(f'{value:.3f}' for value in values)} |")
        lines.append("")
    lines += ["## Paired tests", "", *_COST, ""]
    lines += ["| first | second | total | 95 % interval | p | F1 | p |", "|---|---|---|---|---|---|---|"]
    noisy = [channel.name for channel in CHANNELS if channel.kinds]
    keys = [((system, name), (system, CLEAN)) for system in found for name in noisy]
    if {"grounded", "pipeline"} <= found.keys():
        keys += [(("grounded", channel.name), ("pipeline", channel.name)) for channel in CHANNELS]
    outcome = tested([(counts[one], counts[other], metrics[score]) for one, other in keys for score in _TESTED])
    for place, (one, other) in enumerate(keys):
        total, f1 = outcome[2 * place], outcome[2 * place + 1]
        interval = f"{total.low:+.3f} to {total.high:+.3f}"
        cells = [f"{total.difference:+.3f}", interval, f"{total.p_adjusted:.4f}"]
        cells += [f"{f1.difference:+.3f}", f"{f1.p_adjusted:.4f}"]
        lines.append(f"| {', '.join(one)} | {', '.join(other)} | {' | '.join(cells)} |")
    return "\n".join([*told, "", *lines]) + "\n"


_TESTED = ("total", "f1")
_COST = (
    "What each noise costs a system, and `grounded` against `pipeline` under each: the first less the second;",
    "dialogues swapped whole, p of the paired randomisation test corrected as one family over the table.",
)


def head(examples: Sequence[Example], seed: int) -> list[str]:
    """Return the lines before the tables."""
    task = SpokenTask()
    dialogues = len({one.sample.dialogue_id for one in examples})
    fitted = [f"* {ORGANISER}: {task.noises[ORGANISER]}", f"* {', '.join(KINDS)}: {task.noises[KINDS[0]]}"]
    return [
        "# Spoken dialogue: whole systems under noise, kind by kind",
        "",
        "Written by `python benchmarks/spoken_robustness.py --data FOLDER --write`.",
        "",
        *(__doc__ or "").strip().splitlines()[4:],
        "",
        f"{len(examples)} samples with knowledge of {dialogues} dialogues, seed {seed}. The noises were fitted to:",
        "",
        *fitted,
        "",
        "`pipeline` corrects what it hears by an error model of the first noise; `grounded` corrects nothing, and",
        "links names that are nearly right.",
    ]


def main() -> None:
    """Read the arguments, make what is missing, print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the real files")
    parser.add_argument("--work", type=Path, default=Path("workspace/spoken"), help="folder for models and replies")
    parser.add_argument("--n", type=int, default=5, help="dialogues of each domain")
    parser.add_argument("--only", nargs="+", metavar="ROW", help="systems, by name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the page rather than print it")
    given = parser.parse_args()
    parts = [part for part in make_parts(given.data, given.work) if part.name in KDCONV]
    bench, graph = Bench(given.data / GRAPH, given.work, given.seed), SpokenTask().world(given.data / GRAPH)
    examples = drawn(parts, given.n)
    found = {}
    for row in ROWS:
        if given.only is None or row.name in given.only:
            folder = given.work / "noise" / f"{bench.trained(row, parts[0]).name}-{given.n}"
            found[row.name] = replies(bench, row, parts[0], examples, graph, folder)
    text = page(found, examples, head(examples, given.seed))
    if given.write:
        write_text(PAGE, text)
    else:
        print(text)


if __name__ == "__main__":
    main()

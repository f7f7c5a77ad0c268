"""Train the learned ranker in both regimes and measure it: time, P@1, speed.

    python benchmarks/restaurant_ranker.py --data FOLDER --models workspace/rankers

Trains what is not there yet (by `duologue train`, so that a stopped run goes on), then ranks the visible
files of both releases and, with `--simulated`, sets of our own simulator made with another seed (tst3 and
tst4 ask for a slot that no training dialogue knows). P@1 is strict: the right candidate is ranked first.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from duologue.challenges.restaurant.formats.files import example_of, load
from duologue.challenges.restaurant.knowledge.facts import read_facts
from duologue.challenges.restaurant.schema.ontology import schema_of_part
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.row_generator import simulate
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.plugins import load_system
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.protocols import System
    from duologue.core.records import Example, Fact

_SIMULATED_SEED = 4242
_KB_OF = {"tst1": 1, "tst2": 2, "tst3": 1, "tst4": 2}


def train(regime: str, folder: Path) -> float:
    """Train a regime by the command line unless its model is there; return the seconds it took, 0 if it was."""
    if (folder / "system.toml").exists():
        return 0.0
    started = time.monotonic()
    command = ("train", "restaurant", "--system", "ranker", "--set", f"regime={regime}", "--seed", "1")
    program = Path(sys.executable).with_name("duologue")
    subprocess.run([program, *command, "--quiet", "--out", folder], check=True)
    return time.monotonic() - started


def precision(system: System, facts: Sequence[Fact], examples: Sequence[Example], right: dict[str, str]) -> float:
    """Return P@1 on examples whose right candidates are given by sample id."""
    system.prepare(RestaurantTask().info, 0, {"kb": KnowledgeBase("kb", facts)})
    answers = system.answer([example.sample for example in examples])
    hits = [
        bool(answer.ranking) and cast("tuple[str, ...]", answer.ranking)[0] == right[example.sample.id]
        for example, answer in zip(examples, answers, strict=True)
    ]
    return sum(hits) / len(hits)


def real_files(data: Path) -> Iterator[tuple[str, str, list[Fact], list[Path]]]:
    """Yield release, set, facts and data files of what is there."""
    for release in ("release_a", "release_b"):
        for part, number in _KB_OF.items():
            paths = sorted((data / release / part).glob("dialog-task*-tst1000.json*"))
            if paths:
                yield release, part, read_facts(data / "kb" / f"extendedkb{number}.txt.gz"), paths


def truth_of(path: Path) -> dict[str, str]:
    """Return the right candidate of each dialogue of a data file."""
    truth = path.with_name(path.name.replace(".json", ".answers.json"))
    return {one.sample.id: _first(one) for one in load(truth)}


def _first(example: Example) -> str:
    return (example.references[0].ranking or ("",))[0]


def measure_real(system: System, data: Path) -> None:
    """Print P@1 per visible file, the mean per set, and dialogues per second (reading of files not counted)."""
    for release, part, facts, paths in real_files(data):
        scores, seconds, dialogues = [], 0.0, 0
        for path in paths:
            examples = load(path)
            right = truth_of(path)
            started = time.monotonic()
            scores.append(precision(system, facts, examples, right))
            seconds += time.monotonic() - started
            dialogues += len(examples)
        _print(f"{release} {part}", scores, dialogues / seconds)


def measure_simulated(system: System, dialogues: int) -> None:
    """Print the same for sets of our own simulator."""
    for part, number in _KB_OF.items():
        facts = make_kb(number, _SIMULATED_SEED)
        scores, seconds = [], 0.0
        for subtask in range(1, 6):
            rows = simulate(
                schema_of_part(part), facts, Generation(), subtask=subtask, part=part, style="a", n=dialogues,
                seed=_SIMULATED_SEED,
            )  # fmt: skip
            examples = [example_of(row) for row in rows]
            started = time.monotonic()
            scores.append(precision(system, facts, examples, {one.sample.id: _first(one) for one in examples}))
            seconds += time.monotonic() - started
        _print(f"simulated {part}", scores, 5 * dialogues / seconds)


def _print(name: str, scores: Sequence[float], speed: float) -> None:
    print(
        f"{name:16s}",
        *(f"{score:.4f}" for score in scores),
        f"| mean {sum(scores) / len(scores):.4f} | {speed:.0f} dialogues/s",
    )


def main() -> None:
    """Read the arguments, train, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the real files")
    parser.add_argument("--models", type=Path, required=True, help="folder for the trained models")
    parser.add_argument("--regimes", nargs="+", default=["closed", "open"])
    parser.add_argument("--simulated", type=int, default=0, help="dialogues per simulated file; 0 leaves them out")
    arguments = parser.parse_args()
    for regime in arguments.regimes:
        folder = arguments.models / regime
        seconds = train(regime, folder)
        system = load_system(folder)
        print(f"\n{regime}: trained in {seconds:.0f} s\n{'':16s} task 1 task 2 task 3 task 4 task 5")
        measure_real(system, arguments.data)
        if arguments.simulated:
            measure_simulated(system, arguments.simulated)


if __name__ == "__main__":
    main()

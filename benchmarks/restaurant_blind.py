"""How far candidates give the answer away by themselves, and how many test requests training makes too.

    python benchmarks/restaurant_blind.py --data FOLDER

FOLDER holds `release_a` and `release_b` as for `restaurant.py`. The system `medoid`, which looks at nothing but the
candidates of a sample, answers their files and simulated ones of seed 1; the end of benchmarks/RESTAURANT.md is
replaced by what it reaches.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.core.plugins import load_task, make_system
from duologue.core.recipe import resolve
from duologue.run import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Example

PAGE = Path(__file__).resolve().parent / "RESTAURANT.md"
HEADING = "\n## What the candidates alone tell\n"
CALL = "api_call"


def main() -> int:
    """Measure and write the end of the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    head = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    PAGE.write_text(head + section(options.data), encoding="utf-8")
    return 0


def section(data: Path) -> str:
    """Return the end of the page."""
    parts = sorted(path for release in ("release_a", "release_b") for path in (data / release).glob("tst*"))
    lines = [f"| {part.parent.name} {part.name} | {' | '.join(cells(part, '.json.gz'))} |" for part in parts]
    with tempfile.TemporaryDirectory() as folder:
        task = load_task("restaurant")
        for part, subtask, n in (("tst1", None, 1_000), ("train", 2, 10_000)):
            overrides = [f'part="{part}"', f"n={n}", *([] if subtask is None else [f"subtask={subtask}"])]
            recipe = resolve(task.Generation, overrides=overrides)  # type: ignore[attr-defined]  # it is Simulated
            task.generate(recipe, 1, Path(folder), workers=1, progress=None)  # type: ignore[attr-defined]  # the same
        lines.append(f"| simulated tst1 | {' | '.join(cells(Path(folder) / 'tst1', '.json'))} |")
        made = {call for path in (Path(folder) / "train").glob("*.json") for call in calls(task.load(path))}
        known = [
            f"{sum(one in made for one in asked)} of {len(asked)} in task {number}"
            for number, examples in enumerate(truths(Path(folder) / "tst1", ".json"), start=1)
            if (asked := [text for text in map(answer, examples) if text.startswith(CALL)])
        ]
    return TEXT.format(rows="\n".join(lines), known=", ".join(known))


def truths(part: Path, ending: str) -> Iterable[list[Example]]:
    """Yield the examples of each subtask, candidates put in."""
    for source in sorted(path for path in part.glob(f"*{ending}") if ".answers." not in path.name):
        truth = source.with_name(source.name.removesuffix(ending) + ".answers" + ending)
        yield list(evaluate.Truth.of(load_task("restaurant"), [truth], source).examples)


def answer(example: Example) -> str:
    """Return the text of the right candidate."""
    first = (example.references[0].ranking or ("",))[0]
    return next((one.text for one in example.sample.candidates if one.id == first), "")


def calls(examples: Iterable[Example]) -> Iterable[str]:
    """Yield the requests that dialogues make or answer with."""
    for one in examples:
        said = chain((turn.text for turn in one.sample.history), [answer(one)])
        yield from (text for text in said if text.startswith(CALL))


def cells(part: Path, ending: str) -> list[str]:
    """Return P@1 in percent per subtask, and over the rows whose answer is a request."""
    return [cell(examples) for examples in truths(part, ending)]


def cell(examples: Sequence[Example]) -> str:
    """Return P@1 over all examples and over requests."""
    said = make_system("medoid").answer([one.sample for one in examples])
    right = [
        (one.ranking or ("",))[0] == (example.references[0].ranking or ("",))[0]
        for one, example in zip(said, examples, strict=True)
    ]
    asked = [hit for hit, example in zip(right, examples, strict=True) if answer(example).startswith(CALL)]
    share = f" (requests {100 * sum(asked) / len(asked):.1f} of {len(asked)})" if asked else ""
    return f"{100 * sum(right) / len(right):.1f}{share}"


TEXT = (
    HEADING
    + """
Made by `python benchmarks/restaurant_blind.py --data FOLDER`. `medoid` looks at the candidates of a sample and at
nothing else, neither dialogue nor knowledge base, and takes the one that shares most words with the others: the wrong
requests were made by changing a slot of the right one. P@1 in percent, in brackets over the rows whose answer is an
`api_call`.

| files | task 1 | task 2 | task 3 | task 4 | task 5 |
|---|---|---|---|---|---|
{rows}

Read figures on rows that end in a request with this in mind. Simulated files share it with the real ones, where the
same construction leaves the same trace.

The first request of a simulated test dialogue is never that of a training dialogue, but an updated one may be any:
of the requests asked for in 1,000 simulated test rows each, these are made in 10,000 training rows of task 2 as well
(seed 1): {known}.
"""
)

if __name__ == "__main__":
    raise SystemExit(main())

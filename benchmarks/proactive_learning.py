"""Learning curves of the proactive baselines, to tell whether they lack data or are badly made.

    python benchmarks/proactive_learning.py --data FOLDER [--work workspace/proactive] [--published] [--write]

FOLDER, the scored part and what is kept below `--work` are those of `proactive.py`. A baseline is trained on a quarter,
a half and all of the whole sessions, and on these with the partial ones, for (nearly) the same number of steps each:
a quarter of the data is gone through four times as often. What is left of a training that was stopped goes on.
`--passes` says how often all whole sessions are gone through; `--published` trains the generative baseline as it was
published, too. The page is written with `--write`, with the rows that are there.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.formats import files
from duologue.core.disk import write_text
from duologue.core.recipe import to_table
from duologue.run.systems import recipe_of
from learning_curves import Place, learning_curves
from page_notes import by_hand
from proactive_rows import WHOLE, Row, hash_of, interval, make, make_data, write_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.records import Score
    from proactive_rows import Data, Result

SHARES = {"a quarter of the sessions": 4, "half of the sessions": 2}
"""Regime -> the part of the whole sessions, as one of so many."""
PASSES = {"matcher": 3, "postks": 14}
"""Baseline -> how often all whole sessions are gone through: as often as its own recipe does, `matcher` a quarter."""
PUBLISHED = Row("postks as published", "postks", WHOLE, ("precision=bfloat16", "threads=1"), recipe="postks-published")
"""The hyper-parameters of the released program, to the end of its epochs."""
FLOORS = ("template", "nearest")
"""What is shown beside the baselines; neither is trained."""
PAGE = Path(__file__).with_name("PROACTIVE_LEARNING.md")
PICTURE = PAGE.with_name("pictures") / "proactive_learning.svg"


class Made(NamedTuple):
    """A row that is there, and how much data it is of."""

    result: Result
    turns: int

    def score(self, name: str) -> Score:
        """Return an official score."""
        return next(one for one in self.result.official.scores if one.name == name)


def with_parts(data: Data, work: Path, seed: int) -> Data:
    """Return the data with the smaller regimes: sessions drawn by seed, each part within the next larger one."""
    rows = files.read_rows(data.train[WHOLE][0], "session")
    order = list(range(len(rows)))
    Random(seed).shuffle(order)
    train, sizes, hashes = dict(data.train), dict(data.sizes), dict(data.hashes)
    for regime, one_of in SHARES.items():
        path = work / "data" / f"train-1-of-{one_of}.jsonl"
        drawn = sorted(order[: len(order) // one_of])
        write_rows(path, [rows[number] for number in drawn])
        train[regime], sizes[regime] = (path,), len(files.load(path))
        hashes[regime] = hash_of(path.read_bytes())
    return data._replace(train=train, sizes=sizes, hashes=hashes)


def rows_of(data: Data, passes: Mapping[str, int]) -> list[Row]:
    """Return the rows: every baseline on every regime, from little data to much, for the same number of steps."""
    regimes = sorted(data.sizes, key=data.sizes.__getitem__)
    rows = [Row(name, name, regime) for name in FLOORS for regime in regimes]
    for system, often in passes.items():
        for regime in regimes:
            epochs = max(1, round(often * data.sizes[WHOLE] / data.sizes[regime]))
            settings: tuple[str, ...] = (f"epochs={epochs}",)
            if system == "postks":
                first = min(max(1, round(epochs / 7)), epochs - 1)  # the share of its own recipe, never all
                settings += (f"bow_epochs={first}",)
            rows.append(Row(system, system, regime, (*settings, "threads=1")))
    return rows


def page(data: Data, made: list[Made], passes: Mapping[str, int]) -> str:
    """Return the page: what was trained on what, and its scores."""
    scored = len({one.sample.dialogue_id for one in data.examples})
    often = ", ".join(f"`{name}` {number}" for name, number in passes.items())
    lines = [
        "# Proactive baselines: more data, or other programs?",
        "",
        "Made by `python benchmarks/proactive_learning.py --data FOLDER --published --write`, seed 1. Scored are the",
        f"{len(data.examples):,} agent turns of {scored} visible sessions of [PROACTIVE.md](PROACTIVE.md), with the",
        "official formulas; in brackets 95 % intervals by dialogue. The parts of the whole sessions lie within each",
        f"other. Every training has about as many steps as so many passes over all whole sessions have: {often}.",
        "The baselines' authors had 19,858 sessions; there are 1,000 here, and partial ones of the test files beside",
        "them, which is why these figures must not stand beside published ones. CPU minutes are those of training.",
        "",
        f"![Learning curves](pictures/{PICTURE.name})",
        "",
        "| system | training data | agent turns | passes | F1 | BLEU-2 | DISTINCT-1 | DISTINCT-2 | CPU minutes |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in made:
        row = one.result.row
        epochs = next((word.partition("=")[2] for word in row.settings if word.startswith("epochs=")), "-")
        if row.recipe:
            epochs = str(_published_epochs(row))
        cells = [row.name, row.regime, f"{one.turns:,}", epochs, interval(one.score("f1"), 100, 1)]
        cells += [interval(one.score(name), 1, 3) for name in ("bleu-2", "distinct-1", "distinct-2")]
        training = one.result.costs.get("train")
        cells.append(f"{training['cpu'] / 60:.0f}" if training else "-")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _published_epochs(row: Row) -> int:
    recipe = recipe_of(row.system, Path(row.recipe), row.settings)
    return int(to_table(recipe)["epochs"])


def picture(data: Data, made: list[Made]) -> str:
    """Return the curves of F1 as an SVG file."""
    curves: dict[str, list[Place]] = {}
    for one in made:
        if one.result.row.recipe:
            continue  # one place is no curve
        score = one.score("f1")
        low, high = (score.value if end is None else end for end in (score.low, score.high))
        share = round(100 * one.turns / data.sizes[WHOLE])
        curves.setdefault(one.result.row.name, []).append(Place(share, score.value, low, high))
    axis = f"training data; 100 % are {data.sizes[WHOLE]:,} agent turns of whole sessions"
    return learning_curves("Proactive baselines, F1", curves, unit=100, step=0.1, axis=axis)


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the real files")
    parser.add_argument("--work", type=Path, default=Path("workspace/proactive"), help="folder for models and replies")
    parser.add_argument("--passes", nargs="+", default=[], metavar="SYSTEM=N", help="other lengths of training")
    parser.add_argument("--only", nargs="+", default=[], help="systems that are trained")
    parser.add_argument("--published", action="store_true", help="train the generative baseline as published, too")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and its picture")
    arguments = parser.parse_args()
    passes = PASSES | {name: int(number) for name, _, number in (one.partition("=") for one in arguments.passes)}
    if unknown := sorted({*passes, *arguments.only} - set(PASSES) - set(FLOORS)):
        parser.error(f"systems here are {', '.join(PASSES)}; found {', '.join(unknown)}")
    data = with_parts(make_data(arguments.data, arguments.work, 500, 1), arguments.work, 1)
    made = []
    for row in (*rows_of(data, passes), PUBLISHED):
        wanted = not arguments.only or row.system in {*arguments.only, *FLOORS}
        wanted = wanted and (row is not PUBLISHED or arguments.published)
        if (result := make(row, data, arguments.work, 1, wanted=wanted)) is not None:
            made.append(Made(result, data.sizes[row.regime]))
    text = page(data, made, passes)
    print(text)
    if arguments.write:
        write_text(PAGE, text + by_hand(PAGE))
        write_text(PICTURE, picture(data, made))


if __name__ == "__main__":
    main()

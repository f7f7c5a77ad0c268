"""The generative baseline as it was published, on all visible sessions: writes `PROACTIVE_PUBLISHED.md`.

    python benchmarks/proactive_published.py --data FOLDER [--work workspace/proactive_published] [--write]

FOLDER holds the real files. All 1,500 sessions are training data, so what is scored comes from the official test files:
they hold the beginnings of sessions, from which most agent turns can be read, and are of other pairs of topics. A
training that was stopped goes on; what is there is not made again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.systems import holdout
from duologue.core.disk import write_text
from page_notes import by_hand
from proactive_rows import Data, Result, Row, hash_of, interval, make, write_rows, write_samples

VISIBLE = "all visible sessions"
"""The regime of training data."""
SCORED, HELD_OUT = 500, 150
"""Sessions of the test files that are scored, and by which training chooses."""
ROWS = (
    Row("template", "template", VISIBLE),
    Row("nearest", "nearest", VISIBLE),
    Row("matcher", "matcher", VISIBLE, ("threads=1",)),
    Row("postks as published", "postks", VISIBLE, ("precision=bfloat16", "threads=1"), recipe="postks-published"),
)
"""The published hyper-parameters to the end of their epochs, and what stands beside them."""
PAGE = Path(__file__).with_name("PROACTIVE_PUBLISHED.md")


def make_visible(folder: Path, work: Path, seed: int) -> Data:
    """Write the files: all visible sessions to learn from, and sessions of the test files, drawn by seed.

    A session of the test files is one whose agent turns are known in part; one about topics of a visible session is
    left out.
    """
    whole, partial = folder / "duconv_dev_visible.jsonl.gz", folder / "duconv_test_prefixes.jsonl.gz"
    taken = {holdout.pair_of(one.sample) for one in files.load(whole)}
    others = [one for one in files.load(partial) if holdout.pair_of(one.sample) not in taken]
    rest, scored = holdout.carve(others, SCORED, seed)
    _, chosen_by = holdout.carve(rest, HELD_OUT, seed)
    paths = {name: work / "data" / f"{name}.jsonl" for name in ("train", "held-out", "gold", "samples")}
    write_rows(paths["train"], files.read_rows(whole, "session"))
    sessions = files.read_rows(partial, "session")
    for name, examples in (("gold", scored), ("held-out", chosen_by)):
        drawn = {one.sample.dialogue_id for one in examples}
        write_rows(paths[name], (row for row in sessions if row["id"] in drawn))
    write_samples(paths["samples"], files.read_rows(paths["gold"], "session"))
    return Data(
        train={VISIBLE: (paths["train"],)},
        gold=paths["gold"],
        samples=paths["samples"],
        examples=files.load(paths["gold"]),
        sizes={VISIBLE: len(files.load(paths["train"]))},
        hashes={VISIBLE: hash_of(paths["train"].read_bytes())},
        held_out=(paths["held-out"],),
    )


def page(data: Data, made: list[Result]) -> str:
    """Return the page: what was trained on what, and its scores."""
    sessions = len({one.sample.dialogue_id for one in data.examples})
    lines = [
        "# The generative proactive baseline as published, on all visible sessions",
        "",
        "Made by `python benchmarks/proactive_published.py --data FOLDER --write`, seed 1. Trained on the",
        f"{data.sizes[VISIBLE]:,} agent turns of all 1,500 visible sessions. Scored are the {len(data.examples):,}",
        f"agent turns of {sessions} sessions of the official test files, as far as the histories there tell them;",
        f"training chooses among its checks by {HELD_OUT} other ones. No pair of topics is on two of these sides.",
        "Official formulas, with 95 % intervals by dialogue; CPU minutes are those of training.",
        "",
        "| system | F1 | BLEU-1 | BLEU-2 | DISTINCT-1 | DISTINCT-2 | CPU minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in made:
        scores = {score.name: score for score in one.official.scores}
        cells = [one.row.name, interval(scores["f1"], 100, 1)]
        cells += [interval(scores[name], 1, 3) for name in ("bleu-1", "bleu-2", "distinct-1", "distinct-2")]
        training = one.costs.get("train")
        cells.append(f"{training['cpu'] / 60:.0f}" if training else "-")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the arguments, make what is missing, print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the real files")
    parser.add_argument("--work", type=Path, default=Path("workspace/proactive_published"), help="models and replies")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    data = make_visible(arguments.data, arguments.work, 1)
    made = [make(row, data, arguments.work, 1, wanted=True) for row in ROWS]
    text = page(data, [one for one in made if one is not None])
    print(text)
    if arguments.write:
        write_text(PAGE, text + by_hand(PAGE))


if __name__ == "__main__":
    main()

"""Does the planner tell what users ask for? Facts asked for and told, and scores, with `answers` always and never.

    python benchmarks/proactive_answers.py --data FOLDER [--work workspace/proactive_answers]

FOLDER holds the real files. A planner learns from visible sessions beside 300 others, which are scored; both answer
with the same weights. Prints a table for `docs/challenges/proactive.md`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.systems import holdout
from duologue.challenges.proactive.systems.planner.user_turn import asked_facts
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.plugins import load_system
from duologue.core.records import Scoring
from proactive_rows import write_rows, write_samples

SCORED, LEARNED = 300, 660
"""Sessions."""
WAYS, SHOWN = ("always", "never"), ("f1", "bleu-2", "distinct-2")


def main() -> None:
    """Train once, answer in both ways, count and score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the real files")
    parser.add_argument("--work", type=Path, default=Path("workspace/proactive_answers"), help="model and replies")
    chosen = parser.parse_args()
    whole, work = chosen.data / "duconv_dev_visible.jsonl.gz", chosen.work
    _, part = holdout.carve(files.load(whole), SCORED, 1)
    aside = {one.sample.dialogue_id for one in part}
    rows = files.read_rows(whole, "session")
    gold = [row for row in rows if row["id"] in aside]
    write_rows(work / "train.jsonl", [row for row in rows if row["id"] not in aside][:LEARNED])
    write_rows(work / "gold.jsonl", gold)
    write_samples(work / "samples.jsonl", gold)
    program, model = Path(sys.executable).with_name("duologue"), work / "model"
    if not (model / "system.toml").is_file():
        words = ["--train", work / "train.jsonl", "--set", "threads=1", "--seed", "1", "--out", model, "--quiet"]
        subprocess.run([program, "train", "proactive", "--system", "planner", *map(str, words)], check=True)
    task, examples = ProactiveTask(), files.load(work / "gold.jsonl")
    asked = [(place, fact) for place, one in enumerate(examples) for fact in asked_facts(one.sample)]
    print(f"{len(files.load(work / 'train.jsonl')):,} replies learned from, {len(examples):,} scored")
    print("| answers | facts asked for | told | F1 | BLEU-2 | DISTINCT-2 |\n|---|---|---|---|---|---|")
    for way in WAYS:
        system: Any = load_system(model)
        system.recipe = msgspec.structs.replace(system.recipe, answers=way)
        system.prepare(task.info, 1, {})
        replies = [answer.text or "" for answer in system.answer([one.sample for one in examples])]
        files.write_lines([f"{reply}\n" for reply in replies], work / f"{way}.txt")
        report = task.score(examples, task.read(work / f"{way}.txt"), Scoring(variant="official"))
        scores = {one.name: one.value for one in report.scores}
        right = sum(fact.is_told_by(replies[place]) for place, fact in asked)
        cells = [way, str(len(asked)), str(right), *(f"{scores[name]:.4f}" for name in SHOWN)]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

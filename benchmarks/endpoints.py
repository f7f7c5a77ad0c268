"""Write `benchmarks/ENDPOINTS.md`: local chat models on all tasks, ways of ranking, and what other programs add.

    python benchmarks/endpoints.py --data FOLDER --weights MODEL.gguf [--weights OTHER.gguf] [--n 24] [--rank 40]

FOLDER has the folders `conversation`, `proactive` and `spoken` of the other benchmarks. Each model is served on the
loopback by xllamacpp (extra `llm`); nothing is downloaded. What was asked stays below `--work`: a second run asks only
what is not there. Sections of the page that other programs write, between their marks, stay as they are.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.core.disk import write_text
from endpoint_page import page
from endpoint_rankings import told_labels
from endpoint_tasks import BASELINES, bookings, rows_of, task_samples
from local_engine import serving

if TYPE_CHECKING:
    from endpoint_rankings import ToldLabels
    from endpoint_tasks import TaskRow

PAGE = Path(__file__).with_name("ENDPOINTS.md")


def main() -> None:
    """Ask what is not there yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, action="append", required=True)
    parser.add_argument("--n", type=int, default=24, help="Samples of each task.")
    parser.add_argument("--rank", type=int, default=40, help="Samples whose candidates are ranked.")
    parser.add_argument("--only", nargs="*", choices=("tasks", "rankings"), default=("tasks", "rankings"))
    parser.add_argument("--page", action="store_true", help="Ask nothing: write the page of what is there.")
    parser.add_argument("--work", type=Path, default=Path("workspace/endpoints"))
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    told: dict[str, list[ToldLabels]] = {}
    for weights in given.weights:
        with nullcontext("") if given.page else serving(weights) as url:
            if "tasks" in given.only:
                asked({weights.stem: url}, given.data, given.work, given.n)
            if "rankings" in given.only:
                examples, _ = bookings(given.work / "data")
                kept = given.work / f"{weights.stem}.labels.jsonl"
                told[weights.stem] = told_labels(url, examples[: given.rank], kept)
    models = {weights.stem: "" for weights in given.weights}
    tables = asked(models, given.data, given.work, given.n) if "tasks" in given.only else []
    before = given.out.read_text(encoding="utf-8") if given.out.is_file() else ""
    write_text(given.out, page(before, tables, {model: rows for model, rows in told.items() if rows}, given.n))


def asked(models: dict[str, str], data: Path, work: Path, n: int) -> list[list[TaskRow]]:
    """Return the rows of all tasks."""
    return [rows_of(name, task_samples(name, data, work, n), models, work / f"tasks-{n}") for name in BASELINES]


if __name__ == "__main__":
    main()

"""A short form of the demo with an installed wheel: run as `python docs/wheel_check.py FOLDER` where it is installed.

The demo itself trains a ranker, for which the extra `models` is needed; this is what the core alone does.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Simulate, rank, check, score, and make a page and a board; raise where a step fails."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    duologue = Path(sys.executable).parent / "duologue"
    data = "data/tst1/dialog-task1API-kb1_atmosphere-distr0.5-tst50.json"
    truth = data.replace(".json", ".answers.json")
    steps = [
        "--version",
        "list",
        "generate restaurant --part tst1 --subtask 1 --n 50 --out data --quiet",
        *(
            step
            for system, kb in (("solver", " --kb data/extendedkb1.txt"), ("tfidf", ""))
            for step in (
                f"run restaurant {data}{kb} --system {system} --out results/{system}.json",
                f"check restaurant results/{system}.json --input {data}",
                f"score restaurant results/{system}.json --gold {truth} --out {system}.report.json",
            )
        ),
        "board solver.report.json tfidf.report.json --out report.html",
        f"board restaurant results --gold {truth} --out board.html",
    ]
    (folder / "results").mkdir()
    for step in steps:
        print(f"$ duologue {step}", flush=True)  # noqa: T201  # what a releaser watches
        subprocess.run([duologue, *step.split()], cwd=folder, check=True)  # noqa: S603  # our own command
    return 0


if __name__ == "__main__":
    sys.exit(main())

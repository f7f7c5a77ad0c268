"""Train and score all systems of the proactive challenge and write `benchmarks/PROACTIVE.md`.

    python benchmarks/proactive.py --data FOLDER [--work workspace/proactive] [--only planner matcher]

FOLDER holds `duconv_dev_visible.jsonl.gz` (whole sessions) and `duconv_test_prefixes.jsonl.gz` (partial sessions). 500
of the whole sessions, chosen by `--part-seed` so that no pair of topics is on both sides, are what is scored; partial
sessions about their pairs are left out too. Systems see neither.

Every training, its replies and its costs stay below `--work` in a folder named by the hash of system, recipe, seed and
data: a second run makes only what is not there, and a stopped training goes on. After a change of a system's code
remove its folders. With `--only` the other rows are shown as far as they are there. What stands in the file behind the
line `<!-- by hand -->` stays. The texts of ten dialogues and of 50 bad replies are written to `dialogues.md` and
`errors.md` below `--work`; the page has their scores and kinds alone, since the dialogues are not ours to publish.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.disk import write_text
from duologue.core.plugins import load_system
from page_notes import by_hand
from proactive_errors import dialogues_text, errors_text
from proactive_page import page, to_analyse, to_read
from proactive_rows import PARTIAL, ROWS, WHOLE, make, make_data

if TYPE_CHECKING:
    from duologue.core.records import Sample

_LATENCY_SAMPLES = 200


def latency(model: Path, samples: Path) -> dict[str, float]:
    """Return how long single answers of a loaded model take, in milliseconds."""
    system = load_system(model)
    asked = [one.sample for one in files.load(samples)]
    step = max(1, len(asked) // _LATENCY_SAMPLES)
    system.prepare(ProactiveTask.info, 1, {})
    system.answer(asked[:3])  # what is loaded at the first answer counts as loading
    times = sorted(_milliseconds(system, sample) for sample in asked[::step])
    return {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)]}


def _milliseconds(system: Any, sample: Sample) -> float:
    started = time.monotonic()
    system.answer([sample])
    return 1000 * (time.monotonic() - started)


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with the real files")
    parser.add_argument("--work", type=Path, default=Path("workspace/proactive"), help="folder for models and replies")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("PROACTIVE.md"))
    parser.add_argument("--only", nargs="+", default=[], help="systems that are made (names of registered systems)")
    parser.add_argument("--regime", choices=[WHOLE, PARTIAL], help="make rows of this training data only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part-size", type=int, default=500, help="sessions that are scored")
    parser.add_argument("--part-seed", type=int, default=1)
    parser.add_argument("--latency", nargs=2, type=Path, metavar=("MODEL", "SAMPLES"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.latency:
        print(json.dumps(latency(*arguments.latency)))
        return
    if arguments.data is None:
        parser.error("--data FOLDER is needed")
    unknown = set(arguments.only) - {row.system for row in ROWS}
    if unknown:
        parser.error(f"--only knows {', '.join(sorted({row.system for row in ROWS}))}; found {', '.join(unknown)}")
    data = make_data(arguments.data, arguments.work, arguments.part_size, arguments.part_seed)
    results = []
    for row in ROWS:
        wanted = (not arguments.only or row.system in arguments.only) and arguments.regime in {None, row.regime}
        result = make(row, data, arguments.work, arguments.seed, wanted=wanted)
        if result is not None:
            results.append(result)
            text = page(data, results, arguments.seed, arguments.part_seed)
            write_text(arguments.out, text + by_hand(arguments.out))
            read, analysed = to_read(results), to_analyse(results)
            write_text(arguments.work / "dialogues.md", dialogues_text(data.examples, read, arguments.seed))
            write_text(arguments.work / "errors.md", errors_text(data.examples, analysed, arguments.seed))
    print(f"{len(results)} of {len(ROWS)} rows in {arguments.out}")


if __name__ == "__main__":
    main()

"""Train and score all systems of the proactive challenge and write `benchmarks/PROACTIVE.md`.

    python benchmarks/proactive.py --data FOLDER [--work workspace/proactive] [--only planner matcher]

FOLDER holds `duconv_dev_visible.jsonl.gz` (whole sessions) and `duconv_test_prefixes.jsonl.gz` (partial sessions). 500
of the whole sessions, chosen by `--part-seed` so that no pair of topics is on both sides, are what is scored; partial
sessions about their pairs are left out too. Systems see neither.

Every training, its replies and its costs stay below `--work` in a folder named by the hash of system, recipe, seed and
data: a second run makes only what is not there, and a stopped training goes on. After a change of a system's code
remove its folders. With `--only` the other rows are shown as far as they are there. What stands in the file behind the
line `<!-- by hand -->` stays.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive import convert, files, holdout
from duologue.challenges.proactive.slicing import cuts_of
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.disk import write_text
from duologue.core.plugins import load_system, load_system_class
from duologue.core.recipe import recipe_hash, resolve
from duologue.core.records import Scoring
from duologue.metrics.counts import Counts
from duologue.metrics.significance import holm, paired_tests
from proactive_floors import FLOORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Example, Report, Sample
    from duologue.metrics.significance import Paired

WHOLE, PARTIAL = "sessions", "sessions + partial"
"""The two regimes of training data."""


class Row(NamedTuple):
    """One line of the table."""

    name: str
    system: str
    """A registered system, or one of `FLOORS`."""
    regime: str
    settings: tuple[str, ...] = ()
    """What `--set` gets in training."""
    kind: str = "baseline"
    """`baseline`, `system`, or `ablation` of the system of the same regime."""


ROWS = (
    Row("template", "template", WHOLE),
    Row("nearest", "nearest", WHOLE),
    Row("matcher", "matcher", WHOLE, ("threads=2",)),
    Row("postks", "postks", WHOLE, ("threads=2",)),
    Row("planner", "planner", WHOLE, ("threads=2",), "system"),
    Row("planner, no knowledge", "planner", WHOLE, ("threads=2", "knowledge=false"), "ablation"),
    Row("planner, no goal", "planner", WHOLE, ("threads=2", "goal=false"), "ablation"),
    Row("planner, no copy", "planner", WHOLE, ("threads=2", "copy=false"), "ablation"),
    Row("planner, no re-ranking", "planner", WHOLE, ("threads=2", "rerank=false"), "ablation"),
    Row("nearest", "nearest", PARTIAL),
    Row("matcher", "matcher", PARTIAL, ("threads=2",)),
    Row("postks", "postks", PARTIAL, ("threads=2", "epochs=8")),
    Row("planner", "planner", PARTIAL, ("threads=2",), "system"),
)

_SCORES = ("f1", "bleu-1", "bleu-2", "distinct-1", "distinct-2")
_LATENCY_SAMPLES = 200
_BY_HAND = "<!-- by hand -->"
_RESAMPLES = 10_000


class Data(NamedTuple):
    """The files made for this benchmark."""

    train: dict[str, tuple[Path, ...]]
    """By regime."""
    gold: Path
    """The sessions that are scored."""
    samples: Path
    """Their samples, without replies."""
    examples: list[Example]
    sizes: dict[str, int]
    """Agent turns per regime."""
    hashes: dict[str, str]
    """Of the training files, per regime."""


class Result(NamedTuple):
    """What a row came to."""

    row: Row
    official: Report
    strict: Report
    replies: list[str]
    costs: dict[str, Any]


def make_data(folder: Path, work: Path, part_size: int, seed: int) -> Data:
    """Put `part_size` sessions aside and write the files that systems are trained on and answer."""
    whole = folder / "duconv_dev_visible.jsonl.gz"
    _, part = holdout.carve(files.load(whole), part_size, seed)
    aside = {one.sample.dialogue_id for one in part}
    pairs = {holdout.pair_of(one.sample) for one in part}
    rows = files.read_rows(whole, "session")
    partial = files.read_rows(folder / "duconv_test_prefixes.jsonl.gz", "session")
    scored = [row for row in rows if row["id"] in aside]
    paths = {name: work / "data" / f"{name}.jsonl" for name in ("train", "partial", "gold", "samples")}
    _write(paths["train"], (row for row in rows if row["id"] not in aside))
    _write(paths["partial"], (row for row in partial if tuple(sorted(row["goal"][0][1:])) not in pairs))
    _write(paths["gold"], scored)
    _write(paths["samples"], (_unanswered(sample) for row in scored for sample in convert.samples_of(row)))
    train = {WHOLE: (paths["train"],), PARTIAL: (paths["train"], paths["partial"])}
    counted = {path: len(files.load(path)) for path in train[PARTIAL]}
    return Data(
        train=train,
        gold=paths["gold"],
        samples=paths["samples"],
        examples=files.load(paths["gold"]),
        sizes={regime: sum(counted[path] for path in of) for regime, of in train.items()},
        hashes={regime: _hash(*(path.read_bytes() for path in of)) for regime, of in train.items()},
    )


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_lines(map(files.row_line, rows), path)


def _unanswered(sample: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in sample.items() if key != "response"}


def _hash(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def make(row: Row, data: Data, work: Path, seed: int, *, wanted: bool) -> Result | None:
    """Return the result of a row, made now where it is not there; `None` where it is neither there nor wanted."""
    if row.system in FLOORS:
        name = [row.system, _hash(Path(__file__).with_name("proactive_floors.py").read_bytes())]
    else:
        recipe = resolve(load_system_class(row.system).Recipe, overrides=row.settings)
        name = [row.system, recipe_hash(recipe)]
    samples = _hash(data.samples.read_bytes())
    key = _hash(json.dumps([*name, seed, data.hashes[row.regime], samples]).encode())
    folder = work / "rows" / f"{row.system}-{key[:12]}"
    if not (folder / "costs.json").is_file():
        if not wanted:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{row.name} ({row.regime}): {folder}", flush=True)
        costs = _floor(row, data, folder) if row.system in FLOORS else _trained(row, data, folder, seed)
        write_text(folder / "costs.json", json.dumps(costs) + "\n")
    task = ProactiveTask()
    submission = task.read(folder / "replies.txt")
    return Result(
        row,
        task.score(data.examples, submission, Scoring(variant="official")),
        task.score(data.examples, submission, Scoring(variant="strict")),
        (folder / "replies.txt").read_text(encoding="utf-8").splitlines(),
        json.loads((folder / "costs.json").read_text(encoding="utf-8")),
    )


def _floor(row: Row, data: Data, folder: Path) -> dict[str, Any]:
    training = [one for path in data.train[row.regime] for one in files.load(path)]
    samples = files.load(data.samples)
    started, cpu = time.monotonic(), time.process_time()
    replies = FLOORS[row.system](training, [one.sample for one in samples])
    costs = {"run": {"wall": time.monotonic() - started, "cpu": time.process_time() - cpu}}
    write_text(folder / "replies.txt", "".join(f"{reply}\n" for reply in replies))
    return costs


def _trained(row: Row, data: Data, folder: Path, seed: int) -> dict[str, Any]:
    """Train, answer and time single answers; return wall and CPU seconds, memory, and latencies."""
    program, model = Path(sys.executable).with_name("duologue"), folder / "model"
    given = [word for path in data.train[row.regime] for word in ("--train", path)]
    settings = [word for one in row.settings for word in ("--set", one)]
    start = (program, "train", "proactive", "--system", row.system, *given, *settings, "--seed", seed, "--out", model)
    costs: dict[str, Any] = {"train": _timed(folder / "train.costs.json", start)}
    replies = ("--input", data.samples, "--out", folder / "replies.txt", "--seed", seed, "--quiet")
    costs["run"] = _timed(folder / "run.costs.json", (program, "run", "proactive", "--system", model, *replies))
    command = (sys.executable, __file__, "--latency", model, data.samples)
    single = subprocess.run(
        list(map(str, command)), check=True, stdout=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    return costs | {"latency": json.loads(single.stdout)}


def _timed(note: Path, command: Sequence[object]) -> dict[str, float]:
    """Run a command and return its costs, those of earlier attempts that were stopped included."""
    costs = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {"wall": 0.0, "cpu": 0.0, "mb": 0.0}
    started = time.monotonic()
    process = subprocess.Popen(list(map(str, command)))
    status = 1
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        _, status, usage = os.wait4(process.pid, 0)  # the terminal has told it as well
        raise
    finally:
        costs["wall"] += time.monotonic() - started
        costs["cpu"] += usage.ru_utime + usage.ru_stime
        costs["mb"] = max(costs["mb"], usage.ru_maxrss / 1024)
        write_text(note, json.dumps(costs) + "\n")
    if status:
        raise SystemExit(f"failed with status {os.waitstatus_to_exitcode(status)}: {' '.join(map(str, command))}")
    return dict(costs)


def latency(model: Path, samples: Path) -> dict[str, float]:
    """Return how long single answers of a loaded model take, in milliseconds."""
    system = load_system(model).system
    asked = [one.sample for one in files.load(samples)]
    step = max(1, len(asked) // _LATENCY_SAMPLES)
    system.prepare(ProactiveTask.brief, 1, {})
    system.answer(asked[:3])  # what is loaded at the first answer counts as loading
    times = sorted(_milliseconds(system, sample) for sample in asked[::step])
    return {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)]}


def _milliseconds(system: Any, sample: Sample) -> float:
    started = time.monotonic()
    system.answer([sample])
    return 1000 * (time.monotonic() - started)


def page(data: Data, results: Sequence[Result], seed: int, part_seed: int) -> str:
    """Return the page: scores, turns, tests, costs."""
    dialogues = len({one.sample.dialogue_id for one in data.examples})
    sizes = ", ".join(f"`{regime}` {size:,} agent turns" for regime, size in data.sizes.items())
    head = f"""# Proactive dialogue: all systems on the visible development part

Made by `python benchmarks/proactive.py --data FOLDER`, seed {seed}. Scored are the {len(data.examples):,} agent turns
of {dialogues} visible sessions that share no pair of topics with the training data (chosen by seed {part_seed}).
Training data: {sizes}.
Systems trained with partial sessions, which come from the competition's test files, must not be compared with published
figures on those files.
"""
    parts = {
        "Scores": (
            _scores_table(results),
            """Official formulas: F1 in percent, the others as fractions; in brackets 95 % intervals, dialogues drawn
whole. Knowledge F1 and goal completion (0 to 2) are ours.""",
        ),
        "By turn": (
            _turns_table(data, results),
            """F1, DISTINCT-1 and DISTINCT-2 of the agent's first, second, ... turn. DISTINCT falls with the number of
replies: compare it down a column only.""",
        ),
        "Paired tests": (
            _tests_table(results),
            f"""F1 of the first against the second, dialogues drawn whole; p of the paired randomisation test
({_RESAMPLES:,} draws), corrected by Holm over this table.""",
        ),
        "Costs": (
            _costs_table(results),
            """Wall and CPU seconds of `duologue train` and of `duologue run` over all samples, start included;
milliseconds per reply on one core after loading.""",
        ),
    }
    return head + "".join(f"\n## {name}\n\n{text}\n\n{_joined(lines)}\n" for name, (lines, text) in parts.items())


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _named(row: Row) -> str:
    return f"{row.name} | {row.regime}"


def _scores_table(results: Sequence[Result]) -> list[str]:
    lines = [
        "| system | training data | F1 | BLEU-1 | BLEU-2 | DISTINCT-1 | DISTINCT-2 | knowledge F1 | goal |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        found = {score.name: score for score in (*one.strict.scores, *one.official.scores)}
        cells = []
        for name in _SCORES:
            score, scale, digits = found[name], 100 if name == "f1" else 1, 2 if name == "f1" else 3
            low, high = (scale * (end if end is not None else score.value) for end in (score.low, score.high))
            cells.append(f"{scale * score.value:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})")
        cells.append(f"{100 * found['knowledge-f1'].value:.1f}")
        cells.append(f"{2 * found['goal-completion'].value:.2f}")
        lines.append(f"| {_named(one.row)} | {' | '.join(cells)} |")
    return lines


def _turns_table(data: Data, results: Sequence[Result]) -> list[str]:
    turns = cuts_of(data.examples, "turn")
    people = [(one.references[0].text or "") for one in data.examples]
    heads = " | ".join(f"turn {turn} (n {len(places)})" for turn, places in turns.items())
    lines = [
        f"| system | training data | {heads} |",
        f"|---|---|{'---|' * len(turns)}",
    ]
    for one in results:
        f1 = {part.value: part.scores[0].value for part in one.official.slices if part.by == "turn"}
        cells = (f"{100 * f1[turn]:.1f} / {_distinct(one.replies, at)}" for turn, at in turns.items())
        lines.append(f"| {_named(one.row)} | {' | '.join(cells)} |")
    cells = (_distinct(people, at) for at in turns.values())
    lines.append(f"| people | - | {' | '.join(cells)} |")
    return lines


def _distinct(replies: Sequence[str], places: Sequence[int]) -> str:
    """Return DISTINCT-1 and -2 of some replies as `eval.py` computes them."""
    found = []
    for n in (1, 2):
        words = [replies[place].strip().split(" ") for place in places]
        grams = ["".join(of[at : at + n]) for of in words for at in range(len(of) - n + 1)]
        found.append(f"{len(set(grams)) / max(1, len(grams)):.3f}")
    return " / ".join(found)


def _tests_table(results: Sequence[Result]) -> list[str]:
    (metric,) = (one for one in ProactiveTask().metrics(Scoring(variant="official")) if one.name == "f1")
    tests: list[tuple[Result, Result, Paired]] = []
    for one in (result for result in results if result.row.kind == "system"):
        for other in (result for result in results if result.row.kind != "system"):
            if other.row.regime == one.row.regime or other.row.system == "template":
                first, second = (Counts.of_report(result.official) for result in (one, other))
                (found,) = paired_tests(first, second, [metric], seed=0, resamples=_RESAMPLES)
                tests.append((one, other, found))
    lines = ["| first | second | training data | difference | 95 % interval | p |", "|---|---|---|---|---|---|"]
    corrected = holm([found.p_randomisation for *_, found in tests])
    for (one, other, found), p in zip(tests, corrected, strict=True):
        cells = (one.row.name, other.row.name, one.row.regime, f"{100 * found.difference:+.2f}")
        lines.append(f"| {' | '.join(cells)} | {100 * found.low:+.2f} to {100 * found.high:+.2f} | {p:.4f} |")
    return lines


def _costs_table(results: Sequence[Result]) -> list[str]:
    lines = [
        "| system | training data | settings | training: wall | CPU | MB | answering: wall | CPU | p50 ms | p95 ms |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    train = {"wall": 0.0, "cpu": 0.0}
    for one in results:
        costs = one.costs
        cells = [f"{costs['train'][part]:.0f}" if "train" in costs else "-" for part in ("wall", "cpu", "mb")]
        cells += [f"{costs['run'][part]:.0f}" for part in ("wall", "cpu")]
        cells += [f"{costs['latency'][part]:.0f}" if "latency" in costs else "-" for part in ("p50", "p95")]
        lines.append(f"| {_named(one.row)} | {' '.join(one.row.settings) or '-'} | {' | '.join(cells)} |")
        for part in train:
            train[part] += costs.get("train", train | {part: 0.0})[part]
    total = f"{train['wall'] / 60:.0f} min | {train['cpu'] / 60:.0f} min"
    return [*lines, f"| all trainings | | | {total} | | | | | |"]


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
            write_text(
                arguments.out, page(data, results, arguments.seed, arguments.part_seed) + _by_hand(arguments.out)
            )
    print(f"{len(results)} of {len(ROWS)} rows in {arguments.out}")


def _by_hand(path: Path) -> str:
    """Return what a person wrote in the file, with the line before it."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return f"\n{_BY_HAND}{text.partition(_BY_HAND)[2]}" if _BY_HAND in text else ""


if __name__ == "__main__":
    main()

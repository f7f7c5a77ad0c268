"""The rows of the table of proactive systems: what is trained on what, and what is kept of it below the work folder."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from costs import timed
from duologue.challenges.proactive.formats import files, model_text
from duologue.challenges.proactive.systems import holdout
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.disk import write_text
from duologue.core.recipe import recipe_hash
from duologue.core.records import Scoring
from duologue.run.systems import recipe_of
from proactive_floors import FLOORS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.records import Example, Report, Score

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
    recipe: str = ""
    """One of the system's recipes by name; empty: its defaults."""


_NONE_GENERATED = ("generator.beam=0", "generator.drawn=0", "own_variety=0.012")  # the best price for own words then

ROWS = (
    Row("template", "template", WHOLE),
    Row("nearest", "nearest", WHOLE),
    Row("matcher", "matcher", WHOLE, ("threads=1",)),
    Row("postks", "postks", WHOLE),
    Row("planner", "planner", WHOLE, ("threads=1",), "system"),
    Row("planner, no knowledge", "planner", WHOLE, ("threads=1", "knowledge=false"), "ablation"),
    Row("planner, no goal", "planner", WHOLE, ("threads=1", "goal=false"), "ablation"),
    Row("planner, no copy", "planner", WHOLE, ("threads=1", "copy=false"), "ablation"),
    Row("planner, no re-ranking", "planner", WHOLE, ("threads=1", "rerank=false"), "ablation"),
    Row("planner, no generated replies", "planner", WHOLE, ("threads=1", *_NONE_GENERATED), "ablation"),
    Row("nearest", "nearest", PARTIAL),
    Row("matcher", "matcher", PARTIAL, ("threads=1",)),
    Row("postks", "postks", PARTIAL, ("epochs=4", "bow_epochs=1")),
    Row("planner", "planner", PARTIAL, ("threads=1",), "system"),
    Row("planner, no generated replies", "planner", PARTIAL, ("threads=1", *_NONE_GENERATED), "ablation"),
)


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
    held_out: tuple[Path, ...] = ()
    """What training chooses by; empty: a part of the training data that the system puts aside itself."""


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
    write_rows(paths["train"], (row for row in rows if row["id"] not in aside))
    write_rows(paths["partial"], (row for row in partial if tuple(sorted(row["goal"][0][1:])) not in pairs))
    write_rows(paths["gold"], scored)
    write_samples(paths["samples"], scored)
    train = {WHOLE: (paths["train"],), PARTIAL: (paths["train"], paths["partial"])}
    counted = {path: len(files.load(path)) for path in train[PARTIAL]}
    return Data(
        train=train,
        gold=paths["gold"],
        samples=paths["samples"],
        examples=files.load(paths["gold"]),
        sizes={regime: sum(counted[path] for path in of) for regime, of in train.items()},
        hashes={regime: hash_of(*(path.read_bytes() for path in of)) for regime, of in train.items()},
    )


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write sessions, a line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_lines(map(files.row_line, rows), path)


def write_samples(path: Path, sessions: Iterable[dict[str, Any]]) -> None:
    """Write the samples of sessions, without replies."""
    write_rows(path, (_unanswered(sample) for row in sessions for sample in model_text.samples_of(row)))


def _unanswered(sample: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in sample.items() if key != "response"}


def hash_of(*parts: bytes) -> str:
    """Return the hash of parts that cannot flow into each other where none has a zero byte."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def make(row: Row, data: Data, work: Path, seed: int, *, wanted: bool) -> Result | None:
    """Return the result of a row, made now where it is not there; `None` where it is neither there nor wanted."""
    if row.system in FLOORS:
        name = [row.system, hash_of(Path(__file__).with_name("proactive_floors.py").read_bytes())]
    else:
        named = Path(row.recipe) if row.recipe else None
        name = [row.system, recipe_hash(recipe_of(row.system, named, row.settings))]
    asked = [data.samples, *data.held_out]
    samples = hash_of(*(path.read_bytes() for path in asked))
    key = hash_of(json.dumps([*name, seed, data.hashes[row.regime], samples]).encode())
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


def interval(score: Score, scale: int, digits: int) -> str:
    """Return a score and its interval as a cell of a table."""
    low, high = (scale * (score.value if end is None else end) for end in (score.low, score.high))
    return f"{scale * score.value:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


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
    given += [word for path in data.held_out for word in ("--held-out", path)]
    settings = [word for one in row.settings for word in ("--set", one)]
    settings += ["--recipe", row.recipe] if row.recipe else []
    start = (program, "train", "proactive", "--system", row.system, *given, *settings, "--seed", seed, "--out", model)
    costs: dict[str, Any] = {"train": timed(folder / "train.costs.json", start)}
    replies = (data.samples, "--out", folder / "replies.txt", "--seed", seed, "--quiet")
    costs["run"] = timed(folder / "run.costs.json", (program, "run", "proactive", "--system", model, *replies))
    command = (sys.executable, Path(__file__).with_name("proactive.py"), "--latency", model, data.samples)
    single = subprocess.run(
        list(map(str, command)), check=True, stdout=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    return costs | {"latency": json.loads(single.stdout)}

"""What training and answering cost, per system: writes benchmarks/COSTS.md.

    python benchmarks/system_costs.py --data FOLDER --write [--only ranker-open]

A system that learns is trained by `duologue train` in one thread, on as little data as its line says, and every row
answers dialogues one by one in a process of its own. Restaurant and MobileCS train on generated dialogues; FOLDER holds
`proactive`, `spoken` and `conversation` as those benchmarks take them, without it their rows are left as they are. What
is measured is kept in `--work`; a row that was not measured there stays as the page has it, and one that never was is
named at its end. Rankers that `restaurant.py` trained are not trained again.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from costs import timed
from duologue.core.disk import write_text
from duologue.core.plugins import load_system, load_task, make_system
from page_notes import BY_HAND, by_hand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duologue.core.protocols import System

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "COSTS.md"
WORK = ROOT / "workspace" / "costs"
RANKERS = ROOT / "workspace" / "benchmark"
PROGRAM = Path(sys.executable).with_name("duologue")
ONE = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
ASKED = 60


class Material(NamedTuple):
    """What a task's systems are trained and asked on."""

    train: tuple[object, ...]
    """Words of `duologue train` that name the data."""
    samples: Path
    world: Path | None = None


class Row(NamedTuple):
    """One system, as it is trained here."""

    name: str
    task: str
    system: str
    budget: str
    settings: tuple[str, ...] = ()
    tried: str = ""
    """What was tried to make it cheaper, and the page with its full size."""
    learns: bool = True


SMALL = {
    "mobilecs/extraction": "84 generated calls",
    "mobilecs/dialogue": "84 generated calls",
    "proactive": "150 sessions",
    "spoken": "100 dialogues",
    "conversation": "1,500 dialogues",
}
ROWS = (
    *(Row(name, "restaurant", name, "nothing", (), "`RESTAURANT.md`", learns=False)
      for name in ("random", "tfidf", "medoid", "solver")),
    Row("memn2n", "restaurant", "memn2n", "all: 6,000 simulated dialogues per subtask", (),
        "kept: distinct turns of a batch summed once, fused optimiser. `RESTAURANT.md`"),
    Row("hcn", "restaurant", "hcn", "all: the same", (),
        "kept: distinct turns of a batch summed once, fused optimiser. `RESTAURANT.md`"),
    Row("ranker-closed", "restaurant", "ranker", "all: 6,000 simulated dialogues per subtask", ("regime=closed",),
        "kept: as the next row. `RESTAURANT.md`"),
    Row("ranker-open", "restaurant", "ranker", "all: the same in 601 schemas", ("regime=open",),
        "kept: each knowledge base indexed once and not fifteen times (same bytes; 4.4 to 1.1 s of a small corpus), "
        "utterances reduced without padding, categories as one product, cheaper dropout, fused optimiser "
        "(together 62 to 48 ms a step). `RESTAURANT.md`"),
    Row("rule-agent", "mobilecs/dialogue", "rule-agent", "nothing", (), "`MOBILECS_DIALOGUE.md`", learns=False),
    *(Row(name, task, name, SMALL[task], (), f"`{page}`") for name, task, page in (
        ("extractor", "mobilecs/extraction", "MOBILECS_EXTRACTION.md"),
        ("extractor-pipeline", "mobilecs/extraction", "MOBILECS_EXTRACTION.md"),
        ("agent", "mobilecs/dialogue", "MOBILECS_DIALOGUE.md"),
        ("agent-baseline", "mobilecs/dialogue", "MOBILECS_DIALOGUE.md"),
        ("planner", "proactive", "PROACTIVE.md"),
        ("matcher", "proactive", "PROACTIVE.md"),
        ("postks", "proactive", "PROACTIVE.md"),
        ("grounded", "spoken", "SPOKEN.md"),
        ("pipeline", "spoken", "SPOKEN.md"),
        ("retriever", "conversation", "CONVERSATION.md"),
        ("copy", "conversation", "CONVERSATION.md"),
        ("lstm", "conversation", "CONVERSATION.md"),
    )),
)  # fmt: skip


def main() -> int:
    """Measure what is missing, print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with proactive, spoken and conversation")
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--only", nargs="*", help="names of rows; none: nothing is measured")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--latency", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.latency:
        task, name, told = options.latency
        system = load_system(Path(name)) if (Path(name) / "system.toml").is_file() else make_system(name)
        print(json.dumps(latency(task, system, Material((), *map(Path, json.loads(told))))))
        return 0
    for row in ROWS:
        if options.only is None or row.name in options.only:
            measure(row, options.data, options.work)
    paths = {row.name: kept(row, options.work) for row in ROWS}
    found = {name: json.loads(path.read_text("utf-8")) for name, path in paths.items() if path.is_file()}
    text = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    made = page(found, earlier(text.partition(BY_HAND)[0])) + by_hand(PAGE)
    if options.write:
        write_text(PAGE, made)
    else:
        print(made)
    return 0


def kept(row: Row, work: Path) -> Path:
    """Return where the figures of a row are."""
    return work / row.name / "figures.json"


def measure(row: Row, data: Path | None, work: Path) -> None:
    """Train a system and time it, unless its figures are there."""
    folder, path = work / row.name, kept(row, work)
    if path.is_file():
        return
    topic = row.task.partition("/")[0]
    if topic in READERS and data is None:
        return
    print(f"{row.name}: measured in {folder}", flush=True)
    made = work / "data" / row.task.replace("/", "-")
    made.mkdir(parents=True, exist_ok=True)
    material = READERS[topic](made, data / topic) if data and topic in READERS else GENERATED[row.task](made)
    model, note = folder / "model", folder / "train.costs.json"
    if row.task == "restaurant" and (RANKERS / f"{row.name}.costs.json").is_file():
        model, note = RANKERS / row.name, RANKERS / f"{row.name}.costs.json"
    folder.mkdir(parents=True, exist_ok=True)
    if row.learns and not (model / "system.toml").is_file():
        sets = [word for one in row.settings for word in ("--set", one)]
        timed(note, [*called("train", row.task, "--system", row.system), *material.train, *sets, "--out", model], **ONE)
    told = json.dumps([str(one) for one in material[1:] if one is not None])
    command = [sys.executable, __file__, "--latency", row.task, str(model) if row.learns else row.system, told]
    answered = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ | ONE)
    figures = json.loads(answered.stdout)
    if row.learns:
        figures["train"] = json.loads(note.read_text("utf-8"))
        figures["bytes"] = sum(one.stat().st_size for one in model.rglob("*") if one.is_file())
    write_text(path, json.dumps(figures) + "\n")


def called(*words: str) -> list[object]:
    """Return a command line of the program."""
    return [PROGRAM, *words, *(("--seed", "1", "--quiet") if words[0] == "train" else ())]


def latency(task_name: str, system: System, material: Material) -> dict[str, float]:
    """Return milliseconds of processor time of single answers, and the megabytes of the process that gave them."""
    import resource

    task = load_task(task_name)
    world = task.world(material.world) if material.world else None  # type: ignore[attr-defined]  # it is Grounded
    system.prepare(task.info, 1, {world.name: world} if world else {})
    asked = [one.sample for one in task.load(material.samples)]
    asked = asked[:: max(1, len(asked) // ASKED)][:ASKED]
    system.answer(asked[:3])  # what is loaded at the first answer is no part of an answer
    times = sorted(milliseconds(partial(system.answer, [sample])) for sample in asked)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)], "n": len(times), "mb": peak}


def milliseconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    began = time.process_time()
    call()
    return 1000 * (time.process_time() - began)


# --------------------------------------------------------------------------------------------- material


def generated_calls(folder: Path) -> Path:
    """Return the folder of generated operator calls."""
    words = ("--seed", "1", "--n", "120", "--set", "profile=crowd", "--set", "argument_rate=0.4")
    if not (folder / "track2").is_dir():
        made = called("generate", "mobilecs", *words, "--set", "unlabelled_ratio=0", "--out", str(folder), "--quiet")
        subprocess.run(list(map(str, made)), check=True)
    return folder


def extraction(folder: Path) -> Material:
    """Return generated calls of track 1."""
    calls = generated_calls(folder) / "labelled"
    files = ("--train", calls / "train.json", "--held-out", calls / "dev.json", "--external", "none")
    return Material(files, calls / "test.json")


def dialogue(folder: Path) -> Material:
    """Return generated calls of track 2."""
    calls = generated_calls(folder) / "track2"
    return Material(("--train", calls / "train.json", "--held-out", calls / "dev.json"), calls / "test.json")


def restaurant(folder: Path) -> Material:
    """Return a simulated file of whole dialogues; rankers make their own training data."""
    words = ("--seed", "4243", "--part", "tst1", "--subtask", "5", "--n", "100", "--out", str(folder), "--quiet")
    if not (folder / "extendedkb1.txt").is_file():
        subprocess.run(list(map(str, called("generate", "restaurant", *words))), check=True)
    samples = next(one for one in (folder / "tst1").glob("*.json") if ".answers." not in one.name)
    return Material((), samples, folder / "extendedkb1.txt")


def proactive(folder: Path, data: Path) -> Material:
    """Return the first sessions of the visible ones; others are asked about."""
    with gzip.open(data / "duconv_dev_visible.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = list(itertools.islice(lines, 170))
    write_text(folder / "train.jsonl", "".join(rows[:150]))
    write_text(folder / "asked.jsonl", "".join(rows[150:]))
    return Material(("--train", folder / "train.jsonl"), folder / "asked.jsonl")


def spoken(folder: Path, data: Path) -> Material:
    """Return the first of the challenge's visible dialogues; others are asked about."""
    rows = json.loads(gzip.decompress((data / "challenge_valid_visible.json.gz").read_bytes()))
    write_text(folder / "train.json", json.dumps(rows[:100], ensure_ascii=False))
    write_text(folder / "asked.json", json.dumps(rows[100:120], ensure_ascii=False))
    graph = data / "kg_rebuilt_visible.json.gz"
    return Material(("--train", folder / "train.json", "--kg", graph), folder / "asked.json", graph)


def conversation(folder: Path, data: Path) -> Material:
    """Return the first dialogues of the tweets; others are asked about."""
    text = gzip.decompress((data / "twitter_care" / "expected_dialogs.txt.gz").read_bytes()).decode("utf-8")
    blocks = [f"{one.strip()}\n\n" for one in text.split("\n\n") if one.strip()]
    write_text(folder / "train.txt", "".join(blocks[:1500]))
    asked = [f"{one.rsplit(chr(10) + 'S: ', 1)[0].rstrip()}\nS_REF: {one.rsplit(chr(10) + 'S: ', 1)[1]}" for one in
             blocks[-60:] if "\nS: " in one]  # fmt: skip
    write_text(folder / "asked.txt", "".join(f"{one.strip()}\n\n" for one in asked))
    return Material(("--train", folder / "train.txt"), folder / "asked.txt")


GENERATED = {"restaurant": restaurant, "mobilecs/extraction": extraction, "mobilecs/dialogue": dialogue}
READERS = {"proactive": proactive, "spoken": spoken, "conversation": conversation}


def earlier(text: str) -> dict[str, str]:
    """Return the lines of the page's table, by the names of their rows."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and line.count("`") > 1]
    return {line.split("`")[1]: line for line in lines}


def page(found: dict[str, dict[str, Any]], before: Mapping[str, str]) -> str:
    """Return the page; `before` has the lines of rows that were measured elsewhere."""
    lines, missing = [], []
    for row in ROWS:
        if row.name not in found:
            if row.name in before:
                lines.append(before[row.name])
            else:
                missing.append(f"`{row.name}`")
            continue
        one = found[row.name]
        train = f"{one['train']['cpu']:,.0f} | {one['train']['mb']:,.0f}" if row.learns else "- | -"
        size = f"{one['bytes'] / 1e6:.1f}" if row.learns else "-"
        lines.append(
            f"| {row.task} | `{row.name}` | {row.budget} | {train} | {one['p50']:.1f} | {one['p95']:.1f} "
            f"| {one['mb']:,.0f} | {size} | {row.tried} |"
        )
    left = f"\nNot measured yet: {', '.join(missing)}.\n" if missing else ""
    return TEXT.format(rows="\n".join(lines), left=left, asked=ASKED)


TEXT = """# What training and answering cost

Made by `python benchmarks/system_costs.py --data FOLDER --write`. One thread, processor seconds (the two cores were
shared with other programs, so wall clock times would say little), peak memory of the process. `given` is what the
system learned from here: where it is a small part of the data, costs grow with it, and the page in the last column has
the full size. Answers: up to {asked} dialogues one by one after three to warm up, milliseconds of processor time. A
model is all files of its folder. The last column is what was tried to make it cheaper, where that was measured, and
the page of the system.

| task | system | given | training: s | MB | an answer: p50 ms | p95 ms | MB | model: MB | tried, see |
|---|---|---|---|---|---|---|---|---|---|
{rows}
{left}"""

if __name__ == "__main__":
    raise SystemExit(main())

"""Train and score the systems of the spoken challenge and write `benchmarks/SPOKEN.md`.

    python benchmarks/spoken.py --data FOLDER [--work workspace/spoken] [--only grounded pipeline] [--parts cv-0]

FOLDER holds the visible challenge dialogues with their index, KdConv's development dialogues and the rebuilt graph.
Two settings: `cv` is 5-fold cross-validation by dialogue over the challenge dialogues, trained on the other folds and
on KdConv's development dialogues without the twins of the fold that is scored; `film`, `music` and `travel` are
KdConv's development dialogues, trained on the challenge dialogues that have no twin among them.

Every training and its replies stay below `--work` in folders named by the hash of system, recipe, seed and data: a
second run makes only what is not there, a stopped training goes on, and KdConv's parts share one training. After a
change of a system's code remove its folders. The page shows what is there, so folds and rows can be made one by one.
What stands in it behind the line `<!-- by hand -->` stays. Ten dialogues with the replies of `grounded` are written to
`--work`, not to the page.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from costs import timed
from duologue.challenges.spoken.schema.triples import attr_of
from duologue.challenges.spoken.scoring.options import INFO
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.disk import write_text
from duologue.core.plugins import load_system, load_system_class
from duologue.core.recipe import recipe_hash, resolve
from page_notes import by_hand
from spoken_floors import FLOORS, ORACLES
from spoken_graph import enlarged
from spoken_page import Result, dialogues, page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Example

FOLDS = 5
KDCONV = ("film", "music", "travel")
CHALLENGE = "challenge_valid_visible"
GRAPH = "kg_rebuilt_visible.json.gz"
_LATENCY_SAMPLES = 150


class Row(NamedTuple):
    """One line of a table."""

    name: str
    system: str
    """A registered system, one of `FLOORS`, or one of `ORACLES`, which are told a part of the truth."""
    settings: tuple[str, ...] = ()
    """What `--set` gets in training."""
    kind: str = "baseline"
    """`baseline`, `system`, or `ablation` of the system."""


ROWS = (
    Row("first value", "first-value"),
    Row("pipeline", "pipeline"),
    Row("grounded", "grounded", kind="system"),
    Row("grounded, exact linking", "grounded", ("linking=exact",), "ablation"),
    Row("grounded, told the entity", "gold-entity", kind="ablation"),
    Row("grounded, told the triples", "gold-knowledge", kind="ablation"),
)


class Part(NamedTuple):
    """Dialogues that are scored together, and what a system that answers them is trained on."""

    name: str
    train: tuple[Path, ...]
    samples: Path
    """In the form of test.json."""
    examples: list[Example]
    trained: str
    """Hash of what is trained on."""
    hash: str
    """Hash of that and the samples."""


def make_parts(folder: Path, work: Path) -> list[Part]:
    """Write the training and sample files of all parts below `work`."""
    rows = _read(folder / f"{CHALLENGE}.json.gz")
    index = _read(folder / f"{CHALLENGE}_index.json.gz")
    twins = [{(one["domain"], one["index"]) for one in row["kdconv_twin"] if one["split"] == "dev"} for row in index]
    names = [f"kdconv_{domain}_dev.json.gz" for domain in KDCONV]
    kdconv = {domain: _read(folder / name) for domain, name in zip(KDCONV, names, strict=True)}
    fold_of = {at: place % FOLDS for place, at in enumerate(sorted(range(len(rows)), key=_draw))}
    parts = []
    for fold in range(FOLDS):
        apart = set().union(*(twins[at] for at in fold_of if fold_of[at] == fold))
        train = {CHALLENGE: [row for at, row in enumerate(rows) if fold_of[at] != fold]}
        for domain, dialogues_of in kdconv.items():
            train[domain] = [row for at, row in enumerate(dialogues_of) if (domain, at) not in apart]
        scored = {at: row for at, row in enumerate(rows) if fold_of[at] == fold}
        parts.append(_part(f"cv-{fold}", train, scored, work))
    alone = {CHALLENGE: [row for at, row in enumerate(rows) if not twins[at]]}
    parts += [_part(domain, alone, dict(enumerate(found)), work) for domain, found in kdconv.items()]
    return parts


def _read(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def _draw(at: int) -> str:
    return hashlib.sha256(f"fold {at}".encode()).hexdigest()


def _part(name: str, train: dict[str, list[Any]], scored: dict[int, Any], work: Path) -> Part:
    folder = work / "data" / name
    paths = tuple(folder / f"train-{source}.json" for source in train)
    for path, rows in zip(paths, train.values(), strict=True):
        _write(path, rows)
    _write(folder / "scored.json", list(scored.values()))
    examples = [
        _renamed(example, f"{name.partition('-')[0]}-{list(scored)[int(example.sample.dialogue_id)]}")
        for example in _loaded(folder / "scored.json")
    ]
    samples = {one.sample.id: [{"message": turn.text} for turn in one.sample.history] for one in examples}
    _write(folder / "samples.json", samples)
    texts = [path.read_bytes() for path in paths]
    whole = _hash(*texts, (folder / "samples.json").read_bytes())
    return Part(name, paths, folder / "samples.json", examples, _hash(*texts), whole)


def _loaded(path: Path) -> Iterable[Example]:
    """Return the examples of a file of dialogues, the dialogues numbered from 0."""
    places: dict[str, int] = {}
    for example in SpokenTask().load(path):
        place = places.setdefault(example.sample.dialogue_id, len(places))
        yield _renamed(example, str(place))


def _renamed(example: Example, dialogue: str) -> Example:
    name = f"{dialogue}#{len(example.sample.history)}"
    sample = msgspec.structs.replace(example.sample, id=name, dialogue_id=dialogue)
    return msgspec.structs.replace(example, sample=sample)


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)


def _hash(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


class Bench(NamedTuple):
    """Where everything is and how it is made."""

    graph: Path
    work: Path
    seed: int

    def folder(self, row: Row, part: Part) -> Path:
        """Return the folder of a row's replies on a part."""
        return self.work / "rows" / f"{row.system}-{part.name}-{self._key(row, part.hash)}"

    def trained(self, row: Row, part: Part) -> Path:
        """Return the folder of a row's training for a part: parts with the same training data share it.

        An oracle uses the model of the system itself.
        """
        system = "grounded" if row.system in ORACLES else row.system
        return self.work / "trained" / f"{system}-{self._key(row, part.trained)}"

    def _key(self, row: Row, data: str) -> str:
        system = "grounded" if row.system in ORACLES else row.system
        if system in FLOORS:
            name = [system, _hash(Path(__file__).with_name("spoken_floors.py").read_bytes())]
        else:
            name = [system, recipe_hash(resolve(load_system_class(system).Recipe, overrides=row.settings))]
        return _hash(json.dumps([*name, self.seed, data, _hash(self.graph.read_bytes())]).encode())[:12]

    def has_model(self, row: Row, part: Part) -> bool:
        """Return whether a row's training for a part is done."""
        return (self.trained(row, part) / "costs.json").is_file()

    def model(self, row: Row, part: Part) -> Path:
        """Return the trained model of a row, made now where it is not there."""
        folder = self.trained(row, part)
        model, done = folder / "model", folder / "costs.json"
        if not self.has_model(row, part):
            folder.mkdir(parents=True, exist_ok=True)
            print(f"{row.name}, trained for {part.name}: {folder}", flush=True)
            settings = [word for one in row.settings for word in ("--set", one)]
            train = (_program(), "train", "spoken", "--system", row.system, "--train", *part.train)
            command = (*train, *self._common(), *settings, "--out", model)
            write_text(done, json.dumps(timed(folder / "train.costs.json", command, OMP_NUM_THREADS="1")) + "\n")
        return model

    def _common(self) -> tuple[object, ...]:
        return ("--kg", self.graph, "--seed", self.seed, "--quiet")

    def make(self, row: Row, part: Part, *, wanted: bool) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return replies and costs of a row on a part, made now where wanted; `None` where they are not there."""
        folder = self.folder(row, part)
        if not (folder / "costs.json").is_file():
            if not wanted:
                return None
            folder.mkdir(parents=True, exist_ok=True)
            print(f"{row.name}, {part.name}: {folder}", flush=True)
            costs = (
                self._simple(row, part, folder) if row.system in {*FLOORS, *ORACLES} else self._run(row, part, folder)
            )
            write_text(folder / "costs.json", json.dumps(costs) + "\n")
        return json.loads((folder / "result.json").read_text("utf-8")), json.loads((folder / "costs.json").read_text())

    def _simple(self, row: Row, part: Part, folder: Path) -> dict[str, Any]:
        world = SpokenTask().world(self.graph)
        started, cpu = time.monotonic(), time.process_time()
        if row.system in FLOORS:
            answers = FLOORS[row.system](part.examples, world)
        else:
            model = self.trained(row, part) / "model"
            if not model.is_dir():
                raise SystemExit(f"'{row.name}' needs the model of 'grounded' on {part.name}; make that first")
            system: Any = load_system(model)
            system.prepare(INFO, self.seed, {world.name: world})
            answers = ORACLES[row.system](system, part.examples, world, model)
        named = zip((one.sample.id for one in part.examples), answers, strict=True)
        SpokenTask().write(part.examples, named, folder / "result.json")
        return {"run": {"wall": time.monotonic() - started, "cpu": time.process_time() - cpu, "mb": 0.0}}

    def _run(self, row: Row, part: Part, folder: Path) -> dict[str, Any]:
        """Train where that is not done, and answer; return wall and CPU seconds and memory of both."""
        model = self.model(row, part)
        run = (_program(), "run", "spoken", part.samples, "--system", model, *self._common())
        return {
            "train": json.loads((self.trained(row, part) / "costs.json").read_text("utf-8")),
            "run": timed(folder / "run.costs.json", (*run, "--out", folder / "result.json"), OMP_NUM_THREADS="1"),
        }


def _program() -> Path:
    return Path(sys.executable).with_name("duologue")


def latency(model: Path, samples: Path, graph: Path) -> dict[str, float]:
    """Return how long single answers of a model take over the graph enlarged to 38,000 entities, in milliseconds.

    Also the seconds it takes to index that graph. On one core: the caller sets the threads.
    """
    system: Any = load_system(model)
    world = enlarged(SpokenTask().world(graph), entities=38_000, facts=500_000, seed=1)
    started = time.monotonic()
    system.prepare(INFO, 1, {world.name: world})
    asked = [one.sample for one in SpokenTask().load(samples)]
    system.answer(asked[:3])  # what is made at the first answer counts as getting ready
    prepare_lexicon = time.monotonic() - started
    step = max(1, len(asked) // _LATENCY_SAMPLES)
    times = []
    for sample in asked[1::step]:
        begun = time.monotonic()
        system.answer([sample])
        times.append(1000 * (time.monotonic() - begun))
    times.sort()
    return {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)], "ready": prepare_lexicon}


def measured(bench: Bench, row: Row, part: Part, *, wanted: bool) -> dict[str, float] | None:
    """Return the latency of a row's model, measured once in a process of its own."""
    folder = bench.folder(row, part)
    path = folder / "latency.json"
    if not path.is_file():
        model = bench.trained(row, part) / "model"
        if not wanted or not model.is_dir():
            return None
        command = (sys.executable, __file__, "--latency", model, part.samples, bench.graph)
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, env=os.environ | threads)
        write_text(path, done.stdout.decode())
    found: dict[str, float] = json.loads(path.read_text("utf-8"))
    return found


def gold_of(examples: Sequence[Example]) -> dict[str, list[dict[str, Any]]]:
    """Return the wanted triples by sample id."""
    return {one.sample.id: [attr_of(fact) for fact in gold_facts(one)] for one in examples}


def results_of(bench: Bench, parts: Sequence[Part], wanted: set[tuple[str, str]]) -> list[Result]:
    """Return what every row came to in each setting, over the folds that are there."""
    found = []
    for row in ROWS:
        settings: dict[str, list[Part]] = {}
        for part in parts:
            settings.setdefault(part.name.partition("-")[0], []).append(part)
        for setting, group in settings.items():
            if setting != "cv" and row.kind == "ablation":
                continue
            made = [(part, bench.make(row, part, wanted=(row.name, part.name) in wanted)) for part in group]
            there = [(part, one) for part, one in made if one is not None]
            if not there:
                continue
            examples = [example for part, _ in there for example in part.examples]
            replies = {name: reply for _, (result, _) in there for name, reply in result.items()}
            costs = [cost for _, (_, cost) in there]
            timed = None
            if row.kind != "ablation" and row.system not in FLOORS and there[0][0].name == "cv-0":
                timed = measured(bench, row, there[0][0], wanted=(row.name, "cv-0") in wanted)
            folds = len(there) if setting == "cv" else 0
            found.append(Result(row.name, row.kind, setting, folds, examples, replies, costs, timed))
    return found


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with the real files")
    parser.add_argument("--work", type=Path, default=Path("workspace/spoken"), help="folder for models and replies")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("SPOKEN.md"))
    parser.add_argument("--only", nargs="+", metavar="ROW", help="rows that are made, by name")
    parser.add_argument("--parts", nargs="+", metavar="PART", help="cv-0 to cv-4, film, music, travel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latency", nargs=3, type=Path, metavar=("MODEL", "SAMPLES", "KG"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.latency:
        print(json.dumps(latency(*arguments.latency)))
        return
    if arguments.data is None:
        parser.error("--data FOLDER is needed")
    parts = make_parts(arguments.data, arguments.work)
    unknown = set(arguments.only or ()) - {row.name for row in ROWS} | set(arguments.parts or ()) - {
        p.name for p in parts
    }
    if unknown:
        parser.error(f"there is no row or part {', '.join(sorted(unknown))}")
    bench = Bench(arguments.data / GRAPH, arguments.work, arguments.seed)
    rows = arguments.only or [row.name for row in ROWS]
    names = arguments.parts or [part.name for part in parts]
    for name in names:  # part by part, so that a page with all rows is there early
        results = results_of(bench, parts, {(row, name) for row in rows})
        write_text(arguments.out, page(results, arguments.seed) + by_hand(arguments.out))
        write_text(arguments.work / "dialogues.txt", dialogues(results, arguments.seed))
    print(f"{arguments.out} and {arguments.work / 'dialogues.txt'} are written")


if __name__ == "__main__":
    main()

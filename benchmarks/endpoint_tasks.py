"""Local chat models on all six tasks beside systems and floors that need no training, on the same few samples.

Generated are bookings and operator calls; of FOLDER are visible sessions of proactive, company tweets and travel
dialogues. Everything is scored from official result files.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import msgspec

from conversation_floors import PROBE
from duologue.core.disk import write_text
from duologue.core.optional_protocols import Grounded, Simulated
from duologue.core.plugins import load_task, make_system
from duologue.core.recipe import resolve
from duologue.core.records import Annotation, Answer, Scoring
from duologue.core.rng import Rng
from duologue.metrics.counts import Counts
from duologue.run.evaluate import Truth, score_against
from duologue.run.predict import answer_all, in_world
from duologue.systems.endpoint.endpoint import EndpointSystem
from duologue.systems.endpoint.recipe import EndpointRecipe
from families import tested
from proactive_floors import template
from spoken_floors import first_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import System, Task, World
    from duologue.core.records import Example, Report
    from duologue.metrics.significance import PairedTest

    Floor: TypeAlias = Callable[[Sequence[Example], Mapping[str, World]], list[Answer]]

SEED = 7


class TaskSamples(NamedTuple):
    """What is answered of a task."""

    task: Task
    examples: list[Example]
    worlds: Mapping[str, World]
    source: str


class TaskRow(NamedTuple):
    """One system on one task."""

    task: str
    system: str
    report: Report
    usage: Mapping[str, Any]
    test: PairedTest | None
    """Against the first row of the task; `None` for that row."""


def _texts(texts: Sequence[str]) -> list[Answer]:
    return [Answer(text=text) for text in texts]


def _silent(examples: Sequence[Example], worlds: Mapping[str, World]) -> list[Answer]:  # noqa: ARG001  # finds nothing
    return [Answer(annotation=Annotation()) for _ in examples]


BASELINES: dict[str, dict[str, str | Floor]] = {
    "restaurant": {"medoid": "medoid", "solver": "solver"},
    "mobilecs/dialogue": {"rule-agent": "rule-agent"},
    "mobilecs/extraction": {"nothing": _silent},
    "conversation": {"constant": lambda examples, _worlds: _texts([PROBE] * len(examples))},
    "proactive": {"template": lambda examples, _worlds: _texts(template([], [one.sample for one in examples]))},
    "spoken": {"first-value": lambda examples, worlds: first_value(examples, next(iter(worlds.values())))},
}
"""By task the systems and floors that stand beside a chat model; the first is what it is tested against."""
REPLY_TOKENS = {"mobilecs/extraction": 160, "mobilecs/dialogue": 96}
"""Tokens of an answer where 48 are too few."""
TURNS_OF_A_CALL = 5
"""Fewer than a generated call has: of as many samples there are more calls, which are what an interval needs."""
TURNS, FACTS = 12, 20
"""What is told at most: windows and processors are small here."""


def task_samples(name: str, data: Path, work: Path, n: int) -> TaskSamples:
    """Return about `n` samples of a task with references; of calls, which are answered turn by turn, whole ones."""
    task = load_task(name)
    loaded, source = bookings(work / "data") if name == "restaurant" else _loaded(task, data, work / "data", n)
    worlds: dict[str, World] = {}
    if name == "spoken":
        world = cast("Grounded", task).world(data / "spoken/kg_rebuilt_visible.json.gz")
        worlds, loaded = {world.name: world}, in_world(loaded, world)
    dialogues: dict[str, list[Example]] = {}
    for one in loaded:
        dialogues.setdefault(one.sample.dialogue_id, []).append(one)
    chosen: list[Example] = []
    whole = name == "mobilecs/dialogue"
    for number, dialogue in enumerate(Rng(SEED, "endpoints", name).shuffled(sorted(dialogues))):
        turns = dialogues[dialogue]
        if len(chosen) < n or (whole and number < n // TURNS_OF_A_CALL):
            chosen += turns if whole else [turns[Rng(SEED, "endpoints", dialogue).below(len(turns))]]
    order = {id(one): place for place, one in enumerate(loaded)}
    return TaskSamples(task, sorted(chosen, key=lambda one: order[id(one)]), worlds, source)


def bookings(folder: Path) -> tuple[Sequence[Example], str]:
    """Return generated samples of restaurant task 1 with their truth."""
    data, answers = sorted(
        _generated("restaurant", folder, "n=64", "part=tst1", "subtask=1"), key=lambda one: one.name
    )[::-1]
    return Truth.of(load_task("restaurant"), [answers], data).examples, "generated bookings"


def _generated(name: str, folder: Path, *plan: str) -> list[Path]:
    task = load_task(name)
    assert isinstance(task, Simulated)
    made = folder / name.partition("/")[0]
    paths = task.generate(resolve(task.Generation, overrides=plan), SEED, made, workers=1, progress=None)
    return [one for one in paths if one.name.startswith("dialog-") and one.suffix == ".json"]


def _loaded(task: Task, data: Path, folder: Path, n: int) -> tuple[Sequence[Example], str]:
    """Return the examples of a file with references, generated where the task can."""
    name = task.info.name
    if name.startswith("mobilecs/"):
        _generated(name, folder, f"n={15 * n}", "unlabelled_ratio=0")
        part = "labelled/test.json" if name.endswith("extraction") else "track2/dev.json"
        path, source = folder / "mobilecs" / part, "generated operator calls"
    elif name == "conversation":
        packed = (data / "conversation/twitter_care/expected_dialogs.txt.gz").read_bytes()
        path, source = folder / "tweets.txt", "company tweets"
        blocks = [one for one in gzip.decompress(packed).decode().split("\n\n") if "\nS:" in one]
        drawn = Rng(SEED, "endpoints", "tweets").sample(blocks, n)  # its results answer whole files
        write_text(path, "".join(f"{one}\n\n" for one in drawn))
    elif name == "proactive":
        path, source = data / "proactive/duconv_dev_visible.jsonl.gz", "visible sessions"
    else:
        path, source = data / "spoken/challenge_valid_visible.json.gz", "visible dialogues"
    return task.load_files([path]), source


def rows_of(name: str, samples: TaskSamples, models: Mapping[str, str], work: Path) -> list[TaskRow]:
    """Return a row for each baseline and each model, by name with its address; empty: what is there is enough.

    Results that are there are not made again.
    """
    folder = work / name.replace("/", "-")
    reports, usages = [], []
    for label, made in (*BASELINES[name].items(), *models.items()):
        path, usage = folder / f"{label}.result", folder / f"{label}.usage.json"
        if not path.is_file() and not made:  # a model that was not asked yet, and is not served now
            continue
        if not path.is_file():
            kept = _answer(samples, made, path, is_model=label in models)
            write_text(usage, msgspec.json.encode(kept).decode())
            print(f"  {name} {label}: done", flush=True)
        how = Scoring(variant=samples.task.info.variants[0])
        truth = Truth(samples.examples, {"gold": [], "input": []}, samples.source)
        reports.append(msgspec.structs.replace(score_against(samples.task, truth, path, how), system=label))
        usages.append(msgspec.json.decode(usage.read_bytes()))
    counts = [Counts.of_report(one) for one in reports]
    formulas = samples.task.metrics(Scoring(variant=samples.task.info.variants[0]))
    metric = next(one for one in formulas if one.name == reports[0].rank_by)
    tests = [None, *tested([(one, counts[0], metric) for one in counts[1:]])]
    return [
        TaskRow(name, report.system, report, usage, test)
        for report, usage, test in zip(reports, usages, tests, strict=True)
    ]


def _answer(samples: TaskSamples, made: str | Floor, path: Path, *, is_model: bool) -> dict[str, Any]:
    """Write the result file of a system, a floor or a model at an address, and return what it took."""
    task, examples = samples.task, samples.examples
    if not isinstance(made, str):
        answers = [
            (one.sample.id, answer) for one, answer in zip(examples, made(examples, samples.worlds), strict=True)
        ]
        task.write(examples, answers, path)
        return {}
    system: System = make_system(made) if not is_model else _model(made, task.info.name)
    accounts: dict[int, dict[str, Any]] = {}
    system.prepare(task.info, SEED, samples.worlds)
    task.write(examples, answer_all(task, system, examples, accounts=accounts), path)
    return system.usage(list(accounts.values())) if isinstance(system, EndpointSystem) else {}


def _model(url: str, task: str) -> EndpointSystem:
    tokens = REPLY_TOKENS.get(task, 48)
    entries: dict[str, Any] = {"turns": TURNS, "facts": FACTS, "reply_tokens": tokens, "ranking": "logprobs"}
    return EndpointSystem(EndpointRecipe(url=url, model="local", cache="", workers=1, timeout=900.0, **entries))

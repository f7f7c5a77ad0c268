"""Train and measure the agents of MobileCS track 2 on generated calls and write `benchmarks/MOBILECS_DIALOGUE.md`.

    python benchmarks/mobilecs_dialogue.py [--work FOLDER] [--only agent agent-baseline] [--variants]

Systems learn from 900 generated calls of one seed (profile `crowd`, argument rate .4; `--calls`) and are measured on
the test part, a tenth, of 4,000 calls of another (`--tests`). Corpora, models, replies and reports stay below
`--work` (`workspace/mobilecs_dialogue`); a second run makes only what is not there. With `--only` the other rows are
shown as far as they are there. `--variants` makes the agent and its variants, and writes their section alone into the
page that is there. Leaves with exit code 1 where a figure that must hold does not. What stands in the page behind
the line `<!-- by hand -->` stays.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from duologue.api import compare, load_data, score
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.disk import write_text
from duologue.core.plugins import load_system, load_system_class, make_system
from duologue.core.recipe import resolve
from mobilecs_dialogue_measures import Requests, hallucinated, latency, probe, requests_by_kind
from mobilecs_dialogue_page import MUST, VARIANTS, page, variants
from page_notes import by_hand

TASK = "mobilecs/dialogue"
_PARTS = ("train", "dev")
TRAIN_SEED, TEST_SEED = 11, 2001
TRAIN_CALLS, TEST_CALLS = 900, 4000
GENERATE = ("--set", "profile=crowd", "--set", "argument_rate=0.4", "--set", "unlabelled_ratio=0")
TIMED = 30
"""Dialogues whose turns are answered one by one for the latency."""
PLAYED = 100
"""Simulated conversations of each system."""


class Plan(NamedTuple):
    """Where what is made is kept, and how much is made."""

    work: Path
    calls: int = TRAIN_CALLS
    tests: int = TEST_CALLS
    played: int = PLAYED

    @property
    def seen(self) -> Path:
        """Folder of the track 2 files that systems learn from."""
        return corpus(self.work, TRAIN_SEED, self.calls)

    @property
    def truth(self) -> Path:
        """The test calls."""
        return corpus(self.work, TEST_SEED, self.tests) / "test.json"


class Row(NamedTuple):
    """A system that is measured."""

    name: str
    system: str
    sets: tuple[str, ...] = ()
    """Recipe entries that differ from the default."""
    trained: bool = True
    what: str = ""


ROWS = (
    Row("agent", "agent", what="queries, coreference over the call"),
    Row("agent-baseline", "agent-baseline", what="as the challenge's: one language model over a turn"),
    Row("agent, KB as text", "agent", ("knowledge=text",), what="pieces of the base as lines of text, no slots"),
    Row(
        "agent, global KB",
        "agent",
        ("knowledge=global",),
        what="products of all training calls, not the call's base",
    ),
    Row(
        "agent, both bases",
        "agent",
        ("knowledge=joined",),
        what="products of all training calls beside the call's base",
    ),
    Row("agent, no coreference", "agent", ("coreference=false",), what="only what is named now"),
    Row("rule-agent", "rule-agent", trained=False, what="cues written beside the simulator; learns nothing"),
)
PROBE = "probe"


class Measured(NamedTuple):
    """What one row came to."""

    row: Row
    strict: dict[str, tuple[float, float | None, float | None]]
    """Score, and the ends of its interval, by name."""
    official: dict[str, float]
    hallucinated: dict[str, float]
    requests: Requests
    latency: dict[str, float]
    minutes: float
    """CPU minutes of the training."""
    simulated: dict[str, float]
    p: float
    """Of the paired test of `combined` against the first row; 1 for that row."""


def duologue(*arguments: object) -> float:
    """Run the command; return its CPU minutes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = () if arguments[0] == "score" else ("--quiet",)
    subprocess.run([Path(sys.executable).with_name("duologue"), *map(str, arguments), *quiet], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 60


def corpus(work: Path, seed: int, calls: int) -> Path:
    """Return the folder of track 2 files of a generated corpus."""
    folder = work / f"calls-{seed}-{calls}"
    if not (folder / "track2" / "test.json").exists():
        duologue("generate", "mobilecs", "--seed", seed, "--n", calls, *GENERATE, "--out", folder)
    return folder / "track2"


def ready(row: Row, work: Path) -> Any:
    """Return the system of a row, loaded."""
    if row.trained:
        return load_system(work / row.name / "model")
    return make_system(row.system, resolve(load_system_class(row.system).Recipe))


def make(row: Row, plan: Plan, *, wanted: bool) -> Measured | None:
    """Train, run and measure what is not there yet; `None` where the row is not wanted and not there."""
    folder = plan.work / row.name
    if not (folder / "measured.json").exists():
        if not wanted:
            return None
        _make(row, plan, folder)
    kept = json.loads((folder / "measured.json").read_text(encoding="utf-8"))
    first = plan.work / ROWS[0].name / "strict.report.json"
    tested = compare(first, folder / "strict.report.json") if row != ROWS[0] and first.exists() else ()
    p = next((one.tested.p for one in tested if one.tested.name == "combined"), 1.0)
    return Measured(**{**kept, "row": row, "p": p, "requests": Requests(**kept["requests"])})


def _make(row: Row, plan: Plan, folder: Path) -> None:
    train, truth = plan.seen, plan.truth
    result, model = folder / "test.pred.json", folder / "model"
    folder.mkdir(parents=True, exist_ok=True)
    system: object = row.system
    minutes = folder / "minutes.json"
    if row.trained:
        system = model
        if not minutes.exists():
            sets = [part for one in row.sets for part in ("--set", one)]
            files = ("--train", train / "train.json", "--held-out", train / "dev.json")
            spent = duologue("train", TASK, "--system", row.system, *files, *sets, "--seed", 1, "--out", model)
            write_text(minutes, json.dumps(spent))
    if not result.exists():
        duologue("run", TASK, truth, "--system", system, "--out", result)
    simulated = folder / "simulated.report.json"
    if plan.played and not simulated.exists():
        played = ("--system", system, "--goals", truth, "--n", plan.played, "--seed", 1, "--report", simulated)
        duologue("simulate", TASK, *played)
    strict, official = (score(TASK, result, truth, variant=one) for one in ("strict", "official"))
    duologue("score", TASK, result, "--gold", truth, "--out", folder / "strict.report.json")
    examples = load_data(TASK, truth)
    answers = DialogueTask().answers(DialogueTask().read(result), examples)
    names = list(dict.fromkeys(one.sample.dialogue_id for one in examples))[:TIMED]
    timed = [one for one in examples if one.sample.dialogue_id in set(names)]
    played_scores = json.loads(simulated.read_text(encoding="utf-8"))["scores"] if simulated.exists() else ()
    measured = {
        "strict": {one.name: (one.value, one.low, one.high) for one in strict.scores},
        "official": {one.name: one.value for one in official.scores},
        "hallucinated": hallucinated(examples, answers),
        "requests": requests_by_kind(examples, answers)._asdict(),
        "latency": latency(ready(row, plan.work), timed),
        "minutes": json.loads(minutes.read_text(encoding="utf-8")) if row.trained else 0.0,
        "simulated": {one["name"]: one["value"] for one in played_scores},
    }
    write_text(folder / "measured.json", json.dumps(measured, ensure_ascii=False))


def probed(plan: Plan) -> dict[str, dict[str, float]]:
    """Return the scores of the probe: constant intents and a recital of the knowledge base."""
    truth, path = plan.truth, plan.work / "probe.json"
    write_text(path, json.dumps(probe(json.loads(truth.read_text(encoding="utf-8"))), ensure_ascii=False))
    return {
        variant: {one.name: one.value for one in score(TASK, path, truth, variant=variant).scores}
        for variant in ("strict", "official")
    }


def failures(results: list[Measured]) -> list[str]:
    """Return what must hold and does not."""
    rows = {one.row.name: one for one in results}
    agent, baseline = rows.get("agent"), rows.get("agent-baseline")
    if agent is None:
        return []
    found = []
    if agent.strict["success"][0] < 0.75:
        found.append("strict success is below .75")
    if agent.hallucinated["share"] > 0.01:
        found.append("more than 1 % of the stated values are not in the knowledge base")
    if agent.latency["p95"] > 60:
        found.append("p95 of a turn is above 60 ms")
    if agent.minutes > 20:
        found.append("training takes more than 20 CPU minutes")
    if baseline is not None and (
        agent.strict["combined"][0] < 1.2 * baseline.strict["combined"][0] or baseline.p >= 0.01
    ):
        found.append("combined is not 20 % above the baseline with p < .01")
    return found


def section(path: Path) -> str:
    """Return the section of the variants in the page, empty where there is none."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = text.partition(f"{VARIANTS}\n")[2].partition(f"\n{MUST}\n")[0]
    return f"{VARIANTS}\n{found}" if found else ""


def with_section(text: str, made: str) -> str:
    """Return the page with this section of the variants before the one of what must hold."""
    before, _, rest = text.partition(f"{MUST}\n")
    return f"{before.partition(VARIANTS)[0]}{made}\n{MUST}\n{rest}"


def main() -> int:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--work", type=Path, default=Path("workspace/mobilecs_dialogue"))
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("MOBILECS_DIALOGUE.md"))
    parser.add_argument("--only", nargs="+", default=[], help="rows that are made, by name")
    parser.add_argument("--variants", action="store_true", help="make the agent's variants and write their section")
    parser.add_argument("--calls", type=int, default=TRAIN_CALLS, help="generated calls of the training corpus")
    parser.add_argument("--tests", type=int, default=TEST_CALLS, help="the same of the other corpus; a tenth is tested")
    parser.add_argument("--played", type=int, default=PLAYED, help="simulated conversations of each system; 0: none")
    chosen = parser.parse_args()
    plan = Plan(chosen.work, chosen.calls, chosen.tests, chosen.played)
    if chosen.variants:
        rows = [make(row, plan, wanted=True) for row in ROWS if row.system == ROWS[0].system]
        write_text(chosen.out, with_section(chosen.out.read_text(encoding="utf-8"), variants(rows)))
        return 0
    found = [make(row, plan, wanted=not chosen.only or row.name in chosen.only) for row in ROWS]
    agents = [one for one in found if one is not None and one.row.system == ROWS[0].system]
    results = [one for one in found if one is not None and not one.row.sets]
    of_variants = variants(agents) if len(agents) > 1 and not agents[0].row.sets else section(chosen.out)
    missed = failures(results)
    examples = load_data(TASK, plan.truth)
    seen = [len({one.sample.dialogue_id for one in load_data(TASK, plan.seen / f"{part}.json")}) for part in _PARTS]
    sizes = (*seen, len({one.sample.dialogue_id for one in examples}), plan.played)
    replies = chosen.work / ROWS[0].name / "test.pred.json"
    text = page(results, probed(plan), missed, examples, replies, sizes, of_variants)
    write_text(chosen.out, text + by_hand(chosen.out))
    print(f"{len(found) - found.count(None)} of {len(ROWS)} rows in {chosen.out}", *missed, sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())

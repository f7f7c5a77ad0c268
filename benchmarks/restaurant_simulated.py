"""What the test sets ask for, all four of them simulated with the truth, and what the closed ranker gets wrong there.

    python benchmarks/restaurant_simulated.py --write

Needs the models that `restaurant.py` trains (`--models`, as a rule `workspace/benchmark`). The test sets are made with
a seed that no training had; the real tst3 and tst4 are held out. Prints its part of benchmarks/RESTAURANT.md, or puts
it there with `--write`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.schema.ontology import PART_SHAPES, PARTS, schema_of_part
from duologue.challenges.restaurant.schema.templates import BOT_LOOK, RESTRICTIONS, answer_type
from duologue.challenges.restaurant.scoring.mistakes import kind_of
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.disk import write_text
from duologue.core.identity import hash_of_model
from duologue.core.plugins import load_system, make_system
from duologue.core.recipe import resolve
from duologue.metrics.intervals import intervals
from duologue.metrics.rank import PrecisionAt, count_ranks, rank_of
from duologue.metrics.significance import compare_two
from duologue.run import evaluate
from duologue.run.predict import in_world
from restaurant_blind import HEADING as NEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.core.protocols import System, World
    from duologue.core.records import Answer, Example
    from duologue.metrics.counts import Counts

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "RESTAURANT.md"
WORK = ROOT / "workspace" / "benchmark"
HEADING = "\n## What each test set asks for\n"
SEED = 4242
TESTS = PARTS[1:]
UNSEEN = ("tst3", "tst4")
MODELS = ("ranker-closed", "ranker-open")
TRAINED = ("memn2n", "hcn", *MODELS)
SYSTEMS = ("solver", *TRAINED)
VARIANTS = {
    "candidates and cuts as in release A": ('release="a"',),
    "candidates as in release A, cuts as in release B": ('release="a"', 'cuts="b"'),
    "candidates and cuts as in release B": ('release="b"',),
}
SHORT = dict(zip(VARIANTS, ("A", "A, cuts as B", "B"), strict=True))
FIRST = PrecisionAt(1)


class Judged(NamedTuple):
    """One system on one dialogue."""

    variant: str
    part: str
    subtask: int
    system: str
    name: str
    """Of the dialogue, distinct over all files."""
    wanted: str
    said: str
    rank: int
    """Of the right candidate."""
    kind: str
    """Of the mistake; empty where there is none."""


def main() -> int:
    """Measure and print or write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=WORK, help="folder of the trained systems")
    parser.add_argument("--n", type=int, default=200, help="dialogues per file")
    parser.add_argument("--only", choices=SYSTEMS, help="measure one system, for the section to be made later")
    parser.add_argument("--write", action="store_true", help="put the section into the page")
    options = parser.parse_args()
    if options.only:
        print(sum(len(kept(variant, options.only, options.models, options.n)) for variant in VARIANTS), "answers")
        return 0
    made = section(options.models, options.n)
    if not options.write:
        print(made)
        return 0
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.partition(HEADING)[0], page.partition(NEXT)
    write_text(PAGE, head.partition(NEXT)[0] + made + rest[1] + rest[2])
    return 0


def section(models: Path, n: int = 200) -> str:
    """Return this part of the page."""
    judged = measured(models, n)
    words = set(json.loads((models / MODELS[0] / "ranker.json").read_text(encoding="utf-8"))["words"])
    there = {one.system for one in judged}
    marks = [mark(models, name) if name in there else f"`{name}` was not trained for this page" for name in TRAINED]
    return f"{slots()}{simulated(judged, n, marks)}{mistakes_of_closed(judged, words, offered(models, n))}"


def measured(models: Path, n: int = 200) -> list[Judged]:
    """Return how each system that is there does on each dialogue of each variant."""
    there = [name for name in SYSTEMS if name not in TRAINED or (models / name / "system.toml").is_file()]
    return [one for variant in VARIANTS for system in there for one in kept(variant, system, models, n)]


def kept(variant: str, name: str, models: Path, n: int) -> list[Judged]:
    """Return how a system does on each dialogue of a variant, measured unless the same model was measured before."""
    folder = folder_of(models, variant)
    mark = hash_of_model(models / name)[:12] if name in TRAINED else "rules"
    path = folder / f"{name}-{mark}-{n}.json"
    if not path.is_file():
        system = load_system(models / name) if name in TRAINED else make_system(name)
        write_text(path, json.dumps(list(judge(variant, name, system, folder / str(n), n))))
    return [Judged(*one) for one in json.loads(path.read_text(encoding="utf-8"))]


def folder_of(models: Path, variant: str) -> Path:
    """Return where the files of a variant are."""
    return models / "simulated" / "-".join(one.replace('"', "").replace("=", "-") for one in VARIANTS[variant])


def sources_of(folder: Path, part: str) -> list[Path]:
    """Return the data files of a simulated set."""
    return sorted(path for path in (folder / part / part).glob("*.json") if ".answers." not in path.name)


def judge(variant: str, name: str, system: System, folder: Path, n: int) -> Iterator[Judged]:
    """Make the files of a variant and yield how a system does on each dialogue."""
    task, settings = RestaurantTask(), VARIANTS[variant]
    for part in TESTS:
        recipe = resolve(task.Generation, overrides=[*settings, f'part="{part}"', f"n={n}"])
        task.generate(recipe, SEED, folder / part, workers=1, progress=None)
        world = task.world(folder / part / f"extendedkb{PART_SHAPES[part][0]}.txt")
        system.prepare(task.info, SEED, {world.name: world})
        for subtask, source in enumerate(sources_of(folder, part), start=1):
            examples = examples_of(task, source, world)
            answers = system.answer([example.sample for example in examples])
            for example, answer in zip(examples, answers, strict=True):
                yield one_judged(variant, part, subtask, name, example, answer)
        print(f"{variant}: {part} by {name}", flush=True)


def examples_of(task: RestaurantTask, source: Path, world: World) -> list[Example]:
    """Return the dialogues of a file with the truth beside it."""
    truth = source.with_name(source.name.removesuffix(".json") + ".answers.json")
    return in_world(evaluate.Truth.of(task, [truth], source).examples, world)


def one_judged(variant: str, part: str, subtask: int, system: str, example: Example, answer: Answer) -> Judged:
    """Return what an answer is worth."""
    texts = {one.id: one.text for one in example.sample.candidates}
    right, ranking = (example.references[0].ranking or ("",))[0], answer.ranking or ()
    wanted, said = texts[right], texts[ranking[0]]
    kind = "" if ranking[0] == right else kind_of(example.sample, wanted, said)
    name = f"{part} {example.sample.id}"
    return Judged(variant, part, subtask, system, name, wanted, said, rank_of(right, ranking) or 99, kind)


def slots() -> str:
    """Return the table of the test sets."""
    lines = []
    for part in PARTS:
        schema = schema_of_part(part)
        told = ", ".join(f"{slot.name} ({len(schema.values[slot.name])})" for slot in schema.slots)
        known = schema_of_part("train").values
        new = [slot.name for slot in schema.slots if not {*schema.values[slot.name]} <= {*known[slot.name]}]
        new = [f"values of {name}" for name in new]
        new += [f"slot {slot.name}" for slot in schema.slots if slot not in schema_of_part("train").slots]
        lines.append(f"| {part} | {PART_SHAPES[part][0]} | {told} | {', '.join(new) or '-'} |")
    return SLOTS.format(heading=HEADING, rows="\n".join(lines))


def mark(models: Path, name: str) -> str:
    """Return which model it is, and what its training took where that is noted."""
    note = models / f"{name}.costs.json"
    spent = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {}
    took = f", {spent['cpu']:.0f} s of processor time and {spent['mb']:,.0f} MB in training" if spent else ""
    return f"`{name}` {hash_of_model(models / name)[:12]}{took}"


def simulated(judged: Sequence[Judged], n: int, marks: Sequence[str]) -> str:
    """Return the tables of P@1 on the simulated sets."""
    out = [SIMULATED.format(n=n, seed=SEED, models=";\n".join(marks))]
    for variant in VARIANTS:
        tasks = " | ".join(f"task {subtask}" for subtask in range(1, 6))
        out += [f"**{variant[0].upper()}{variant[1:]}**\n", f"| set | system | {tasks} | mean |\n{'|---' * 8}|"]
        for part in TESTS:
            for system in SYSTEMS:
                own = [one for one in judged if (one.variant, one.part, one.system) == (variant, part, system)]
                if not own:
                    continue
                shares = [share([one for one in own if one.subtask == subtask]) for subtask in range(1, 6)]
                mean = sum(one.rank == 1 for one in own) / len(own)
                out.append(f"| {part} | {system} | {' | '.join(shares)} | **{100 * mean:.2f}** |")
        out.append("")
    return "\n".join(out)


def offered(models: Path, n: int) -> set[tuple[str, str]]:
    """Return variant and name of the dialogues of tst3 and tst4 that have the turn before a call as a candidate."""
    found: set[tuple[str, str]] = set()
    for variant in VARIANTS:
        for part in UNSEEN:
            for source in sources_of(folder_of(models, variant) / str(n), part):
                for example in RestaurantTask().load(source):
                    if any(one.text == BOT_LOOK for one in example.sample.candidates):
                        found.add((variant, f"{part} {example.sample.id}"))
    return found


def mistakes_of_closed(judged: Sequence[Judged], words: set[str], look: set[tuple[str, str]]) -> str:
    """Return what the closed ranker gets wrong where the unseen slot is asked for."""
    own = [one for one in judged if one.part in UNSEEN]
    closed, opened = ([one for one in own if one.system == name] for name in MODELS)
    unheard = [one for one in closed if one.wanted == RESTRICTIONS.question]
    kinds = Counter((purpose(one), one.kind) for one in closed if one.rank > 1)
    wrong = sum(kinds.values())
    lines = []
    for variant, part, subtask in dict.fromkeys((one.variant, one.part, one.subtask) for one in unheard):
        file = [one for one in closed if (one.variant, one.part, one.subtask) == (variant, part, subtask)]
        asked = [one for one in file if one.wanted == RESTRICTIONS.question]
        rest = [one for one in file if one.wanted != RESTRICTIONS.question]
        beside = sum((one.variant, one.name) in look for one in asked)
        right = sum(one.rank == 1 for one in asked)
        lines.append(
            f"| {SHORT[variant]} | {part} | {subtask} | {len(file)} | {len(asked)} | {beside} | {right} "
            f"| {share(rest)} | {100 * len(rest) / len(file):.1f} | {share(file)} |"
        )
    with_look = [one for one in unheard if (one.variant, one.name) in look]
    without = [one for one in unheard if (one.variant, one.name) not in look]
    question = RESTRICTIONS.question.split()
    return CLOSED.format(
        of=len(closed),
        wrong=wrong,
        share=100 * sum(one.rank > 1 for one in unheard) / max(1, wrong),
        lines="\n".join(lines),
        kinds="\n".join(f"| {what} | {kind} | {k} |" for (what, kind), k in ordered(kinds)[:8]),
        question=RESTRICTIONS.question,
        look=BOT_LOOK,
        known=", ".join(f"`{word}`" for word in question if word in words) or "none",
        unknown=", ".join(f"`{word}`" for word in question if word not in words) or "none",
        beside=f"{sum(one.rank == 1 for one in with_look)} of {len(with_look)}",
        alone=f"{sum(one.rank == 1 for one in without)} of {len(without)}",
        heard=heard_before(opened, closed),
    )


def heard_before(opened: Sequence[Judged], closed: Sequence[Judged]) -> str:
    """Return how a ranker does that learned from random schemas; nothing where there is none."""
    if not opened:
        return "."
    tested = compare_two(counts(opened), counts(closed), [FIRST]).tests[0]
    return HEARD.format(
        right=share([one for one in opened if one.wanted == RESTRICTIONS.question]),
        difference=100 * tested.difference,
        low=100 * tested.low,
        high=100 * tested.high,
        p=tested.p_adjusted,
    )


def purpose(one: Judged) -> str:
    """Return what the right answer is, the question for the unseen slot by itself."""
    return "the question nobody heard" if one.wanted == RESTRICTIONS.question else f"`{answer_type(one.wanted)}`"


def ordered(counted: Mapping[tuple[str, str], int]) -> list[tuple[tuple[str, str], int]]:
    """Return what was counted, the most frequent first, ties by name."""
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def counts(judged: Iterable[Judged]) -> Counts:
    """Return the ranks of the right candidates as counts."""
    own = list(judged)
    return count_ranks([f"{one.variant} {one.name}" for one in own], [one.rank for one in own], ks=(1,))


def share(judged: Sequence[Judged]) -> str:
    """Return P@1 in percent with its interval; a dash where there is nothing."""
    if not judged:
        return "-"
    found = intervals(counts(judged), [FIRST])[0]
    if found.low is None or found.high is None:
        return f"{100 * found.value:.1f}"
    return f"{100 * found.value:.1f} ({100 * found.low:.1f}-{100 * found.high:.1f})"


SLOTS = """{heading}
Slots of a request in the order of the `api_call`, in brackets how many values each has; from
`schema/ontology.py` (specification, sections 3 and 8). Names of restaurants are others in each knowledge base.

| set | knowledge base | slots | not in training |
|---|---|---|---|
{rows}
"""
SIMULATED = """
## Simulated test sets, with the truth

Made by `python benchmarks/restaurant_simulated.py --write`. The real tst3 and tst4 are held out, so all four sets are
simulated here, {n} dialogues per file, with seed {seed}, which no training had: restaurants, requests and dialogues are
others than in training (an updated request may be one of training, see below). P@1 in percent with its 95 % interval.
Cuts as in release B are uniform over the bot's turns, as in release A they favour hard ones. Models:
{models}.
"""
CLOSED = """
## What the closed ranker gets wrong, and why that is its ceiling

On tst3 and tst4 of the tables above, {of:,} dialogues, `ranker-closed` ranks a wrong candidate first {wrong} times;
{share:.1f} % of these times the right one is the question
"{question}". It is the question nobody heard: no training dialogue of the regime `closed` knows the
slot. `ceiling` is what a ranker reaches that is right everywhere else and never there; "look" is the turn before a
call, "{look}".

| files | set | task | dialogues | end in the question | "look" beside it | right | others right | ceiling | reached |
|---|---|---|---|---|---|---|---|---|---|
{lines}

All mistakes by `scoring/mistakes.py` (`duologue score --errors` prints the same kinds for any result):

| right answer | what was ranked first | times |
|---|---|---|
{kinds}

Why no more can be had from these data: when the five slots of training are known, every training dialogue goes on with
"look" and the call. That a sixth slot is open is told by nothing that the ranker sees (fact lines name the field
`restrictions` in training too, and nobody asks for it), and of the words of the question training has
{known} and not {unknown}.
So where "look" is among the candidates, {beside} are right; where it is not, {alone} are: the question
is what is left when all others do not fit. The neighbours of a question are the same in the whole of a file, so a file
is lost or won as a whole, and P@1 of such a ranker on tasks 1 and 5 says more of the candidates than of the ranker. To
prefer the question it has to have learned that a bot may ask for a field it never asked for, and that is what the
random schemas of the regime `open` are for{heard}
"""
HEARD = """: the same network is right in {right} % of the dialogues that end in the question, and over all of these
dialogues `ranker-open` is {difference:.1f} points better ({low:.1f} to {high:.1f}, paired test, p {p:.4f})."""

if __name__ == "__main__":
    raise SystemExit(main())

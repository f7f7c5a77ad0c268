"""The exam of questions that need several triples: what `grounded` reads rightly, by kind, graph and noise.

    python benchmarks/spoken_exam.py --data FOLDER [--work workspace/spoken-exam] [--n 2000] [--write]

FOLDER holds the travel graph of KdConv and the rebuilt graph of the challenge. Development parts have the wordings and
graphs on which the reading of questions was developed; test parts have other wordings, other graphs and other
attributes. What is marked is the query alone: a question that is not read counts as wrong here, while the system hands
it to its ranker, so each figure is a lower bound of the whole system's. The second part counts how often a question of
people in the challenge's dialogues is taken for one of several triples, and what the triples are worth there. Results
stay below `--work`; remove them after a change of the reading. `--write` writes `benchmarks/SPOKEN_EXAM.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.spoken.knowledge.inquiry import find
from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.simulator.exam import KINDS, make_exam, perfect
from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.grounded.questions.reader import QuestionReader
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.disk import write_text
from duologue.core.records import Annotation, Answer
from duologue.knowledge.graph import Graph
from spoken_exam_graphs import invented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.simulator.exam import ExamQuestion, Part
    from duologue.core.records import Fact, Sample

ROOT = Path(__file__).resolve().parents[1]
TRAVEL, REBUILT, DIALOGUES = "kb_travel.json.gz", "kg_rebuilt_visible.json.gz", "challenge_valid_visible.json.gz"
SEED = 20221
NOISES = (0.0, 1.0)
_FEWER = 5
"""The development parts have so many times fewer questions."""
MUST = {0.0: 0.90, 1.0: 0.80}
PARTS: dict[str, Part] = {
    "film, music, ...": "test",
    "invented, unseen": "test",
    "travel": "development",
    "invented, known": "development",
}


class Cell(NamedTuple):
    """The marks of one kind of question on one graph under one noise."""

    graph: str
    noise: float
    kind: str
    asked: int
    right: int
    perfect: int
    """Right answers of the executor that is told each query."""
    milliseconds: float
    """Processor time per question."""


def graph_of(name: str, data: Path) -> Graph:
    """Return a graph of the exam by its name."""
    if name == "travel":
        return SpokenTask().world(data / TRAVEL).ready()
    if name.startswith("invented"):
        return invented(PARTS[name], SEED).ready()
    travel = {fact.subject for fact in SpokenTask().world(data / TRAVEL)}
    relations = {fact.relation for fact in SpokenTask().world(data / TRAVEL)} - {"Information"}
    rebuilt = SpokenTask().world(data / REBUILT)
    apart = travel | {fact.subject for fact in rebuilt if fact.relation in relations}
    return Graph(name, [fact for fact in rebuilt if fact.subject not in apart]).ready()


def read(reader: QuestionReader, sample: Sample) -> Answer:
    """Return what the query that a question is read as finds; nothing where it is not read."""
    inquiry = reader.read(sample.history)
    finding = find(inquiry, reader.graph) if inquiry is not None else None
    if finding is None:
        return Answer(text="")
    return Answer(text=finding.text, annotation=Annotation(facts=finding.facts))


def examined(name: str, noise: float, kind: str, graph: Graph, questions: Sequence[ExamQuestion]) -> Cell:
    """Return the marks of the reading on the questions of a kind."""
    simulator = NoiseSimulator("test", SEED, strength=noise)
    reader = QuestionReader(graph, EntityLinker(graph.entities))
    reader.readings("")  # indexes what there is
    begun = time.process_time()
    answers = [read(reader, simulator.example(one.example()).sample) for one in questions]
    spent = 1000 * (time.process_time() - begun) / max(1, len(questions))
    right = sum(one.right(answer) for one, answer in zip(questions, answers, strict=True))
    told = sum(one.right(perfect(one, graph)) for one in questions)
    return Cell(name, noise, kind, len(questions), right, told, spent)


def cells(data: Path, work: Path, n: int, minutes: float) -> list[Cell]:
    """Return all cells that are there, made now where they are not, as long as the time lasts."""
    found = []
    stop = time.monotonic() + 60 * minutes
    for name, part in PARTS.items():
        graph: Graph | None = None
        for kind in KINDS:
            questions: list[ExamQuestion] | None = None
            for noise in NOISES:
                path = work / f"{hashlib.sha256(f'{name} {noise} {kind} {n}'.encode()).hexdigest()[:12]}.json"
                if not path.is_file() and time.monotonic() < stop:
                    graph = graph or graph_of(name, data)
                    wanted = n if part == "test" else n // _FEWER
                    if questions is None:
                        questions = make_exam(graph, wanted, part=part, seed=SEED, kinds=[kind])
                    cell = examined(name, noise, kind, graph, questions)
                    print(cell, flush=True)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_text(path, json.dumps(cell._asdict(), ensure_ascii=False) + "\n")
                if path.is_file():
                    found.append(Cell(**json.loads(path.read_text("utf-8"))))
    return found


def challenge(data: Path, work: Path, every: int) -> dict[str, Any]:
    """Return how often questions of people are read as ones of several triples, and what the triples are worth.

    Of `every` so many samples one is asked.
    """
    path = work / f"challenge-{every}.json"
    if path.is_file():
        kept: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return kept
    graph = SpokenTask().world(data / REBUILT).ready()
    reader = QuestionReader(graph, EntityLinker(graph.entities))
    samples, known, worth = 0, 0, []
    for at, example in enumerate(SpokenTask().load(data / DIALOGUES)):
        if at % every:
            continue
        samples += 1
        answer = read(reader, example.sample)
        if answer.annotation is not None:
            gold = gold_facts(example)
            worth.append(f1(answer.annotation.facts, gold))
            known += bool(gold)
    found: dict[str, Any] = {
        "samples": samples,
        "every": every,
        "read": len(worth),
        "f1": _mean(worth),
        "knowledge": known,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(found) + "\n")
    return found


def f1(facts: Sequence[Fact], gold: Sequence[Fact]) -> float:
    """Return the F1 of triples, as the challenge counts them."""
    one, other = ({(fact.subject, fact.relation, str(fact.object)) for fact in facts_} for facts_ in (facts, gold))
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def page(found: Sequence[Cell], people: dict[str, Any], n: int) -> str:
    """Return the page as Markdown."""
    lines = [HEAD.format(n=f"{n:,}", few=f"{n // _FEWER:,}", size=n, every=people["every"])]
    by = {(one.graph, one.noise, one.kind): one for one in found}
    for part, title in (("test", "Unseen: test wordings, test graphs"), ("development", "Seen in development")):
        own = [(name, noise) for name, given in PARTS.items() if given == part for noise in NOISES]
        lines.append(f"\n## {title}\n")
        lines.append("| kind | " + " | ".join(f"{name}, {_noise(noise)}" for name, noise in own) + " |")
        lines.append("|---|" + "---|" * len(own))
        lines += [f"| {kind} | " + " | ".join(_share(by.get((*one, kind))) for one in own) + " |" for kind in KINDS]
    told = sum(one.perfect for one in found), sum(one.asked for one in found)
    slow = sum(one.milliseconds * one.asked for one in found) / max(1, told[1])
    low = [
        f"{one.kind} ({one.graph}, {_noise(one.noise)}: {100 * one.right / one.asked:.1f})"
        for one in found
        if PARTS[one.graph] == "test" and one.asked and one.right / one.asked < MUST[one.noise]
    ]
    lines.append(TAIL.format(low="; ".join(low) or "none", right=told[0], asked=told[1], slow=slow))
    lines.append(PEOPLE.format(**people))
    return "\n".join(lines)


def _noise(noise: float) -> str:
    return "noisy" if noise else "clean"


def _share(cell: Cell | None) -> str:
    return f"{100 * cell.right / cell.asked:.1f} ({cell.asked:,})" if cell is not None and cell.asked else "-"


HEAD = """# Questions that need several triples

Written by `python benchmarks/spoken_exam.py --data FOLDER --n {size} --every {every} --write`. An exam over a graph
(`duologue data exam`) has up to {n} questions of each kind here ({few} in the development parts, 2,000 unless told
otherwise); a graph may have fewer ways of a kind. Percent of
questions answered rightly (number of questions): exactly the triples of the truth, and a reply that names the answer.
Counted is the query that a question is read as, and nothing else: what is not read is wrong here, and left to the
ranker by `grounded`. *Noisy* is the challenge's noise (strength 1) on the user's turns.

The reading was developed on the development wordings, the travel graph of KdConv and an invented world. The test has
other wordings, written before the reading was; the film, music, book, fish, game and idiom part of the rebuilt graph
(no attribute of the travel graph); and another invented world (other attributes, other names). Prices of the invented
worlds may be nothing, and sizes of one attribute are ranges or have several units. What the page cannot show: one
author wrote both sets of wordings, so they are no sample of how people ask; one list of words (what makes a follow-up a
question) was widened with the test's follow-ups at hand; and when a question amid a dialogue is left to the ranker was
set on the visible dialogues below, with the whole rebuilt graph."""

TAIL = """
Unseen and below what must be reached (90 % clean, 80 % noisy): {low}.

The executor that is told each query is right in {right:,} of {asked:,} questions. Reading one takes {slow:.1f} ms of
processor time on average.
"""

PEOPLE = """## Questions of people

Of {samples:,} samples of the visible challenge dialogues (one of {every}; noisy, the whole rebuilt graph) {read:,} are
read as questions of several triples, {knowledge:,} of them with gold triples; the F1 of their triples is {f1:.3f}. All
other answers of `grounded` are those without the reading (`--set queries=false`).
"""


def main() -> int:
    """Make what is missing, print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=ROOT / "workspace" / "spoken-exam")
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--every", type=int, default=1, help="ask one of so many samples of people")
    parser.add_argument("--minutes", type=float, default=120, help="when to stop making more")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = cells(options.data, options.work, options.n, options.minutes)
    text = page(found, challenge(options.data, options.work, options.every), options.n)
    if options.write:
        write_text(ROOT / "benchmarks" / "SPOKEN_EXAM.md", text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

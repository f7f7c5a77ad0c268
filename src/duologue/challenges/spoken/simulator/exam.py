"""An exam over a knowledge graph: questions that need several triples, with their truth.

Each question is an inquiry drawn from the graph, put into one of many wordings (`wordings/*.toml`); the truth is what
the executor of queries finds. Whoever turns every question into its inquiry is right in all of them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Literal

import msgspec

from duologue.challenges.spoken.knowledge.inquiry import Inquiry, find
from duologue.challenges.spoken.simulator.drawer import Drawer
from duologue.core import disk
from duologue.core.errors import FormatError
from duologue.core.records import Annotation, Answer, Example, Fact, Problem, Record, Sample, Turn
from duologue.core.rng import Rng
from duologue.core.typed import decode_json
from duologue.knowledge.graph import Graph
from duologue.knowledge.normalization import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.spoken.knowledge.inquiry import Finding
    from duologue.challenges.spoken.simulator.drawer import Draft
    from duologue.core.protocols import Progress

Part = Literal["development", "test"]
PARTS: tuple[Part, ...] = ("development", "test")
"""Two sets of wordings that share no sentence."""
KINDS = (
    "reverse",
    "two-hops",
    "three-hops",
    "comparison",
    "superlative",
    "count",
    "list",
    "date",
    "follow-up",
)
_TRIES = 60
"""Draws for each question wanted; most find nothing."""
_FRUITLESS = 120_000
"""Draws one after the other without a new question, after which a graph has no more: those of 2,000 questions."""
_FRUITLESS_A_FACT = 1_000
"""The same for each fact of a small graph: in graphs of 1 to 12 facts no question came later than after 202."""
_TOLD_EVERY = 500
"""Draws between two signs of progress."""


class ExamQuestion(Record, frozen=True, kw_only=True):
    """A question of an exam with its truth."""

    id: str
    kind: str
    turns: tuple[str, ...]
    """The history; the last turn is the question."""
    inquiry: Inquiry
    facts: tuple[Fact, ...]
    """The triples that a right answer has, no other."""
    answers: tuple[str, ...]
    """What a right reply says."""
    rivals: tuple[str, ...] = ()
    """What it does not name before an answer."""
    text: str
    """A right reply."""

    def example(self) -> Example:
        """Return the question as a sample with its true reply."""
        history = tuple(Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(self.turns))
        reference = Answer(text=self.text, annotation=Annotation(facts=self.facts))
        return Example(sample=Sample(id=self.id, dialogue_id=self.id, history=history), references=(reference,))

    def right(self, answer: Answer) -> bool:
        """Tell whether an answer has exactly the triples, and says the answers before what was compared to them."""
        facts = answer.annotation.facts if answer.annotation is not None else ()
        if {*map(_triple, facts)} != {*map(_triple, self.facts)}:
            return False
        text = fold(answer.text or "")
        places = [text.find(fold(one)) for one in self.answers]
        others = [place for one in self.rivals if (place := text.find(fold(one))) >= 0]
        return min(places) >= 0 and all(min(places) < place for place in others)


def _triple(fact: Fact) -> tuple[str, str, str]:
    return fact.subject, fact.relation, str(fact.object)


@cache
def wordings(part: Part) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the wordings of a part of the exam by kind and shape."""
    text = resources.files(__package__).joinpath("wordings", f"{part}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def make_exam(
    graph: Graph, n: int, *, part: Part, seed: int, kinds: Iterable[str] = KINDS, progress: Progress | None = None
) -> list[ExamQuestion]:
    """Return up to `n` questions of each kind over a graph; of some kinds it may have fewer, or none.

    A question depends on graph, part, seed, kind and its draw alone. Facts without the name of an attribute cannot be
    asked about, and do not count. `progress` is told how many questions of a kind are found.
    """
    table = wordings(part)
    if not all(fact.relation for fact in graph):
        graph = Graph(graph.name, (fact for fact in graph if fact.relation))
    drawer = Drawer(graph, table["adjectives"])
    shapes = drawer.shapes()
    fruitless = min(_FRUITLESS, _FRUITLESS_A_FACT * len(graph))
    made: list[ExamQuestion] = []
    for kind in kinds:
        own = [(shape, draw) for (name, shape), draw in shapes.items() if name == kind]
        made += _questions(drawer, kind, own, n, part, seed, fruitless, progress) if own else []
    return made


def _questions(
    drawer: Drawer,
    kind: str,
    shapes: Sequence[tuple[str, Callable[[Rng], Draft | None]]],
    n: int,
    part: Part,
    seed: int,
    fruitless: int,
    progress: Progress | None,
) -> list[ExamQuestion]:
    found: dict[tuple[str, ...], ExamQuestion] = {}
    last = 0
    for attempt in range(_TRIES * n):
        if len(found) == n or attempt - last > fruitless:
            break
        if progress is not None and attempt % _TOLD_EVERY == 0:
            progress(len(found), n, kind)
        rng = Rng("spoken exam", part, seed, kind, attempt)
        shape, draw = rng.choice(shapes)
        draft = draw(rng)
        if draft is None:
            continue
        finding = drawer.find(draft.inquiry)
        if finding is None or _confused(finding):
            continue
        turns = _turns(draft, wordings(part)[kind], shape, drawer, rng)
        if turns not in found:
            last = attempt
            found[turns] = ExamQuestion(
                id=f"{kind}-{len(found)}",
                kind=kind,
                turns=turns,
                inquiry=draft.inquiry,
                facts=finding.facts,
                answers=finding.answers,
                rivals=finding.rivals,
                text=finding.text,
            )
    return list(found.values())


def _confused(finding: Finding) -> bool:
    """Tell whether an answer cannot be told from what it is compared to, or has no letters."""
    answers, rivals = [fold(one) for one in finding.answers], [fold(one) for one in finding.rivals]
    said = all(any(map(str.isalnum, one)) for one in answers)
    return not said or any(one in other or other in one for one in answers for other in rivals)


def _turns(draft: Draft, table: Mapping[str, Sequence[str]], shape: str, drawer: Drawer, rng: Rng) -> tuple[str, ...]:
    turns: list[str] = []
    for wording, inquiry, slots in draft.before:
        told = drawer.find(inquiry)
        turns += [rng.choice(table[wording]).format(**slots), told.text if told is not None else "我不知道。"]
    return (*turns, rng.choice(table[shape]).format(**draft.slots))


def marks(questions: Iterable[ExamQuestion], answers: Mapping[str, Answer]) -> dict[str, tuple[int, int]]:
    """Return by kind how many answers are right, and how many questions there are; a missing answer is wrong."""
    counted: dict[str, tuple[int, int]] = {}
    for question in questions:
        right, asked = counted.get(question.kind, (0, 0))
        answer = answers.get(question.id)
        counted[question.kind] = (right + (answer is not None and question.right(answer)), asked + 1)
    return counted


def perfect(question: ExamQuestion, graph: Graph) -> Answer:
    """Return what an agent answers that has understood a question: its inquiry, executed."""
    finding = find(question.inquiry, graph)
    if finding is None:
        return Answer(text="")
    return Answer(text=finding.text, annotation=Annotation(facts=finding.facts))


def write_key(questions: Sequence[ExamQuestion], path: Path) -> None:
    """Write the questions with their truth as JSON."""
    disk.write_bytes(path, msgspec.json.format(msgspec.json.encode(questions), indent=1) + b"\n")


def read_key(path: Path) -> list[ExamQuestion]:
    """Return what `write_key` wrote. Raises `StorageError` or `FormatError` for a file that is none."""
    data = disk.read_bytes(path)
    try:
        found = decode_json(data, list[ExamQuestion])
    except msgspec.MsgspecError as error:
        problem = Problem(
            rule="no-key", message=f"this is no key of an exam: {error}", advice="make it with 'duologue data exam'"
        )
        raise FormatError(path, [problem]) from error
    if not found or not all(one.answers for one in found):
        lacking = next((f"question '{one.id}' has no answer" for one in found if not one.answers), "it has no question")
        advice = "make it with 'duologue data exam'"
        raise FormatError(path, [Problem(rule="empty-key", message=f"{lacking}, expected one or more", advice=advice)])
    return found

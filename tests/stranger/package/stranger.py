"""What a stranger brings: a task of their own with its own file format, and a system for any task, and a command.

The task: say again what was said last. A data file has one sample a line, `id TAB said TAB expected`; a
result file has `id TAB answer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duologue.core.disk import decode_text, read_bytes, sha256, write_text
from duologue.core.errors import FormatError
from duologue.core.protocols import Task, TaskInfo
from duologue.core.records import Answer, Example, Problem, Record, Sample, Submission, Turn
from duologue.terminal import console

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import World
    from duologue.core.records import Report, Scoring
    from duologue.metrics.counts import Metric
    from duologue.metrics.reports import AnsweredExample


@click.command()
@click.argument("words", nargs=-1)
def shout(words: tuple[str, ...]) -> None:
    """Say words in capitals.

    Example: duologue shout hello
    """
    console.line(" ".join(words).upper())


class Parrot:
    """Says again what it heard last; ranks candidates as they come."""

    class Recipe(Record, frozen=True, kw_only=True):
        """How the parrot speaks."""

        loud: bool = False
        """Answer in capitals."""

    seen = "nothing"

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing to do: a parrot knows no task."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Repeat the last utterance of each sample."""
        return [self._repeat(sample) for sample in samples]

    def _repeat(self, sample: Sample) -> Answer:
        heard = sample.history[-1].text if sample.history else ""
        text = heard.upper() if self.recipe.loud else heard
        ranking = tuple(candidate.id for candidate in sample.candidates)
        return Answer(text=text, ranking=ranking or None)


class EchoTask(Task):
    """Say again what was said last."""

    info = TaskInfo(name="echo", version="7", language="en", answers="text", variants=("exact",), slices=("length",))

    def load(self, path: Path) -> Iterator[Example]:
        """Read `id TAB said TAB expected`; the last field may be missing in a test file."""
        rows, problems = _rows(read_bytes(path), path, (2, 3))
        if problems:
            raise FormatError(path, problems)
        for name, said, *expected in rows or ():
            yield Example(
                sample=Sample(id=name, dialogue_id=name, history=(Turn(speaker="user", text=said),)),
                references=tuple(Answer(text=text) for text in expected),
            )

    def read(self, path: Path) -> Submission:
        """Read `id TAB answer`."""
        data = read_bytes(path)
        rows, problems = _rows(data, path, (2,))
        return Submission(rows=rows, layout="echo", problems=tuple(problems), hash=sha256(data), path=str(path))

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:
        """Write `id TAB answer`."""
        write_text(path, "".join(f"{name}\t{answer.text or ''}\n" for name, answer in answers))

    def answers(self, submission: Submission, examples: Sequence[Example]) -> Mapping[str, Answer]:
        """Return the answers by sample id."""
        return {row[0]: Answer(text=row[1]) for row in submission.rows or ()}

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Add to the reader's problems the samples that are not answered."""
        answered = {row[0] for row in submission.rows or ()}
        wanted = [example.sample.id for example in examples or ()]
        missing = [Problem(rule="missing", message=f"{name} is missing") for name in wanted if name not in answered]
        return (*submission.problems, *missing)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score by the metrics alone; they can be cut by the length of what was said."""
        from duologue.metrics.reports import score_by_metrics  # numpy only where it is needed

        return score_by_metrics(self, examples, submission, how, {"length": _length})

    def metrics(self, how: Scoring) -> Sequence[Metric[Any]]:
        """Return the one formula: the share of the answers that are exactly what was expected."""
        from duologue.metrics.formulas import Average

        def same(seen: AnsweredExample) -> float:
            return seen.answer.text == seen.example.references[0].text

        return (Average("same", "same = equal answers / items", of=same),)


def _length(example: Example) -> str:
    return "short" if len(example.sample.history[0].text) < 7 else "long"


def _rows(data: bytes, path: Path, widths: tuple[int, ...]) -> tuple[list[list[str]] | None, list[Problem]]:
    try:
        text, problems = decode_text(data, path)
    except FormatError as error:
        return None, list(error.problems)
    rows = [line.split("\t") for line in text.splitlines() if line]
    for number, row in enumerate(rows, 1):
        if len(row) not in widths:
            found = f"expected {' or '.join(map(str, widths))} fields, found {len(row)}"
            problems.append(Problem(rule="fields", place=f"line {number}", message=found))
    return rows, problems

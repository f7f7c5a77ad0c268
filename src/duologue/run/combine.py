"""System combination: the result files of several systems made one, by minimum Bayes risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.disk import Source
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.lines import sha256
from duologue.core.locks import writing_file
from duologue.core.records import Answer
from duologue.core.version import __version__
from duologue.metrics.minimum_risk import UTILITIES, chosen
from duologue.run.contamination import sketch_beside
from duologue.run.notes import CombinedResult, Provenance, demand_free, note_of
from duologue.run.predict import write_result
from duologue.run.prompt_marks import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Progress, Task
    from duologue.core.records import Example
    from duologue.metrics.minimum_risk import LeastRisk

_TEXT = ("text", "facts+text")
"""Kinds of answers that can be combined: each stands alone. In others a reply depends on what was said before it."""
_NAME = "combination"


class Combined(NamedTuple):
    """What came of a combination."""

    answers: int
    chosen: tuple[int, ...]
    """How many answers are those of each file; equal ones count for the first that has them."""
    silent: int
    """Samples that no file answers."""
    undecided: int = 0
    """Samples whose different texts agree alike, so that the file named first was taken."""


def combine(
    task: Task,
    results: Sequence[Path],
    data: Path,
    out: Path,
    *,
    utility: str,
    force: bool = False,
    progress: Progress | None = None,
) -> Combined:
    """Write a result that has, for each sample of `data`, the answer that the files agree most on, by a utility.

    Texts are compared by characters in Chinese, else by the words that white space divides. An answer is taken whole,
    with its facts; a file without an answer to a sample has no say there. Ties go to the file that is named first.
    The note beside the result names the files. Raises `UsageError` for a task whose answers are no texts, an unknown
    utility and fewer than two files, `FormatError` for a file that the task's check refuses, and as `run` does.
    """
    if task.info.answers not in _TEXT:
        raise UsageError(
            f"answers of '{task.info.name}' ({task.info.answers}) cannot be combined: expected texts that stand alone"
        )
    if utility not in UTILITIES:
        raise UsageError(f"there is no utility '{utility}'{did_you_mean(utility, UTILITIES)}")
    if len(results) < 2:
        raise UsageError(f"a combination is made of two result files or more, {len(results)} given")
    with writing_file(out):
        demand_free(out, [data, *results], force=force)
        examples = list(task.load(data))
        read = [_read(task, path, examples) for path in results]
        told, parts = [answers for answers, _ in read], [part for _, part in read]
        answers: list[tuple[str, Answer]] = []
        taken, silent, undecided = [0] * len(results), 0, 0
        for number, example in enumerate(examples):
            name = example.sample.id
            best = _pick([one.get(name, Answer()).text for one in told], task.info.language, utility)
            if best is None:
                silent += 1
            else:
                place = best.place
                taken[place] += 1
                undecided += best.undecided
                answers.append((name, told[place][name]))
            if progress is not None:
                progress(number + 1, len(examples), "combining")
        note = _note(task, parts, data, utility)
        sketches = [
            found for path, part in zip(results, parts, strict=True) if (found := sketch_beside(path, part.sketch))
        ]
        write_result(task, examples, answers, out, note, sketches)
    return Combined(len(answers), tuple(taken), silent, undecided)


def _read(task: Task, path: Path, examples: Sequence[Example]) -> tuple[Mapping[str, Answer], CombinedResult]:
    """Return the answers of a result file, and what is known of it."""
    submission = task.read(path)
    problems = task.check(submission, examples, task.info.variants[0])
    if any(one.severity == "error" for one in problems):
        raise FormatError(path, problems)
    return task.answers(submission, examples), _part(path, submission.hash or sha256(Source(path)))


def _pick(texts: Sequence[str | None], language: str, utility: str) -> LeastRisk | None:
    """Return the place of the text to take; `None` where there is none."""
    given = [(place, text) for place, text in enumerate(texts) if text is not None]
    if not given:
        return None
    tokens = [list("".join(text.split())) if language == "zh" else text.split() for _, text in given]
    found = chosen(tokens, utility)
    return found._replace(place=given[found.place][0])


def _part(path: Path, hash_: str) -> CombinedResult:
    note = note_of(path, hash_).note or {}
    external = note.get("external")
    return CombinedResult(
        result=path.name,
        sha256=hash_,
        system=str(note.get("system", "")),
        seen=str(note.get("seen", "")),
        model=str(note.get("model", "")),
        sketch=str(note.get("sketch", "")),
        external=[str(one) for one in external] if isinstance(external, list) else None,
        prompt=one_line(note.get("prompt")),
    )


def _note(task: Task, parts: Sequence[CombinedResult], data: Path, utility: str) -> Provenance:
    declared = [one.external for one in parts]
    seen = "; ".join(f"{one.system or 'unknown system'} ({one.result}): {one.seen or 'not told'}" for one in parts)
    return Provenance(
        task=task.info.name,
        task_version=task.info.version,
        system=_NAME,
        recipe={"utility": utility},
        seed=0,
        input=data.name,
        input_hash=sha256(Source(data)),
        world="",
        world_hash="",
        seen=f"combined by minimum Bayes risk ({utility}): {seen}",
        package=__version__,
        external=None if None in declared else sorted({name for one in declared for name in one or ()}),
        prompt=" + ".join(dict.fromkeys(one.prompt for one in parts if one.prompt)),
        combined=list(parts),
    )

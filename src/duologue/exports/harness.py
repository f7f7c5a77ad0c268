"""What an exported task of lm-eval calls: its documents, and the scores of `duologue score` over a model's answers.

The answers become an official result file, which is read back and scored, as everywhere in the house.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import temporary_folder
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Answer, Scoring
from duologue.exports.prompts import prompt_of
from duologue.run.evaluate import Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Example, Report


class HarnessItem(NamedTuple):
    """What a model answered to one document: a text, or the places of its choices, best first."""

    id: str
    answer: str | tuple[int, ...]


class LmEvalHarness:
    """One exported task, in its folder: `data` and `golds` are paths below it."""

    def __init__(self, task: str, folder: Path, data: str, golds: Sequence[str], scores: Sequence[str]) -> None:
        self._task, self._files, self._scores = task, (folder / data, *(folder / one for one in golds)), tuple(scores)

    def dataset(self, **_: Any) -> dict[str, Any]:
        """Return the documents as lm-eval takes them (needs `datasets`, which it brings)."""
        import datasets  # lm-eval's own library

        return {"test": datasets.Dataset.from_list(documents(*load_examples(self._task, self._files)))}

    def process_results(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, HarnessItem]:
        """Return what a model answered to a document, under the name of each score."""
        if "choices" in doc:
            likelihoods = [one[0] for one in results]
            places = sorted(range(len(likelihoods)), key=lambda place: -likelihoods[place])  # equal ones stay in order
            item = HarnessItem(str(doc["id"]), tuple(places))
        else:
            item = HarnessItem(str(doc["id"]), str(results[0]).strip())
        return dict.fromkeys(self._scores, item)

    def aggregation(self, score: str) -> Callable[[Sequence[Any]], float]:
        """Return the function that makes one figure of all answers."""

        def total(items: Sequence[Any]) -> float:
            report = _report(self._task, self._files, tuple(HarnessItem(*item) for item in items))
            return next(one.value for one in report.scores if one.name == score)

        return total


@cache
def load_examples(task: str, files: tuple[Path, ...]) -> tuple[Task, Sequence[Example]]:
    """Return a task and its examples: of a data file, with the truth of further files where there are some."""
    loaded = load_task(task)
    data, *golds = files
    truth = Truth.of(loaded, golds, data) if golds else Truth.of(loaded, [data])
    return loaded, truth.examples


@cache
def _report(task: str, files: tuple[Path, ...], items: tuple[HarnessItem, ...]) -> Report:
    loaded, examples = load_examples(task, files)
    known = {one.sample.id: one.sample for one in examples}
    answers = {}
    for item in items:
        if isinstance(item.answer, str):
            answers[item.id] = Answer(text=item.answer)
        else:
            candidates = known[item.id].candidates
            answers[item.id] = Answer(ranking=tuple(candidates[place].id for place in item.answer))
    return score_answers(loaded, examples, answers)


def documents(task: Task, examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Return a document for each example: id, prompt, and choices with the right one, or the first reference.

    Raises `UsageError` for a task whose answers are neither texts nor rankings, and where a truth is missing.
    """
    info = task.info
    if not {"ranking", "text"} & set(info.answers.split("+")):
        raise UsageError(f"answers of {info.name} are {info.answers}; a language model's are texts or choices")
    found = []
    for one in examples:
        reference = one.references[0] if one.references else None
        row: dict[str, Any] = {"id": one.sample.id, "prompt": prompt_of(one.sample, info.language)}
        if reference is None:
            raise UsageError(f"{info.name}: '{one.sample.id}' has no truth; give it with --gold")
        if one.sample.candidates:
            ids = [candidate.id for candidate in one.sample.candidates]
            row["choices"] = [candidate.text for candidate in one.sample.candidates]
            best = reference.ranking[0] if reference.ranking else ""
            if best not in ids:
                raise UsageError(f"{info.name}: the truth of '{one.sample.id}' is none of its candidates")
            row["target"] = ids.index(best)
        else:
            row["target"] = reference.text or ""
        found.append(row)
    return found


def score_answers(task: Task, examples: Sequence[Example], answers: Mapping[str, Answer]) -> Report:
    """Return the report of answers, scored from an official result file; examples without an answer do not count."""
    asked = [one for one in examples if one.sample.id in answers]
    with temporary_folder() as folder:
        path = folder / "result.json"
        task.write(asked, [(one.sample.id, answers[one.sample.id]) for one in asked], path)
        info = task.info
        how = Scoring(variant=info.variants[0], samples=info.samples[0], partial=True)
        return task.score(asked, task.read(path), how)

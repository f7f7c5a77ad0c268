"""Readers and writers of the official data, truth and result files (specification, section 2).

Data, truth and result files are one JSON list each, plain or gzip. Examples keep the decoded row in
`Example.source`, key order included, so that writing restores the file byte for byte.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from duologue.challenges.restaurant.formats import python2
from duologue.challenges.restaurant.formats.data_rules import NOT_A_LIST, data_problems
from duologue.challenges.restaurant.formats.format_sniffer import sniff
from duologue.challenges.restaurant.knowledge.facts import parse_fact
from duologue.core import disk
from duologue.core.decoded import is_text, shown
from duologue.core.errors import AnswerError, FormatError, UsageError
from duologue.core.gc_pause import gc_paused
from duologue.core.records import Answer, Candidate, Example, Problem, Sample, Submission, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from duologue.core.records import Dialogue

LAYOUT = "restaurant-result"
"""Name of the result format in `Submission.layout`."""

_LOG = logging.getLogger(__name__)


def example_of(row: dict[str, Any], *, world: str | None = None) -> Example:
    """Return the example in a row of a data file; `source` keeps the row itself.

    Fact lines (`<name> r_<field> <value>`) are turns of speaker `"api"`; all others alternate between user and
    system, the user first. The row must follow the format (`load` checks it); `world` names its knowledge base.
    """
    answer = row.get("answer")
    references: tuple[Answer, ...] = ()
    if answer is not None:
        references = (Answer(text=answer["utterance"], ranking=(answer["candidate_id"],)),)
    sample = Sample(
        id=row["dialog_id"],
        dialogue_id=row["dialog_id"],
        history=tuple(turns_of(row["utterances"])),
        world=world,
        candidates=tuple(Candidate(id=one["candidate_id"], text=one["utterance"]) for one in row["candidates"]),
    )
    return Example(sample=sample, references=references, source=row)


def turns_of(utterances: Iterable[str]) -> Iterator[Turn]:
    """Yield utterances as turns: user and system alternate; fact lines are turns of `api` and do not count."""
    spoken = 0
    for text in utterances:
        if parse_fact(text) is not None:
            yield Turn(speaker="api", text=text)
        else:
            yield Turn(speaker=("user", "system")[spoken % 2], text=text)
            spoken += 1


@gc_paused()
def load(path: Path, world: str | None = None) -> list[Example]:
    """Return the examples of a data file or of a truth file, plain or gzip, in the order of the file.

    A truth file (items with `lst_candidate_id`) gives examples without history whose reference is the candidate
    of rank 1. Truth rows are taken as they are, odd ones included, since the official scorer accepts them;
    `source` has them and the strict scorer complains. A data file is checked: `FormatError` has all problems.
    Raises `StorageError` when the file cannot be read.
    """
    text, warnings = disk.decode_text(disk.read_bytes(path), path)
    for warning in warnings:
        _LOG.warning("%s: %s; %s", path, warning.message, warning.advice)
    strange = sniff(text)
    if strange is not None:
        raise FormatError(path, [strange])
    rows = disk.decode_json(text, path)
    if not isinstance(rows, list):
        problem = Problem(rule="not-a-list", message=f"the file holds {shown(rows)}, expected a list of dialogues")
        raise FormatError(path, [problem], transcript=[NOT_A_LIST])
    if _is_truth(rows) and None not in rows:
        return [_truth_example(row, number) for number, row in enumerate(rows, start=1)]
    problems = data_problems(rows)
    if problems:
        raise FormatError(path, problems)
    return [example_of(row, world=world) for row in rows]


def _is_truth(rows: list[Any]) -> bool:
    objects = [row for row in rows if isinstance(row, dict)]
    return any("lst_candidate_id" in row for row in objects) and not any(
        "utterances" in row or "candidates" in row for row in objects
    )


def _truth_example(row: Any, number: int) -> Example:
    name = row.get("dialog_id") if isinstance(row, dict) else None
    if not is_text(name) or not name:
        name = f"#{number}"
    best = _first(row)
    references = () if best is None else (Answer(ranking=(best,)),)
    return Example(sample=Sample(id=name, dialogue_id=name), references=references, source=row)


def _first(row: Any) -> str | None:
    """Return the candidate of rank 1, the last such as the official scorer does; `None` when there is none."""
    ranked = row.get("lst_candidate_id") if isinstance(row, dict) else None
    found = None
    for entry in ranked if isinstance(ranked, list) else ():
        if isinstance(entry, dict) and entry.get("rank") in (1, "1") and isinstance(entry.get("candidate_id"), str):
            found = entry["candidate_id"]
    return found


def data_row(example: Example) -> dict[str, Any]:
    """Return the row of a data file: the one that was read, or a new one from the records."""
    if isinstance(example.source, dict) and "utterances" in example.source:
        return example.source
    row: dict[str, Any] = {
        "dialog_id": example.sample.id,
        "candidates": [{"utterance": one.text, "candidate_id": one.id} for one in example.sample.candidates],
        "utterances": [turn.text for turn in example.sample.history],
    }
    if example.references and example.references[0].ranking:
        best = example.references[0].ranking[0]
        texts = {one.id: one.text for one in example.sample.candidates}
        row["answer"] = {"utterance": example.references[0].text or texts.get(best, ""), "candidate_id": best}
    return row


def dialogue_row(dialogue: Dialogue) -> dict[str, Any] | None:
    """Return a whole dialogue as the row of a data file, cut before the bot's last turn, which is the answer.

    The candidates are the different things that the bot said in it. `None` where it said nothing.
    """
    places = [place for place, turn in enumerate(dialogue.turns) if turn.speaker == "system"]
    if not places:
        return None
    texts = list(dict.fromkeys(dialogue.turns[place].text for place in places))
    candidates = [
        {"utterance": text, "candidate_id": f"{dialogue.id}-{number}"} for number, text in enumerate(texts, start=1)
    ]
    return {
        "answer": dict(candidates[texts.index(dialogue.turns[places[-1]].text)]),
        "dialog_id": dialogue.id,
        "candidates": candidates,
        "utterances": [turn.text for turn in dialogue.turns[: places[-1]]],
    }


def truth_row(example: Example) -> Any:
    """Return the row of a truth file: the one that was read, or a new one from the reference.

    Raises `UsageError` for an example whose answer is not known.
    """
    if example.source is not None and not (isinstance(example.source, dict) and "utterances" in example.source):
        return example.source
    if not example.references or not example.references[0].ranking:
        raise UsageError(f"the answer of dialogue '{example.sample.id}' is not known, so it has no truth row")
    return result_row(example.sample.id, example.references[0].ranking[:1])


def answer_rows(answers: Iterable[tuple[str, Answer]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a result file: ranks from 1 in the order of each answer's ranking.

    Raises `AnswerError` for an answer without a ranking.
    """
    for name, answer in answers:
        if answer.ranking is None:
            raise AnswerError(f"the answer to dialogue '{name}' has no ranking; this task ranks candidates")
        yield result_row(name, answer.ranking)


def result_row(name: str, ids: Iterable[str]) -> dict[str, Any]:
    """Return the row of a truth or result file: the candidates of a dialogue with ranks from 1."""
    ranked = [{"candidate_id": one, "rank": rank} for rank, one in enumerate(ids, start=1)]
    return {"dialog_id": name, "lst_candidate_id": ranked}


def write_data(rows_or_examples: Iterable[dict[str, Any] | Example], path: Path) -> None:
    """Write a data file in the official byte layout; a name that ends in `.gz` is packed."""
    _write((data_row(one) if isinstance(one, Example) else one for one in rows_or_examples), path)


def write_truth(rows_or_examples: Iterable[dict[str, Any] | Example], path: Path) -> None:
    """Write a truth file in the official byte layout. Raises `UsageError` where an answer is not known."""
    _write((truth_row(one) if isinstance(one, Example) else one for one in rows_or_examples), path)


def write_result(answers: Iterable[tuple[str, Answer]], path: Path) -> None:
    """Write a result file in the official byte layout. Raises `AnswerError` for an answer without ranking."""
    _write(answer_rows(answers), path)


def _write(rows: Iterable[Any], path: Path) -> None:
    """Write one JSON list row by row, so that memory does not grow with the file. ASCII, as the official files."""
    with disk.replacing(path) as out:
        out.write(b"[")
        for number, row in enumerate(rows):
            if number:
                out.write(b", ")
            out.write(json.dumps(row).encode("ascii"))
        out.write(b"]")


def read_result(path: Path) -> Submission:
    """Return a result file as it is, with the problems of its bytes: packing, encoding, JSON.

    What the rows mean is for the checker. Raises `StorageError` when the file cannot be read.
    """
    try:
        data = disk.read_bytes(path)
    except FormatError as error:  # damaged gzip
        return Submission(rows=None, layout=LAYOUT, problems=error.problems, path=str(path))
    problems: list[Problem] = []
    rows = None
    try:
        text, problems = disk.decode_text(data, path)
        strange = sniff(text)
        if strange is not None:
            return Submission(rows=None, layout=LAYOUT, problems=(*problems, strange), path=str(path))
        rows = disk.decode_json(text, path)
    except FormatError as error:
        problems = [*problems, *error.problems]
        with suppress(ValueError):  # what the official programs accept all the same keeps its rows
            rows = python2.decode(data)
    return Submission(rows=rows, layout=LAYOUT, problems=tuple(problems), hash=disk.sha256(data), path=str(path))

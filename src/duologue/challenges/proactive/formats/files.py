"""Reads and writes the official files of the challenge: sessions, samples, predictions (specification, section 2).

A session or sample file has one JSON object per line. A prediction file has one reply per line, in the order of the
samples. An evaluation file has `prediction TAB reference` per line and needs no other ground truth. Records keep the
decoded row in `source`, key order and extra keys included, so that writing gives the same file back.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.proactive.formats.rules import form_of, is_regular, row_problems
from duologue.challenges.proactive.schema import START
from duologue.core import disk
from duologue.core.data_rows import line_rows
from duologue.core.decoded import is_whole
from duologue.core.disk import Source
from duologue.core.errors import AnswerError, FormatError, UsageError
from duologue.core.lines import Lines, sha256
from duologue.core.problems import capped
from duologue.core.records import Answer, Dialogue, Example, Fact, Goal, Problem, Sample, Submission, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.core.data_rows import DataRows

EVALUATION = "proactive-evaluation"
PREDICTION = "proactive-prediction"
"""Names of the result formats in `Submission.layout`."""

_LOG = logging.getLogger(__name__)


def read_rows(path: Path, form: str | None = None) -> list[dict[str, Any]]:
    """Return the decoded rows of a session or sample file, plain or gzip.

    `form` requires one of the two. Raises `FormatError` with all problems of the file, `StorageError` when it cannot
    be read.
    """
    return list(stream_rows(path, form))


def stream_rows(path: Path, form: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows that `read_rows` returns as they are read; it raises at the first row that has a problem."""
    checked = checked_rows(path, form)
    for row, found in checked:
        if found:
            raise FormatError(path, capped(chain(found, (problem for _, more in checked for problem in more))))
        if row is not None:
            yield row


def checked_rows(path: Path, form: str | None = None) -> Iterator[tuple[dict[str, Any] | None, Sequence[Problem]]]:
    """Yield each row of a session or sample file with its problems; after the first problem the rows are `None`.

    `form` requires one of the two. Raises as `Source` does.
    """
    lines = Lines(Source(path), unmarked=True)
    if lines.marked:
        _LOG.warning("%s: %s; %s", path, disk.BOM_FOUND.message, disk.BOM_FOUND.advice)
    names: dict[str, int] = {}
    number = 0
    good = True
    for number, line in enumerate(lines, start=1):
        row, found = _checked(line, path, form, number)
        form = form or form_of(row)
        if isinstance(row, dict) and "id" in row:
            found += _repeated(row["id"], number, names)
        good = good and not found
        yield row if good else None, found
    if not number:
        yield None, [Problem(rule="no-rows", message="the file is empty; expected one session or sample per line")]


def _checked(line: str, path: Path, form: str | None, number: int) -> tuple[Any, list[Problem]]:
    """Return the decoded row of a line and its problems."""
    try:
        row = msgspec.json.decode(line)
        if is_regular(row, form):
            return row, []
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        pass  # the slow path below accepts what is valid all the same, and names what is not
    try:
        row = disk.decode_json(line, path, number)
    except FormatError as error:
        return None, list(error.problems)
    return row, [_placed(one, number) for one in row_problems(row, form or form_of(row))]


def _repeated(name: Any, number: int, names: dict[str, int]) -> list[Problem]:
    if isinstance(name, str) and names.setdefault(name, number) != number:
        message = f"the id '{name}' is that of line {names[name]} already"
        return [Problem(rule="row-repeated", place=f"line {number}", message=message)]
    return []


def _placed(problem: Problem, number: int) -> Problem:
    if problem.place.startswith("line "):
        return problem
    place = f"line {number}, {problem.place}" if problem.place else f"line {number}"
    return msgspec.structs.replace(problem, place=place)


def load(path: Path) -> list[Example]:
    """Return the examples of a session or sample file in file order; a session gives one sample per agent turn."""
    return list(examples_of(read_rows(path)))


def examples_of(rows: Iterable[dict[str, Any]]) -> Iterator[Example]:
    """Yield the examples of valid rows; a session gives one sample per agent turn."""
    dialogue_ids = DialogueIds()
    for number, row in enumerate(rows):
        if form_of(row) == "session":
            yield from samples_of(_dialogue(row, number))
        else:
            yield _example(row, dialogue_ids)


def load_sessions(path: Path) -> list[Dialogue]:
    """Return the dialogues of a session file; the agent speaks first."""
    return [_dialogue(row, number) for number, row in enumerate(read_rows(path, "session"))]


def _dialogue(row: dict[str, Any], number: int) -> Dialogue:
    return Dialogue(
        id=session_id(row, number),
        turns=turns_of(row["conversation"]),
        knowledge=_facts(row["knowledge"]),
        goal=_goal(row["goal"]),
        source=row,
    )


def session_id(row: dict[str, Any], number: int) -> str:
    """Return the id of a session: its own, or its index in the file."""
    return _name(row) or f"{number:06d}"


def sample_id(row: dict[str, Any], dialogue: str) -> str:
    """Return the id of a sample row: its own, or dialogue id and turn."""
    return _name(row) or turn_id(dialogue, len(row["history"]))


def turn_id(dialogue: str, at: int) -> str:
    """Return the sample id for a turn of a dialogue."""
    return f"{dialogue}#{at:02d}"


def samples_of(dialogue: Dialogue) -> Iterator[Example]:
    """Yield one sample per agent turn, with the turn as its reference (section 2.1)."""
    for at in range(0, len(dialogue.turns), 2):
        yield Example(
            sample=Sample(
                id=turn_id(dialogue.id, at),
                dialogue_id=dialogue.id,
                history=dialogue.turns[:at],
                knowledge=dialogue.knowledge,
                goal=dialogue.goal,
            ),
            references=(Answer(text=dialogue.turns[at].text),),
            source=dialogue.source,
        )


def _example(row: dict[str, Any], dialogue_ids: DialogueIds) -> Example:
    name = dialogue_ids.of(row)
    sample = Sample(
        id=sample_id(row, name),
        dialogue_id=name,
        history=turns_of(row["history"]),
        knowledge=_facts(row["knowledge"]),
        goal=_goal(row["goal"]),
    )
    references = (Answer(text=row["response"]),) if "response" in row else ()
    return Example(sample=sample, references=references, source=row)


def background_digest(row: dict[str, Any]) -> bytes:
    """Return a digest of goal and knowledge, which samples of one dialogue share."""
    text = json.dumps([row["goal"], row["knowledge"]]).encode()  # half surrogate pairs are no UTF-8
    return blake2b(text, digest_size=16).digest()


def data_rows(path: Path) -> DataRows:
    """Return the lines of a session or sample file; samples with one goal and knowledge are of one dialogue.

    Raises as `read_rows` does.
    """
    problems = capped(problem for _, found in checked_rows(path) for problem in found)
    if problems:
        raise FormatError(path, problems)
    return line_rows(path, _dialogue_of)


def _dialogue_of(line: str, number: int) -> str:
    row = json.loads(line)
    return str(number) if form_of(row) == "session" else background_digest(row).hex()


class DialogueIds:
    """Assigns dialogue ids to sample rows: rows with the same goal and knowledge belong to one dialogue.

    A second sample of the same turn starts another dialogue with that goal and knowledge.
    """

    def __init__(self) -> None:
        self._total = 0
        self._first: dict[bytes, tuple[int, int]] = {}
        """Digest of goal and knowledge -> number of the dialogue, turn of its first sample."""
        self._again: dict[bytes, tuple[list[int], Counter[int]]] = {}
        """Digests seen more than once -> numbers of their dialogues, samples seen per turn."""

    def of(self, row: dict[str, Any]) -> str:
        """Return the dialogue id of a row; rows are passed in file order."""
        digest, at = background_digest(row), len(row["history"])
        first = self._first.setdefault(digest, (self._total, at))
        if first[0] == self._total:
            self._total += 1
            return f"{first[0]:06d}"
        numbers, asked = self._again.setdefault(digest, ([first[0]], Counter([first[1]])))
        again = asked[at]  # samples of this turn so far, each of another dialogue
        asked[at] += 1
        if again == len(numbers):
            numbers.append(self._total)
            self._total += 1
        return f"{numbers[again]:06d}"


def _name(row: dict[str, Any]) -> str | None:
    name = row.get("id")
    return name if isinstance(name, str) and name and is_whole(name) else None


def turns_of(texts: Iterable[str]) -> tuple[Turn, ...]:
    """Return utterances as turns; speakers alternate, the agent first."""
    return tuple(Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(texts))


def _facts(rows: Iterable[list[str]]) -> tuple[Fact, ...]:
    return tuple(Fact(subject=one, relation=relation, object=value) for one, relation, value in rows)


def _goal(rows: list[list[str]]) -> Goal:
    return Goal(topics=(rows[0][1], rows[0][2]), relations=_facts(rows[1:]))


def session_row(dialogue: Dialogue) -> dict[str, Any]:
    """Return the row for a session file: as it was read, or built from the records."""
    if isinstance(dialogue.source, dict) and "conversation" in dialogue.source:
        return dialogue.source
    return {**_background(dialogue.goal, dialogue.knowledge), "conversation": [turn.text for turn in dialogue.turns]}


def sample_row(example: Example) -> dict[str, Any]:
    """Return the row for a sample file: as it was read, or built from the records."""
    if isinstance(example.source, dict) and "history" in example.source:
        return example.source
    row = _background(example.sample.goal, example.sample.knowledge)
    row["history"] = [turn.text for turn in example.sample.history]
    if example.references:
        row["response"] = example.references[0].text
    return row


def _background(goal: Goal | None, knowledge: Iterable[Fact]) -> dict[str, Any]:
    if goal is None or len(goal.topics) != 2:
        raise UsageError("a session of this challenge has a goal of two topics; this one has none")
    relations = [[fact.subject, fact.relation, fact.object] for fact in goal.relations]
    triples = [[fact.subject, fact.relation, fact.object] for fact in knowledge]
    return {"goal": [[START, *goal.topics], *relations], "knowledge": triples}


def row_line(row: dict[str, Any]) -> str:
    """Return a row as the official tools write it: non-ASCII characters unescaped, a space after comma and colon.

    Raises `UsageError` for a row whose extra keys are nested too deeply to be written.
    """
    try:
        return json.dumps(row, ensure_ascii=False) + "\n"
    except RecursionError as error:
        raise UsageError("a row is nested too deeply to be written; a session or sample has three levels") from error


def write_sessions(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write a session file in the official byte layout; a name ending in `.gz` is compressed."""
    write_lines((row_line(session_row(one)) for one in dialogues), path)


def write_samples(examples: Iterable[Example], path: Path) -> None:
    """Write a sample file in the official byte layout; a name ending in `.gz` is compressed."""
    write_lines((row_line(sample_row(one)) for one in examples), path)


def write_lines(lines: Iterable[str], path: Path) -> None:
    """Write lines, newlines included, one by one, so that memory does not grow with the file."""
    with disk.replacing_text(path) as out:
        for line in lines:
            out.write(line)


def write_predictions(answers: Iterable[tuple[str, Answer]], path: Path) -> None:
    """Write a prediction file, one reply per line, in the order given, which must be that of the samples.

    Raises `AnswerError` for an answer without text and for one that cannot be written on one line.
    """
    write_lines(map(_reply_line, answers), path)


def _reply_line(named: tuple[str, Answer]) -> str:
    name, answer = named
    if answer.text is None:
        raise AnswerError(f"the answer to sample '{name}' has no text; this task answers with text")
    if any(mark in answer.text for mark in "\n\r\t") or not is_whole(answer.text):
        message = f"the answer to sample '{name}' holds a line end, a TAB or half a character: {answer.text[:60]!r}"
        raise AnswerError(f"{message}; a reply is one line of words and spaces")
    return answer.text + "\n"


def read_result(path: Path) -> Submission:
    """Return a prediction or evaluation file unchecked; its rows are `Lines`, read lazily.

    A file is an evaluation file if more than half of its non-empty lines have a TAB. Only problems of the encoding are
    noted; the content is for the checker. Raises `StorageError` when the file cannot be read.
    """
    digest = ""
    try:
        source = Source(path)
        digest = sha256(source)
        lines = Lines(source)
        tabbed = filled = 0
        for portion in lines.portions():
            tabbed += sum("\t" in line for line in portion)
            filled += sum(map(bool, portion))
    except FormatError as error:  # damaged gzip, or no UTF-8
        return Submission(rows=None, layout=PREDICTION, problems=error.problems, hash=digest, path=str(path))
    layout = EVALUATION if 2 * tabbed > filled else PREDICTION
    problems = (disk.BOM_FOUND,) if lines.marked else ()
    return Submission(rows=lines, layout=layout, problems=problems, hash=digest, path=str(path))


def answers_in(submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:
    """Return the replies of a result file by sample id; samples after its last line have none."""
    if submission.rows is None:
        return {}
    evaluation = submission.layout == EVALUATION
    names = (one.sample.id for one in examples)
    replies = (line.partition("\t")[0] if evaluation else line for line in submission.rows)
    return {name: Answer(text=text.strip()) for name, text in zip(names, replies, strict=False)}

"""Official files of the spoken challenge and records, both ways (specification, section 2).

All are JSON in UTF-8, plain or gzip: dialogues (train.json, valid.json, and all of KdConv), samples (test.json),
gold and results (result.json), and the knowledge graph (kg.json). What was read is kept in `source`, key order
included, so that writing gives the file back: byte for byte in the compact layout of the published files.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.spoken.formats.data_rules import data_problems, kind_of
from duologue.challenges.spoken.schema.triples import attr_of, facts_of, object_of, plain
from duologue.core import disk
from duologue.core.data_rows import json_rows
from duologue.core.errors import AnswerError, FormatError, UsageError
from duologue.core.json_objects import Decoded, decode
from duologue.core.records import Annotation, Answer, Dialogue, Example, Fact, Problem, Sample, Submission, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.core.data_rows import DataRows

LAYOUT = "spoken-result"
"""Name of the result format in `Submission.layout`."""

_LOG = logging.getLogger(__name__)


class FileRows(dict[str, Any]):
    """The rows of a result file, with the repeated keys that the checker reports."""

    def __init__(self, decoded: Decoded) -> None:
        super().__init__(decoded.value)
        self.decoded = decoded


def read_decoded(path: Path) -> Decoded:
    """Return the decoded content of a data file; a byte order mark is skipped with a warning in the log.

    Raises `StorageError` when the file cannot be read, `FormatError` when it is no JSON in UTF-8.
    """
    text, warnings = disk.decode_text(disk.read_bytes(path), path)
    for warning in warnings:
        _LOG.warning("%s: %s; %s", path, warning.message, warning.advice)
    return decode(text, path)


def load(path: Path) -> list[Example]:
    """Return the examples of a data file: dialogues, samples or gold, detected by its content.

    Dialogues give one example for each turn of the responder (odd index, from 0), with the id
    `<number of the dialogue>#<index of the turn>`, both from 0. Samples (test.json) have no references. Gold
    (result.json's form) has no history. Raises `FormatError` with all problems of the file.
    """
    decoded = read_decoded(path)
    kind = _expect(decoded, path, ("dialogues", "samples", "gold"))
    if kind == "dialogues":
        return [example for dialogue in _dialogues(decoded.value) for example in examples_of(dialogue)]
    if kind == "samples":
        return [_sample_example(name, turns) for name, turns in decoded.value.items()]
    return [_gold_example(name, row) for name, row in decoded.value.items()]


def _expect(decoded: Decoded, path: Path, kinds: Sequence[str]) -> str:
    """Return which of the kinds a file is. Raises `FormatError` with all its problems."""
    kind = kind_of(decoded.value, kinds)
    problems = data_problems(decoded, kind, kinds)
    if problems:
        raise FormatError(path, problems)
    return kind


def read_any(path: Path) -> tuple[str, Any]:
    """Return which kind of data file a file is (a key of `data.KINDS`), and what it holds as it stands.

    Raises `FormatError` with all problems of the file.
    """
    decoded = read_decoded(path)
    return _expect(decoded, path, ("dialogues", "samples", "gold", "graph")), decoded.value


def data_rows(path: Path) -> DataRows:
    """Return dialogues, samples or gold as rows; samples that begin with the same utterance are of one dialogue.

    Raises `FormatError` with all problems of the file, and for a knowledge graph.
    """
    decoded = read_decoded(path)
    kind = _expect(decoded, path, ("dialogues", "samples", "gold"))
    rows = json_rows(path)
    if kind != "samples":
        return rows
    return rows.relabelled(lambda row: decoded.value[row.name][0]["message"])


def read_dialogues(path: Path) -> list[Dialogue]:
    """Return the dialogues of train.json, valid.json or a file of KdConv; ids are their numbers in the file, from 0.

    Raises `FormatError` with all problems of the file.
    """
    decoded = read_decoded(path)
    _expect(decoded, path, ("dialogues",))
    return list(_dialogues(decoded.value))


def _dialogues(rows: Iterable[dict[str, Any]]) -> Iterator[Dialogue]:
    for number, row in enumerate(rows):
        turns = tuple(_turn(message, at, annotated=True) for at, message in enumerate(row["messages"]))
        meta = {"start": plain(row["name"])} if "name" in row else {}
        yield Dialogue(id=str(number), turns=turns, meta=meta, source=row)


def _turn(message: dict[str, Any], at: int, *, annotated: bool) -> Turn:
    """Return a turn; the speakers alternate, the user first, as the format has no field for them."""
    annotation = Annotation(facts=facts_of(message["attrs"])) if annotated and "attrs" in message else None
    return Turn(speaker=("user", "system")[at % 2], text=message["message"], annotation=annotation)


def examples_of(dialogue: Dialogue) -> Iterator[Example]:
    """Yield an example for each turn of the responder, `source` being its row.

    The history comes without the triples of earlier turns: test files have none, so no system may see them. Those of
    its last turn are in `asked`.
    """
    messages = dialogue.source["messages"]
    bare = [_turn(message, at, annotated=False) for at, message in enumerate(messages)]
    for at in range(1, len(messages), 2):
        sample = Sample(id=f"{dialogue.id}#{at}", dialogue_id=dialogue.id, history=tuple(bare[:at]))
        asked = dialogue.turns[at - 1].annotation
        yield Example(sample=sample, references=(answer_in(messages[at]),), asked=asked, source=messages[at])


def answer_in(row: dict[str, Any]) -> Answer:
    """Return the reply in an object with `message` and perhaps `attrs`.

    Without `attrs` no knowledge is used: that is known, so the annotation is an empty one.
    """
    return Answer(text=row["message"], annotation=Annotation(facts=facts_of(row.get("attrs", ()))))


def is_writable(name: str, answer: Answer) -> bool:
    """Return whether an id and its answer can be written as UTF-8: nowhere in them is half a surrogate pair."""
    try:
        msgspec.json.encode((name, answer))
    except UnicodeEncodeError:
        return False
    return True


def _sample_example(name: str, turns: list[dict[str, Any]]) -> Example:
    history = tuple(_turn(message, at, annotated=False) for at, message in enumerate(turns))
    return Example(sample=Sample(id=name, dialogue_id=name, history=history), source=turns)


def _gold_example(name: str, row: dict[str, Any]) -> Example:
    return Example(sample=Sample(id=name, dialogue_id=name), references=(answer_in(row),), source=row)


def read_graph(path: Path) -> dict[str, list[list[Any]]]:
    """Return a knowledge graph as it stands in kg.json: entity to rows of entity, attribute and value.

    Raises `FormatError` with all problems of the file.
    """
    decoded = read_decoded(path)
    _expect(decoded, path, ("graph",))
    graph: dict[str, list[list[Any]]] = decoded.value
    return graph


def facts_in(graph: Mapping[str, Iterable[Sequence[Any]]]) -> Iterator[Fact]:
    """Yield the facts of a knowledge graph in the order of the file; repeated rows are yielded as they stand."""
    for rows in graph.values():
        for entity, attribute, value in rows:
            yield Fact(subject=plain(entity), relation=plain(attribute), object=object_of(value))


def graph_of(facts: Iterable[Fact]) -> dict[str, list[list[Any]]]:
    """Return facts as a knowledge graph, entities in the order of their first fact."""
    graph: dict[str, list[list[Any]]] = {}
    for fact in facts:
        value = list(fact.object) if isinstance(fact.object, tuple) else fact.object
        graph.setdefault(fact.subject, []).append([fact.subject, fact.relation, value])
    return graph


def dialogue_row(dialogue: Dialogue) -> dict[str, Any]:
    """Return the row of train.json: the one that was read, or a new one from the records."""
    if isinstance(dialogue.source, dict) and "messages" in dialogue.source:
        return dialogue.source
    messages = [_message(turn.text, turn.annotation) for turn in dialogue.turns]
    start = {"name": dialogue.meta["start"]} if "start" in dialogue.meta else {}
    return {**start, "messages": messages}


def _message(text: str, annotation: Annotation | None) -> dict[str, Any]:
    facts = annotation.facts if annotation is not None else ()
    row: dict[str, Any] = {"message": text}
    if facts:  # the format leaves the key out where no knowledge is used
        row["attrs"] = [attr_of(fact) for fact in facts]
    return row


def sample_row(example: Example) -> list[dict[str, Any]]:
    """Return the turns of a sample as in test.json: those that were read, or new ones from the records."""
    if isinstance(example.source, list):
        return example.source
    return [{"message": turn.text} for turn in example.sample.history]


def gold_row(example: Example) -> dict[str, Any]:
    """Return the true reply as in result.json. Raises `UsageError` where it is not known."""
    if isinstance(example.source, dict) and "message" in example.source:
        return example.source
    if not example.references:
        raise UsageError(f"the reply of sample '{example.sample.id}' is not known, so it has no gold row")
    return reply_row(example.sample.id, example.references[0])


def reply_row(name: str, answer: Answer) -> dict[str, Any]:
    """Return a reply as in result.json. Raises `AnswerError` for an answer without a text."""
    if answer.text is None:
        raise AnswerError(f"the answer to sample '{name}' has no text; this task wants a reply with its facts")
    return _message(answer.text, answer.annotation)


def write_dialogues(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write train.json or valid.json; a name that ends in `.gz` is packed."""
    _write_list((dialogue_row(one) for one in dialogues), path)


def write_samples(examples: Iterable[Example], path: Path) -> None:
    """Write test.json: ids and histories."""
    _write_object(((one.sample.id, sample_row(one)) for one in examples), path)


def write_gold(examples: Iterable[Example], path: Path) -> None:
    """Write the true replies in the form of result.json. Raises `UsageError` where one is not known."""
    _write_object(((one.sample.id, gold_row(one)) for one in examples), path)


def write_result(answers: Iterable[tuple[str, Answer]], path: Path) -> None:
    """Write result.json. Raises `AnswerError` for an answer without a text."""
    _write_object(((name, reply_row(name, answer)) for name, answer in answers), path)


def write_graph(graph: Mapping[str, Iterable[Sequence[Any]]], path: Path) -> None:
    """Write kg.json."""
    _write_object(graph.items(), path)


def _write_list(rows: Iterable[Any], path: Path) -> None:
    with disk.replacing(path) as out:
        out.write(b"[")
        for number, row in enumerate(rows):
            out.write((b"," if number else b"") + _compact(row))
        out.write(b"]")


def _write_object(rows: Iterable[tuple[str, Any]], path: Path) -> None:
    with disk.replacing(path) as out:
        out.write(b"{")
        for number, (name, row) in enumerate(rows):
            out.write((b"," if number else b"") + _compact(name) + b":" + _compact(row))
        out.write(b"}")


def _compact(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair under a key that nobody reads: escaped, it can be written
        return json.dumps(value, separators=(",", ":")).encode("ascii")
    except RecursionError as error:
        raise UsageError("a row is nested too deeply to be written as JSON") from error


def read_result(path: Path) -> Submission:
    """Return a result file as it is, with the problems of its bytes: packing, encoding, byte order mark, JSON.

    What the rows mean is for the checker. Raises `StorageError` when the file cannot be read.
    """
    problems: list[Problem] = []
    data = b""
    rows: Any = None
    try:
        data = disk.read_bytes(path)
        text, warnings = disk.decode_text(data, path)
        # The house warns of a byte order mark; this challenge forbids it.
        problems += [Problem(rule=one.rule, place=one.place, message="found a byte order mark") for one in warnings]
        decoded = decode(text, path)
        rows = FileRows(decoded) if isinstance(decoded.value, dict) else decoded.value
        if rows is None:  # the JSON `null`: told here, since rows that are `None` mean a file that does not decode
            problems.append(Problem(rule="not-an-object", message="the file holds null, expected an object"))
    except FormatError as error:
        problems += error.problems
    digest = disk.sha256(data) if data else ""
    return Submission(rows=rows, layout=LAYOUT, problems=tuple(problems), hash=digest, path=str(path))

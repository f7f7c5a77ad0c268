"""The official track 1 scorer with its cleaning step, quirk by quirk (specification, section 6).

It works on decoded files as they are. Where the official program ends with an error of Python, so do these
functions, with the same kind of error: `score` turns it into an `OfficialError` that names it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import DATA_SERVICE, DATA_SERVICES, NOISE, USER
from duologue.challenges.mobilecs.scoring.official_errors import official_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

EPSILON = 1e-10
"""Added to every denominator, so a perfect score is a little below 1 and 0 / 0 is 0."""
NOBODY = "None"
"""What a predicted entity is called that is assigned to no true one."""

_WITHOUT_NOISE = str.maketrans("", "", NOISE)

ColumnCounts = dict[str, float]


@dataclass(frozen=True, slots=True)
class OfficialCounts:
    """What the official program computes, document by document."""

    documents: dict[str, ColumnCounts]
    """Id of each true document to its counts `entity right`, `entity said`, `entity wanted`, `triple right`, ..."""
    assignment: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)
    """Per row of the submission its id and which predicted entity is which true one, in the order of the ids."""


@dataclass(frozen=True, slots=True)
class _Document:
    mentions: list[tuple[str, str]]
    """Entity id and scoring key of each mention."""
    triples: list[tuple[str, str, str]]
    """Entity id, `-turn-value` and slot of each triple."""

    def ids(self) -> list[str]:
        return sorted({name for name, _ in self.mentions})


def score(gold: Sequence[Mapping[str, Any]], rows: Any) -> OfficialCounts:
    """Return what the official program computes for true dialogues and the rows of a submission.

    Raises `OfficialError` where it ends with an error.
    """
    with official_errors("track 1 scorer"):
        return _score(gold, rows)


def look_at(rows: Any) -> None:
    """Do with each row of a submission what the official program does where the truth has its dialogue.

    Raises `OfficialError` where it ends with an error then.
    """
    with official_errors("track 1 scorer"):
        names = _Names()
        for row in rows:
            document = _predicted(row, names)
            assigned = assign_entities(document, document)
            for entity, value, slot in document.triples:
                _triple(row["id"], entity if entity == USER else assigned[entity], value, slot)


def _score(gold: Sequence[Mapping[str, Any]], rows: Any) -> OfficialCounts:
    names = _Names()
    known = {row["id"] for row in gold}
    said = [(row["id"], _predicted(row, names) if row["id"] in known else None) for row in rows]
    truth = {row["id"]: _true(row, names) for row in gold}
    documents = {name: _empty() for name in truth}
    for name, document in truth.items():
        documents[name]["entity wanted"] = len(document.mentions)
        documents[name]["triple wanted"] = len(document.triples)
    mentions = Counter([key for document in truth.values() for _, key in document.mentions])
    triples = Counter(
        [
            _triple(name, entity, value, slot)
            for name, document in truth.items()
            for entity, value, slot in document.triples
        ]
    )
    assignments = []
    for name, answer in said:
        if answer is None:  # a row of an unknown document is skipped unread
            assignments.append((name, list[tuple[str, str]]()))
            continue
        counts = documents[name]
        assigned = assign_entities(answer, truth[name])
        assignments.append((name, list(assigned.items())))
        keys = [
            _triple(name, entity if entity == USER else assigned[entity], value, slot)
            for entity, value, slot in answer.triples
        ]
        counts["entity said"] += len(answer.mentions)
        counts["entity right"] += _take([key for _, key in answer.mentions], mentions)
        counts["triple said"] += len(keys)
        counts["triple right"] += _take(keys, triples)
    return OfficialCounts({str(name): counts for name, counts in documents.items()}, assignments)


def _triple(document: Any, entity: Any, value: str, slot: Any) -> str:
    """Return the key of a triple; `value` is `-turn-value`."""
    if document.__class__ is str and entity.__class__ is str and slot.__class__ is str:
        return f"{document}-{entity}{value}-{slot}"
    parts = [document, entity, "", "", slot]
    return "-".join(parts)  # fails as the official program does, which joins five texts


def _empty() -> ColumnCounts:
    return dict.fromkeys(_COLUMNS, 0.0)


_COLUMNS = tuple(f"{what} {part}" for what in ("entity", "triple") for part in ("right", "said", "wanted"))


def _take(keys: Iterable[str], left: Counter[str]) -> int:
    """Return how many keys find an equal one that is left, and use it up."""
    found = 0
    for key in keys:
        times = left.get(key, 0)
        if times > 0:
            left[key] = times - 1
            found += 1
    return found


class _Name(NamedTuple):
    """What the cleaning makes of a name."""

    length: int
    """Characters without noise."""
    shift: int
    """Characters of noise that it starts with."""
    data_service: bool
    """Whether a data service is named."""


class _Names(dict[str, _Name]):
    """Names that were cleaned already: a dialogue says the same ones again and again, and the truth once more."""

    def __missing__(self, name: str) -> _Name:
        found = self[name] = _clean(name)
        return found


def _mention(document: str, turn: Any, place: Sequence[int], name: str, kind: str, names: _Names) -> str:
    """Return the key of a mention: the given end is not used, the type of the data services is forced (6.2)."""
    # What is no text cannot be kept by name; it fails in `_clean` as it does in the official program.
    length, shift, data_service = names[name] if name.__class__ is str else _clean(name)
    start = place[0] + shift
    if data_service:
        kind = DATA_SERVICE
    if document.__class__ is str and kind.__class__ is str:
        return f"{document}-{turn}-{start}-{start + length}-{kind}"
    return "-".join([document, str(turn), str(start), str(start + length), kind])  # fails as the official program does


def _clean(name: str) -> _Name:
    cleaned = _bare(name)
    shift = len(name) - len(name.lstrip(NOISE)) if len(cleaned) < len(name) else 0
    return _Name(len(cleaned), shift, _DATA_SERVICE.search(cleaned) is not None)


_DATA_SERVICE = re.compile("|".join(map(re.escape, DATA_SERVICES)))


def _bare(text: str) -> str:
    """Return a text without noise; what is no text fails as it does in the official program."""
    if text.__class__ is str:
        return text.replace(" ", "").replace("_", "")  # NOISE, three times as fast as by table
    return text.translate(_WITHOUT_NOISE)


def _true(row: Mapping[str, Any], names: _Names) -> _Document:
    mentions, triples = [], []
    for number, turn in enumerate(row["content"]):
        for entity in turn["info"]["ents"]:
            for place in entity["pos"]:
                key = _mention(row["id"], number, place[1:], entity["name"], entity["type"], names)
                mentions.append((entity["id"], key))
        for triple in turn["info"]["triples"]:
            value = _bare(triple["value"])
            triples.append((triple["ent-id"], f"-{number}-{value}", triple["prop"]))
    return _Document(mentions, triples)


def _predicted(row: Mapping[str, Any], names: _Names) -> _Document:
    mentions = [
        (one["id"], _mention(row["id"], one["turn_id"], one["position"], one["name"], one["type"], names))
        for one in row["entities"]
    ]
    triples = []
    for one in row["triples"]:
        value = _bare(one["value"])
        one["position"][0] + len(value)  # the official cleaning computes a position that nothing reads
        triples.append((one["ent-id"], f"-{one['turn_id']}-{value}", one["prop"]))
    return _Document(mentions, triples)


def assign_entities(said: _Document, true: _Document) -> dict[str, str]:
    """Return which predicted entity is which true one, by their triples' turns and values alone (6.5).

    Raises `KeyError` for a predicted triple of an entity that has no predicted mention.
    """
    from duologue.metrics.assignment import assign  # numpy stays out of what only lists tasks

    rows, columns = said.ids(), true.ids()
    told: dict[str, list[str]] = {name: [] for name in rows}
    for entity, value, _ in said.triples:
        if entity != USER or USER in told:  # a mention may bear the user's id
            told[entity].append(value)
    known: dict[str, list[str]] = {name: [] for name in columns}
    places: dict[str, set[int]] = {}
    numbers = {name: number for number, name in enumerate(columns)}
    for entity, value, _ in true.triples:
        if entity in known:
            known[entity].append(value)
            places.setdefault(value, set()).add(numbers[entity])
    similarity = [[0.0] * len(columns) for _ in rows]
    for line, row in zip(similarity, rows, strict=True):
        for column in {column for value in told[row] for column in places.get(value, ())}:  # others share nothing
            line[column] = _similarity(told[row], known[columns[column]])
    found = assign(similarity)
    return {row: NOBODY if place is None else columns[place] for row, place in zip(rows, found, strict=True)}


def _similarity(said: list[str], true: list[str]) -> float:
    left = list(true)
    hits = 0
    for value in said:
        if value in left:
            left.remove(value)
            hits += 1
    precision, recall = hits / (len(said) + EPSILON), hits / (len(true) + EPSILON)
    return 2 * precision * recall / (precision + recall + EPSILON)

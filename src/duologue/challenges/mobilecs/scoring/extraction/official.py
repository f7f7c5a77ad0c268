"""The official track 1 scorer with its cleaning step, quirk by quirk (specification, section 6).

Works on decoded files as they are. Where the official program ends with a Python error, these functions raise the
same kind of error, and `score` turns it into an `OfficialError` that names it.
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
"""Added to every denominator: a perfect score is slightly below 1, and 0 / 0 is 0."""
NOBODY = "None"
"""Id of a predicted entity that is assigned to no gold one."""

_WITHOUT_NOISE = str.maketrans("", "", NOISE)

ColumnCounts = dict[str, float]


@dataclass(frozen=True, slots=True)
class OfficialCounts:
    """Counts and entity assignments of the official program, by document."""

    documents: dict[str, ColumnCounts]
    """Counts of each gold document by its id: `entity right`, `entity said`, `entity wanted`, `triple right`, ..."""
    assignment: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)
    """Id of each submitted row, and its predicted entities with their gold ones, in the order of the ids."""


@dataclass(frozen=True, slots=True)
class _Document:
    mentions: list[tuple[str, str]]
    """Entity id and scoring key of each mention."""
    triples: list[tuple[str, str, str]]
    """Entity id, `-turn-value` and slot of each triple."""

    def ids(self) -> list[str]:
        return sorted({name for name, _ in self.mentions})


def score(gold: Sequence[Mapping[str, Any]], rows: Any) -> OfficialCounts:
    """Return the counts of the official program for gold dialogues and the rows of a submission.

    Raises `OfficialError` if it ends with an error.
    """
    with official_errors("track 1 scorer"):
        return _score(gold, rows)


def replay_without_gold(rows: Any) -> None:
    """Process each row of a submission as the official program does if its dialogue is in the gold data.

    Raises `OfficialError` if it ends with an error.
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
    predicted = [(row["id"], _predicted(row, names) if row["id"] in known else None) for row in rows]
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
    for name, answer in predicted:
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
    """Return how many keys match one that is left, and use it up."""
    found = 0
    for key in keys:
        times = left.get(key, 0)
        if times > 0:
            left[key] = times - 1
            found += 1
    return found


class _Name(NamedTuple):
    """A name after the official cleaning."""

    length: int
    """Number of characters without noise."""
    shift: int
    """Number of noise characters at its start."""
    data_service: bool
    """Whether a data service is named."""


class _Names(dict[str, _Name]):
    """Cache of cleaned names: the same ones recur in a dialogue, and once more in the gold data."""

    def __missing__(self, name: str) -> _Name:
        found = self[name] = _clean(name)
        return found


def _mention(document: str, turn: Any, place: Sequence[int], name: str, kind: str, names: _Names) -> str:
    """Return the scoring key of a mention: the given end is ignored, the type of data services is forced (6.2)."""
    # Other types cannot be cached by name; they fail in `_clean` as they do in the official program.
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
    """Return a text without noise; any other type fails as it does in the official program."""
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


def assign_entities(predicted: _Document, gold: _Document) -> dict[str, str]:
    """Assign predicted entities to gold ones by the turns and values of their triples alone (6.5).

    Raises `KeyError` for a predicted triple of an entity that has no predicted mention.
    """
    from duologue.metrics.assignment import assign  # numpy stays out of what only lists tasks

    rows, columns = predicted.ids(), gold.ids()
    told: dict[str, list[str]] = {name: [] for name in rows}
    for entity, value, _ in predicted.triples:
        if entity != USER or USER in told:  # a mention may bear the user's id
            told[entity].append(value)
    known: dict[str, list[str]] = {name: [] for name in columns}
    places: dict[str, set[int]] = {}
    numbers = {name: number for number, name in enumerate(columns)}
    for entity, value, _ in gold.triples:
        if entity in known:
            known[entity].append(value)
            places.setdefault(value, set()).add(numbers[entity])
    similarity = [[0.0] * len(columns) for _ in rows]
    for line, row in zip(similarity, rows, strict=True):
        for column in {column for value in told[row] for column in places.get(value, ())}:  # others share nothing
            line[column] = _similarity(told[row], known[columns[column]])
    found = assign(similarity)
    return {row: NOBODY if place is None else columns[place] for row, place in zip(rows, found, strict=True)}


def _similarity(predicted: list[str], gold: list[str]) -> float:
    hits = _take(predicted, Counter(gold))
    precision, recall = hits / (len(predicted) + EPSILON), hits / (len(gold) + EPSILON)
    return 2 * precision * recall / (precision + recall + EPSILON)

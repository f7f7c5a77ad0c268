"""The official track 1 scorer with its cleaning step, quirk by quirk (specification, section 6).

It works on decoded files as they are. Where the official program ends with an error of Python, so do these
functions, with the same kind of error: `score` turns it into an `OfficialError` that names it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.crash import official_errors
from duologue.challenges.mobilecs.schema import DATA_SERVICE, DATA_SERVICES, NOISE, USER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

EPSILON = 1e-10
"""Added to every denominator, so a perfect score is a little below 1 and 0 / 0 is 0."""
NOBODY = "None"
"""What a predicted entity is called that is assigned to no true one."""

_WITHOUT_NOISE = str.maketrans("", "", NOISE)

Counted = dict[str, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the official program computes, document by document."""

    documents: dict[str, Counted]
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


def score(gold: Sequence[Mapping[str, Any]], rows: Any) -> Outcome:
    """Return what the official program computes for true dialogues and the rows of a submission.

    Raises `OfficialError` where it ends with an error.
    """
    with official_errors("track 1 scorer"):
        return _score(gold, rows)


def _score(gold: Sequence[Mapping[str, Any]], rows: Any) -> Outcome:
    said = [(row["id"], _predicted(row)) for row in rows]
    truth = {row["id"]: _true(row) for row in gold}
    documents = {name: _empty() for name in truth}
    for name, document in truth.items():
        documents[name]["entity wanted"] = len(document.mentions)
        documents[name]["triple wanted"] = len(document.triples)
    mentions = Counter(key for document in truth.values() for _, key in document.mentions)
    triples = Counter(
        f"{name}-{entity}{value}-{slot}" for name, document in truth.items() for entity, value, slot in document.triples
    )
    assignments = []
    for name, document in said:
        if name not in truth:
            assignments.append((name, list[tuple[str, str]]()))
            continue
        counts = documents[name]
        assigned = assign_entities(document, truth[name])
        assignments.append((name, list(assigned.items())))
        keys = [
            f"{name}-{entity if entity == USER else assigned[entity]}{value}-{slot}"
            for entity, value, slot in document.triples
        ]
        counts["entity said"] += len(document.mentions)
        counts["entity right"] += _take((key for _, key in document.mentions), mentions)
        counts["triple said"] += len(keys)
        counts["triple right"] += _take(keys, triples)
    return Outcome({str(name): counts for name, counts in documents.items()}, assignments)


def _empty() -> Counted:
    return {f"{what} {part}": 0.0 for what in ("entity", "triple") for part in ("right", "said", "wanted")}


def _take(keys: Iterable[str], left: Counter[str]) -> int:
    """Return how many keys find an equal one that is left, and use it up."""
    found = 0
    for key in keys:
        if left[key] > 0:
            left[key] -= 1
            found += 1
    return found


def _mention(document: str, turn: Any, place: Sequence[int], name: str, kind: str) -> str:
    """Return the key of a mention: the given end is not used, the type of the data services is forced (6.2)."""
    # What is no text cannot be kept by name; it fails in `_clean` as it does in the official program.
    cleaned, shift, is_data_service = (_known if name.__class__ is str else _clean)(name)
    start = place[0] + shift
    return "-".join([document, str(turn), str(start), str(start + cleaned), DATA_SERVICE if is_data_service else kind])


def _clean(name: str) -> tuple[int, int, bool]:
    """Return the length of a name without noise, how much noise it starts with, and whether a data service is named."""
    cleaned = name.translate(_WITHOUT_NOISE)
    shift = len(name) - len(name.lstrip(NOISE))
    return len(cleaned), shift, any(service in cleaned for service in DATA_SERVICES)


_known = lru_cache(maxsize=4096)(_clean)


def _true(row: Mapping[str, Any]) -> _Document:
    mentions, triples = [], []
    for number, turn in enumerate(row["content"]):
        for entity in turn["info"]["ents"]:
            for place in entity["pos"]:
                key = _mention(row["id"], number, place[1:], entity["name"], entity["type"])
                mentions.append((entity["id"], key))
        for triple in turn["info"]["triples"]:
            value = triple["value"].translate(_WITHOUT_NOISE)
            triples.append((triple["ent-id"], f"-{number}-{value}", triple["prop"]))
    return _Document(mentions, triples)


def _predicted(row: Mapping[str, Any]) -> _Document:
    mentions = [
        (one["id"], _mention(row["id"], one["turn_id"], one["position"], one["name"], one["type"]))
        for one in row["entities"]
    ]
    triples = []
    for one in row["triples"]:
        value = one["value"].translate(_WITHOUT_NOISE)
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
    for entity, value, _ in true.triples:
        if entity in known:
            known[entity].append(value)
    found = assign([[_similarity(told[row], known[column]) for column in columns] for row in rows])
    return {row: NOBODY if place is None else columns[place] for row, place in zip(rows, found, strict=True)}


def _similarity(said: list[str], true: list[str]) -> float:
    if not said or not true:
        return 0.0
    left = list(true)
    hits = 0
    for value in said:
        if value in left:
            left.remove(value)
            hits += 1
    precision, recall = hits / (len(said) + EPSILON), hits / (len(true) + EPSILON)
    return 2 * precision * recall / (precision + recall + EPSILON)

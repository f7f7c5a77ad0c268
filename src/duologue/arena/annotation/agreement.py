"""How well annotators agree, layer by layer, on the dialogues that several of them finished."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.arena.annotation.alignment import align, clusters, renamed
from duologue.metrics.counts import tally
from duologue.metrics.intervals import intervals
from duologue.metrics.overlap import Overlap, TokenBags
from duologue.ratings.agreement import Agreement, agreement
from duologue.ratings.coefficients import KrippendorffAlpha, WeightedKappa
from duologue.ratings.protocol import Criterion
from duologue.ratings.table import UnitTable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from duologue.arena.annotation.items import AnnotationItem
    from duologue.arena.annotation.sheets import DialogueWork

    _Place = tuple[int, int, int]
    _Clusters = Mapping[str, set[_Place]]

_MAX_LABELS = 100
_OTHERS = "\0others"


class LayerAgreement(NamedTuple):
    """F1 between annotators on one layer: that of all pairs, pooled, with a 95 % interval over dialogues."""

    layer: str
    value: float | None
    low: float | None
    high: float | None
    dialogues: int
    shared: int
    """Marks that both of a pair have, summed over pairs."""
    either: float
    """Marks of one of a pair, on average, summed over pairs."""


class AnnotatorAgreement(NamedTuple):
    """Agreement on all layers."""

    layers: tuple[LayerAgreement, ...]
    intents: tuple[Agreement, ...]
    """Of the set of intents of each utterance: Krippendorff's alpha and kappa."""
    dialogues: int
    """Dialogues that two people or more finished."""
    annotators: int


LAYERS = ("mentions", "mention spans", "coreference", "slot values", "slot value spans", "intents", "arguments")
"""What is compared: spans with and without their label; pairs of mentions of one entity; values with their owner."""


def annotator_agreement(work: Sequence[DialogueWork]) -> AnnotatorAgreement:
    """Return the agreement of finished sheets; dialogues of a single annotator say nothing of it."""
    several = [one for one in work if len(one.done()) > 1]
    people = sorted({sheet.person_id for one in several for sheet in one.done()})
    pairs = [(one.id, a.items, b.items) for one in several for a, b in combinations(one.done(), 2)]
    bags = [_compared(a, b) for _, a, b in pairs]
    ids = [str(place) for place in range(len(pairs))]
    groups = [name for name, _, _ in pairs]
    layers = tuple(_layer(layer, ids, groups, [bag[layer] for bag in bags]) for layer in LAYERS)
    return AnnotatorAgreement(layers, _intents(several, people), len(several), len(people))


def _layer(
    layer: str, ids: list[str], groups: list[str], bags: list[TokenBags | Mapping[str, float]]
) -> LayerAgreement:
    metric = Overlap(layer, "f1")
    if not bags:
        return LayerAgreement(layer, None, None, None, 0, 0, 0.0)
    counts = tally([metric], ids, bags, groups=groups)
    (found,) = intervals(counts, [metric])
    hits, said, wanted = counts.array.sum(axis=0)
    defined = said + wanted > 0
    return LayerAgreement(
        layer, float(found.value) if defined else None, found.low if defined else None,
        found.high if defined else None, len(set(groups)), int(hits), float(said + wanted) / 2,
    )  # fmt: skip


def _compared(a: Sequence[AnnotationItem], b: Sequence[AnnotationItem]) -> dict[str, TokenBags | Mapping[str, float]]:
    """Return by layer what two annotators marked, or how much of it both did, and each."""
    other = renamed(b, align(b, a), "\0")  # an entity that is none of A's is called as none of A's can be
    ours, theirs = _sets(a), _sets(other)
    found = {layer: TokenBags(said, theirs[layer]) for layer, said in ours.items()}
    pairs = dict(zip(Overlap("coreference", "f1").columns, map(float, _pairs_shared(a, other)), strict=True))
    return {**found, "coreference": pairs}


def _pairs_shared(a: Sequence[AnnotationItem], b: Sequence[AnnotationItem]) -> tuple[int, int, int]:
    """Return how many pairs of mentions of one entity both have, and each: counted, for they may be millions."""
    ours, theirs = clusters(a), clusters(b)
    bit = {place: 1 << number for number, place in enumerate(sorted({*_places(ours), *_places(theirs)}))}
    said, wanted = _companions(ours, bit), _companions(theirs, bit)
    both = sum((known & wanted.get(place, 0)).bit_count() for place, known in said.items())
    return both // 2, _half(said), _half(wanted)


def _half(companions: Mapping[_Place, int]) -> int:
    """Return the pairs that places with their companions are: each stands at both of its ends."""
    return sum(others.bit_count() for others in companions.values()) // 2


def _places(found: _Clusters) -> Iterator[_Place]:
    return (place for places in found.values() for place in places)


def _companions(found: _Clusters, bit: Mapping[_Place, int]) -> dict[_Place, int]:
    """Return by place the other places of its entities, a bit each."""
    known: dict[_Place, int] = defaultdict(int)
    for places in found.values():
        together = sum(bit[place] for place in places)
        for place in places:
            known[place] |= together
    return {place: others & ~bit[place] for place, others in known.items()}


def _sets(items: Sequence[AnnotationItem]) -> dict[str, list[Hashable]]:
    mentions = [one for one in items if one.layer == "mention"]
    values = [one for one in items if one.layer == "value"]
    intents = [one for one in items if one.layer == "intent"]
    return {
        "mentions": _distinct((*_place(one), one.label) for one in mentions),
        "mention spans": _distinct(_place(one) for one in mentions),
        "slot values": _distinct((*_place(one), one.label, one.entity) for one in values),
        "slot value spans": _distinct(_place(one) for one in values),
        "intents": _distinct((one.turn, one.label) for one in intents),
        "arguments": _distinct((one.turn, one.label, argument) for one in intents for argument in one.args),
    }


def _distinct(found: Iterable[Any]) -> list[Hashable]:
    return list(dict.fromkeys(found))


def _place(one: AnnotationItem) -> tuple[int, int, int]:
    return one.turn, one.start, one.end


def _intents(several: Sequence[DialogueWork], people: Sequence[str]) -> tuple[Agreement, ...]:
    """Return alpha and kappa of the sets of intents; the rarest sets count as one where there are very many."""
    rows: list[dict[int, str]] = []
    item: list[int] = []
    places = {person: place for place, person in enumerate(people)}
    for number, one in enumerate(several):
        labels = [(places[sheet.person_id], _intents_by_turn(sheet.items)) for sheet in one.done()]
        for turn, said in enumerate(one.dialogue.turns):
            if said.text.strip():
                rows.append({person: ",".join(sorted(of_turn.get(turn, ()))) for person, of_turn in labels})
                item.append(number)
    times: dict[str, int] = {}
    for row in rows:
        for label in row.values():
            times[label] = times.get(label, 0) + 1
    usual = sorted(times, key=lambda label: (-times[label], label))[: _MAX_LABELS - 1]
    place = {label: number for number, label in enumerate(usual)}
    points = len(usual) + (len(times) > len(usual))
    values = np.full((len(rows), len(people)), np.nan)
    for number, row in enumerate(rows):
        for person, label in row.items():
            values[number, person] = place.get(label, len(usual))
    units = UnitTable(values, np.array(item, dtype=np.int64), np.zeros(len(rows), dtype=np.int64),
                      np.arange(len(people)))  # fmt: skip
    scale = Criterion(name="intents", high=max(1, points - 1))
    return agreement(units, scale, [KrippendorffAlpha("nominal"), WeightedKappa("none")])


def _intents_by_turn(items: Sequence[AnnotationItem]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for one in items:
        if one.layer == "intent":
            found.setdefault(one.turn, set()).add(one.label)
    return found

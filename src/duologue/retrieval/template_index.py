"""Index of reply templates by the dialogue states that they answered, and the distinct candidates that they give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np

from duologue.core.bounds import Weight
from duologue.core.records import Record
from duologue.retrieval.grouped_terms import GroupedTerms

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

Terms = list[tuple[float, list[str]]]
"""Groups of retrieval terms, each with its weight."""
NOT_INDEXED = -1
"""In place of the number of a template: the candidate was not retrieved."""


class TemplateEntry(Record, frozen=True, kw_only=True):
    """A training reply as a template; a challenge adds the template itself and what it needs to fill it."""

    source: str
    """What it is from, such as its dialogue: in training, no sample is answered with templates of its own source."""
    turn: int
    """Number of earlier turns of its speaker."""
    groups: tuple[tuple[Weight, tuple[str, ...]], ...]
    """Retrieval terms of the state that it answered, in weighted groups."""
    needs: tuple[str, ...] = ()
    """Knowledge in its wording, outside the slots: it is used only where all of it is known."""


class TemplateCandidate(Record, frozen=True, kw_only=True):
    """A template with its slots filled; a challenge adds what it says."""

    entry: int
    """Number of the template in the index, or `NOT_INDEXED`."""
    similarity: float
    """Similarity of the dialogue states; at most the sum of the group weights."""
    times: int = 1
    """Retrieved templates that say the same."""

    @property
    def key(self) -> Hashable:
        """What it says: candidates of equal keys are one."""
        raise NotImplementedError

    @property
    def template_words(self) -> Sequence[str]:
        """What a network reads of it where it is not indexed."""
        return ()


Entry = TypeVar("Entry", bound=TemplateEntry)
Candidate = TypeVar("Candidate", bound=TemplateCandidate)


class RetrievedTemplate(NamedTuple):
    """A template found for a state."""

    rank: int
    entry: int
    similarity: float


class TemplateIndex(Generic[Entry]):
    """Templates by the TF-IDF similarity of their states."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = list(entries)
        self.needed = frozenset(word for entry in self.entries for word in entry.needs)
        """What any template needs."""
        self._similarity = GroupedTerms([entry.groups for entry in self.entries])
        self._numbers: dict[str, int] = {}
        self._source = np.array([self._numbers.setdefault(one.source, len(self._numbers)) for one in self.entries])

    def nearest(
        self, terms: Terms, usable: NDArray[np.bool_], *, pool: int, apart: str | None = None
    ) -> list[RetrievedTemplate]:
        """Return the `pool` usable templates of the most similar states, the most similar first.

        None is of the source `apart`. Ties go to the earlier template.
        """
        similar = self._similarity.similarities(terms)
        similar[~usable] = -1.0
        if apart in self._numbers:
            similar[self._source == self._numbers[apart]] = -1.0
        best = [number for number in _highest(similar, pool).tolist() if similar[number] >= 0]
        return [RetrievedTemplate(rank, number, float(similar[number])) for rank, number in enumerate(best)]

    def distinct(
        self,
        retrieved: Iterable[RetrievedTemplate],
        fill: Callable[[RetrievedTemplate], Iterable[Candidate]],
        *,
        known: Container[str],
        limit: int,
    ) -> list[Candidate]:
        """Return what `fill` makes of templates whose needs are known, equal candidates merged, the first first.

        No template is filled once there are `limit` candidates.
        """
        found: dict[Hashable, Candidate] = {}
        for one in retrieved:
            if len(found) >= limit:
                break
            if all(need in known for need in self.entries[one.entry].needs):
                for candidate in fill(one):
                    _add(found, candidate)
        return list(found.values())


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates with equal ones merged into the first of them."""
    found: dict[Hashable, Candidate] = {}
    for candidate in candidates:
        _add(found, candidate)
    return list(found.values())


def _add(found: dict[Hashable, Candidate], candidate: Candidate) -> None:
    key = candidate.key
    before = found.get(key)
    found[key] = candidate if before is None else msgspec.structs.replace(before, times=before.times + candidate.times)


def _highest(values: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return the indices of the n highest values in descending order, ties by index."""
    if len(values) <= n:
        return np.argsort(-values, kind="stable")
    edge = np.partition(values, len(values) - n)[len(values) - n]
    places = np.flatnonzero(values >= edge)
    return places[np.argsort(-values[places], kind="stable")][:n]

"""In-memory knowledge graph: entities by any form of their name, facts by entity, attribute and value."""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from duologue.knowledge.normalization import bare, fold, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from duologue.core.records import Fact, Scalar

__all__ = ["Graph", "bare", "fold"]


class Graph:
    """Facts in the order of their file, with all that look-ups need; keeps the promises of `core.protocols.World`.

    Nothing is made alike in what it gives back: names keep their suffix, values their signs, a repeated row is
    there twice. The indexes of names and of values are built when they are first wanted; `ready` builds them at once.
    An object that is a tuple counts as each of its members. See `benchmarks/knowledge.py` for time and memory.
    """

    def __init__(self, name: str, facts: Iterable[Fact]) -> None:
        self.name = name
        self._facts: Sequence[Fact] = tuple(facts)
        gathered: dict[str, list[Fact]] = {}
        for fact in self._facts:
            gathered.setdefault(fact.subject, []).append(fact)
        self._about: dict[str, tuple[Fact, ...]] = {subject: tuple(found) for subject, found in gathered.items()}

    def __iter__(self) -> Iterator[Fact]:
        """Go through all facts in the order of the file."""
        return iter(self._facts)

    def __len__(self) -> int:
        """Return the number of facts."""
        return len(self._facts)

    def __contains__(self, subject: object) -> bool:
        """Tell whether there is an entity of exactly this name."""
        return subject in self._about

    @cached_property
    def entities(self) -> Sequence[str]:
        """The names of all entities, in file order."""
        return tuple(self._about)

    def ready(self) -> Graph:
        """Build all indexes now and return the graph; for those who answer against the clock."""
        _ = self.entities, self._names, self._values, self._parts
        return self

    def about(self, subject: str) -> Sequence[Fact]:
        """Return the facts about the entity of exactly this name, in file order; empty when unknown."""
        return self._about.get(subject, ())

    def relations(self, subject: str) -> Sequence[str]:
        """Return the different attributes of an entity, in file order."""
        return tuple(dict.fromkeys(fact.relation for fact in self.about(subject)))

    def objects(self, subject: str, relation: str) -> Sequence[Scalar]:
        """Return the values of an attribute of an entity, in file order; empty when it says nothing."""
        found = (values_of(fact) for fact in self.about(subject) if fact.relation == relation)
        return tuple(chain.from_iterable(found))

    def forms(self, text: str) -> Sequence[str]:
        """Return all entities that `text` may name: with or without bracketed suffix, width, case and signs folded.

        Ambiguous names are all returned, in file order; first comes a name that is `text` itself, then those that
        have its suffix too.
        """
        exact = (text,) if text in self else ()
        return tuple(dict.fromkeys((*exact, *self._named(fold(text)), *self._named(bare(text)))))

    def holders(self, value: Scalar, *, parts: bool = False) -> Sequence[Fact]:
        """Return the facts that have a value, under any attribute, in file order; the value is folded.

        With `parts`, also those where it is a member of a list in one text (`"王一,李二"`).
        """
        wanted = fold(value)
        places = set(self._values.find(wanted))
        if parts:
            places.update(self._parts.find(wanted))
        found = [self._facts[place] for place in sorted(places)]
        # The index knows hashes only: what it finds is looked at once more.
        return [fact for fact in found if holds(fact, wanted, parts=parts)]

    def subjects(self, relation: str, value: Scalar) -> Sequence[str]:
        """Return the entities whose `relation` is exactly `value`, in file order; a number is not its text."""
        found = (fact for fact in self.holders(value) if fact.relation == relation and value in values_of(fact))
        return tuple(dict.fromkeys(fact.subject for fact in found))

    def _named(self, key: str) -> Sequence[str]:
        """Return the entities with this folded name, whole or without suffix, in file order."""
        found = self._names.get(key, ())
        return (found,) if isinstance(found, str) else found

    @cached_property
    def _names(self) -> dict[str, str | tuple[str, ...]]:
        """Folded names, whole and without suffix, to their entities; a lone entity needs no tuple."""
        names: dict[str, str | tuple[str, ...]] = {}
        several: dict[str, list[str]] = {}
        for name in self._about:
            for key in {fold(name), bare(name)}:
                known = names.setdefault(key, name)
                if known is not name:
                    several.setdefault(key, [str(known)]).append(name)
        names.update((key, tuple(found)) for key, found in several.items())
        return names

    @cached_property
    def _values(self) -> _Index:
        return _Index((fold(value), place) for place, fact in enumerate(self._facts) for value in values_of(fact))

    @cached_property
    def _parts(self) -> _Index:
        return _Index(
            (fold(part), place)
            for place, fact in enumerate(self._facts)
            for value in values_of(fact)
            for part in parts_of(value)
        )


def values_of(fact: Fact) -> tuple[Scalar, ...]:
    """Return the values of a fact: its object, or the members of an object that is a tuple."""
    return fact.object if isinstance(fact.object, tuple) else (fact.object,)


def holds(fact: Fact, wanted: str, *, parts: bool) -> bool:
    """Tell whether a fact has a folded value, or with `parts` has it in a list in one text."""
    values = values_of(fact)
    if any(fold(value) == wanted for value in values):
        return True
    return parts and any(fold(part) == wanted for value in values for part in parts_of(value))


class _Index:
    """Places of facts by the hash of a text: 12 bytes an entry, however long the text is."""

    def __init__(self, entries: Iterable[tuple[str, int]]) -> None:
        import numpy as np  # the command line's start must not load numpy

        hashes, places = array("q"), array("I")
        for text, place in entries:
            hashes.append(hash(text))  # differs from run to run; nothing that is given back depends on it
            places.append(place)
        unsorted = np.frombuffer(hashes, dtype=np.int64) if hashes else np.zeros(0, dtype=np.int64)
        order = np.argsort(unsorted, kind="stable")
        self._hashes: NDArray[np.int64] = unsorted[order]
        self._places: NDArray[np.uint32] = np.asarray(places, dtype=np.uint32)[order]

    def find(self, text: str) -> list[int]:
        """Return the places of all entries with the hash of this text."""
        wanted = hash(text)
        start, stop = self._hashes.searchsorted(wanted, "left"), self._hashes.searchsorted(wanted, "right")
        return [int(place) for place in self._places[start:stop]]

"""In-memory knowledge base: facts in file order, indexed by subject, relation and value."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from duologue.core.records import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from duologue.core.records import Fact

Key = Scalar | tuple[str, ...]
"""What facts are looked up by: their object, and each member of an object that is a tuple."""
Posting: TypeAlias = "int | array[int]"
"""The subjects of one (relation, value) as numbers in ascending order; a lone subject needs no array."""

_FEW = 128
"""Up to so many subjects are tested one by one; above, arrays are faster than the start of a numpy call."""
_SHARE = 64
"""A posting that holds at least one subject in so many also gets a mask of one byte per subject."""


class KnowledgeBase:
    """Facts with their indexes; keeps the promises of `core.protocols.World`.

    Order is always that of the file: a subject stands where it is first named. A fact whose object is
    a tuple is found by the tuple and by each member. Numbers and texts are different values (`46` is not
    `"46"`). Built in one pass; masks for frequent values are made when a query first wants them.
    """

    def __init__(self, name: str, facts: Iterable[Fact]) -> None:
        self.name = name
        self._facts: list[Fact] = list(facts)
        self._numbers: dict[str, int] = {}
        self._starts = array("Q")
        self._stops = array("Q")
        self._scattered: dict[int, list[int]] = {}
        """Positions of the facts of a subject whose lines do not stand together."""
        self._postings: dict[str, dict[Key, Posting]] = {}
        self._collect()
        self._names: list[str] = list(self._numbers)
        self._names_array: NDArray[np.object_] | None = None
        self._masks: dict[tuple[str, Key], NDArray[np.bool_]] = {}
        self._answers: dict[tuple[str, Key], tuple[str, ...]] = {}

    def __iter__(self) -> Iterator[Fact]:
        """Go through all facts in the order of the file."""
        return iter(self._facts)

    def __len__(self) -> int:
        """Return the number of facts."""
        return len(self._facts)

    def __contains__(self, subject: object) -> bool:
        """Tell whether there is a fact about the subject."""
        return subject in self._numbers

    def about(self, subject: str) -> Sequence[Fact]:
        """Return the facts about `subject`, in file order; empty when unknown."""
        number = self._numbers.get(subject)
        if number is None:
            return []
        if number in self._scattered:
            return [self._facts[position] for position in self._scattered[number]]
        return self._facts[self._starts[number] : self._stops[number]]

    def objects(self, subject: str, relation: str) -> list[Key]:
        """Return what `relation` says of `subject`, in file order; empty when it says nothing."""
        return [fact.object for fact in self.about(subject) if fact.relation == relation]

    def subjects(self, relation: str, value: Key) -> list[str]:
        """Return the subjects whose `relation` is `value`, in file order."""
        return self.find({relation: value})

    def entities(self) -> Sequence[str]:
        """Return all subjects, in file order."""
        return tuple(self._names)

    def relations(self) -> tuple[str, ...]:
        """Return the names of all relations, in the order in which the file first uses them."""
        return tuple(self._postings)

    def values(self, relation: str) -> tuple[Scalar, ...]:
        """Return the different values of a relation (members of tuples one by one), in file order."""
        return tuple(key for key in self._postings.get(relation, ()) if not isinstance(key, tuple))

    def relations_of(self, value: Key) -> tuple[str, ...]:
        """Return the relations that have `value` as a value, in file order; empty when it is no value at all."""
        return tuple(relation for relation, postings in self._postings.items() if value in postings)

    def find(self, conditions: Mapping[str, Key]) -> list[str]:
        """Return the subjects that meet all conditions (relation to value), in file order.

        No condition is met by every subject, an unknown relation or value by none. The work is at most
        about that of reading the smallest posting list; see `benchmarks/knowledge.py`.
        """
        wanted: list[tuple[int, str, Key, Posting]] = []
        for relation, value in conditions.items():
            posting = self._postings.get(relation, {}).get(value)
            if posting is None:
                return []
            wanted.append((1 if isinstance(posting, int) else len(posting), relation, value, posting))
        if not wanted:
            return list(self._names)
        wanted.sort(key=lambda entry: entry[0])
        size, _, _, smallest = wanted[0]
        if size > _FEW:
            return self._find_many(wanted)
        few = [smallest] if isinstance(smallest, int) else list(smallest)
        for _, _, _, posting in wanted[1:]:
            few = [number for number in few if _holds(posting, number)]
        return [self._names[number] for number in few]

    def _find_many(self, wanted: list[tuple[int, str, Key, Posting]]) -> list[str]:
        import numpy as np  # the command line's start must not load numpy

        size, relation, value, posting = wanted[0]
        if size * _SHARE < len(self._names):
            numbers: NDArray[Any] = _as_array(posting)
            for size, relation, value, posting in wanted[1:]:
                frequent = size * _SHARE >= len(self._names)
                kept = (
                    self._mask(relation, value, posting)[numbers] if frequent else _among(_as_array(posting), numbers)
                )
                numbers = numbers[kept]
            return self._list(numbers)
        if len(wanted) == 1:  # thousands of names: copied from the list of last time
            if (relation, value) not in self._answers:
                self._answers[relation, value] = tuple(self._list(_as_array(posting)))
            return list(self._answers[relation, value])
        mask = self._mask(relation, value, posting)  # the rarest is frequent, so all are
        for _, relation, value, posting in wanted[1:]:
            mask = mask & self._mask(relation, value, posting)
        return self._list(np.flatnonzero(mask))

    def _list(self, numbers: NDArray[Any]) -> list[str]:
        import numpy as np  # the command line's start must not load numpy

        if self._names_array is None:
            self._names_array = np.array(self._names, dtype=object)
        return cast("list[str]", self._names_array[numbers].tolist())

    def _mask(self, relation: str, value: Key, posting: Posting) -> NDArray[np.bool_]:
        import numpy as np  # the command line's start must not load numpy

        mask = self._masks.get((relation, value))
        if mask is None:
            mask = np.zeros(len(self._names), dtype=np.bool_)
            mask[_as_array(posting)] = True
            self._masks[relation, value] = mask
        return mask

    def _collect(self) -> None:
        """Fill the indexes; postings that met a subject again later are put in order at the end."""
        disorderly: set[tuple[str, Key]] = set()
        last = -1
        for position, fact in enumerate(self._facts):
            number = self._numbers.setdefault(fact.subject, len(self._numbers))
            if number == len(self._starts):
                self._starts.append(position)
                self._stops.append(position + 1)
            elif number == last and number not in self._scattered:
                self._stops[number] = position + 1
            else:
                together = range(self._starts[number], self._stops[number])
                self._scattered.setdefault(number, list(together)).append(position)
            last = number
            postings = self._postings.setdefault(fact.relation, {})
            keys: tuple[Key, ...] = (fact.object, *fact.object) if isinstance(fact.object, tuple) else (fact.object,)
            for key in keys:
                if not _append(postings, key, number):
                    disorderly.add((fact.relation, key))
        for relation, key in disorderly:
            posting = self._postings[relation][key]
            assert not isinstance(posting, int), "one subject alone cannot be out of order"
            self._postings[relation][key] = array("I", sorted(set(posting)))


def _append(postings: dict[Key, Posting], key: Key, number: int) -> bool:
    """Add a subject to a posting; `False` when it came out of order."""
    posting = postings.get(key)
    if posting is None:
        postings[key] = number
        return True
    if isinstance(posting, int):
        if posting != number:
            postings[key] = array("I", (posting, number))
        return posting <= number
    last = posting[-1]
    if last != number:
        posting.append(number)
    return last <= number


def _holds(posting: Posting, number: int) -> bool:
    if isinstance(posting, int):
        return posting == number
    place = bisect_left(posting, number)
    return place < len(posting) and posting[place] == number


def _among(others: NDArray[np.uint32], numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell for each of the numbers whether it stands in `others`, which ascend."""
    import numpy as np  # the command line's start must not load numpy

    places = np.searchsorted(others, numbers)
    places[places == len(others)] = 0
    found: NDArray[np.bool_] = others[places] == numbers
    return found


def _as_array(posting: Posting) -> NDArray[np.uint32]:
    """Return the posting as a numpy array that shares its memory."""
    import numpy as np  # the command line's start must not load numpy

    assert not isinstance(posting, int), "single subjects are looked up one by one"
    return np.frombuffer(posting, dtype=np.uint32)

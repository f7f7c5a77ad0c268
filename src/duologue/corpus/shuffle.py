"""The permutation of Python's former two-argument `shuffle`, for lists of any length.

`random.shuffle(x, random.random)`, gone since Python 3.11: for i from n - 1 down to 1, swap i and j = int(r * (i + 1))
with r the next number of the stream (specification, section 6.4). numpy draws the same numbers from the same state.

Going the other way, from i = 1 up, the same swaps on 0, 1, 2, ... give the *place* of each item in the shuffled list.
That order of swaps needs only what came before i, and so can be done in batches against a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from duologue.core import disk

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

T = TypeVar("T")

BATCH = 1 << 21
"""Swaps that are done in memory at once, with about 30 bytes each."""
_DRAWN = 1 << 18
"""Numbers that are drawn at once."""
_SWEPT = 1 << 21
"""Places of the file that are read at once."""


def shuffle(items: list[T], rng: random.Random) -> None:
    """Shuffle a list in place.

    >>> import random
    >>> items = list(range(10))
    >>> shuffle(items, random.Random(99))
    >>> items
    [0, 3, 2, 5, 6, 9, 7, 8, 1, 4]
    """
    draw = rng.random
    for i in range(len(items) - 1, 0, -1):
        j = int(draw() * (i + 1))
        items[i], items[j] = items[j], items[i]


def first(n: int, wanted: int, rng: random.Random) -> list[int]:
    """Return what `list(range(n))` would begin with after `shuffle`: so many items, in memory for these alone."""
    place = {item: item for item in range(min(wanted, n))}  # where in the list -> where the shuffle brings it
    for low, partners in _partners(n, rng):
        for i, j in enumerate(partners.tolist(), low):
            if j in place:
                moved = place.pop(j)
                if i in place:
                    place[j] = place[i]
                place[i] = moved
            elif i in place:
                place[j] = place.pop(i)
    return [item for item, _ in sorted(place.items(), key=lambda pair: pair[1])]


def write_places(path: Path, n: int, rng: random.Random, *, batch: int = BATCH) -> np.dtype[Any]:
    """Write the place of each of n items in the shuffled list as plain numbers, and return their type.

    The file holds n numbers; item k of the list comes to the place that is the k-th. Memory is about 30 bytes
    times `batch` whatever n is. Raises `StorageError` for what the disk refuses.
    """
    kind = np.dtype(np.int32 if n < 1 << 31 else np.int64)
    with disk.guarded("write", path), path.open("wb+") as file:
        for low, partners in _batches(n, rng, batch):
            _swap(file, kind, low, partners)
    return kind


def _partners(n: int, rng: random.Random) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield (low, [j of step low, j of step low + 1, ...]) from step 1 up to n - 1.

    The stream gives them from n - 1 down: it is gone through once to note its state at every stretch, then the
    stretches are drawn again from the last to the first.
    """
    version, internal, _ = rng.getstate()
    assert version == 3
    stream = np.random.RandomState()
    stream.set_state(("MT19937", np.array(internal[:-1], np.uint32), internal[-1], 0, 0.0))
    highs = range(n, 1, -_DRAWN)
    states = []
    for high in highs:
        states.append(stream.get_state())
        stream.random_sample(min(_DRAWN, high - 1))
    for high, state in zip(reversed(highs), reversed(states), strict=True):
        low = max(high - _DRAWN, 1)
        stream.set_state(state)
        drawn = stream.random_sample(high - low)[::-1]
        yield low, (drawn * np.arange(low + 1, high + 1)).astype(np.int64)


def _batches(n: int, rng: random.Random, size: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield the partners in stretches of at least `size`; the first begins at step 0, which swaps nothing."""
    start, held, count = 0, [np.zeros(min(n, 1), np.int64)], min(n, 1)
    for low, partners in _partners(n, rng):
        held.append(partners)
        count += len(partners)
        if count >= size:
            yield start, np.concatenate(held)
            start, held, count = low + len(partners), [], 0
    if count:
        yield start, np.concatenate(held)


def _swap(file: Any, kind: np.dtype[Any], low: int, partners: NDArray[np.int64]) -> None:
    """Do the swaps of steps low, low + 1, ... on the file, which holds the items below `low`, and lengthen it."""
    before = partners < low
    earlier, local = np.unique(partners[before], return_inverse=True)  # items of the file that take part, ascending
    own = len(earlier)
    partners = partners - (low - own)
    partners[before] = local  # from here on places in `places`
    places = np.empty(own + len(partners), kind)
    for begin, chosen in _sweep(earlier, low):
        places[begin : begin + len(chosen)] = _read(file, kind, chosen)[chosen - chosen[0]]
    places[own:] = np.arange(low, low + len(partners))
    held: Any = memoryview(places)  # type: ignore[arg-type]  # an array is a buffer on all versions that we run on
    for start in range(0, len(partners), _DRAWN):  # in stretches: a list of numbers takes 40 bytes for each
        for i, j in enumerate(partners[start : start + _DRAWN].tolist(), own + start):
            held[i], held[j] = held[j], held[i]
    for begin, chosen in _sweep(earlier, low):
        stretch = _read(file, kind, chosen)
        stretch[chosen - chosen[0]] = places[begin : begin + len(chosen)]
        file.seek(int(chosen[0]) * kind.itemsize)
        file.write(stretch)
    file.seek(low * kind.itemsize)
    file.write(places[own:])


def _sweep(earlier: NDArray[np.int64], low: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield (begin, items) of ascending items that lie in one stretch of the file."""
    cuts = np.searchsorted(earlier, np.arange(0, low + _SWEPT, _SWEPT))
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        if end > begin:
            yield begin, earlier[begin:end]


def _read(file: Any, kind: np.dtype[Any], chosen: NDArray[np.int64]) -> NDArray[Any]:
    """Return the stretch of the file from the first to the last of the items."""
    file.seek(int(chosen[0]) * kind.itemsize)
    return np.frombuffer(file.read(int(chosen[-1] - chosen[0] + 1) * kind.itemsize), kind).copy()

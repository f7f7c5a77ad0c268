"""Plain data as people have it in a notebook: whatever gives its members in an order, as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from operator import index
from typing import Any, TypeGuard

from duologue.core.errors import UsageError


def as_list(given: object, what: str) -> list[Any]:
    """Return the members of a list, tuple, array, series or generator; `what` says what they should be, for messages.

    Raises `UsageError` for what has no members or no order of them: a text, a mapping, a set, a whole table.

    >>> as_list((word for word in "a b".split()), "texts")
    ['a', 'b']
    """
    if isinstance(given, str | bytes):
        raise UsageError(f"{given!r:.80} is a text; give a list of {what}, such as [{given!r:.80}]")
    if isinstance(given, Mapping):
        raise UsageError(f"a mapping is given in place of a list of {what}; give its values as a list")
    if isinstance(given, AbstractSet):
        raise UsageError(f"a set is given, which has no order; give a list of {what}")
    if hasattr(given, "columns"):  # of pandas, polars and their like: its members are the names of the columns
        raise UsageError(f"a whole table is given in place of a list of {what}; give one of its columns")
    if not is_list(given):
        raise UsageError(f"{given!r:.80} is no list of {what}")
    return list(given)


def demand_one_order(first: object, second: object, what: str) -> None:
    """Raise `UsageError` where two columns of tables have the same row labels in another order; `what` names both.

    Whatever has no labels belongs together by its places, and so do columns with other labels.

    >>> demand_one_order(["a"], ["b"], "texts")
    """
    labels = [_labels(one) for one in (first, second)]
    if labels[0] != labels[1] and Counter(labels[0]) == Counter(labels[1]):
        raise UsageError(
            f"the {what} are columns with the same index in another order, and the n-th belongs to the n-th; bring "
            "both into one order, or give the values alone as lists"
        )


def _labels(given: object) -> list[Any]:
    """Return the labels of the rows of a column, such as a series of pandas has; none of anything else."""
    found = getattr(given, "index", None)
    return [repr(one) for one in found] if found is not None and not callable(found) and is_list(found) else []


def is_list(given: object) -> TypeGuard[Iterable[Any]]:
    """Whether something has members in an order and is no text: a list, tuple, array, series or generator."""
    if isinstance(given, str | bytes | Mapping | AbstractSet):
        return False
    return isinstance(given, Iterable) and getattr(given, "ndim", 1) != 0  # an array of no dimension claims to be


def as_whole_number(given: Any, name: str) -> int:
    """Return a whole number of any kind as Python's. Raises `UsageError`, with the name, for what is none.

    >>> as_whole_number(True + 1, "n")
    2
    """
    try:
        return index(given)
    except TypeError:
        raise UsageError(f"{name} is {given!r:.80}; expected a whole number") from None

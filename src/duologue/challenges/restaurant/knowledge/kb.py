"""Knowledge bases of restaurants, read from files and indexed by the values of an API call."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.facts import read_base
from duologue.challenges.restaurant.schema.ontology import FIELDS
from duologue.core.decoded import shown
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Fact, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.restaurant.schema.ontology import Schema


def read_kb(path: Path) -> list[Fact]:
    """Return the facts of a knowledge base file that the simulator can use.

    Raises `FormatError` with every line that is no fact, else with every restaurant that lacks a field, whose rating
    is no number or of which a value is several words; `StorageError` when the file cannot be read.
    """
    facts = read_base(path)
    rows: dict[str, dict[str, str]] = {}
    for fact in facts:
        rows.setdefault(fact.subject, {})[fact.relation] = str(fact.object)
    problems = [problem for name, row in rows.items() for problem in _row_problems(name, row)]
    if problems:
        raise FormatError(path, problems)
    return facts


def _row_problems(name: str, row: dict[str, str]) -> Iterator[Problem]:
    missing = [field for field in FIELDS if field not in row]
    if missing:
        yield Problem(
            rule="kb-field-missing",
            place=f"restaurant '{name}'",
            message=f"lacks {', '.join(missing)}",
            advice=f"each restaurant needs the fields {', '.join(FIELDS)}",
        )
    if not row.get("rating", "0").isdecimal():
        yield Problem(
            rule="kb-rating", place=f"restaurant '{name}'", message=f"the rating is {row['rating']!r}, not a number"
        )
    for field, value in row.items():
        if field in FIELDS and not is_word(value):
            yield Problem(
                rule="kb-value",
                place=f"restaurant '{name}'",
                message=f"{field} is {value[:60]!r}, expected one word",
                advice="an api_call parts its values at blanks; join the words with '_'",
            )


def values_of(facts: Iterable[Fact]) -> dict[str, tuple[str, ...]]:
    """Return the values that each field has in the facts, sorted."""
    values: dict[str, set[str]] = {}
    for fact in facts:
        values.setdefault(fact.relation, set()).add(str(fact.object))
    return {field: tuple(sorted(words)) for field, words in values.items()}


class RestaurantIndex:
    """Index of restaurants: fact lines, ratings, matches by slot values, names by word.

    Raises `UsageError` when a restaurant lacks a slot of the schema or the rating, or the rating is no number.
    """

    def __init__(self, schema: Schema, facts: Iterable[Fact]) -> None:
        self.lines: dict[str, list[str]] = {}
        """Name to its fact lines, in file order."""
        self.rating: dict[str, float] = {}
        """Name to its rating; compared as a number."""
        rows: dict[str, dict[str, str]] = {}
        for fact in facts:
            name, value = fact.subject, str(fact.object)
            self.lines.setdefault(name, []).append(f"{name} r_{fact.relation} {value}")
            rows.setdefault(name, {})[fact.relation] = value
        slots = [slot.name for slot in schema.slots]
        poor = [name for name, row in rows.items() if not row.keys() >= {*slots, "rating"}]
        if poor:
            raise UsageError(
                f"{len(poor)} of {len(rows)} restaurants lack a slot of '{schema.name}' or the rating, the first is "
                f"'{poor[0]}'; needed are {', '.join(slots)}, rating"
            )
        odd = [name for name, row in rows.items() if not _is_number(row["rating"])]
        if odd:
            raise UsageError(
                f"{len(odd)} of {len(rows)} restaurants have a rating that is no number, the first is '{odd[0]}' "
                f"with {shown(rows[odd[0]]['rating'])}"
            )
        self.names: tuple[str, ...] = tuple(rows)
        self.matches: dict[tuple[str, ...], list[str]] = {}
        """Values in the order of the api_call to the names of the restaurants that have them, in file order."""
        for name, row in rows.items():
            self.rating[name] = float(row["rating"])
            self.matches.setdefault(tuple(row[slot] for slot in slots), []).append(name)
        self._by_word: dict[str, list[str]] = {}

    def sharing(self, word: str) -> Sequence[str]:
        """Return the names that hold the word, in file order; empty when there are none."""
        if not self._by_word:
            for name in self.names:
                for part in dict.fromkeys(name.split("_")):
                    self._by_word.setdefault(part, []).append(name)
        return self._by_word.get(word, ())


def is_word(value: str) -> bool:
    """Tell whether a value is one word: the values of an api_call are parted by blanks."""
    return value.split() == [value]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False

"""Rules for the knowledge base that a domain brings: all fields, numeric ratings, values that are single words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.formats.domain_slots import VALUE
from duologue.challenges.restaurant.schema.domain import ITEM_FIELDS
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.challenges.restaurant.schema.templates import RequestSlot
    from duologue.core.records import Fact


def kb_problems(name: str, facts: Iterable[Fact], slots: Sequence[RequestSlot]) -> Iterator[Problem]:
    """Yield what is wrong with the facts of the file `name`, for a domain of these slots."""
    rows: dict[str, dict[str, str]] = {}
    for fact in facts:
        rows.setdefault(fact.subject, {})[fact.relation] = str(fact.object)
    if not rows:
        yield _problem(name, "the file holds no entity", "a line is '1 <name> R_<field>', a tab, a value")
    for subject, row in rows.items():
        yield from _row_problems(f"{name}, '{subject}'", subject, row, slots)
    for slot in slots:
        found = {row[slot.name] for row in rows.values() if slot.name in row}
        if len(found) < (least := 3 if slot.hedges else 2):
            yield _problem(name, f"slot '{slot.name}' has {len(found)} values", f"give at least {least}")


def _row_problems(place: str, subject: str, row: Mapping[str, str], slots: Sequence[RequestSlot]) -> Iterator[Problem]:
    missing = [field for field in (*(slot.name for slot in slots), *ITEM_FIELDS) if field not in row]
    if missing:
        yield _problem(place, f"lacks {', '.join(missing)}", "give every field")
    if not row.get("rating", "0").isdecimal():
        yield _problem(place, f"the rating is {row['rating']!r}", "give a number")
    for slot in slots:
        if not VALUE.fullmatch(row.get(slot.name, "x")):
            yield _problem(place, f"{slot.name} {row[slot.name]!r}", "values are words of a-z, 0-9 and hyphens")
    for item in ("phone", "address"):
        wanted = f"{subject}_{item}"
        if row.get(item, wanted) != wanted:
            yield _problem(place, f"{item} {row[item]!r}", f"spell it '{wanted}', as the challenge does")


def _problem(place: str, message: str, advice: str) -> Problem:
    return Problem(rule="domain-kb", place=place, message=message, advice=advice)

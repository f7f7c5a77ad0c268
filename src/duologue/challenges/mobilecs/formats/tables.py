"""Knowledge base and goal of a dialogue as tables of plain text; wide characters take two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.knowledge.goal import consultations_of
from duologue.challenges.mobilecs.schema.english import bilingual, told_acts, told_label, told_owner
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    GOAL_ENTITY_INTENTS,
    GOAL_USER_INTENTS,
    REQUESTED,
)
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import TableView, in_two, table_lines
from duologue.core.records import Act

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.dialogue_view import Said

_ASKED = Bilingual(en="asked", zh="询问")
_INTENTS = {GOAL_ENTITY_INTENTS, GOAL_USER_INTENTS}


_BASE_HEADS = {
    "en": ("knowledge base", "entity", "slot", "value"),
    "zh": ("知识库", "实体", "属性", "值"),
}


def base_table(base: Mapping[str, Mapping[str, str]], lang: str = "en") -> list[str]:
    """Return the lines of a knowledge base: entity, slot with its English name, values; heads in English or Chinese."""
    return table_lines(base_view(base, lang))


def goal_table(goal: Mapping[str, Any]) -> list[str]:
    """Return the lines of a goal: entity, slot, whether it is asked for, what the user says of it."""
    return table_lines(goal_view(goal))


def base_view(base: Mapping[str, Mapping[str, str]], lang: str = "en") -> TableView:
    """Return the table of a knowledge base, with heads in English or Chinese."""
    title, *heads = _BASE_HEADS[lang]
    rows: list[tuple[Said, ...]] = [
        (told_owner(entity), told_label(slot), _values(slot, value.split(",")))
        for entity, slots in base.items()
        for slot, value in slots.items()
    ]
    return TableView(title, heads, _told_once(rows))


def goal_view(goal: Mapping[str, Any]) -> TableView:
    """Return the table of a goal."""
    return TableView("goal", ("entity", "slot", "asked", "said by the user"), _told_once(list(_goal_rows(goal))))


def _goal_rows(goal: Mapping[str, Any]) -> Iterator[tuple[Said, ...]]:
    for entity, slots in goal.items():
        if entity == CONSULT:
            for one in consultations_of(slots):
                intent, _, kind = one.rpartition("-")
                yield "", told_label(CONSULT), _ASKED, told_acts([Act(speaker="user", name=intent, args=(kind,))])
            continue
        for slot, value in slots.items():
            values = value.split(",")
            said = _values(slot, [one for one in values if one != REQUESTED])
            yield told_owner(entity), told_label(slot), _ASKED if REQUESTED in values else "", said


def _values(slot: str, values: Sequence[str]) -> Said:
    told = map(bilingual, values) if slot == "type" or slot in _INTENTS else values
    return in_two(", ".join(told), "、".join(values))


def _told_once(rows: Sequence[Sequence[Said]]) -> list[tuple[Said, ...]]:
    """Return rows in which a name that the row before begins with is not told again."""
    return [("" if at and row[0] == rows[at - 1][0] else row[0], *row[1:]) for at, row in enumerate(rows)]

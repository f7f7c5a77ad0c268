"""What a call speaks of: entities with the names and values that will be said of them, and the user's own values.

Counts and shares are those of local knowledge bases in the specification, sections 13.2 to 13.4, so that the bases made
from the dialogues have them by construction.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema import ontology
from duologue.challenges.mobilecs.simulator import amounts
from duologue.challenges.mobilecs.simulator.phrases import Template, phrases, raw_phrases
from duologue.challenges.mobilecs.simulator.plan_shares import (
    EMPTY,
    ENTITY_COUNTS,
    SLOT_RATES,
    TYPE_SHARES,
    USER_COUNTS,
    USER_SHARES,
)
from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity, PlannedValue
from duologue.challenges.mobilecs.simulator.scenario import draw_scenario
from duologue.challenges.mobilecs.simulator.slot_values import VALUE_COUNTS, fills_of, some_volume, surfaces
from duologue.challenges.mobilecs.simulator.telling_names import is_telling, tells_apart, tells_type
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.catalogue import Product
    from duologue.core.rng import Rng

_PLANNED_NAMES = {1: 0.6, 2: 0.2, 3: 0.12, 4: 0.053, 5: 0.017, 6: 0.01}
"""`NAME_COUNTS` before speech makes another name of some."""
_TELLING_NAMES = {1: 0.62, 2: 0.19, 3: 0.113, 4: 0.05, 5: 0.017, 6: 0.01}
"""The same where speakers are to tell: they name services more often."""
_TRIES = 60
HELD = "持有套餐"
"""The user's slot whose values are mentions of entities."""


class CallPlan:
    """The content of one call."""

    def __init__(
        self, entities: list[PlannedEntity], user_values: list[PlannedValue], scenario: str, *, telling: bool = False
    ) -> None:
        self.entities, self.user_values, self.scenario, self.telling = entities, user_values, scenario, telling


class CallPlanner:
    """Draws what calls speak of from a catalogue."""

    def __init__(self, products: Mapping[str, Sequence[Product]], *, telling: bool = False) -> None:
        """`telling`: whether the names and values of an entity tell its type, and which of the call's it is."""
        self.products, self.telling = products, telling
        self._forms = {kind: _forms(kind) for kind in TYPE_SHARES}

    def plan(self, rng: Rng, level: float) -> CallPlan:
        """Return the content of a call; `level` from 0 to below 1 says how much, as a quantile."""
        count, own = _counts(rng, level)
        kinds = self._kinds(count, rng)
        entities: list[PlannedEntity] = []
        for number, kind in enumerate(kinds):
            entities.append((self._telling_entity if self.telling else self._entity)(number, kind, rng, entities))
        slots = _user_slots(own, _USER_WEIGHTS if entities else _WEIGHTS_WITHOUT_ENTITIES, rng)
        scenario = draw_scenario(rng, slots, kinds)
        values = [value for slot in slots if slot != HELD for value in self._user_values(slot, entities, rng)]
        if HELD in slots:
            for number in rng.sample(range(count), 1 if count == 1 or rng.happens(0.7) else 2):
                entities[number].held = True
        return CallPlan(entities, values, scenario, telling=self.telling)

    def _kinds(self, count: int, rng: Rng) -> list[str]:
        kinds: list[str] = []
        for _ in range(count):
            if kinds and rng.happens(0.35):  # calls keep to their subject
                kinds.append(rng.choice(kinds))
            else:
                kinds.append(rng.weighted_key(TYPE_SHARES))
        return kinds

    def _telling_entity(self, number: int, kind: str, rng: Rng, others: Sequence[PlannedEntity]) -> PlannedEntity:
        """Return an entity that tells its type and which one it is; the best of many where none does."""
        count, slots = rng.weighted_key(_TELLING_NAMES), _slots(kind, rng)
        best: PlannedEntity | None = None
        for left in reversed(range(_TRIES)):
            if left == _TRIES // 4:
                slots = _slots(kind, rng)
            entity = self._entity(number, kind, rng, others, names=count, slots=slots)
            if tells_type(entity):
                if tells_apart(entity, others):
                    return entity
                best = best or entity
        return best or self._entity(number, kind, rng, others, names=count, slots=slots)

    def _entity(
        self,
        number: int,
        kind: str,
        rng: Rng,
        _: Sequence[PlannedEntity],
        names: int | None = None,
        slots: Sequence[str] | None = None,
    ) -> PlannedEntity:
        options = self.products[kind]
        point = rng.unit()
        entity = PlannedEntity(number, options[int(len(options) * point * math.sqrt(point))])  # the first more often
        for slot, chance in SLOT_RATES[kind].items():
            if rng.unit() < chance if slots is None else slot in slots:
                entity.slots[slot] = surfaces(slot, entity.product, rng)
        self._name(entity, kind, rng, names)
        inside = {(mark.label, name.text[start:end]) for name in entity.names for start, end, mark in name.spans}
        for slot, texts in entity.slots.items():
            for text in texts:
                if (slot, text) not in inside:
                    entity.values.append(PlannedValue(slot, Text(text, SpanMark(number, slot, is_mention=False))))
        return entity

    def _name(self, entity: PlannedEntity, kind: str, rng: Rng, names: int | None) -> None:
        """Give the entity its names, so many or a drawn number, the fullest first."""
        templates, weights, levels = self._forms[kind]
        count = names or rng.weighted_key(_PLANNED_NAMES)
        found: dict[str, tuple[int, Text]] = {}
        fills: dict[str, Text] = {}
        for _ in range(6 * count):
            number = rng.weighted_choice(range(len(templates)), weights)
            template = templates[number]
            if not self._fill(template, entity, fills, rng):
                continue
            if levels[number] == 2 and count == 1 and rng.happens(0.6):
                continue
            text = template.fill(rng.unit, fills)
            found.setdefault(text.text, (levels[number], text))
            if len(found) == count:
                break
        else:
            if not found:
                name = Text(entity.product.name)
                found[name.text] = (0, name)
        mark = SpanMark(entity.number, kind, is_mention=True)
        ordered = sorted(found.values(), key=lambda pair: (pair[0], -len(pair[1].text) if pair[0] else 0))
        entity.names = [text.marked(mark) for _, text in ordered]

    def _fill(self, template: Template, entity: PlannedEntity, fills: dict[str, Text], rng: Rng) -> bool:
        """Fill the places of a name; return whether the entity has what it takes."""
        for place in template.places:
            if place in {"brand", "short"}:
                fills[place] = Text(entity.product.name if place == "brand" else entity.product.short)
                continue
            slot = _PLACES[place]
            texts = entity.slots.get(slot)
            if not texts or len(texts[0]) > 6:
                return False
            fills[place] = Text(rng.choice(texts), SpanMark(entity.number, slot, is_mention=False))
        return True

    def _user_values(self, slot: str, entities: Sequence[PlannedEntity], rng: Rng) -> list[PlannedValue]:
        """Return the values of a slot of the user's own."""
        mark = SpanMark(None, slot, is_mention=False)
        made: dict[str, Text] = {}
        count = rng.weighted_key(VALUE_COUNTS)
        options = phrases("rules").get(slot)
        names = [name for entity in entities for name in entity.names]
        if self.telling:
            names = [name for one in entities for name in one.names if is_telling(one, name)] or names
        for _ in range(count):
            if slot == "流量总量":
                text = Text(amounts.volume(some_volume(rng), rng))
            else:
                template = rng.choice(options)
                if "name" in template.places and not entities:
                    continue
                text = template.fill(rng.unit, fills_of(template, rng, names))
            made[text.text] = text
        if not made:
            text = Text(amounts.money(5 + rng.below(900), rng)) if "余额" in slot else Text("上不了网")
            made[text.text] = text
        return [PlannedValue(slot, text.marked(mark)) for text in made.values()]


_PLACES = {
    "fee": ontology.FEE,
    "volume": ontology.VOLUME,
    "area": ontology.DATA_AREA,
    "minutes": ontology.MINUTES,
}


def _slots(kind: str, rng: Rng) -> list[str]:
    return [slot for slot, chance in SLOT_RATES[kind].items() if rng.unit() < chance]


def _forms(kind: str) -> tuple[list[Template], list[float], list[int]]:
    """Return the name forms of a type: templates, their weights, levels (0 full, 1 short, 2 demonstrative)."""
    table = raw_phrases("names")
    plans = {"套餐", "主套餐", "4G套餐", "5G套餐"}
    rows = [*(table["plan"] if kind in plans else ()), *(table.get(kind, ()))]
    return [Template(phrase) for phrase, _, _ in rows], [share for _, share, _ in rows], [level for _, _, level in rows]


def _quantile(level: float, table: Mapping[int, float]) -> int:
    total = math.fsum(table.values())  # sum() of floats differs between versions of Python
    for value, share in table.items():
        level -= share / total
        if level < 0:
            return value
    return max(table)


def _counts(rng: Rng, level: float) -> tuple[int, int]:
    """Return the number of entities and of the user's slots."""
    if level < EMPTY:
        return 0, 0
    level = (level - EMPTY) / (1 - EMPTY)
    entities = _quantile(level, {**ENTITY_COUNTS, 0: ENTITY_COUNTS[0] - EMPTY})
    own_none = USER_COUNTS[0] - EMPTY
    if not entities:
        own_none = 0.0
    own = rng.weighted_key({**USER_COUNTS, 0: own_none * 1.08})
    return entities, own


def _user_slots(count: int, weights: Mapping[str, float], rng: Rng) -> list[str]:
    """Return up to `count` different slots of the user, drawn by their weights."""
    left = dict(weights)
    found: list[str] = []
    for _ in range(min(count, len(left))):
        found.append(rng.weighted_key(left))
        del left[found[-1]]
    return found


_USER_WEIGHTS = {**USER_SHARES, HELD: 1.5, "用户需求": 0.36}
"""Weights of drawing without replacement that give the shares."""
_WEIGHTS_WITHOUT_ENTITIES = {slot: weight for slot, weight in _USER_WEIGHTS.items() if slot != HELD}
"""Without entities nothing can be held."""

"""What users of bookings say: requests, answers, hedges, updates, questions (specification, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import templates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.schema.ontology import Schema
    from duologue.challenges.restaurant.schema.templates import UtteranceTemplate
    from duologue.challenges.restaurant.simulator.recipe import Generation
    from duologue.core.rng import Rng

Values = dict[str, str]
"""Slot name to value."""


class UserPhrases:
    """The wordings of one schema: each method returns one, drawn by the stream it gets."""

    def __init__(self, schema: Schema, recipe: Generation) -> None:
        self._schema, self._recipe = schema, recipe
        self._slots = {slot.name: slot for slot in schema.slots}

    def request(self, values: Values, given: Sequence[str], rng: Rng) -> str:
        """Return a request that names the values of the `given` slots."""
        phrases = [self.phrase(slot, values[slot], rng) for slot in rng.shuffled(given)]
        return " ".join([rng.choice(self._schema.wording.openings), *phrases])

    def phrase(self, slot: str, value: str, rng: Rng) -> str:
        """Return a value as part of a request or an update."""
        return rng.choice(self._slots[slot].phrases).format(new=value)

    def answer(self, slot: str, new: str, rng: Rng) -> str:
        """Return a definite answer to the question for a slot."""
        text = rng.choice(self._slots[slot].answers).text
        return text.format(
            wait=rng.choice(templates.WAITS) if "{wait}" in text else "",
            new=new,
            o=rng.other(self._schema.values[slot], new) if "{o}" in text else "",
        )

    def update(self, slot: str, new: str, rng: Rng) -> str:
        """Return an update of a slot."""
        prefix = rng.weighted_choice(
            templates.UPDATE_PREFIXES, [pattern.weight for pattern in templates.UPDATE_PREFIXES]
        ).text
        wait = rng.choice(templates.WAITS) if "{wait}" in prefix else ""
        return prefix.format(wait=wait) + self.phrase(slot, new, rng)

    def hedges_answer(self, slot: str, rng: Rng) -> bool:
        """Return whether the user hesitates before the answer for a slot."""
        return bool(self._slots[slot].hedges) and rng.happens(self._recipe.hedge_answer)

    def hedges_update(self, slot: str, rng: Rng) -> bool:
        """Return whether the user hesitates before the update of a slot, which must not be the first one."""
        return bool(self._slots[slot].hedges) and rng.happens(self._recipe.hedge_update)

    def hedge(self, slot: str, *, new: str, avoid: str, rng: Rng) -> str:
        """Return a hedge: `o` values are any but `avoid`, the value settled on or, in an update, the old one."""
        hedges = self._slots[slot].hedges
        pattern = rng.weighted_choice(hedges, [hedge.weight for hedge in hedges])
        first, second = self._named(pattern, slot, new, avoid, rng)
        wait = rng.choice(templates.WAITS) if "{wait}" in pattern.text else ""
        return pattern.text.format(wait=wait, a=first, b=second)

    def _named(self, pattern: UtteranceTemplate, slot: str, new: str, avoid: str, rng: Rng) -> tuple[str, str]:
        """Return the values that a hedge names; the second is unused by most (specification, section 5.3)."""
        values = self._schema.values[slot]
        others = [value for value in values if value != avoid]
        draw = pattern.draw
        if draw == "half":
            draw = "new" if rng.happens(0.5) else "o"
        if draw == "check":
            draw = rng.choice(("new-o", "o-new", "oo"))
        if draw == "new-o":
            return new, rng.choice(others)
        if draw == "o-new":
            return rng.choice(others), new
        if draw in {"oo", "anyany"}:
            first, second = rng.sample(others if draw == "oo" else values, 2)
            return first, second
        if draw == "new":
            return new, ""
        return rng.choice(values if draw == "any" else others), ""

    def asks_by_hedge(self, rng: Rng) -> bool:
        """Return whether the wish for phone or address starts with a hedge."""
        return rng.happens(self._recipe.hedge_info)

    def hedge_item(self, item: str, rng: Rng) -> str:
        """Return a hedge about `phone` or `address`."""
        hedge = templates.HEDGE_PHONE if item == "phone" else templates.HEDGE_ADDRESS
        return hedge.format(wait=rng.choice(templates.WAITS))

    def ask_item(self, item: str, rng: Rng) -> str:
        """Return a question for `phone` or `address`."""
        asks = self._schema.wording.ask_phone if item == "phone" else self._schema.wording.ask_address
        return rng.choice(asks).format(wait=rng.choice(templates.WAITS))

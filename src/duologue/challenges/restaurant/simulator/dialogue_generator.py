"""Dialogue generator: simulated user and rule-based bot for the five subtasks (specification, sections 5 to 7).

Every text comes from `templates` or the schema; the bot follows section 6 exactly, so that a perfect agent
scores 1.000 on generated dialogues.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.api_calls import call_text
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.simulator.user_phrases import UserPhrases
from duologue.core.errors import UsageError
from duologue.core.rng import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
    from duologue.challenges.restaurant.schema.ontology import Schema
    from duologue.challenges.restaurant.simulator.recipe import Generation
    from duologue.challenges.restaurant.simulator.user_phrases import Values
    from duologue.core.rng import Rng

INFO_ORDERS = (("phone",), ("address",), ("phone", "address"), ("address", "phone"))
"""What a user asks about the restaurant; their weights are `Generation.info_weights`."""
_TRIES = 1_000
"""Number of draws after which a side of the split counts as empty."""


@dataclass(slots=True)
class SimulatedDialogue:
    """A complete dialogue with the turns at which it may be cut."""

    lines: list[str] = field(default_factory=list)
    """All utterances and fact lines, in order."""
    bot: list[tuple[int, str]] = field(default_factory=list)
    """For each bot turn its place in `lines` and its answer type (`templates.answer_type`)."""
    listed: list[str] = field(default_factory=list)
    """The restaurants whose facts are listed."""
    facts_at: int = 0
    """Place of the first fact line; meaningless while nothing is listed."""

    def user(self, text: str) -> None:
        """Append a user turn."""
        self.lines.append(text)

    def says(self, kind: str, text: str) -> None:
        """Append a bot turn of a kind."""
        self.bot.append((len(self.lines), kind))
        self.lines.append(text)

    def hand_over(self, kind: str, text: str) -> None:
        """Append a silent user turn and the bot turn that follows it."""
        self.lines.append(templates.SILENCE)
        self.says(kind, text)


def is_training_request(values: Sequence[str], share: float) -> bool:
    """Return whether a first request belongs to the training side of the split; test dialogues use the other side.

    Updates may lead to requests of either side: what is asked for in the end was often asked for in training.

    Depends on the request alone, so that any part of a corpus can be made on its own, with any seed.
    """
    return int.from_bytes(digest("side", *values)[:6], "big") < share * 2**48


class DialogueGenerator:
    """Generates complete dialogues of one subtask."""

    def __init__(
        self, schema: Schema, restaurants: RestaurantIndex, recipe: Generation, subtask: int, *, train: bool
    ) -> None:
        self.schema, self.restaurants, self.recipe, self.subtask, self.train = (
            schema,
            restaurants,
            recipe,
            subtask,
            train,
        )
        self.slots = {slot.name: slot for slot in schema.slots}
        self.asking = sorted(self.slots)
        self.phrases = UserPhrases(schema, recipe)
        self._expect_choice()
        least = {3: recipe.matches_options, 5: recipe.matches_full}.get(subtask, 0)
        self._queries = (
            [values for values, names in restaurants.matches.items() if len(names) >= least] if least else []
        )
        if subtask == 3:
            self._queries = [values for values in self._queries if self.on_this_side(values)]
        self._names = [name for name in restaurants.names if self.on_this_side((name,))] if subtask == 4 else []
        if (least and not self._queries) or (subtask == 4 and not self._names):
            wanted = f"a request with at least {least} matches" if least else "a restaurant"
            raise UsageError(
                f"subtask {subtask}, {'training' if train else 'test'}: the knowledge base of '{schema.name}' "
                f"({len(restaurants.names)} restaurants) lacks {wanted} on this side of the split; "
                f"give a larger one or change train_share"
            )

    def _expect_choice(self) -> None:
        """Raise `UsageError` for slots that leave nothing to choose: an update needs another value, a hedge two."""
        short = {
            name: (least, values)
            for name, slot in self.slots.items()
            if len(values := self.schema.values[name]) < (least := 3 if slot.hedges else 2)
        }
        if short:
            told = ", ".join(
                f"{name} (at least {least} are needed, there is {', '.join(values) or 'none'})"
                for name, (least, values) in short.items()
            )
            raise UsageError(
                f"the knowledge base of '{self.schema.name}' ({len(self.restaurants.names)} restaurants) has too few "
                f"values for users who hesitate and change their minds: {told}; give a larger one"
            )

    def generate(self, rng: Rng) -> SimulatedDialogue:
        """Return one complete dialogue."""
        return (self._calls, self._updates, self._options, self._infos, self._full)[self.subtask - 1](rng)

    # -- requests ----------------------------------------------------------------------------------

    def on_this_side(self, values: Sequence[str]) -> bool:
        """Return whether a request (its values in the order of the api_call) is on this side of the split."""
        return is_training_request(values, self.recipe.train_share) == self.train

    def any_values(self, rng: Rng) -> Values:
        """Return values for all slots, in the order of the api_call, of either side."""
        return {slot.name: rng.choice(self.schema.values[slot.name]) for slot in self.schema.slots}

    def any_request(self, rng: Rng) -> Values:
        """Return values for all slots, in the order of the api_call, of this side."""
        for _ in range(_TRIES):
            values = self.any_values(rng)
            if self.on_this_side(self._key(values)):
                return values
        raise UsageError(f"'{self.schema.name}' allows no request on this side of the split; change train_share")

    def _key(self, values: Values) -> tuple[str, ...]:
        return tuple(values[slot.name] for slot in self.schema.slots)

    def _matched_request(self, rng: Rng) -> Values:
        return dict(zip(self.slots, rng.choice(self._queries), strict=True))

    def _new_values(self, old: Values, rng: Rng) -> Values:
        """Return the updates of a request in the order in which they are made."""
        limit = self.recipe.update_most or len(self.slots)
        changed = rng.sample(list(self.slots), 1 + rng.below(min(limit, len(self.slots))))
        return {slot: rng.other(self.schema.values[slot], old[slot]) for slot in changed}

    # -- tasks -------------------------------------------------------------------------------------

    def _calls(self, rng: Rng) -> SimulatedDialogue:
        dialogue = SimulatedDialogue()
        self._book(dialogue, self.any_request(rng), rng, complete=False)
        return dialogue

    def _updates(self, rng: Rng) -> SimulatedDialogue:
        dialogue = SimulatedDialogue()
        values = self.any_request(rng)
        self._book(dialogue, values, rng, complete=True)
        self._change(dialogue, values, self._new_values(values, rng), rng)
        return dialogue

    def _options(self, rng: Rng) -> SimulatedDialogue:
        dialogue = SimulatedDialogue()
        values = self._matched_request(rng)
        self._list(dialogue, values, rng)
        self._greet(dialogue, rng)
        self._request(dialogue, values, list(self.slots), rng)
        dialogue.hand_over("look", templates.BOT_LOOK)
        self._choose(dialogue, rng)
        return dialogue

    def _infos(self, rng: Rng) -> SimulatedDialogue:
        dialogue = SimulatedDialogue()
        name = rng.choice(self._names)
        self._list_facts(dialogue, [name])
        self._greet(dialogue, rng)
        dialogue.user(rng.choice(self.schema.wording.openings) + templates.AT_NAME.format(name=name))
        dialogue.says("reserve", templates.BOT_RESERVE)
        self._inform(dialogue, name, rng)
        return dialogue

    def full_request(self, rng: Rng) -> tuple[Values, Values]:
        """Return the first request of subtask 5, on this side, and its updates in their order (slot to new value).

        The final request is drawn first, uniformly over those with matches, and undone by the updates.
        """
        for _ in range(_TRIES):
            final = self._matched_request(rng)
            old = self._new_values(final, rng)
            first = final | old
            if self.on_this_side(self._key(first)):
                return first, {slot: final[slot] for slot in old}
        raise UsageError(f"'{self.schema.name}' allows no first request on this side of the split")

    def matches(self, values: Values) -> list[str]:
        """Return the restaurants that a request with all slots matches, in file order."""
        return self.restaurants.matches.get(self._key(values), [])

    def _full(self, rng: Rng) -> SimulatedDialogue:
        first, changes = self.full_request(rng)
        dialogue = SimulatedDialogue()
        self._book(dialogue, first, rng, complete=False)
        self._change(dialogue, first, changes, rng)
        self._list(dialogue, first | changes, rng)
        chosen = self._choose(dialogue, rng)
        self._inform(dialogue, chosen, rng)
        dialogue.user(rng.choice(templates.THANKS))
        dialogue.says("anything", templates.BOT_ANYTHING)
        dialogue.user(rng.choice(templates.FAREWELLS))
        dialogue.says("welcome", templates.BOT_WELCOME)
        return dialogue

    # -- segments ----------------------------------------------------------------------------------

    def _greet(self, dialogue: SimulatedDialogue, rng: Rng) -> None:
        dialogue.user(rng.choice(templates.GREETINGS))
        dialogue.says("hello", templates.BOT_HELLO)

    def _request(self, dialogue: SimulatedDialogue, values: Values, given: Sequence[str], rng: Rng) -> None:
        dialogue.user(self.phrases.request(values, given, rng))
        dialogue.says("on-it", templates.BOT_ON_IT)

    def _book(self, dialogue: SimulatedDialogue, values: Values, rng: Rng, *, complete: bool) -> None:
        """Generate greeting, request, answers to the questions and the api_call."""
        names = list(self.slots)
        limit = min(self.recipe.given_most, len(names) - 1)
        given = names if complete else rng.sample(names, rng.below(limit + 1))
        self._greet(dialogue, rng)
        self._request(dialogue, values, given, rng)
        dialogue.user(templates.SILENCE)
        for slot in self.asking:
            if slot not in given:
                dialogue.says(f"ask-{slot}", self.slots[slot].question)
                self._answer(dialogue, slot, values[slot], rng)
        self._call(dialogue, values)

    def _call(self, dialogue: SimulatedDialogue, values: Values) -> None:
        dialogue.says("look", templates.BOT_LOOK)
        dialogue.hand_over("api_call", call_text(self._key(values)))

    def _answer(self, dialogue: SimulatedDialogue, slot: str, new: str, rng: Rng) -> None:
        if self.phrases.hedges_answer(slot, rng):
            self._hedge(dialogue, slot, new=new, avoid=new, rng=rng)
        dialogue.user(self.phrases.answer(slot, new, rng))

    def _hedge(self, dialogue: SimulatedDialogue, slot: str, *, new: str, avoid: str, rng: Rng) -> None:
        dialogue.user(self.phrases.hedge(slot, new=new, avoid=avoid, rng=rng))
        dialogue.says("ready", templates.BOT_READY)

    def _change(self, dialogue: SimulatedDialogue, values: Values, changes: Values, rng: Rng) -> None:
        """Generate updates of the request, one slot after the other, and the new api_call."""
        for number, (slot, new) in enumerate(changes.items()):
            if number and self.phrases.hedges_update(slot, rng):
                self._hedge(dialogue, slot, new=new, avoid=values[slot], rng=rng)
            dialogue.user(self.phrases.update(slot, new, rng))
            dialogue.says("update-ack", templates.BOT_UPDATE)
        dialogue.user(templates.NO_MORE_UPDATES)
        self._call(dialogue, values | changes)

    def _list(self, dialogue: SimulatedDialogue, values: Values, rng: Rng) -> None:
        """List the facts of the matching restaurants in random order, at most `listed_most` of them."""
        self._list_facts(dialogue, rng.sample(self.restaurants.matches[self._key(values)], self.recipe.listed_most))

    def _list_facts(self, dialogue: SimulatedDialogue, names: list[str]) -> None:
        dialogue.listed = names
        dialogue.facts_at = len(dialogue.lines)
        for name in names:
            dialogue.lines += self.restaurants.lines[name]

    def _choose(self, dialogue: SimulatedDialogue, rng: Rng) -> str:
        """Generate proposals until one is accepted; return its name (specification, section 7)."""
        recipe = self.recipe
        ranked = sorted(dialogue.listed, key=self.restaurants.rating.__getitem__, reverse=True)
        chosen = ranked[-1]
        for place, name in enumerate(ranked):
            dialogue.hand_over("option", templates.BOT_OPTION.format(name=name))
            if place + 1 == len(ranked):
                dialogue.user(rng.choice(templates.ACCEPTS))
                break
            if rng.happens(recipe.question_chance):
                dialogue.user(rng.choice(self.schema.wording.unanswerable))
                dialogue.says("sorry", templates.BOT_SORRY)
            if rng.happens(recipe.accept_chance):
                chosen = name
                dialogue.user(rng.choice(templates.ACCEPTS))
                break
            taken = ""
            if place and rng.happens(recipe.repeat_chance):
                taken = self._look_back(dialogue, ranked[: place + 1], rng)
            else:
                dialogue.user(rng.choice(templates.REJECTS))
            if taken:
                chosen = taken
                break
            dialogue.says("another", templates.BOT_ANOTHER)
        dialogue.says("reserve", templates.BOT_RESERVE)
        return chosen

    def _look_back(self, dialogue: SimulatedDialogue, proposed: Sequence[str], rng: Rng) -> str:
        """Ask for the first or the previous option; return the name taken then, or nothing when all are rejected."""
        first = rng.happens(0.5)
        repeated = proposed[0] if first else proposed[-2]
        dialogue.user(rng.choice(templates.ASK_FIRST if first else templates.ASK_PREVIOUS))
        dialogue.says("repeat", templates.BOT_REPEAT.format(name=repeated))
        weights = (self.recipe.take_repeated, self.recipe.take_newest, self.recipe.reject_again)
        texts, taken = rng.weighted_choice(
            (
                (templates.TAKE_REPEATED, repeated),
                (templates.TAKE_NEWEST, proposed[-1]),
                (templates.REJECTS_AFTER_REPEAT, ""),
            ),
            weights,
        )
        dialogue.user(rng.choice(texts))
        return taken

    def _inform(self, dialogue: SimulatedDialogue, name: str, rng: Rng) -> None:
        """Ask for phone, address or both of the chosen restaurant (specification, section 5.6)."""
        for item in rng.weighted_choice(INFO_ORDERS, self.recipe.info_weights):
            if self.phrases.asks_by_hedge(rng):
                dialogue.user(self.phrases.hedge_item(item, rng))
                dialogue.says("ready", templates.BOT_READY)
                dialogue.user(templates.NEEDED_AFTER_ALL)
            else:
                dialogue.user(self.phrases.ask_item(item, rng))
            dialogue.says(item, templates.BOT_ITEM.format(value=f"{name}_{item}"))

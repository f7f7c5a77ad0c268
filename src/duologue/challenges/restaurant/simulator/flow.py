"""The simulated user and the dialogue flow of the five tasks (specification, sections 5 to 7).

Every text comes from `patterns` or the schema; the bot's side follows section 6 exactly, so that a perfect
agent scores 1.000 on what is told here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import patterns as p
from duologue.challenges.restaurant.simulator.rng import digest
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.knowledge.kb import Directory
    from duologue.challenges.restaurant.schema.ontology import Schema
    from duologue.challenges.restaurant.schema.patterns import Pattern, Slot
    from duologue.challenges.restaurant.simulator.recipe import Generation
    from duologue.challenges.restaurant.simulator.rng import Chance

Values = dict[str, str]
"""Slot name to value."""

INFO_ORDERS = (("phone",), ("address",), ("phone", "address"), ("address", "phone"))
"""What a user asks about the restaurant; their weights are `Generation.info_weights`."""
_TRIES = 1_000
"""Draws after which a side of the split counts as empty."""


@dataclass(slots=True)
class Story:
    """A complete dialogue with the turns at which it may be cut."""

    lines: list[str] = field(default_factory=list)
    """All utterances and fact lines, in order."""
    bot: list[tuple[int, str]] = field(default_factory=list)
    """For each bot turn its place in `lines` and its answer type (`patterns.answer_type`)."""
    listed: list[str] = field(default_factory=list)
    """The restaurants whose facts are told."""
    facts_at: int = 0
    """Place of the first fact line; meaningless while nothing is listed."""

    def user(self, text: str) -> None:
        """Let the user say something."""
        self.lines.append(text)

    def says(self, kind: str, text: str) -> None:
        """Let the bot say something of a kind."""
        self.bot.append((len(self.lines), kind))
        self.lines.append(text)

    def hand_over(self, kind: str, text: str) -> None:
        """Let the user be silent and the bot go on."""
        self.lines.append(p.SILENCE)
        self.says(kind, text)


def trains(values: Sequence[str], share: float) -> bool:
    """Return whether a request belongs to the training side; test dialogs make the first requests of the other.

    Updates may lead to requests of either side: what is asked for in the end was often asked for in training.

    Depends on the request alone, so that any part of a corpus can be made on its own, with any seed.
    """
    return int.from_bytes(digest("side", *values)[:6], "big") < share * 2**48


class Teller:
    """Tells complete dialogues of one subtask."""

    def __init__(self, schema: Schema, directory: Directory, recipe: Generation, subtask: int, *, train: bool) -> None:
        self.schema, self.directory, self.recipe, self.subtask, self.train = schema, directory, recipe, subtask, train
        self.slots = {slot.name: slot for slot in schema.slots}
        self.asking = sorted(self.slots)
        self._expect_choice()
        least = {3: recipe.matches_options, 5: recipe.matches_full}.get(subtask, 0)
        self._queries = [values for values, names in directory.matches.items() if len(names) >= least] if least else []
        if subtask == 3:
            self._queries = [values for values in self._queries if self.ours(values)]
        self._names = [name for name in directory.names if self.ours((name,))] if subtask == 4 else []
        if (least and not self._queries) or (subtask == 4 and not self._names):
            wanted = f"a request with at least {least} matches" if least else "a restaurant"
            raise UsageError(
                f"subtask {subtask}, {'training' if train else 'test'}: the knowledge base of '{schema.name}' "
                f"({len(directory.names)} restaurants) lacks {wanted} on this side of the split; "
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
                f"the knowledge base of '{self.schema.name}' ({len(self.directory.names)} restaurants) has too few "
                f"values for users who hesitate and change their minds: {told}; give a larger one"
            )

    def tell(self, chance: Chance) -> Story:
        """Return one complete dialogue."""
        return (self._calls, self._updates, self._options, self._infos, self._full)[self.subtask - 1](chance)

    # -- requests ----------------------------------------------------------------------------------

    def ours(self, values: Sequence[str]) -> bool:
        """Return whether a request (its values in the order of the api_call) is on this side of the split."""
        return trains(values, self.recipe.train_share) == self.train

    def any_values(self, chance: Chance) -> Values:
        """Return values for all slots, in the order of the api_call, of either side."""
        return {slot.name: chance.pick(self.schema.values[slot.name]) for slot in self.schema.slots}

    def any_request(self, chance: Chance) -> Values:
        """Return values for all slots, in the order of the api_call, of this side."""
        for _ in range(_TRIES):
            values = self.any_values(chance)
            if self.ours(self._key(values)):
                return values
        raise UsageError(f"'{self.schema.name}' allows no request on this side of the split; change train_share")

    def _key(self, values: Values) -> tuple[str, ...]:
        return tuple(values[slot.name] for slot in self.schema.slots)

    def _matched_request(self, chance: Chance) -> Values:
        return dict(zip(self.slots, chance.pick(self._queries), strict=True))

    def _new_values(self, old: Values, chance: Chance) -> Values:
        """Return the updates of a request in the order in which they are made."""
        most = self.recipe.update_most or len(self.slots)
        changed = chance.some(list(self.slots), 1 + chance.below(min(most, len(self.slots))))
        return {slot: chance.other(self.schema.values[slot], old[slot]) for slot in changed}

    # -- tasks -------------------------------------------------------------------------------------

    def _calls(self, chance: Chance) -> Story:
        story = Story()
        self._book(story, self.any_request(chance), chance, complete=False)
        return story

    def _updates(self, chance: Chance) -> Story:
        story = Story()
        values = self.any_request(chance)
        self._book(story, values, chance, complete=True)
        self._change(story, values, self._new_values(values, chance), chance)
        return story

    def _options(self, chance: Chance) -> Story:
        story = Story()
        values = self._matched_request(chance)
        self._list(story, values, chance)
        self._greet(story, chance)
        self._request(story, values, list(self.slots), chance)
        story.hand_over("look", p.BOT_LOOK)
        self._choose(story, chance)
        return story

    def _infos(self, chance: Chance) -> Story:
        story = Story()
        name = chance.pick(self._names)
        self._tell_facts(story, [name])
        self._greet(story, chance)
        story.user(chance.pick(p.OPENINGS) + p.AT_NAME.format(name=name))
        story.says("reserve", p.BOT_RESERVE)
        self._inform(story, name, chance)
        return story

    def _full(self, chance: Chance) -> Story:
        """Task 5. The final request is drawn first, uniformly over those with matches, and undone by the updates."""
        for _ in range(_TRIES):
            final = self._matched_request(chance)
            old = self._new_values(final, chance)
            first = final | old
            if self.ours(self._key(first)):
                break
        else:
            raise UsageError(f"'{self.schema.name}' allows no first request on this side of the split")
        story = Story()
        self._book(story, first, chance, complete=False)
        self._change(story, first, {slot: final[slot] for slot in old}, chance)
        self._list(story, final, chance)
        chosen = self._choose(story, chance)
        self._inform(story, chosen, chance)
        story.user(chance.pick(p.THANKS))
        story.says("anything", p.BOT_ANYTHING)
        story.user(chance.pick(p.FAREWELLS))
        story.says("welcome", p.BOT_WELCOME)
        return story

    # -- scenes ------------------------------------------------------------------------------------

    def _greet(self, story: Story, chance: Chance) -> None:
        story.user(chance.pick(p.GREETINGS))
        story.says("hello", p.BOT_HELLO)

    def _request(self, story: Story, values: Values, given: Sequence[str], chance: Chance) -> None:
        phrases = [self._phrase(slot, values[slot], chance) for slot in chance.shuffled(given)]
        story.user(" ".join([chance.pick(p.OPENINGS), *phrases]))
        story.says("on-it", p.BOT_ON_IT)

    def _phrase(self, slot: str, value: str, chance: Chance) -> str:
        return chance.pick(self.slots[slot].phrases).format(new=value)

    def _book(self, story: Story, values: Values, chance: Chance, *, complete: bool) -> None:
        """Greet, request, answer the questions, and see the api_call."""
        names = list(self.slots)
        most = min(self.recipe.given_most, len(names) - 1)
        given = names if complete else chance.some(names, chance.below(most + 1))
        self._greet(story, chance)
        self._request(story, values, given, chance)
        story.user(p.SILENCE)
        for slot in self.asking:
            if slot not in given:
                story.says(f"ask-{slot}", self.slots[slot].question)
                self._answer(story, self.slots[slot], values[slot], chance)
        self._call(story, values)

    def _call(self, story: Story, values: Values) -> None:
        story.says("look", p.BOT_LOOK)
        story.hand_over("api_call", " ".join((p.API_CALL, *self._key(values))))

    def _answer(self, story: Story, slot: Slot, new: str, chance: Chance) -> None:
        if slot.hedges and chance.happens(self.recipe.hedge_answer):
            self._hedge(story, slot, new=new, avoid=new, chance=chance)
        text = chance.pick(slot.answers).text
        story.user(
            text.format(
                wait=chance.pick(p.WAITS) if "{wait}" in text else "",
                new=new,
                o=chance.other(self.schema.values[slot.name], new) if "{o}" in text else "",
            )
        )

    def _hedge(self, story: Story, slot: Slot, *, new: str, avoid: str, chance: Chance) -> None:
        """Waver: `o` values are any but `avoid`, the value settled on or, in an update, the old one."""
        pattern = chance.weighted(slot.hedges, [hedge.weight for hedge in slot.hedges])
        first, second = self._named(pattern, slot.name, new, avoid, chance)
        wait = chance.pick(p.WAITS) if "{wait}" in pattern.text else ""
        story.user(pattern.text.format(wait=wait, a=first, b=second))
        story.says("ready", p.BOT_READY)

    def _named(self, pattern: Pattern, slot: str, new: str, avoid: str, chance: Chance) -> tuple[str, str]:
        """Return the values that a hedge names; the second is unused by most (specification, section 5.3)."""
        values = self.schema.values[slot]
        others = [value for value in values if value != avoid]
        draw = pattern.draw
        if draw == "half":
            draw = "new" if chance.happens(0.5) else "o"
        if draw == "check":
            draw = chance.pick(("new-o", "o-new", "oo"))
        if draw == "new-o":
            return new, chance.pick(others)
        if draw == "o-new":
            return chance.pick(others), new
        if draw in {"oo", "anyany"}:
            first, second = chance.some(others if draw == "oo" else values, 2)
            return first, second
        if draw == "new":
            return new, ""
        return chance.pick(values if draw == "any" else others), ""

    def _change(self, story: Story, values: Values, changes: Values, chance: Chance) -> None:
        """Update the request, one slot after the other, and see the new api_call."""
        for number, (slot, new) in enumerate(changes.items()):
            if number and self.slots[slot].hedges and chance.happens(self.recipe.hedge_update):
                self._hedge(story, self.slots[slot], new=new, avoid=values[slot], chance=chance)
            prefix = chance.weighted(p.UPDATE_PREFIXES, [pattern.weight for pattern in p.UPDATE_PREFIXES]).text
            wait = chance.pick(p.WAITS) if "{wait}" in prefix else ""
            story.user(prefix.format(wait=wait) + self._phrase(slot, new, chance))
            story.says("update-ack", p.BOT_UPDATE)
        story.user(p.NO_MORE_UPDATES)
        self._call(story, values | changes)

    def _list(self, story: Story, values: Values, chance: Chance) -> None:
        """Tell the facts of the matching restaurants: all when they are few, else some, in random order."""
        self._tell_facts(story, chance.some(self.directory.matches[self._key(values)], self.recipe.listed_most))

    def _tell_facts(self, story: Story, names: list[str]) -> None:
        story.listed = names
        story.facts_at = len(story.lines)
        for name in names:
            story.lines += self.directory.lines[name]

    def _choose(self, story: Story, chance: Chance) -> str:
        """Go through the options until one is taken; return its name (specification, section 7)."""
        recipe = self.recipe
        ranked = sorted(story.listed, key=self.directory.rating.__getitem__, reverse=True)
        chosen = ranked[-1]
        for place, name in enumerate(ranked):
            story.hand_over("option", p.BOT_OPTION.format(name=name))
            if place + 1 == len(ranked):
                story.user(chance.pick(p.ACCEPTS))
                break
            if chance.happens(recipe.question_chance):
                story.user(chance.pick(p.UNANSWERABLE))
                story.says("sorry", p.BOT_SORRY)
            if chance.happens(recipe.accept_chance):
                chosen = name
                story.user(chance.pick(p.ACCEPTS))
                break
            taken = ""
            if place and chance.happens(recipe.repeat_chance):
                taken = self._look_back(story, ranked[: place + 1], chance)
            else:
                story.user(chance.pick(p.REJECTS))
            if taken:
                chosen = taken
                break
            story.says("another", p.BOT_ANOTHER)
        story.says("reserve", p.BOT_RESERVE)
        return chosen

    def _look_back(self, story: Story, proposed: Sequence[str], chance: Chance) -> str:
        """Ask for the first or the previous option; return the name taken then, or nothing when all are rejected."""
        first = chance.happens(0.5)
        repeated = proposed[0] if first else proposed[-2]
        story.user(chance.pick(p.ASK_FIRST if first else p.ASK_PREVIOUS))
        story.says("repeat", p.BOT_REPEAT.format(name=repeated))
        weights = (self.recipe.take_repeated, self.recipe.take_newest, self.recipe.reject_again)
        texts, taken = chance.weighted(
            ((p.TAKE_REPEATED, repeated), (p.TAKE_NEWEST, proposed[-1]), (p.REJECTS_AFTER_REPEAT, "")), weights
        )
        story.user(chance.pick(texts))
        return taken

    def _inform(self, story: Story, name: str, chance: Chance) -> None:
        """Ask for phone, address or both of the chosen restaurant (specification, section 5.6)."""
        for item in chance.weighted(INFO_ORDERS, self.recipe.info_weights):
            asks, hedge = (p.ASK_PHONE, p.HEDGE_PHONE) if item == "phone" else (p.ASK_ADDRESS, p.HEDGE_ADDRESS)
            if chance.happens(self.recipe.hedge_info):
                story.user(hedge.format(wait=chance.pick(p.WAITS)))
                story.says("ready", p.BOT_READY)
                story.user(p.NEEDED_AFTER_ALL)
            else:
                story.user(chance.pick(asks).format(wait=chance.pick(p.WAITS)))
            story.says(item, p.BOT_ITEM.format(value=f"{name}_{item}"))

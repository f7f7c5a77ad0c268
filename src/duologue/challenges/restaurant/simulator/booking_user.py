"""Simulated user of whole bookings: the rule user of subtask 5, who listens to whatever a bot says.

It says what the generator's user says, drawn by the same probabilities, but waits for the bot: a slot is given when it
is asked for, an option is judged when one is named, and where a call is made the user hears nothing and is silent.
The order of the challenge is kept: a first request, updates once the first call was made, a choice among options,
phone or address of the one chosen, goodbye. What it does not understand it answers with its request, then with
silence; a bot that is of no use `PATIENCE` times in a row is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.simulator.bot_turn import NOTHING, AskedSlots, BotTurn, read_text
from duologue.challenges.restaurant.simulator.dialogue_generator import INFO_ORDERS

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
    from duologue.challenges.restaurant.simulator.user_phrases import Values
    from duologue.core.rng import Rng

    Script = Generator[str, BotTurn, BotTurn]
    """Yields what the user says, is sent what the bot says to it, returns the turn that it could not deal with."""

PATIENCE = 4
"""How often in a row the user takes turns of a bot that lead nowhere."""


class BookingGoal(NamedTuple):
    """What the user of one booking wants."""

    first: Values
    """The values of the first request, in the order of the call."""
    changes: Values
    """Updates in their order: slot to new value."""
    options: int
    """The user takes this one of the options at the latest: as many are listed for the final request."""
    items: tuple[str, ...]
    """What it asks of the restaurant: `phone`, `address`, in this order."""

    @property
    def final(self) -> Values:
        """The values that the table must have."""
        return self.first | self.changes


def draw_goal(generator: DialogueGenerator, rng: Rng) -> BookingGoal:
    """Return a goal of subtask 5, drawn as the generator draws it."""
    first, changes = generator.full_request(rng)
    options = min(len(generator.matches(first | changes)), generator.recipe.listed_most)
    return BookingGoal(first, changes, options, rng.weighted_choice(INFO_ORDERS, generator.recipe.info_weights))


class _GivesUpError(Exception):
    """The bot is of no use."""


class BookingUser:
    """One booking from the user's side: `first_utterance`, then `step` with each turn of the bot.

    `items` gives phone and address of each restaurant. Equal goal, stream and bot turns give an equal dialogue.
    """

    def __init__(
        self, goal: BookingGoal, generator: DialogueGenerator, items: Mapping[str, Mapping[str, str]], rng: Rng
    ) -> None:
        self._goal, self._items, self._rng = goal, items, rng
        self._phrases, self._slots, self._recipe = generator.phrases, generator.slots, generator.recipe
        self._unanswerable = generator.schema.wording.unanswerable
        self._asked = AskedSlots(generator.schema.slots)
        self.wanted: Values = dict(goal.first)
        """The values that hold so far: those of the first request with the updates that were said."""
        self.chosen: str | None = None
        """The restaurant that the user took."""
        self.told: list[str] = []
        """The items of it that the bot told."""
        self.unclear = 0
        """How many turns of the bot were of no use."""
        self._useless = 0
        self._script = self._booking()

    def first_utterance(self) -> str:
        """Return the greeting."""
        return next(self._script)

    def step(self, said: str | None) -> str | None:
        """Return what the user says to the bot's words, to `None` where it heard none; `None` when it has left."""
        heard = NOTHING if said is None else read_text(said, self._items, self._asked)
        try:
            return self._script.send(heard)
        except (StopIteration, _GivesUpError):
            return None

    def _booking(self) -> Generator[str, BotTurn, None]:
        yield self._rng.choice(templates.GREETINGS)
        names = list(self._slots)
        given = self._rng.sample(names, self._rng.below(min(self._recipe.given_most, len(names) - 1) + 1))
        heard = yield self._phrases.request(self.wanted, given, self._rng)
        heard = yield from self._until(heard, called=True)
        heard = yield from self._update()
        heard = yield from self._until(heard, called=False)
        heard = yield from self._choose(heard)
        yield from self._inform(heard)
        yield self._rng.choice(templates.THANKS)
        yield self._rng.choice(templates.FAREWELLS)

    def _until(self, heard: BotTurn, *, called: bool) -> Script:
        """Answer until the bot names a restaurant, or, with `called`, until it made a call."""
        self._useless = 0
        while not heard.names and not (called and heard == NOTHING):
            if any(slot in self._slots for slot in heard.asked):
                self._useless = 0
                heard = yield from self._answer([slot for slot in heard.asked if slot in self._slots])
            elif heard.asked:  # a slot of which the user wants nothing
                heard = yield self._no_use(templates.NO_MORE_UPDATES)
            elif heard.hands_back:
                heard = yield self._no_use(templates.SILENCE)
            elif called and self._useless % 2 == 0:
                heard = yield self._unclear(self._phrases.request(self.wanted, list(self._slots), self._rng))
            else:
                heard = yield self._unclear(templates.SILENCE)
        return heard

    def _no_use(self, text: str) -> str:
        """Return the text; raises `_GivesUpError` where the bot's turns have led nowhere too often."""
        self._useless += 1
        if self._useless > PATIENCE:
            raise _GivesUpError
        return text

    def _unclear(self, text: str) -> str:
        self.unclear += 1
        return self._no_use(text)

    def _answer(self, slots: list[str]) -> Script:
        """Give the values of the slots, after a hedge perhaps where one alone is asked for."""
        if len(slots) > 1:
            return (yield " ".join(self._phrases.phrase(slot, self.wanted[slot], self._rng) for slot in slots))
        (slot,) = slots
        value = self.wanted[slot]
        if self._phrases.hedges_answer(slot, self._rng):
            yield self._phrases.hedge(slot, new=value, avoid=value, rng=self._rng)
        return (yield self._phrases.answer(slot, value, self._rng))

    def _update(self) -> Script:
        """Change the request; answer the question for more with no, unless the bot goes on by itself."""
        heard = NOTHING
        for number, (slot, new) in enumerate(self._goal.changes.items()):
            if number and self._phrases.hedges_update(slot, self._rng):
                yield self._phrases.hedge(slot, new=new, avoid=self.wanted[slot], rng=self._rng)
            self.wanted[slot] = new
            heard = yield self._phrases.update(slot, new, self._rng)
        if heard.names or heard.hands_back or heard.asked:
            return heard
        return (yield templates.NO_MORE_UPDATES)

    def _choose(self, heard: BotTurn) -> Script:
        """Judge options until one is taken; return the bot's answer to that."""
        rng, recipe = self._rng, self._recipe
        proposed: list[str] = []
        while heard.names:
            proposed.append(next((name for name in heard.names if name not in proposed), heard.names[0]))
            if len(proposed) >= self._goal.options:
                return (yield self._take(proposed[-1], rng.choice(templates.ACCEPTS)))
            if rng.happens(recipe.question_chance):
                yield rng.choice(self._unanswerable)
            if rng.happens(recipe.accept_chance):
                return (yield self._take(proposed[-1], rng.choice(templates.ACCEPTS)))
            if len(proposed) > 1 and rng.happens(recipe.repeat_chance):
                first = rng.happens(0.5)
                yield rng.choice(templates.ASK_FIRST if first else templates.ASK_PREVIOUS)
                texts, taken = rng.weighted_choice(
                    (
                        (templates.TAKE_REPEATED, proposed[0] if first else proposed[-2]),
                        (templates.TAKE_NEWEST, proposed[-1]),
                        (templates.REJECTS_AFTER_REPEAT, ""),
                    ),
                    (recipe.take_repeated, recipe.take_newest, recipe.reject_again),
                )
                text = rng.choice(texts)
                heard = yield self._take(taken, text) if taken else text
                if taken:
                    return heard
            else:
                heard = yield rng.choice(templates.REJECTS)
            self._useless = 0
            while heard.hands_back and not heard.names:
                heard = yield self._no_use(templates.SILENCE)
        return (yield self._take(proposed[-1], rng.choice(templates.TAKE_NEWEST)))  # the bot knows of no other

    def _take(self, name: str, text: str) -> str:
        self.chosen = name
        return text

    def _inform(self, heard: BotTurn) -> Generator[str, BotTurn, None]:
        """Ask for the items that were not told yet, each twice at most."""
        for item in self._goal.items:
            if self._is_told(item, heard):
                continue
            if self._phrases.asks_by_hedge(self._rng):
                yield self._phrases.hedge_item(item, self._rng)
                heard = yield templates.NEEDED_AFTER_ALL
            else:
                heard = yield self._phrases.ask_item(item, self._rng)
            if not self._is_told(item, heard):
                again = templates.SILENCE if heard.hands_back else self._phrases.ask_item(item, self._rng)
                self._is_told(item, (yield again))

    def _is_told(self, item: str, heard: BotTurn) -> bool:
        """Return whether the bot tells an item of the chosen restaurant, and note it."""
        found = self.chosen is not None and heard.tells(self._items[self.chosen][item])
        if found:
            self.told.append(item)
        return found

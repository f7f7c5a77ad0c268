"""The rule-based bot: dialogue state tracking and a policy of sixteen rules (specification, section 6).

Rule numbers in the comments are those of that section. Whatever the rules need - which task it is, which
slots are required - is taken from the row itself: its history and its own candidates. No other row, file
name or release is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.api_calls import arguments_of, call_text
from duologue.challenges.restaurant.knowledge.domain_base import DomainBase
from duologue.challenges.restaurant.knowledge.facts import parse_fact
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.utterance_parser import UNKNOWN, ParsedUtterance
from duologue.challenges.restaurant.systems.solver.domain_rules import RESTAURANT_RULES, DomainRules
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.restaurant.schema.templates import RequestSlot
    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Candidate, Sample, Turn

_OPTION = templates.BOT_OPTION.removesuffix("{name}")
_REPEAT = templates.BOT_REPEAT.removesuffix("{name}")

FIXED_REPLIES = {
    "greeting": templates.BOT_HELLO,  # rule 1
    "request": templates.BOT_ON_IT,  # rule 2
    "request-at": templates.BOT_RESERVE,  # rule 2
    "hedge": templates.BOT_READY,  # rule 6
    "hedge-address": templates.BOT_READY,
    "hedge-phone": templates.BOT_READY,
    "update": templates.BOT_UPDATE,  # rule 8
    "no-more": templates.BOT_LOOK,  # rule 9
    "question": templates.BOT_SORRY,  # rule 11
    "reject": templates.BOT_ANOTHER,  # rule 13
    "accept": templates.BOT_RESERVE,  # rule 14
    "take-newest": templates.BOT_RESERVE,
    "take-repeated": templates.BOT_RESERVE,
    "thanks": templates.BOT_ANYTHING,  # rule 16
    "farewell": templates.BOT_WELCOME,
    "unknown": templates.BOT_SORRY,  # outside the inventory: as for a question that cannot be answered
}
"""Replies to dialogue acts that do not depend on the state."""


class BookingState:
    """Dialogue state of the bot: `observe` updates it by a turn, `next_utterance` applies the policy."""

    def __init__(self, rules: DomainRules = RESTAURANT_RULES) -> None:
        self.rules = rules
        """What is particular to the domain."""
        self.values: dict[str, str] = {}
        """The value of each slot that was settled."""
        self.ratings: dict[str, float] = {}
        """The restaurants of the facts read so far with their ratings, in order."""
        self.proposed: list[str] = []
        self.repeated: str | None = None
        self.chosen: str | None = None
        self.asked: str | None = None
        """The slot that the bot asked for last."""
        self.requested = False
        """Whether the user asked for a table (not for a certain restaurant)."""
        self.called = False
        """Whether there was a call to the knowledge base."""
        self.extra = False
        """Whether the sixth slot is known to be required."""
        self.last_user = UNKNOWN
        """The last user utterance."""
        self.last_bot = ""
        """The last bot utterance."""
        self._item = "phone"

    def observe(self, turn: Turn) -> None:
        """Update the state by one turn."""
        fact = parse_fact(turn.text)
        if fact is not None:
            self.ratings.setdefault(fact.subject, float("-inf"))
            if fact.relation == "rating":
                self.ratings[fact.subject] = _number(fact.object)
        elif turn.speaker == "user":
            self.observe_user(self.rules.parse(turn.text))
        elif turn.speaker == "system":
            self._note_own(turn.text)

    def observe_user(self, reading: ParsedUtterance) -> None:
        """Update the state by a user utterance."""
        self.last_user = reading
        if reading.kind == "request":
            self.requested = True
            self.values.update(reading.values)
        elif reading.kind == "request-at":
            self.chosen = reading.values["name"]
        elif reading.kind in {"answer", "update"}:
            slot = self.asked if self.asked in reading.slots else reading.slots[0]
            self.values[slot] = reading.values["new"]
        elif reading.kind in {"accept", "take-newest"}:
            self.chosen = self.proposed[-1] if self.proposed else self.chosen
        elif reading.kind == "take-repeated":
            self.chosen = self.repeated or self.chosen
        elif reading.kind in {"ask-phone", "hedge-phone"}:
            self._item = "phone"
        elif reading.kind in {"ask-address", "hedge-address"}:
            self._item = "address"
        self.extra = self.extra or self.rules.extra in self.values

    def _note_own(self, text: str) -> None:
        self.last_bot = text
        if text in self.rules.questions:
            self.asked = self.rules.questions[text]
            self.extra = self.extra or self.asked == self.rules.extra
        elif text.startswith(_OPTION):
            self.proposed.append(text.removeprefix(_OPTION))
        elif text.startswith(_REPEAT):
            self.repeated = text.removeprefix(_REPEAT)
        elif text.startswith(templates.API_CALL):
            self.called = True
            self.extra = self.extra or len(arguments_of(text) or ()) > len(self.rules.order)
            self.ratings.clear()  # what comes now answers the new call
            self.proposed.clear()

    def next_utterance(self) -> str:
        """Return the bot's next utterance."""
        kind = self.last_user.kind
        if kind == "silence":
            return self._after_silence()
        if kind == "answer":
            return self.ask()  # rule 5
        if kind == "ask-first":
            return templates.BOT_REPEAT.format(name=self.proposed[0]) if self.proposed else templates.BOT_SORRY
        if kind == "ask-previous":
            return templates.BOT_REPEAT.format(name=self.proposed[-2:][0]) if self.proposed else templates.BOT_SORRY
        if kind in {"ask-phone", "ask-address", "needed"}:
            if self.chosen is None:
                return templates.BOT_SORRY
            return templates.BOT_ITEM.format(value=f"{self.chosen}_{self._item}")  # rule 15
        return FIXED_REPLIES[kind]

    def _after_silence(self) -> str:
        if self.last_bot == templates.BOT_ON_IT:
            return self.ask()  # rule 3
        if self.last_bot == templates.BOT_LOOK and (self.called or not self.ratings):
            return self.call()  # rule 7
        if self.ratings:
            return self.propose()  # rule 10; rule 7 for task 3, the only one with facts before any call
        return templates.BOT_LOOK  # a call that brought nothing; never seen in the data

    @property
    def required(self) -> tuple[str, ...]:
        """The required slots, in the order of the call."""
        rules = self.rules
        return (*rules.order, rules.extra) if self.extra and rules.extra else rules.order

    def ask(self) -> str:
        """Return the question for the first missing slot in alphabetical order (rule 4)."""
        missing = sorted(set(self.required) - set(self.values))
        return self.rules.question_of[missing[0]] if missing else templates.BOT_LOOK

    def call(self) -> str:
        """Return the `api_call` with the values known so far."""
        return call_text([self.values[slot] for slot in self.required if slot in self.values])

    def propose(self) -> str:
        """Return the proposal of the best-rated restaurant that was not proposed yet."""
        left = [name for name in self.ratings if name not in self.proposed]
        if not left:
            return templates.BOT_SORRY  # never seen in the data: the user accepts the last one
        return templates.BOT_OPTION.format(name=max(left, key=self.ratings.__getitem__))


def policy(history: Sequence[Turn], candidates: Sequence[Candidate] = (), rules: DomainRules = RESTAURANT_RULES) -> str:
    """Return the bot's next utterance after `history`.

    The candidates only tell whether the sixth slot is required, where the history does not: its question,
    or a call with six values, is among them in no set that has five slots.
    """
    state = BookingState(rules)
    for turn in history:
        state.observe(turn)
    if not state.extra:
        state.extra = any(_shows_extra(candidate.text, rules) for candidate in candidates)
    return state.next_utterance()


class Solver:
    """Rank first what the bot of the challenge's data would say, by hand-written rules."""

    Recipe = Record
    scope = Scope(tasks=("restaurant",))
    seen = "nothing: hand-written rules"
    external: tuple[str, ...] = ()

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()
        self._rules: dict[str, DomainRules] = {}

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # rules need no luck
        """Take the domains of the knowledge bases; facts are read from the samples alone."""
        self._rules = {
            name: DomainRules(world.domain) for name, world in worlds.items() if isinstance(world, DomainBase)
        }

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Rank the candidates of each sample, the policy's utterance first, then what is most like it."""
        return [self._answer(sample) for sample in samples]

    def _answer(self, sample: Sample) -> Answer:
        rules = self._rules.get(sample.world or "")
        if rules is None:
            rules = next(iter(self._rules.values())) if len(self._rules) == 1 else RESTAURANT_RULES
        text = policy(sample.history, sample.candidates, rules)
        return Answer(text=text, ranking=rank(text, sample.candidates, rules.slots))


def rank(
    text: str, candidates: Sequence[Candidate], slots: Sequence[RequestSlot] = templates.SLOTS_EXTRA
) -> tuple[str, ...]:
    """Return the candidates' ids, those that say `text` first, then the same kind of utterance, then the rest.

    Within each kind the more words are shared the better; ties keep the order of the candidates.
    """
    kind, words = templates.answer_type(text, slots), set(text.split())

    def unlikeness(candidate: Candidate) -> tuple[bool, bool, float]:
        others = set(candidate.text.split())
        shared = 2 * len(words & others) / (len(words) + len(others)) if words or others else 1.0
        return candidate.text != text, templates.answer_type(candidate.text, slots) != kind, -shared

    return tuple(candidate.id for candidate in sorted(candidates, key=unlikeness))


def _shows_extra(text: str, rules: DomainRules) -> bool:
    return text == rules.question_of.get(rules.extra) or len(arguments_of(text) or ()) > len(rules.order)


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return float("-inf")

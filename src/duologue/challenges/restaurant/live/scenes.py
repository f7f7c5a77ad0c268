"""Scenes of simulated bookings: goals of full dialogues (subtask 5) in a knowledge base, and the simulated user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.restaurant.knowledge.api_calls import arguments_of, execute, fact_lines
from duologue.challenges.restaurant.knowledge.domain_base import domain_of
from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.live import free_user
from duologue.challenges.restaurant.live.candidates import candidate_utterances
from duologue.challenges.restaurant.live.judge import BookingSet, judge, new_user
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.schema.ontology import schema_of
from duologue.challenges.restaurant.simulator.booking_user import draw_goal
from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
from duologue.challenges.restaurant.simulator.recipe import Generation, with_policy
from duologue.challenges.restaurant.systems.solver.domain_rules import DomainRules
from duologue.challenges.restaurant.systems.solver.solver import BookingState
from duologue.core import disk
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Stage
from duologue.core.records import Answer, Goal, Item, Record
from duologue.core.rng import Rng
from duologue.core.scenes import Scene, SystemView, UserView
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from duologue.challenges.restaurant.schema.domain import Domain
    from duologue.challenges.restaurant.simulator.booking_user import BookingGoal
    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Candidate, Sample, Turn

_ITEMS = ("phone", "address")
MAX_TURNS = 150
"""Utterances after which a booking is cut; one by the rules of the challenge has at most about 90."""


_NOTE = (
    "the user is that of the corpus generator (rules and templates; it has learned from nothing), in full bookings "
    "with {slots} slots, begun as test dialogues are"
)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
"""Of slots, which are at most seven that are always required and one that is not shown."""


class BookingPartner:
    """The simulated user of a set of bookings as a `System`."""

    Recipe: type[Record] = Record

    def __init__(self, bookings: BookingSet) -> None:
        self.recipe = Record()
        self.seen = "nothing"
        self._bookings = bookings

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is needed: the seed is that of the stage."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the user's next utterance of each dialogue; it depends on the history alone."""
        return [self._answer(sample) for sample in samples]

    def _answer(self, sample: Sample) -> Answer:
        user = new_user(self._bookings, sample.dialogue_id)
        text: str | None = user.first_utterance()
        heard: str | None = None
        for turn in sample.history[1:]:
            if turn.speaker == "user":  # its own answer to what it had heard
                text, heard = user.step(heard), None
            else:
                heard = turn.text
        return Answer(text=user.step(heard) if sample.history else text)


def make_stage(world: World, users: Sequence[object], *, n: int, seed: int, max_turns: int | None) -> Stage:
    """Return `n` bookings in a knowledge base, the simulated user, and the judge.

    First requests are those of test dialogues: no simulated training dialogue begins with one of them. Raises
    `UsageError` for a base that allows no bookings, and for `users`: this user learns from no dialogues.
    """
    if users:
        raise UsageError("the simulated user of restaurant learns from no dialogues; leave out --users")
    base = world if isinstance(world, KnowledgeBase) else KnowledgeBase(world.name, world)
    facts = list(base)
    rules = DomainRules(domain_of(base))
    domain, slots = rules.domain, rules.domain.slots
    values = {slot.name: tuple(sorted(map(str, base.values(slot.name)))) for slot in slots}
    schema = schema_of(1, values, extra=False)
    if domain != RESTAURANT:
        schema = msgspec.structs.replace(domain.schema(1, extra=False), values=values)
    recipe = with_policy(Generation(), domain)
    generator = DialogueGenerator(schema, RestaurantIndex(schema, facts), recipe, subtask=5, train=False)
    lacking = [(name, item) for name in base.entities() for item in _ITEMS if not base.objects(name, item)]
    if lacking:
        name, item = lacking[0]
        raise UsageError(f"{domain.thing} '{name}' of knowledge base '{base.name}' has no {item}, which users ask for")
    goals = {f"booking-{number}": draw_goal(generator, Rng(seed, "booking", number)) for number in range(1, n + 1)}
    items = {name: {item: str(base.objects(name, item)[0]) for item in _ITEMS} for name in base.entities()}
    bookings = BookingSet(goals, generator, base, seed, items)
    slot_of = {str(value): slot.name for slot in reversed(slots) for value in base.values(slot.name)}
    told = "\n".join(f"{fact.subject} {fact.relation} {fact.object}" for fact in facts)
    base_hash = disk.sha256(told.encode())
    stage = Stage(
        scenes=[_scene(name, goal, bookings, slot_of, max_turns, rules) for name, goal in goals.items()],
        user=BookingPartner(bookings),
        human_dialogues=[],
        notes=[_note(domain)],
        judge=lambda dialogues: judge(dialogues, bookings, base_hash=base_hash),
        worlds={base.name: base},
    )

    def with_user(user: System) -> Stage:
        if domain != RESTAURANT:
            raise UsageError(
                f"a chat model as the user books restaurants only, found domain '{domain.name}'; leave --user out"
            )
        settled = [
            _scene(name, goal, bookings, slot_of, max_turns, rules, changes=False) for name, goal in goals.items()
        ]
        return stage._replace(
            scenes=settled,
            user=user,
            notes=[free_user.NOTE],
            judge=lambda dialogues: free_user.judge(dialogues, bookings, base_hash=base_hash),
        )

    return stage._replace(with_user=with_user)


def _note(domain: Domain) -> str:
    """Return how the user is made, with what a domain asks for."""
    slots = len(domain.slots)
    told = _NOTE.format(slots=_NUMBERS[slots] if slots < len(_NUMBERS) else slots)
    return told if domain == RESTAURANT else f"{told} of domain '{domain.name}'"


def _scene(
    name: str,
    goal: BookingGoal,
    bookings: BookingSet,
    slot_of: Mapping[str, str],
    max_turns: int | None,
    rules: DomainRules,
    *,
    changes: bool = True,
) -> Scene:
    listed = bookings.generator.recipe.listed_most
    base, first = bookings.base, tuple(goal.first.values()) if changes else ()

    def api(text: str) -> tuple[str, ...] | None:
        result = execute(text, base)
        if result is None:
            return None
        if first and arguments_of(text) == first:  # the user changes its mind before anything is listed
            return ()
        return tuple(fact_lines(base, Rng(bookings.seed, name, text).sample(result.names, listed)))

    def candidates(history: tuple[Turn, ...], rng: random.Random) -> tuple[Candidate, ...]:  # noqa: ARG001  # all are offered
        state = BookingState(rules)
        for turn in history:
            state.observe(turn)
        return candidate_utterances(history, state, base, slot_of)

    item = Item(name="table", known=goal.final, asked=goal.items)
    return Scene(
        id=name,
        max_turns=MAX_TURNS if max_turns is None else max_turns,
        system=SystemView(world=base.name),
        user=UserView(goal=Goal(items=(item,))),
        first="user",
        candidates=candidates,
        api=api,
        after_call="user",
        over=_is_over,
    )


def _is_over(turns: tuple[Turn, ...]) -> bool:
    """Whether the bot has answered the user's goodbye."""
    return len(turns) > 1 and turns[-1].speaker == "system" and turns[-2].text in templates.FAREWELLS

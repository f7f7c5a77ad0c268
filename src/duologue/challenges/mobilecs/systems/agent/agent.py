"""The agent system of track 2: understands, queries, decides, replies.

It learns from track 2 files alone: turn networks from intents and replies, the wording from the staff's replies. What
it tells comes from the knowledge base of the call, in its case.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from duologue.challenges.mobilecs.systems.agent import missing_account, missing_slot
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.missing_product import (
    asking_back,
    is_asked_for,
    is_listing,
    not_found,
)
from duologue.challenges.mobilecs.systems.agent.open_requests import remembered, widened
from duologue.challenges.mobilecs.systems.agent.product_index import IndexedProduct, ProductIndex
from duologue.challenges.mobilecs.systems.agent.realiser import Realiser
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.reinforced_policy import PolicyWeights, ReinforcedPolicy
from duologue.challenges.mobilecs.systems.agent.request_cues import RequestCues, RequestReading
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCue, SlotCues
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction, SupervisedPolicy, options
from duologue.challenges.mobilecs.systems.agent.staff_templates import StaffTemplate, templates_of
from duologue.challenges.mobilecs.systems.agent.trainer import (
    answered_turns,
    bare_turns,
    index_of,
    known_in,
    new_encoder,
    outside_knowledge,
    product_index,
    size_of,
    train_networks,
    training_rows,
)
from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnEncoder, TurnVocabulary, told_summary
from duologue.challenges.mobilecs.systems.agent.unknown_products import ProductNames, names_of
from duologue.challenges.mobilecs.systems.agent.user_intents import user_acts
from duologue.core.records import Act, Annotation, Answer, Record
from duologue.core.scope import Scope
from duologue.models.trained_system import TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.network import TurnNetwork
    from duologue.challenges.mobilecs.systems.agent.outside_knowledge import OutsideKnowledge
    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffDecision, StaffPolicy
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example, Sample
    from duologue.models.trained_system import Networks

NOTHING_TOLD = StaffAction(("通知",), ())
"""What is done where the base does not have what was asked for."""
_KEPT = 50_000
"""Turns of which the reading is kept: a file is answered turn by turn, and each call looks back at all its own."""


class AgentCard(Record, frozen=True, kw_only=True):
    """What a saved agent needs besides weights."""

    vocabulary: TurnVocabulary
    cues: list[SlotCue]
    templates: list[StaffTemplate]
    products: list[IndexedProduct] = []
    names: list[str] = []
    """Of products of the training calls, by which one that a base does not have is told."""
    seen: str
    policy: PolicyWeights | None = None
    """Of a policy that was learned from rewards."""


class LearnedAgent(NamedTuple):
    """What the agent has learned."""

    encoder: TurnEncoder
    networks: list[TurnNetwork]
    realiser: Realiser
    names: ProductNames
    products: ProductIndex | None = None
    """What stands in the place of the calls' bases or beside them, if anything does."""
    policy: PolicyWeights | None = None


class CustomerAgent(TrainedSystem[AgentRecipe, LearnedAgent]):
    """Serve customers from the call's knowledge base: a turn network decides, people's replies give the words."""

    Recipe: type[Record] = AgentRecipe
    scope = Scope(tasks=("mobilecs/dialogue",))
    extras: tuple[str, ...] = ("models",)
    name, training_files = "agent", "track2/train.json"
    Card, card_file = AgentCard, "agent.json"

    def __init__(self, recipe: AgentRecipe | None = None) -> None:
        super().__init__(recipe)
        self.policy: StaffPolicy = SupervisedPolicy()
        """What decides; another one may be put in its place."""
        self._read: dict[bytes, RequestReading] = {}
        self._outside: OutsideKnowledge | None = None

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Take the knowledge from outside the calls; it stands in the place of the products of training calls.

        Raises `UsageError` where the recipe has no use for it, and for a task that the agent does not serve.
        """
        super().prepare(info, seed, worlds)
        self._outside = outside_knowledge(worlds, self.recipe)
        self._read.clear()

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[LearnedAgent, str]:
        products = product_index(examples, self.recipe)
        self._outside = outside_knowledge(run.worlds, self.recipe)
        index = self._outside or products
        turns = answered_turns(examples, index)
        encoder, networks = train_networks(turns, answered_turns(held_out, index), self.recipe, run)
        realiser = Realiser(templates_of(turns, common=self.recipe.common), pool=self.recipe.pool)
        names = ProductNames(encoder.vocabulary.grams, names_of(turns))
        seen = f"{len(turns)} turns of {_dialogues(examples)} annotated training dialogues with their knowledge bases"
        return self._with_policy(LearnedAgent(encoder, networks, realiser, names, products), seen, examples, run)

    def _learn_semi_supervised(
        self, examples: Sequence[Example], held_out: Sequence[Example], unlabelled: Sequence[Example], run: Run
    ) -> tuple[LearnedAgent, str]:
        """Learn from the text, the knowledge bases and the replies of dialogues without intents, too."""
        from duologue.challenges.mobilecs.systems.agent.semi_supervised_trainer import train_semi_supervised

        products = product_index([*examples, *unlabelled], self.recipe)
        self._outside = outside_knowledge(run.worlds, self.recipe)
        index = self._outside or products
        turns, tests, bare = answered_turns(examples, index), answered_turns(held_out, index), unlabelled
        found = train_semi_supervised(turns, tests, bare_turns(bare, index), self.recipe, run)
        realiser = Realiser(templates_of(found.turns, common=self.recipe.common), pool=self.recipe.pool)
        seen = (
            f"{len(turns)} turns of {_dialogues(examples)} annotated training dialogues and {_dialogues(bare)} "
            f"dialogues without intents, with their knowledge bases"
        )
        names = ProductNames(found.encoder.vocabulary.grams, names_of(found.turns))
        learned = LearnedAgent(found.encoder, found.networks, realiser, names, products)
        return self._with_policy(learned, seen, examples, run)

    def _with_policy(
        self, learned: LearnedAgent, seen: str, examples: Sequence[Example], run: Run
    ) -> tuple[LearnedAgent, str]:
        """Return what was learned with the policy that the recipe wants, and what was seen."""
        if self.recipe.policy == "supervised":
            return learned, seen
        from duologue.challenges.mobilecs.systems.agent.policy_trainer import PolicyTrainer
        from duologue.models.inference import threads  # needs torch

        self._learned = learned  # it serves the simulated users
        with threads(1):
            policy = PolicyTrainer(self, training_rows(examples), self.recipe, run).learn()
        self.policy = ReinforcedPolicy(policy)
        seen = f"{seen}, and {self.recipe.calls} simulated calls with goals of the annotated ones"
        return learned._replace(policy=policy), seen

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return intents and a reply for each sample. Raises `UsageError` before `fit` or `load`."""
        from duologue.models.inference import threads  # needs torch

        self._trained()
        with threads(1):
            return [self._answer(sample) for sample in samples]

    def view(self, sample: Sample) -> CallView:
        """Return a sample as the agent sees it, with the call's base, products of others or of `--kb`, or both."""
        index, own = self._outside or self._trained().products, CallView.of(sample)
        return own if index is None else CallView.of(sample, known_in(own.users, own.last, own.base, index))

    def sources(self, sample: Sample, answer: Answer) -> list[str]:
        """Return the passages and catalogue entries from outside the call that an answer tells values of."""
        if self._outside is None or answer.annotation is None:
            return []
        return self._outside.sources(answer.annotation.facts, CallView.of(sample).base)

    def decision(self, view: CallView) -> StaffDecision:
        """Return what is open at a turn: the reading of the networks and the actions with their values."""
        from duologue.challenges.mobilecs.systems.agent.network import label_shares, probabilities  # need torch

        encoder, networks = self._trained()[:2]
        read = probabilities(networks, encoder.row(view))

        def shares(ways: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
            return label_shares(networks, read.states, np.stack([told_summary(view, way) for way in ways]))

        label_sets = encoder.vocabulary.label_sets
        return options(view, read, label_sets, shares, self.recipe)

    def wide_decision(self, view: CallView, cues: RequestCues) -> StaffDecision:
        """Return the decision with actions for what the user seems to have asked for in any turn so far.

        The networks' probabilities of requests are corrected by the cues.
        """
        decision = self.decision(view)
        reading = self._keep(view, decision.read.wanted)
        read = decision.read._replace(wanted=cues.corrected(view.pieces, reading))
        memory = remembered(view, lambda one: cues.corrected(one.pieces, self._reading(one)))
        return widened(decision._replace(read=read, reading=reading), memory)

    def _reading(self, view: CallView) -> RequestReading:
        """Return what the user of a turn wants to know as the networks read it; those of late are kept."""
        from duologue.challenges.mobilecs.systems.agent.network import probabilities  # needs torch

        kept = self._read.get(_key(view))
        if kept is not None:
            return kept
        encoder, networks = self._trained()[:2]
        return self._keep(view, probabilities(networks, encoder.row(view)).wanted)

    def _keep(self, view: CallView, wanted: NDArray[np.float32]) -> RequestReading:
        if len(self._read) >= _KEPT:
            del self._read[next(iter(self._read))]
        found = self._read[_key(view)] = RequestReading.of(view, wanted)
        return found

    def act(self, decision: StaffDecision, action: StaffAction) -> Answer:
        """Return the answer that does an action: what was understood, the staff's labels, and the reply."""
        view, read = decision.view, decision.read
        understood = user_acts(view, read.user_labels, read.asked, self.recipe)
        staff = tuple(Act(speaker="system", name=label) for label in action.labels)
        reply = self._trained().realiser.reply(view, action)
        told = tuple(view.pieces[number].fact for number in action.tells)
        return Answer(text=reply, annotation=Annotation(facts=told, acts=(*understood, *staff)))

    def _answer(self, sample: Sample) -> Answer:
        view = self.view(sample)
        unknown = self._trained().names.unknown(view)
        read = self.decision(view).read if unknown is not None else None
        if unknown is None or read is None or is_listing(view, read, unknown):
            return self._answer_known(view)
        decision, action = self._chosen(view.without(unknown.others))
        if not is_asked_for(view, read, unknown, self.recipe):
            return self.act(decision, action)
        return not_found(self.act(decision, asking_back(decision.view, action, unknown)), decision.view)

    def _answer_known(self, view: CallView) -> Answer:
        """Return the answer to what is not about a product that the base does not have.

        Where it has nothing of the account, or not the slot that is asked for, nothing else is told in its place.
        """
        decision, action = self._chosen(view)
        cues = self._trained().encoder.cues
        if missing_account.is_missing(view, action):
            return replace(self.act(decision, NOTHING_TOLD), text=view.unsaid(missing_account.REPLIES))
        if missing_slot.is_missing(view, decision.read, action, cues):
            return replace(self.act(decision, NOTHING_TOLD), text=view.unsaid(missing_slot.REPLIES))
        return self.act(decision, action)

    def _chosen(self, view: CallView) -> tuple[StaffDecision, StaffAction]:
        """Return what is open at a turn, and the action that the policy takes."""
        policy = self.policy
        if isinstance(policy, ReinforcedPolicy):
            decision = self.wide_decision(view, policy.cues)
        else:
            decision = self.decision(view)
        return decision, decision.actions[policy.choose(decision)]

    def _networks(self, learned: LearnedAgent) -> Networks:
        return {f"turns-{number}.safetensors": one for number, one in enumerate(learned.networks)}

    def _card(self, learned: LearnedAgent) -> AgentCard:
        encoder, templates = learned.encoder, learned.realiser.index.entries
        products = learned.products.products if learned.products is not None else []
        return AgentCard(
            vocabulary=encoder.vocabulary,
            cues=encoder.cues.cues,
            templates=templates,
            products=products,
            names=list(learned.names.names),
            seen=self.seen,
            policy=learned.policy,
        )

    def _restored(self, card: AgentCard) -> LearnedAgent:
        from duologue.challenges.mobilecs.systems.agent.network import new_network  # needs torch

        size = size_of(card.vocabulary, self.recipe)
        networks = [new_network(size, member) for member in range(self.recipe.members)]
        realiser = Realiser(card.templates, pool=self.recipe.pool)
        index = index_of(card.products, self.recipe)
        encoder = new_encoder(card.vocabulary, SlotCues(card.cues), self.recipe)
        self.policy = SupervisedPolicy() if card.policy is None else ReinforcedPolicy(card.policy)
        names = ProductNames(card.vocabulary.grams, card.names)
        return LearnedAgent(encoder, networks, realiser, names, index, card.policy)


def _key(view: CallView) -> bytes:
    """Return a hash of all that the reading of a turn depends on."""
    told = (view.users, view.staff, view.last, [piece.text for piece in view.pieces])
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).digest()


def _dialogues(examples: Sequence[Example]) -> int:
    return len({one.sample.dialogue_id for one in examples})

"""Recipe of the agent."""

from __future__ import annotations

from typing import ClassVar, Literal

from duologue.challenges.mobilecs.systems.agent.semi_supervised_recipe import LatentActsRecipe
from duologue.core.bounds import (
    Count,
    Dropout,
    NonNegative,
    Positive,
    PositiveFloat,
    Probability,
    ProperFraction,
    Stacked,
)
from duologue.models.training_recipe import TrainingRecipe

RewardTerm = Literal["turn", "repeated", "groundless", "answered", "success", "left_open"]


class AgentRecipe(TrainingRecipe, frozen=True):
    """Knowledge, understanding, decision, wording and training of the agent."""

    former_names: ClassVar[dict[str, str]] = {"most_told": "max_told"}
    """Former names of entries."""

    knowledge: Literal["query", "text", "global", "joined"] = "query"
    """How knowledge is read: `query` asks the call's base for slots; `text` reads its pieces as lines of text, weighed
    by their words; `global` has no base of the call, but the products of all training calls, found by what is said, or
    those of a catalogue or documents (`--kb`); `joined` asks the call's base and, beside it, such products that it
    lacks."""
    products: Positive = 8
    """With `global` and `joined`: products of a turn, those most like what is said."""
    coreference: bool = True
    """Whether earlier turns say what a request is about (`false` is an ablation: only what is named now)."""
    intent_threshold: Probability = 0.4
    """Probability from which an intent of the user is reported; the most probable one always is."""
    argument_threshold: Probability = 0.4
    """The same for its arguments."""
    request_weight: NonNegative = 5.0
    """Weight of the probability that the user asks for a piece, beside that people would tell it anyhow."""
    tell: NonNegative = 0.6
    """Merit, by both probabilities, from which a piece of knowledge is told."""
    max_told: Count = 2
    """Most pieces of knowledge in one reply."""
    pool: Positive = 40
    """Replies of the training data from which one is chosen."""
    common: Positive = 3
    """Training dialogues that must have each run of three characters of a reply that is used again."""
    members: Stacked = 2
    """Networks whose probabilities are averaged."""
    epochs: Positive = 6
    learning_rate: PositiveFloat = 2e-3
    patience: Positive = 3
    """Early stopping: epochs without improvement on held-out dialogues."""
    weight_decay: NonNegative = 0.02
    width: Positive = 64
    """Numbers per piece of text."""
    hidden: Positive = 96
    dropout: Dropout = 0.35
    gram_dropout: Dropout = 0.4
    """Share of pieces of text that are not read, in training."""
    other_replies: Probability = 0.3
    """Share of the earlier replies of training turns in whose place something else is told, or nothing: at work, the
    earlier replies are the agent's own."""
    rare: Positive = 3
    """Pieces of text that fewer training dialogues have are not read."""
    label_sets: Positive = 40
    """Sets of staff labels that are told apart, the most frequent ones."""
    policy: Literal["supervised", "policy-gradient", "reward-weighted"] = "supervised"
    """What decides: what people did in training, or what paid in calls with simulated users, learned online by policy
    gradient, or from a log of calls of the supervised policy by weighing its actions with what they brought."""
    calls: Count = 1000
    """Simulated calls that a policy learns from."""
    calls_per_step: Positive = 8
    """Calls between two steps of the policy gradient."""
    policy_rate: PositiveFloat = 0.12
    """Learning rate of the policy."""
    closeness: NonNegative = 0.02
    """Weight of staying with the supervised choice, beside the reward."""
    reward_temperature: PositiveFloat = 1.0
    """Of `reward-weighted`: how much better an action must pay to count e times as much, in standard deviations."""
    strict_reward: NonNegative = 0.5
    """Of a call in which each request is answered soon, in one or two replies and not among many values, beside the
    reward of the simulator; a requested value in a third reply costs as much."""
    exploration: Probability = 0.05
    """Share of the turns of simulated calls in which any action is drawn."""
    cue_rate: NonNegative = 0.15
    """Learning rate of the words that ask for a slot, learned in the calls from what was answered; 0: none are."""
    without_reward: tuple[RewardTerm, ...] = ()
    """Terms of the reward that are left out (ablations)."""
    semi_supervised: LatentActsRecipe = LatentActsRecipe()
    """Of what is learned from dialogues without intents, where some are given."""
    held_out: ProperFraction = 0.08
    """Share of the training dialogues that decides which weights are best, where none are given."""

    @classmethod
    def tiny(cls) -> AgentRecipe:
        """Return a recipe that trains in seconds, for tests of behaviour, not of quality."""
        return cls(members=1, epochs=1, batch=16, width=8, hidden=8, rare=1, common=1, held_out=0.3, pool=10)

"""Learns a policy from simulated calls: online by policy gradient, or from a log of calls by weighing what paid.

The staff are the agent itself, with its own reading of the user's words and its own replies; the user is simulated in
text mode and plays goals of the training dialogues, as annotated and sampled from their knowledge bases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.simulator.goal_rows import is_playable
from duologue.challenges.mobilecs.simulator.goal_sampler import sample_goal
from duologue.challenges.mobilecs.simulator.reward import Reward
from duologue.challenges.mobilecs.simulator.trained_user import TrainedUser
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.kb_pieces import base_with_names
from duologue.challenges.mobilecs.systems.agent.reinforced_policy import PolicyWeights, first_weights, shares
from duologue.challenges.mobilecs.systems.agent.request_cues import RequestCues
from duologue.challenges.mobilecs.systems.agent.strict_reward import StrictReward
from duologue.challenges.mobilecs.systems.agent.turn_options import options_of
from duologue.core.errors import UsageError
from duologue.core.progress import tracked
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction, StaffDecision
    from duologue.core.protocols import Run
    from duologue.core.records import Answer

    Floats = NDArray[np.float64]
    Row = Mapping[str, Any]

_RIDGE = 3.0
_MOMENTS = 0.9, 0.999
_PASSES = 200
"""Steps of ascent on a log."""


class Staff(Protocol):
    """The agent, as far as calls need it."""

    def wide_decision(self, view: CallView, cues: RequestCues) -> StaffDecision:
        """Return what is open at a turn, with what was asked for before."""
        ...

    def act(self, decision: StaffDecision, action: StaffAction) -> Answer:
        """Return the answer that does an action."""
        ...


class LoggedTurn(NamedTuple):
    """One turn of the staff in a log."""

    features: Floats
    """(n, f) of the options."""
    chosen: int
    supervised: int
    """The option that the supervised policy takes."""
    to_go: float
    """Sum of the rewards from here to the end of the call."""


class PlayedCall(NamedTuple):
    """A call that was played."""

    turns: list[LoggedTurn]
    is_success: bool
    reward: float


class Playing(NamedTuple):
    """How calls are played to learn from."""

    cues: RequestCues
    exploration: float = 0.0
    """Share of the turns in which any action is drawn."""
    strict_reward: float = 0.0


def playable_rows(rows: Sequence[Row], seed: int) -> list[Row]:
    """Return goals with their bases: the annotated ones that can be played, and one sampled from each base."""
    own = [row for row in rows if is_playable(row.get("goal") or {}, row["KB"])]
    drawn = [{**row, "goal": sample_goal(row["KB"], f"{seed}|{row['id']}")} for row in rows]
    return own + [row for row in drawn if row["goal"] is not None and is_playable(row["goal"], row["KB"])]


def play(staff: Staff, user: AgendaUser, row: Row, weights: Floats, seed: str, how: Playing) -> PlayedCall:
    """Play one call with actions drawn by the policy of the weights, and let the cues learn from what is answered."""
    rng, base = Rng(seed, "staff"), base_with_names(facts_of(row["KB"]))
    user.reset(row["goal"], row["KB"], seed)
    judge = StrictReward(row, how.strict_reward)
    said: list[tuple[str, str]] = []
    last, intent = user.first_utterance()
    known: set[str] = set()
    drawn: list[tuple[Floats, int, int]] = []
    rewards: list[float] = []
    while True:
        decision = staff.wide_decision(CallView(said, last, base), how.cues)
        options = options_of(decision)
        count = len(options.actions)
        chances = (1 - how.exploration) * shares(weights, options.features) + how.exploration / count
        number = rng.weighted_choice(range(count), chances.tolist())
        action = decision.actions[options.actions[number]]
        reply = staff.act(decision, action).text or ""
        step = user.step(reply)
        if decision.reading is not None:
            new = set(step.info.fulfilled) - known
            how.cues.learn(decision.view.pieces, decision.reading, action.tells, new)
            known |= new
        drawn.append((options.features, number, options.supervised))
        rewards.append(step.info.reward + judge.of_turn(last, intent, reply))
        if step.done:
            rewards[-1] += judge.of_end()
            to_go = np.cumsum(rewards[::-1])[::-1].tolist()
            turns = [LoggedTurn(*turn, value) for turn, value in zip(drawn, to_go, strict=True)]
            return PlayedCall(turns, not step.info.open, to_go[0])
        said.append((last, reply))
        last, intent = step.utterance, step.intent


class PolicyTrainer:
    """Trains the policy of an agent that has learned everything else."""

    def __init__(self, staff: Staff, rows: Sequence[Row], recipe: AgentRecipe, run: Run) -> None:
        """Take annotated dialogues of the training data; `UsageError` where none has a goal to play."""
        self.staff, self.recipe, self.run = staff, recipe, run
        self.rows = playable_rows(rows, run.seed)
        if not self.rows:
            raise UsageError("no goal of the training dialogues can be played; leave policy=supervised")
        self.cues = RequestCues(rate=recipe.cue_rate)
        reward = Reward(**dict.fromkeys(recipe.without_reward, 0.0))
        self.users = (AgendaUser(reward=reward), TrainedUser(rows, reward=reward))

    def learn(self) -> PolicyWeights:
        """Return the weights that the recipe's way of learning gives."""
        online = self.recipe.policy == "policy-gradient"
        return PolicyWeights.of(self._online() if online else self._offline(), self.cues)

    def _call(self, number: int, weights: Floats) -> PlayedCall:
        seed = f"{self.run.seed}|call {number}"
        row = Rng(seed, "row").choice(self.rows)
        user = self.users[number % len(self.users)]
        how = Playing(self.cues, self.recipe.exploration, self.recipe.strict_reward)
        return play(self.staff, user, row, weights, seed, how)

    def _online(self) -> Floats:
        """Policy gradient (REINFORCE) with a baseline, batches of calls played by the policy as it is."""
        weights, ascent, baseline = first_weights(), _Ascent(self.recipe.policy_rate), _Baseline()
        batch: list[PlayedCall] = []
        for number in tracked(range(self.recipe.calls), self.run.progress, "simulated calls", every=20):
            batch.append(self._call(number, weights))
            if len(batch) == self.recipe.calls_per_step:
                turns = [turn for call in batch for turn in call.turns]
                advantages = baseline.advantages(turns)
                slope = _slope(weights, turns, advantages, self.recipe.closeness)
                weights = weights + ascent.step(slope / len(batch))
                batch = []
        return weights

    def _offline(self) -> Floats:
        """Reward-weighted regression: imitate what the supervised policy did by chance, by how much it paid."""
        behaviour, baseline = first_weights(), _Baseline()
        calls = tracked(range(self.recipe.calls), self.run.progress, "simulated calls", every=20)
        turns = [turn for number in calls for turn in self._call(number, behaviour).turns]
        advantages = baseline.advantages(turns)
        spread = float(advantages.std()) or 1.0
        paid = np.exp(np.clip(advantages / (self.recipe.reward_temperature * spread), -5, 3))
        weights, ascent = behaviour, _Ascent(self.recipe.policy_rate)
        for _ in range(_PASSES):
            slope = _slope(weights, turns, paid / paid.mean(), self.recipe.closeness)
            weights = weights + ascent.step(slope / len(turns))
        return weights


def _slope(weights: Floats, turns: Sequence[LoggedTurn], advantages: Floats, closeness: float) -> Floats:
    """Return the gradient of the log probabilities, weighed, and of the closeness to the supervised choices."""
    slope = np.zeros_like(weights)
    for turn, advantage in zip(turns, advantages.tolist(), strict=True):
        expected = shares(weights, turn.features) @ turn.features
        slope += advantage * (turn.features[turn.chosen] - expected)
        slope += closeness * (turn.features[turn.supervised] - expected)
    return slope


class _Ascent:
    """Adam."""

    def __init__(self, rate: float) -> None:
        self._rate, self._steps = rate, 0
        self._mean: Floats | float = 0.0
        self._square: Floats | float = 0.0

    def step(self, slope: Floats) -> Floats:
        """Return the change of the weights."""
        first, second = _MOMENTS
        self._steps += 1
        self._mean = first * self._mean + (1 - first) * slope
        self._square = second * self._square + (1 - second) * slope**2
        mean, square = self._mean / (1 - first**self._steps), self._square / (1 - second**self._steps)
        change: Floats = self._rate * mean / (np.sqrt(square) + 1e-8)
        return change


class _Baseline:
    """Expected sum of rewards to the end, linear in the state: ridge regression on all turns so far."""

    def __init__(self) -> None:
        self._products: Floats | float = 0.0
        self._sums: Floats | float = 0.0

    def advantages(self, turns: Sequence[LoggedTurn]) -> Floats:
        """Return how much more than expected each turn brought (n,), and learn from them."""
        rows = np.array([turn.features.mean(0) for turn in turns])
        to_go = np.array([turn.to_go for turn in turns])
        self._products = self._products + rows.T @ rows
        self._sums = self._sums + rows.T @ to_go
        fitted = np.linalg.solve(self._products + _RIDGE * np.eye(rows.shape[1]), self._sums)
        advantages: Floats = to_go - rows @ fitted
        return advantages

"""An agent of your own learns to serve simulated customers: a policy-gradient loop over the gymnasium environment.

    pip install 'duologue[rl]'
    python docs/examples/serve_customers.py --episodes 3000 --seed 1

The loop is that of the usual libraries, written out: collect episodes with the policy as it is, subtract a baseline
from their returns, take a step. With stable-baselines3 installed, two lines stand for all of it:

    model = stable_baselines3.PPO("MlpPolicy", gymnasium.make("duologue/MobileCS-v0"), seed=1)
    model.learn(100_000)
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import duologue.challenges.mobilecs.simulator.environment  # noqa: F401  # gymnasium knows the id from here on

BATCH, LEARNING_RATE, ENTROPY = 20, 0.02, 0.01


class Episode(NamedTuple):
    """One call: what was seen and done in each turn, and how it ended."""

    observations: Any
    actions: Any
    masks: Any
    rewards: Any
    is_success: bool


def shares(weights: Any, observations: Any, masks: Any) -> Any:
    """Return the probabilities of the actions: a linear layer with a bias, actions without a piece masked."""
    scores = observations @ weights[:-1] + weights[-1]
    scores = np.where(masks, scores, -np.inf)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return scores / scores.sum(-1, keepdims=True)


def play(environment: Any, weights: Any, seed: int, *, is_greedy: bool = False) -> Episode:
    """Play one call."""
    chance = np.random.default_rng(seed)
    observation, info = environment.reset(seed=seed)
    observations, actions, masks, rewards, done = [], [], [], [], False
    while not done:
        mask = info["action_mask"].astype(bool)
        share = shares(weights, observation, mask)
        action = int(share.argmax() if is_greedy else chance.choice(len(share), p=share))
        observations.append(observation)
        masks.append(mask)
        actions.append(action)
        observation, reward, done, _, info = environment.step(action)
        rewards.append(reward)
    return Episode(np.array(observations), np.array(actions), np.array(masks), np.array(rewards), info["is_success"])


def gradient(weights: Any, episodes: list[Episode]) -> Any:
    """Return the policy gradient of a batch, with the mean return of a turn's number as the baseline."""
    togo = [np.cumsum(one.rewards[::-1])[::-1] for one in episodes]
    longest = max(map(len, togo))
    sums, counts = np.zeros(longest), np.zeros(longest)
    for one in togo:
        sums[: len(one)] += one
        counts[: len(one)] += 1
    total = np.zeros_like(weights)
    for episode, returns in zip(episodes, togo, strict=True):
        share = shares(weights, episode.observations, episode.masks)
        log = np.log(np.maximum(share, 1e-12))
        chosen = np.eye(share.shape[1])[episode.actions]
        advantages = returns - (sums / counts)[: len(returns)]
        slopes = advantages[:, None] * (chosen - share)
        slopes -= ENTROPY * share * (log - (share * log).sum(-1, keepdims=True))
        total[:-1] += episode.observations.T @ slopes
        total[-1] += slopes.sum(0)
    return total / len(episodes)


def main() -> float:
    """Train, print success and mean reward every 500 episodes, and return the last success."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goals", help="track 2 file with goals; none: goals of generated calls")
    chosen = parser.parse_args()
    environment = gymnasium.make("duologue/MobileCS-v0", goals=chosen.goals)
    assert isinstance(environment.observation_space, gymnasium.spaces.Box)
    assert isinstance(environment.action_space, gymnasium.spaces.Discrete)
    weights = np.zeros((environment.observation_space.shape[0] + 1, int(environment.action_space.n)))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    success = 0.0
    for step in range(chosen.episodes // BATCH + 1):
        if step * BATCH % 500 == 0:
            tests = [play(environment, weights, 10**6 + number, is_greedy=True) for number in range(50)]
            success = float(np.mean([one.is_success for one in tests]))
            reward = np.mean([one.rewards.sum() for one in tests])
            print(f"{step * BATCH:5} episodes: success {100 * success:.0f} %, reward {reward:.2f}")
        first = chosen.seed * 10**7 + step * BATCH
        batch = [play(environment, weights, first + number) for number in range(BATCH)]
        slope = gradient(weights, batch)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2  # Adam
        corrected = mean / (1 - 0.9 ** (step + 1)), square / (1 - 0.999 ** (step + 1))
        weights += LEARNING_RATE * corrected[0] / (np.sqrt(corrected[1]) + 1e-8)
    return success


if __name__ == "__main__":
    main()

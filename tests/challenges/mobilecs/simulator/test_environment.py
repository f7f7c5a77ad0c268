from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls

from duologue.core.errors import FormatError, UsageError

gymnasium = pytest.importorskip("gymnasium", reason="extra rl")
environment = pytest.importorskip("duologue.challenges.mobilecs.simulator.environment")

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def goals(tmp_path: Path) -> Path:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps(calls()[:5]), encoding="utf-8")
    return path


def episode(made: Any, seed: int) -> list[Any]:
    observation, _ = made.reset(seed=seed)
    found, done = [observation.tolist()], False
    chance = np.random.default_rng(seed)
    while not done:
        observation, reward, done, is_cut, info = made.step(chance.integers(made.action_space.n))
        assert not is_cut
        found.append((observation.tolist(), reward, done, info["intent"]))
    return found


def test_the_checker_of_gymnasium_passes() -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(environment.ID).unwrapped)
    check_env(gymnasium.make(environment.ID, render_mode="ansi").unwrapped)


def test_equal_seeds_give_equal_episodes(goals: Path) -> None:
    made = [gymnasium.make(environment.ID, goals=goals) for _ in range(2)]
    first, second, other = episode(made[0], 3), episode(made[1], 3), episode(made[0], 4)
    assert first == second != other


def test_a_row_can_be_chosen_and_terms_of_the_reward_switched_off(goals: Path) -> None:
    made = gymnasium.make(environment.ID, goals=goals, error_rate=0.0, reward={"turn": 0, "left_open": 0})
    made.reset(seed=1, options={"row": 2})
    _, reward, done, _, info = made.step(made.action_space.n - 1)
    assert (reward, done, info["is_success"], info["ended"]) == (0, True, False, "staff-left")


@pytest.mark.parametrize("action", [-1, 22, 2.7, "x", None])
def test_what_is_no_action_is_refused(action: Any, goals: Path) -> None:
    made = environment.CallEnvironment(goals=goals)
    made.reset(seed=1)
    with pytest.raises(UsageError, match="no action; they are whole numbers from 0 to 21"):
        made.step(action)
    made.step(np.int64(21))


def test_the_call_is_shown() -> None:
    made = gymnasium.make(environment.ID, render_mode="ansi")
    episode(made, 1)
    lines = made.render().split("\n")
    assert lines[-1].endswith("再见")
    assert all(" | " in line for line in lines)


def test_a_file_without_goals_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_text('[{"id": "a", "KB": {}, "goal": {}, "content": [{"用户": "喂"}]}]', encoding="utf-8")
    with pytest.raises(FormatError, match="no goal can be played"):
        environment.CallEnvironment(goals=path)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"error_rate": 2}, "error_rate is 2, expected a share from 0 to 1"),
        ({"error_rate": float("nan")}, "error_rate is nan"),
        ({"max_turns": 0}, "max_turns is 0, expected 1 or more"),
        ({"reward": {"groundles": 0}}, "no term 'groundles'; did you mean 'groundless'"),
    ],
)
def test_what_no_call_can_be_played_with_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        environment.CallEnvironment(**given)


def test_the_core_never_imports_gymnasium() -> None:
    code = (
        "import sys, duologue.cli.main, duologue.challenges.mobilecs.task, duologue.challenges.mobilecs.live.scenes; "
        "sys.exit('gymnasium' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_example_runs() -> None:
    example = ROOT / "docs" / "examples" / "serve_customers.py"
    done = subprocess.run([sys.executable, example, "--episodes", "60"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("    0 episodes: success ")


@pytest.mark.slow
def test_the_example_learns() -> None:
    example = ROOT / "docs" / "examples" / "serve_customers.py"
    done = subprocess.run([sys.executable, example, "--episodes", "3000"], capture_output=True, text=True, check=False)
    rewards = [float(line.rpartition(" ")[2]) for line in done.stdout.splitlines()]
    assert rewards[-1] > rewards[0] + 0.3

"""Gymnasium environment: other people's agents learn to serve simulated customers at act level. Needs the extra `rl`.

    import duologue.challenges.mobilecs.simulator.environment  # gymnasium knows the id from here on
    gymnasium.make("duologue/MobileCS-v0", goals="track2/train.json", error_rate=0.1)

Observations and actions are those of `act_dialogue`, the reward that of the specification (section 12).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.core import Env
from gymnasium.envs.registration import register
from gymnasium.spaces import Box, Discrete

from duologue.challenges.mobilecs.simulator.act_dialogue import ACTIONS, OBSERVATION, ActDialogue
from duologue.challenges.mobilecs.simulator.agenda_user import MAX_TURNS
from duologue.challenges.mobilecs.simulator.goal_rows import generated_goals, goals_of_file
from duologue.challenges.mobilecs.simulator.reward import Reward
from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.simulator.agenda_user import UserStep

    Observation = NDArray[np.float32]

ID = "duologue/MobileCS-v0"
ERROR_RATE = 0.1
"""Share of requests that are misheard, unless another is given."""
_SEED = 1
"""Seed of goals that no file gives; that of an episode draws one of them."""


class CallEnvironment(Env):
    """A call per episode; the episode ends when the user says goodbye or hangs up, and is never cut."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        *,
        goals: str | Path | None = None,
        error_rate: float = ERROR_RATE,
        reward: Mapping[str, float] | None = None,
        max_turns: int = MAX_TURNS,
        render_mode: str | None = None,
    ) -> None:
        """Take goals and knowledge bases from a track 2 file (sampled where it has none), else from generated calls.

        `reward` gives terms that differ from the specification's, such as `{"groundless": 0}`. Raises `FormatError`
        for a file that has no goal to play, `UsageError` for a share that is none and an unknown term.
        """
        if not 0 <= error_rate <= 1:
            raise UsageError(f"error_rate is {error_rate}, expected a share from 0 to 1")
        if max_turns < 1:
            raise UsageError(f"max_turns is {max_turns}, expected 1 or more")
        for term in reward or {}:
            if term not in Reward.__struct_fields__:
                raise UsageError(f"the reward has no term '{term}'{did_you_mean(term, Reward.__struct_fields__)}")
        self.render_mode = render_mode
        self.observation_space = Box(0.0, 1.0, (OBSERVATION,), np.float32)
        self.action_space = Discrete(ACTIONS)
        found = generated_goals(_SEED) if goals is None else tuple(goals_of_file(Path(goals), _SEED).rows.values())
        self._rows = found
        terms = Reward(**(reward or {}))
        self._dialogue = ActDialogue(error_rate=error_rate, reward=terms, max_turns=max_turns)
        self._said: list[str] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a call with a goal drawn by the seed, or with that of the row `options["row"]`."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(len(self._rows)))
        row = self._rows[(options or {}).get("row", drawn)]
        observation = self._dialogue.reset(row["goal"], row["KB"], int(self.np_random.integers(2**31)))
        self._said = []
        return observation, {"action_mask": self._dialogue.mask()}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do an action; `info` has what is answered, what is open, and why the call is over.

        Raises `UsageError` for what is none of the actions.
        """
        if not self.action_space.contains(action):
            raise UsageError(f"{action!r} is no action; they are whole numbers from 0 to {ACTIONS - 1}")
        observation, step = self._dialogue.step(int(action))
        self._said.append(f"{step.info.reply} | {step.intent}")
        return observation, step.info.reward, step.done, False, {**_told(step), "action_mask": self._dialogue.mask()}

    def render(self) -> str | None:
        """Return the call so far, a line per turn: what the staff said, and the intent of the user's answer."""
        return "\n".join(self._said) if self.render_mode == "ansi" else None


def _told(step: UserStep) -> dict[str, Any]:
    return {
        "intent": step.intent,
        "fulfilled": step.info.fulfilled,
        "open": step.info.open,
        "groundless": step.info.groundless,
        "ended": step.info.ended,
        "is_success": step.done and not step.info.open,
    }


register(id=ID, entry_point=f"{__name__}:{CallEnvironment.__name__}")

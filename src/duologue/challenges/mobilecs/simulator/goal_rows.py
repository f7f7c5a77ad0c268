"""Goals with their knowledge bases, to be played: of a track 2 file, or of generated calls."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.formats import files
from duologue.challenges.mobilecs.schema.ontology import STAFF_INTENT, USER_INTENT
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.goal_sampler import sample_goal
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Row = Mapping[str, Any]

_CALLS = 300
"""Generated calls of which those with requests are played where no file is given."""


class GoalRows(NamedTuple):
    """The dialogues of a file that can be played."""

    rows: dict[str, Row]
    """`goal` and `KB` by the dialogue's id, in the order of the file."""
    sampled: int
    """Goals that the file does not give, sampled from the knowledge bases."""
    unplayable: int
    """Dialogues that were left out: they ask for nothing that can be looked up."""


def goals_of_file(path: Path, seed: int) -> GoalRows:
    """Return the goals of a track 2 file; dialogues without one, as in test files, get one sampled.

    Raises `FormatError` for a file that is none or has no goal to play.
    """
    rows: dict[str, Row] = {}
    sampled = unplayable = 0
    for example in files.load_dialogue(path):
        name, row = example.sample.dialogue_id, example.source
        if len(example.sample.history) > 1:  # one of its later turns
            continue
        goal = row.get("goal")
        if goal is None:
            goal = sample_goal(row["KB"], user_seed(seed, name))
            sampled += goal is not None
        if goal is None or not is_playable(goal, row["KB"]):
            unplayable += 1
            continue
        rows[name] = {"goal": goal, "KB": row["KB"]}
    if not rows:
        advice = "give track 2 dialogues whose `goal` has a `?` that the `KB` answers"
        raise FormatError(str(path), [Problem(rule="goal-none", message="no goal can be played", advice=advice)])
    return GoalRows(rows, sampled, unplayable)


def annotated_rows(path: Path) -> list[Row]:
    """Return the decoded dialogues of a track 2 file that have the intents of both sides. Raises `FormatError`."""
    rows = {example.sample.dialogue_id: example.source for example in files.load_dialogue(path)}
    keys = (USER_INTENT, STAFF_INTENT)
    return [row for row in rows.values() if all(turn.get(key) for turn in row["content"] for key in keys)]


@cache
def generated_goals(seed: int) -> tuple[Row, ...]:
    """Return goals and knowledge bases of generated calls, as annotated and sampled."""
    generator = CallGenerator(CallCorpusRecipe(argument_rate=0.5), seed)
    made = [row for number in range(_CALLS) for row in generator.call("train", number).track2]
    own = [{"goal": row["goal"], "KB": row["KB"]} for row in made if is_playable(row["goal"], row["KB"])]
    drawn = [(sample_goal(row["KB"], user_seed(seed, row["id"])), row["KB"]) for row in made]
    return (*own, *({"goal": goal, "KB": base} for goal, base in drawn if goal is not None and is_playable(goal, base)))


def is_playable(goal: Mapping[str, Any], base: Mapping[str, Mapping[str, str]]) -> bool:
    """Tell whether a goal has something that the base answers and nothing that cannot be looked up."""
    try:
        requests = list(requests_of(goal, base))
    except KeyError:  # a type that the official code does not know, or a service without a name
        return False
    return any(one.values for one in requests)


def user_seed(seed: int, name: str) -> str:
    """Return the seed of the simulated user in one dialogue."""
    return f"{seed}|{name}"

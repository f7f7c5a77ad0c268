"""How well turns of simulated users are told from others: `python benchmarks/mobilecs_realism.py [--data FOLDER]`.

A logistic regression over the characters' n-grams of a turn (one to four, with its ends) is trained to tell the
turns of simulated dialogues from those of generated ones, and is tested on dialogues that it has not seen: in five
parts, dialogues whole. Its AUC is the share of pairs of turns, one of each kind, that it puts in the right order: .5
where they cannot be told apart, and at most .75 is asked for. Both kinds are of the same goals and knowledge bases;
the staff of the simulated dialogues are the rule agent. With `--data`, the public dialogues take the place of the
generated ones, and the generated ones are told from them for comparison.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.stats import rankdata

from duologue.challenges.mobilecs.formats import preprocessor
from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.schema.ontology import USER_TEXT
from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.goal_sampler import sample_goal
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.challenges.mobilecs.systems.rule_agent import RuleAgent
from duologue.core.disk import read_json
from duologue.core.records import Sample, Turn
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Dialogues = Sequence[Sequence[str]]  # user turns by dialogue

FEATURES, LONGEST, PARTS, DRAWS = 2**16, 4, 5, 200
RIDGE = 1.0


class Auc(NamedTuple):
    """Area under the curve with a 95 % interval over dialogues."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def matrix(turns: Sequence[str]) -> csr_array:
    """Return which n-grams the turns have, (n, FEATURES), rows of length one."""
    columns, ends = [], [0]
    for turn in turns:
        text = f"^{turn}$"
        grams = {text[place : place + size] for size in range(1, LONGEST + 1) for place in range(len(text) - size + 1)}
        columns += sorted({zlib.crc32(one.encode()) % FEATURES for one in grams})
        ends.append(len(columns))
    lengths = np.diff(ends)
    values = np.repeat(1 / np.sqrt(lengths), lengths)
    return csr_array((values, np.array(columns), np.array(ends)), shape=(len(turns), FEATURES))


def fit(rows: csr_array, labels: NDArray[np.bool_]) -> Floats:
    """Return the weights of a logistic regression in which both kinds count the same."""
    signs = np.where(labels, 1.0, -1.0)
    shares = np.where(labels, 0.5 / labels.sum(), 0.5 / (~labels).sum()) * len(labels)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (rows @ weights[:-1] + weights[-1])
        slopes = -shares * signs / (1 + np.exp(np.clip(margins, -30, 30)))
        gradient = np.append(rows.T @ slopes, slopes.sum()) + RIDGE * weights
        value = float((shares * np.logaddexp(0, -margins)).sum() + RIDGE * weights @ weights / 2)
        return value, gradient

    found: Floats = minimize(loss, np.zeros(FEATURES + 1), jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    return found


def area(scores: Floats, labels: NDArray[np.bool_], weights: Floats | None = None) -> float:
    """Return the share of pairs in the right order, ties half; `weights` count turns several times."""
    if weights is not None:
        times = weights.astype(int)
        scores, labels = np.repeat(scores, times), np.repeat(labels, times)
    ranks = rankdata(scores)
    right, wrong = int(labels.sum()), int((~labels).sum())
    return float((ranks[labels].sum() - right * (right + 1) / 2) / (right * wrong))


def told_apart(simulated: Dialogues, others: Dialogues, seed: int) -> Auc:
    """Return how well the turns of two kinds of dialogues are told apart, tested on dialogues left out."""
    dialogues = [*simulated, *others]
    owner = np.repeat(np.arange(len(dialogues)), [len(one) for one in dialogues])
    labels = owner < len(simulated)
    rows = matrix([turn for one in dialogues for turn in one])
    part = np.array([Rng(seed, "part", one).below(PARTS) for one in range(len(dialogues))])[owner]
    scores = np.zeros(len(owner))
    for number in range(PARTS):
        held = part == number
        if labels[held].all() or not labels[held].any():
            continue
        weights = fit(rows[~held], labels[~held])
        found = rows[held] @ weights[:-1]
        scores[held] = rankdata(found) / len(found)  # parts have scales of their own
    value, chance = area(scores, labels), np.random.default_rng(seed)
    drawn, split = [], len(simulated)
    for _ in range(DRAWS):
        of_each = [chance.integers(low, high, size=high - low) for low, high in ((0, split), (split, len(dialogues)))]
        times = np.bincount(np.concatenate(of_each), minlength=len(dialogues))
        drawn.append(area(scores, labels, times[owner].astype(float)))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Auc(value, float(low), float(high))


def played(user: Any, row: dict[str, Any], seed: int | str) -> list[str]:
    """Return what a user says to the rule agent."""
    agent, facts = RuleAgent(), facts_of(row["KB"])
    user.reset(row["goal"], row["KB"], seed)
    said = [user.first_utterance()[0]]
    history: list[Turn] = []
    while True:
        history.append(Turn(speaker="user", text=said[-1]))
        reply = agent.answer([Sample(id="x", dialogue_id="x", history=tuple(history), knowledge=facts)])[0].text or ""
        history.append(Turn(speaker="system", text=reply))
        step = user.step(reply)
        said.append(step.utterance)
        if step.done:
            return said


def with_goals(rows: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Return the dialogues that can be played, with a sampled goal where their own asks for nothing."""
    found = []
    for row in rows:
        goal: Any = row["goal"]
        if not any(one.values for one in requests_of(goal, row["KB"])):
            goal = sample_goal(row["KB"], f"{seed}|{row['id']}")
        if goal is not None:
            found.append({**row, "goal": goal})
    return found


def generated(seed: int, n: int) -> list[dict[str, Any]]:
    """Return generated dialogues of profile `crowd` that can be played."""
    generator = CallGenerator(CallCorpusRecipe(profile="crowd", argument_rate=0.4), seed)
    rows = [row for number in range(n) for row in generator.call("train", number).track2]
    return with_goals(rows, seed)


def public(folder: Path, seed: int) -> list[dict[str, Any]]:
    """Return the public dialogues of a folder that can be played; those of the first version have no ids."""
    rows = [row for path in sorted(folder.rglob("*.json")) for row in annotated(read_json(path)[0], path.stem)]
    return with_goals(preprocessor.process(list({row["id"]: row for row in rows}.values())), seed)


def annotated(rows: Any, name: str) -> list[dict[str, Any]]:
    """Return the annotated dialogues of a decoded file, none of another file."""
    if not isinstance(rows, list):
        return []
    found = [
        {"id": f"{name}-{number:02}", "content": row} if isinstance(row, list) else row
        for number, row in enumerate(rows)
    ]
    return [row for row in found if isinstance(row, dict) and row.get("content") and "info" in row["content"][0]]


def turns_of(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return the user turns of the dialogues; nothing where the user says nothing."""
    return [[turn[USER_TEXT] for turn in row["content"] if turn[USER_TEXT]] for row in rows]


def main() -> int:
    """Print a line per comparison; return 1 if simulated turns are told apart too easily."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=600, help="generated dialogues")
    parser.add_argument("--data", type=Path, help="folder with public dialogues in the raw form")
    chosen = parser.parse_args()
    rows = generated(chosen.seed, chosen.n)
    simulated = [played(AgendaUser(), row, number) for number, row in enumerate(rows)]
    found = told_apart(simulated, turns_of(rows), chosen.seed)
    print(f"agenda user against {len(rows)} generated dialogues: AUC {found}")
    if chosen.data:
        real = public(chosen.data, chosen.seed)
        simulated = [played(AgendaUser(), row, number) for number, row in enumerate(real)]
        print(f"agenda user against {len(real)} public dialogues: AUC {told_apart(simulated, turns_of(real), 1)}")
        print(f"generated against public dialogues: AUC {told_apart(turns_of(rows), turns_of(real), 1)}")
    return int(found.value > 0.75)


if __name__ == "__main__":
    sys.exit(main())

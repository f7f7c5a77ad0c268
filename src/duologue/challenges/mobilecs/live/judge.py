"""Judge of simulated conversations: official and strict Success, turns, reward, values without ground.

The dialogue is gone through once more with the simulated user, which is the same for the same seed, so the figures are
those of the conversation itself. All are counted per dialogue, so dialogues are what intervals leave out.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.files import conversation_row
from duologue.challenges.mobilecs.live import free_user
from duologue.challenges.mobilecs.schema.ontology import STAFF_TEXT
from duologue.challenges.mobilecs.scoring.dialogue import strict
from duologue.challenges.mobilecs.simulator.goal_rows import user_seed
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.challenges.mobilecs.simulator.reward import Reward
from duologue.core.records import Problem
from duologue.metrics.conversation_report import conversation_report
from duologue.metrics.formulas import Ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
    from duologue.core.records import Dialogue, Report
    from duologue.metrics.counts import Metric

    Row = Mapping[str, Any]

_OF_AGENDA = frozenset({"reward", "hallucinated-values"})
"""Metrics that go by what the agenda of the user waits for."""


def formulas() -> tuple[Ratio, ...]:
    """Return the metrics of a conversation report in display order."""
    return (
        Ratio("success", "successes", "dialogues"),
        Ratio("strict-success", "strict successes", "dialogues"),
        Ratio("answered-requests", "answered", "requests"),
        Ratio("turns", "replies", "dialogues", percent=False, lowest=0, higher_is_better=False),
        Ratio("reward", "reward", "dialogues", percent=False),
        Ratio("hallucinated-values", "hallucinated", "replies", higher_is_better=False),
        Ratio("repeated-replies", "repeats", "replies", higher_is_better=False),
    )


def counted(dialogue: Dialogue, row: Row, user: AgendaUser | None, seed: int) -> dict[str, float]:
    """Return the counts of one finished dialogue by name; `row` has its official goal and knowledge base.

    Without the `user` who spoke, reward and values without ground are not counted: they go by its agenda.
    """
    replies = [turn.text for turn in dialogue.turns if turn.speaker == "system"]
    requested = [one.values for one in requests_of(row["goal"], row["KB"]) if one.values]
    met = [any(value in reply for value in values for reply in replies) for values in requested]
    made = {**conversation_row(dialogue), "goal": row["goal"], "KB": row["KB"]}
    strictly = strict.answered_items(made, [turn[STAFF_TEXT] for turn in made["content"]])
    found = {
        "dialogues": 1,
        "successes": all(met),
        "strict successes": all(strictly.values()),
        "requests": len(met),
        "answered": sum(met),
        "replies": len(replies),
        "repeats": sum(one == other for one, other in pairwise(replies)),
    }
    if user is None:
        return found | free_user.counted(dialogue, row)
    reward, groundless, ended = _rewarded(row, user, user_seed(seed, dialogue.id), replies)
    left_open = 0.0 if ended or all(met) else Reward().left_open
    return {**found, "reward": reward + left_open, "hallucinated": groundless}


def _rewarded(row: Row, user: AgendaUser, seed: str, replies: Sequence[str]) -> tuple[float, int, bool]:
    """Return the reward of a dialogue, its values without ground, and whether the user ended it."""
    user.reset(row["goal"], row["KB"], seed)
    user.first_utterance()
    reward, groundless = 0.0, 0
    for reply in replies:
        step = user.step(reply)
        reward += step.info.reward
        groundless += step.info.groundless
        if step.done:
            return reward, groundless, True
    return reward, groundless, False


def judge(
    dialogues: Sequence[Dialogue], rows: Mapping[str, Row], user: AgendaUser | None, *, seed: int, goals_hash: str
) -> Report:
    """Return the report on finished dialogues with 95 % intervals over dialogues; a failed one is a warning.

    Without an agenda `user` it is one who spoke freely: what it says of the knowledge base is counted, and a warning.
    Raises `UsageError` without dialogues.
    """
    metrics: tuple[Metric[Any], ...] = formulas()
    if user is None:
        metrics = (*(one for one in formulas() if one.name not in _OF_AGENDA), *free_user.formulas())
    names = [one.id for one in dialogues]
    found = [counted(one, rows[one.id], user, seed) for one in dialogues]
    problems = [
        Problem(
            rule="request-open",
            severity="warning",
            place=f"dialogue '{name}'",
            message=f"{int(one['requests'] - one['answered'])} of {int(one['requests'])} requests were not answered",
        )
        for name, one in zip(names, found, strict=True)
        if not one["successes"]
    ]
    if user is None:
        problems += [problem for one in dialogues for problem in free_user.problems(one, rows[one.id])]
    return conversation_report(
        "mobilecs/dialogue",
        names,
        found,
        metrics,
        rank_by="success",
        version="v1",
        options=(f"seed {seed}",),
        hashes={"goals": goals_hash},
        problems=problems,
    )

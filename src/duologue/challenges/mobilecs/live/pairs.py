"""Two people make a call: one has the goal, the other the knowledge base, as in the challenge's own collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.knowledge.goal import goal_of, goal_row
from duologue.challenges.mobilecs.knowledge.kb import base_of, facts_of
from duologue.challenges.mobilecs.live import free_user
from duologue.challenges.mobilecs.live.goal_card import GoalCard
from duologue.challenges.mobilecs.live.scenes import load_rows
from duologue.core.records import Dialogue, Problem
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.core.records import Turn


def pair_scenes(place: Path, n: int, seed: int) -> list[Dialogue]:
    """Return goals with their knowledge bases, drawn by the seed from a track 2 file.

    Dialogues without a goal get one sampled from their knowledge base. Raises `FormatError` for a file that is none, or
    has nothing to ask for.
    """
    rows, _ = load_rows(place, seed)
    return [
        Dialogue(id=name, turns=(), knowledge=facts_of(rows[name]["KB"]), goal=goal_of(dict(rows[name]["goal"])))
        for name in Rng("pairs", seed).sample(list(rows), n)
    ]


def card_lines(scene: Dialogue, lang: str, side: str) -> list[str]:
    """Return the card of a side: the goal for the customer, none for the staff, who see the knowledge base."""
    return _card(scene, lang).lines() if side == "user" else []


def written(scene: Dialogue, turns: Sequence[Turn]) -> Dialogue:
    """Return the call that people typed."""
    return Dialogue(id=scene.id, turns=tuple(turns), knowledge=scene.knowledge, goal=scene.goal)


def pair_problems(dialogue: Dialogue) -> Iterator[Problem]:
    """Yield what is wrong: requests that the staff never answers, and values that the customer cannot know.

    A call in which nothing is answered is an error, anything else a warning.
    """
    card = _card(dialogue, "en")
    said = [turn.text for turn in dialogue.turns if turn.speaker == "system"]
    missing = [one for one in card.requests if not any(value in text for value in one.values for text in said)]
    severity = "error" if len(missing) == len(card.requests) else "warning"
    for one in missing:
        message = f"the staff never says any of the values of {card.named(one)}"
        yield Problem(rule="request-unanswered", severity=severity, message=message)
    yield from free_user.problems(dialogue, _row(dialogue))


def _card(scene: Dialogue, lang: str) -> GoalCard:
    row = _row(scene)
    return GoalCard(row["goal"], row["KB"], lang)


def _row(scene: Dialogue) -> dict[str, Any]:
    """Return goal and knowledge base in their official form."""
    return {"goal": {} if scene.goal is None else goal_row(scene.goal), "KB": base_of(scene.knowledge)}

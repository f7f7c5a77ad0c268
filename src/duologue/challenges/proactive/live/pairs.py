"""Two people make a dialogue: what they talk about, their words as the data's text, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.formats.graph_file import read_graph
from duologue.challenges.proactive.knowledge import facts_of, goal_completion, usable_facts, without_spaces
from duologue.challenges.proactive.live.goals import draw_goals
from duologue.challenges.proactive.live.scenes import load_dialogues
from duologue.challenges.proactive.live.segmentation import segmented
from duologue.core.errors import FormatError
from duologue.core.records import Dialogue, Problem, Sample, Turn
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def pair_scenes(place: Path, n: int, seed: int) -> list[Dialogue]:
    """Return goals with their knowledge, drawn by the seed from a file of goals, or from a graph.

    Raises `FormatError` for a file that is neither, `UsageError` for a graph without goals.
    """
    try:
        given = load_dialogues(place).dialogues
    except FormatError as error:
        if not all(one.rule in {"row-form", "row-not-object", "not-json"} for one in error.problems):
            raise
        return draw_goals(read_graph(place), n, seed)
    drawn = Rng("pairs", seed).sample(given, min(n, len(given)))
    return [Dialogue(id=one.id, turns=(), knowledge=one.knowledge, goal=one.goal) for one in drawn]


def written(scene: Dialogue, turns: Sequence[Turn]) -> Dialogue:
    """Return the dialogue that people typed, segmented as the data is; `meta["typed"]` has their words."""
    names = [cell for one in facts_of(scene.goal, scene.knowledge) for cell in (one.subject, str(one.object))]
    names += scene.goal.topics if scene.goal is not None else ()
    cut = (Turn(speaker=one.speaker, text=segmented(one.text, names), meta={"typed": one.text}) for one in turns)
    return Dialogue(id=scene.id, turns=tuple(cut), knowledge=scene.knowledge, goal=scene.goal)


def pair_problems(dialogue: Dialogue) -> Iterator[Problem]:
    """Yield what the challenge finds wrong: topics that are not led to in their order, too little knowledge."""
    if dialogue.goal is None:
        return
    said = [turn.text for turn in dialogue.turns if turn.speaker == "system"]
    missing = [
        topic for topic in dialogue.goal.topics if not any(without_spaces(topic) in without_spaces(one) for one in said)
    ]
    facts = usable_facts(Sample(id="", dialogue_id="", knowledge=dialogue.knowledge, goal=dialogue.goal))
    points = goal_completion(dialogue.goal.topics, facts, said)
    if missing:
        names = ", ".join(map(without_spaces, missing))
        yield Problem(rule="topic-unmentioned", message=f"whoever leads never names {names}")
    elif not points:
        yield Problem(rule="topics-order", message="whoever leads names the second topic before the first")
    elif points == 1:
        yield Problem(
            rule="facts-few", severity="warning", message="whoever leads uses fewer than two triples of the knowledge"
        )

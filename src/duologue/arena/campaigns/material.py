"""What a campaign is about: items with the answers of systems, from result files, or scenes that volunteers talk in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.campaigns.shown_content import ShownAnswer, ShownContext
from duologue.core.errors import UsageError
from duologue.core.rng import Rng
from duologue.judges.items import JudgedItem
from duologue.judges.judge_texts import load_texts
from duologue.judges.prompt import JudgePrompt
from duologue.judges.results import read_systems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.arena.campaigns.shown_content import Triple, Utterance
    from duologue.core.protocols import Task, World
    from duologue.core.records import Fact, Goal, Turn
    from duologue.judges.results import JudgedFiles
    from duologue.ratings.protocol import RatingProtocol

_FACTS = 60
"""Facts of a shared knowledge base that are shown with an item, at most."""


class MaterialItem(NamedTuple):
    """One item."""

    key: str
    """What ratings files call it."""
    context: ShownContext
    answers: Mapping[str, ShownAnswer | None]
    """By system; `None` where a volunteer is to talk with it first."""


class Material(NamedTuple):
    """All items of a campaign."""

    systems: tuple[str, ...]
    items: tuple[MaterialItem, ...]


def material_of_files(
    task: Task, files: JudgedFiles, rating: RatingProtocol, unit: str, *, n: int, seed: int, world: World | None = None
) -> Material:
    """Return `n` items that all systems of result files answered, drawn by lot; of a `dialogue` whole ones.

    Where the rating protocol has a hidden reference, the first human reply of the data stands among the systems.
    Raises `UsageError` where the files share no item, or the reference is not known; else as `read_systems`.
    """
    found = {name: one.items for name, one in read_systems(task, files, unit).items()}
    if rating.reference:
        if rating.reference in found:
            raise UsageError(f"'{rating.reference}' is the hidden human reference; call the system otherwise")
        found[rating.reference] = _human(task, files, found)
    shared = set.intersection(*(set(items) for items in found.values()))
    if not shared:
        raise UsageError("the systems have no item in common; are their files of the same data?")
    keys = sorted(Rng(seed, "items").sample(sorted(shared), n))
    knowledge = _Knowledge(task, rating, unit, world)
    items = []
    for key in keys:
        first = next(iter(found.values()))[key]
        context = ShownContext(
            turns=shown_turns(first.sample.history) if unit == "reply" else (),
            knowledge=knowledge.of(first),
            goal=goal_lines(first.sample.goal),
        )
        items.append(MaterialItem(key, context, {name: _answer(own[key], unit) for name, own in found.items()}))
    return Material(tuple(found), tuple(items))


def material_of_scenes(scenes: Sequence[str], systems: Sequence[str]) -> Material:
    """Return items for volunteers who talk with each system in each scene."""
    if not systems or not scenes:
        raise UsageError("a campaign in which people talk needs systems and scenes")
    items = tuple(MaterialItem(scene, ShownContext(), dict.fromkeys(systems)) for scene in scenes)
    return Material(tuple(systems), items)


def goal_lines(goal: Goal | None) -> tuple[str, ...]:
    """Return a goal in lines for people; empty where there is none."""
    if goal is None:
        return ()
    lines = [" → ".join(goal.topics)] if goal.topics else []
    lines += [" | ".join(map(str, (one.subject, one.relation, one.object))) for one in goal.relations]
    for item in goal.items:
        known = ", ".join(f"{slot} = {value}" for slot, value in item.known.items())
        asked = ", ".join(f"{slot} ?" for slot in item.asked)
        lines.append("; ".join(filter(None, (item.kind or "", known, asked, ", ".join(item.intents)))))
    return (*lines, *goal.consultations)


def _human(task: Task, files: JudgedFiles, found: Mapping[str, Mapping[str, JudgedItem]]) -> dict[str, JudgedItem]:
    """Return the first reference of each item, in the context that all systems had."""
    if not files.golds:
        raise UsageError("this protocol rates the human reply too, as a hidden system; give the truth file (--gold)")
    known = {}
    for example in task.load_files(files.golds):
        text = next((one.text for one in example.references if one.text), None)
        if text is not None:
            known[example.sample.id] = text
    own = next(iter(found.values()))
    return {key: JudgedItem(key, item.sample, known[key]) for key, item in own.items() if key in known}


def _answer(item: JudgedItem, unit: str) -> ShownAnswer:
    turns = item.dialogue if unit == "dialogue" else item.dialogue[-1:]
    return ShownAnswer(turns=shown_turns(turns), facts=tuple(map(shown_triple, item.facts)))


def shown_turns(turns: Sequence[Turn]) -> tuple[Utterance, ...]:
    """Return what both partners could hear."""
    return tuple((one.speaker, one.text) for one in turns if one.speaker != "api")


def shown_triple(fact: Fact) -> Triple:
    """Return a fact as people read it."""
    told = "、".join(map(str, fact.object)) if isinstance(fact.object, tuple) else str(fact.object)
    return fact.subject, fact.relation, told


class _Knowledge:
    """Facts beside an item: its own, or those of the shared knowledge base that bear on it."""

    def __init__(self, task: Task, rating: RatingProtocol, unit: str, world: World | None) -> None:
        self._prompt: JudgePrompt | None = None
        if world is not None:
            judged = load_texts(task).texts.unit
            self._prompt = JudgePrompt(task, rating, "dialogue" if unit == "dialogue" else judged, facts=_FACTS)
            self._prompt.prepare({world.name: world})

    def of(self, item: JudgedItem) -> tuple[Triple, ...]:
        facts = self._prompt.known_facts(item) if self._prompt is not None else item.sample.knowledge
        return tuple(map(shown_triple, facts))

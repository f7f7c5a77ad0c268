"""Scenes of simulated conversations of track 2: official goals with their knowledge bases, and the simulated user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.knowledge.goal import goal_of
from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.live import free_user
from duologue.challenges.mobilecs.live.judge import judge
from duologue.challenges.mobilecs.schema.intents import acts_of
from duologue.challenges.mobilecs.simulator.agenda_user import MAX_TURNS, AgendaUser
from duologue.challenges.mobilecs.simulator.goal_rows import annotated_rows, goals_of_file, user_seed
from duologue.challenges.mobilecs.simulator.trained_user import TrainedUser
from duologue.challenges.mobilecs.simulator.user_move import BYE
from duologue.core import disk
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Stage
from duologue.core.records import Annotation, Answer, Record
from duologue.core.rng import Rng
from duologue.core.scenes import Scene, SystemView, UserView

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Sample, Turn

    Row = Mapping[str, Any]


class AgendaPartner:
    """The simulated user of `rows` (dialogue id to goal and knowledge base) as a `System`, in text mode."""

    Recipe: type[Record] = Record

    def __init__(self, rows: Mapping[str, Row], seed: int, user: AgendaUser) -> None:
        self.recipe = Record()
        self.seen = "nothing"
        self._rows, self._seed = rows, seed
        self._talking: tuple[str, int] = ("", 0)
        self._user = user

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is needed: the seed is that of the stage."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the user's next utterance of each dialogue with its intents; it depends on the history alone."""
        return [self._answer(sample) for sample in samples]

    def _answer(self, sample: Sample) -> Answer:
        replies = [turn.text for turn in sample.history if turn.speaker == "system"]
        text, intent = "", ""
        if not replies or self._talking != (sample.dialogue_id, len(replies) - 1):
            row = self._rows[sample.dialogue_id]
            self._user.reset(row["goal"], row["KB"], user_seed(self._seed, sample.dialogue_id))
            text, intent = self._user.first_utterance()
        else:
            replies = replies[-1:]
        for reply in replies:
            text, intent, _, _ = self._user.step(reply)
        self._talking = (sample.dialogue_id, sum(turn.speaker == "system" for turn in sample.history))
        return Answer(text=text, annotation=Annotation(acts=acts_of(intent, "user")))


def make_stage(goals: Path | None, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> Stage:
    """Return scenes with the goals of a track 2 file, the simulated user, and the judge of whole conversations.

    Dialogues without a goal, as in test files, get one sampled from their knowledge base. Raises `FormatError` for a
    file that is none or has no goal to play. With `users`, annotated track 2 files, the user has learned from these;
    `UsageError` where they have no intents.
    """
    if goals is None:
        raise UsageError("say whose goals are played: --goals FILE, dialogues of track 2")
    learned = [row for path in users for row in annotated_rows(path)]
    if users and not learned:
        raise UsageError("no dialogue of --users has intents of both sides to learn from; give track2/train.json")
    user = TrainedUser(learned) if users else AgendaUser()
    rows, odd = load_rows(goals, seed)
    order = {name: place for place, name in enumerate(rows)}
    chosen = sorted(Rng(seed, "goals").sample(list(rows), n), key=order.__getitem__)
    source = f"has learned from {len(learned)} dialogues" if users else "has learned from nothing: rules and phrases"
    notes = [f"the user works off an agenda made from the official goal, and {source}", *odd]
    if len(chosen) < n:
        notes.append(
            f"{n} conversations were asked for; {goals.name} has {len(chosen)} goals, and each was played once"
        )
    goals_hash = disk.sha256(disk.read_bytes(goals))
    stage = Stage(
        scenes=[_scene(name, rows[name], max_turns) for name in chosen],
        user=AgendaPartner(rows, seed, user),
        human_dialogues=[],
        notes=notes,
        judge=lambda dialogues: judge(dialogues, rows, user, seed=seed, goals_hash=goals_hash),
    )

    def with_user(other: System) -> Stage:
        return stage._replace(
            user=other,
            notes=[free_user.NOTE, *notes[1:]],
            judge=lambda dialogues: judge(dialogues, rows, None, seed=seed, goals_hash=goals_hash),
        )

    return stage._replace(with_user=with_user)


def load_rows(goals: Path, seed: int) -> tuple[dict[str, Row], list[str]]:
    """Return goal and knowledge base of each dialogue of a file that can be played, and notes on the others.

    Dialogues without a goal get one sampled by the seed. Raises `FormatError` where none can be played.
    """
    rows, sampled, unplayable = goals_of_file(goals, seed)
    notes = []
    if sampled:
        notes.append(f"{sampled} goals were sampled from the knowledge bases, since {goals.name} does not give them")
    if unplayable:
        notes.append(
            f"{unplayable} dialogues ask for nothing that can be looked up in their knowledge base, and were left out"
        )
    return rows, notes


def _scene(name: str, row: Row, max_turns: int | None) -> Scene:
    knowledge = facts_of(row["KB"])
    return Scene(
        id=name,
        max_turns=2 * MAX_TURNS + 1 if max_turns is None else max_turns,
        system=SystemView(knowledge=knowledge),
        user=UserView(goal=goal_of(row["goal"])),
        first="user",
        over=_is_over,
    )


def _is_over(turns: tuple[Turn, ...]) -> bool:
    """Whether the user has said goodbye."""
    last = turns[-1]
    return (
        last.speaker == "user" and last.annotation is not None and any(act.name == BYE for act in last.annotation.acts)
    )

"""Scenes of simulated conversations: goal and knowledge, the simulated user, and the end condition.

Conversations end as human ones do. Of the 1,474 visible sessions in which the agent names topic B, none ends before its
fourth exchange, and 86 % end with the first exchange from the fourth on in which or before which B was named. So a
conversation ends with that probability after each such answer of the user; one that never gets to B is cut after 18
utterances, the longest human dialogue.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.formats.rules import form_of
from duologue.challenges.proactive.knowledge import without_spaces
from duologue.challenges.proactive.live import free_user, judge
from duologue.challenges.proactive.live.grounding import GroundingChecker
from duologue.challenges.proactive.simulator.user import RetrievalUser, built_in_exchanges, exchanges_of
from duologue.core import disk
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Stage
from duologue.core.records import Dialogue, Turn
from duologue.core.scenes import Scene, SystemView

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.simulator.user import UserExchange
    from duologue.core.protocols import System

_END_PROBABILITY = 0.86
"""Probability that a conversation ends after an answer of the user, once B is named and it is long enough."""
_FEW_EXCHANGES = 100
"""Minimum number of human exchanges; with fewer, the built-in ones are added."""


class LoadedDialogues(NamedTuple):
    """The dialogues of a session or sample file."""

    dialogues: list[Dialogue]
    whole: bool
    """Whether they are complete human sessions; otherwise prefixes of them, or goals without utterances."""


class EndCondition:
    """Decides when a conversation is over; random numbers depend only on seed, dialogue and length."""

    def __init__(self, second: str, seed: int, name: str) -> None:
        self._second = without_spaces(second)
        self._seed, self._name = seed, name

    def __call__(self, turns: tuple[Turn, ...]) -> bool:
        """Whether the conversation ends after these turns."""
        if len(turns) < judge.SHORTEST or turns[-1].speaker != "user":
            return False
        if not any(self._second in without_spaces(turn.text) for turn in turns if turn.speaker == "system"):
            return False
        return _lot(self._seed, self._name, str(len(turns))) < _END_PROBABILITY


def make_stage(goals: Path | None, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> Stage:
    """Return scenes with the goals of a file, a simulated user, and the judge of whole conversations."""
    if goals is None:
        raise UsageError("say whose goals are played: --goals FILE, sessions or samples of proactive dialogue")
    given = load_dialogues(goals)
    chosen = _drawn(_different(given.dialogues), n, seed)
    others = [load_dialogues(path).dialogues for path in users]
    exchanges, source = _exchanges(given.dialogues, others)
    checker = GroundingChecker([*given.dialogues, *(one for dialogues in others for one in dialogues)])
    goals_hash = disk.sha256(disk.read_bytes(goals))
    notes = [f"the user answers with {source}"]
    if len(chosen) < n:
        notes.append(
            f"{n} conversations were asked for; {goals.name} holds {len(chosen)} different goals with their "
            "knowledge, and each was played once"
        )
    if not (given.whole and chosen):
        notes.append(f"{goals.name} holds no whole sessions, so there are no figures of people beside these")
    stage = Stage(
        scenes=[_scene(one, seed, max_turns) for one in chosen],
        user=RetrievalUser(exchanges, {one.id: _topics(one) for one in chosen}),
        human_dialogues=chosen if given.whole else [],
        notes=notes,
        judge=lambda dialogues: judge.judge(dialogues, checker, goals_hash=goals_hash),
    )

    def with_user(user: System) -> Stage:
        return stage._replace(
            user=user,
            notes=[free_user.NOTE, *notes[1:]],
            judge=lambda dialogues: judge.judge(dialogues, checker, goals_hash=goals_hash, free_user=True),
        )

    return stage._replace(with_user=with_user)


def load_dialogues(path: Path) -> LoadedDialogues:
    """Return the dialogues of a session or sample file; the samples of one dialogue are merged.

    A file with an empty session is taken for prefixes of sessions. Raises `FormatError` as `files.load` does, and for a
    goal without two topics.
    """
    rows = files.read_rows(path)
    if form_of(rows[0]) == "session":
        dialogues = files.load_sessions(path)
        return LoadedDialogues(dialogues, all(len(one.turns) > 1 for one in dialogues))
    longest: dict[str, Dialogue] = {}
    for example in files.load(path):
        sample = example.sample
        reply = example.references[0].text if example.references else None
        turns = (*sample.history, *(() if reply is None else (Turn(speaker="system", text=reply),)))
        before = longest.get(sample.dialogue_id)
        if before is None or len(before.turns) < len(turns):
            longest[sample.dialogue_id] = Dialogue(
                id=sample.dialogue_id, turns=turns, knowledge=sample.knowledge, goal=sample.goal
            )
    return LoadedDialogues(list(longest.values()), whole=False)


def draw_dialogue(path: Path, seed: int) -> Dialogue:
    """Return one dialogue of a file, sampled by `seed`. Raises as `load_dialogues` does."""
    return _drawn(load_dialogues(path).dialogues, 1, seed)[0]


def _exchanges(given: Sequence[Dialogue], others: Sequence[Sequence[Dialogue]]) -> tuple[list[UserExchange], str]:
    """Return the exchanges of the simulated user and a description of their source."""
    if others:
        found = [exchange for dialogues in others for exchange in exchanges_of(dialogues)]
        source = f"{len(found)} answers of people (--users)"
    else:
        found = exchanges_of(given)
        source = f"{len(found)} answers of people, from the goals file but never from a dialogue about the same topics"
    if len(found) >= _FEW_EXCHANGES:
        return found, source
    own = built_in_exchanges()
    return found + own, f"{source} and {len(own)} that come with duologue" if found else f"{len(own)} built-in answers"


def _different(dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    """Return the first dialogue of each distinct goal and knowledge."""
    found: dict[bytes, Dialogue] = {}
    for one in dialogues:
        found.setdefault(msgspec.json.encode([one.goal, one.knowledge]), one)
    return list(found.values())


def _drawn(dialogues: Sequence[Dialogue], n: int, seed: int) -> list[Dialogue]:
    """Return `n` dialogues sampled by the seed in file order; all if there are not more."""
    if len(dialogues) <= n:
        return list(dialogues)
    order = sorted(range(len(dialogues)), key=lambda place: (_lot(seed, dialogues[place].id, "drawn"), place))
    return [dialogues[place] for place in sorted(order[:n])]


def _scene(dialogue: Dialogue, seed: int, max_turns: int | None) -> Scene:
    assert dialogue.goal is not None
    return Scene(
        id=dialogue.id,
        max_turns=judge.LONGEST if max_turns is None else max_turns,
        system=SystemView(knowledge=dialogue.knowledge, goal=dialogue.goal),
        first="system",
        over=EndCondition(dialogue.goal.topics[1], seed, dialogue.id),
    )


def _topics(dialogue: Dialogue) -> frozenset[str]:
    return frozenset(map(without_spaces, dialogue.goal.topics)) if dialogue.goal is not None else frozenset()


def _lot(seed: int, name: str, what: str) -> float:
    """Return a number in [0, 1) that depends on these alone."""
    digest = hashlib.sha256(f"{seed}\n{name}\n{what}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)

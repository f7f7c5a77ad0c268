"""Whole conversations to be played: goals with their knowledge, a simulated user, and when a talk has come to its end.

A conversation ends as those of people do. Of the 1,474 visible sessions in which the agent names topic B, none ends
before its fourth pair of utterances, and 86 % end with the first pair from the fourth on in which or before which B
was named. So that is the chance with which a conversation ends after each such answer of the user; one that never
comes to B is cut after 18 utterances, the most that people needed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.formats.rules import form_of
from duologue.challenges.proactive.knowledge import squeezed
from duologue.challenges.proactive.live import judge
from duologue.challenges.proactive.live.grounding import Claims
from duologue.challenges.proactive.simulator.user import PeopleLike, exchanges_of, own_exchanges
from duologue.core import disk
from duologue.core.play import Scene, SystemView
from duologue.core.records import Dialogue, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.simulator.user import Exchange
    from duologue.core.records import Report

_LEAVES = 0.86
"""Chance that a conversation ends after an answer of the user, once B is named and it is long enough."""
_FEW = 100
"""Answers of people; with fewer of them a simulated user has our own ones too."""


class Talks(NamedTuple):
    """What a session or sample file holds, as dialogues."""

    dialogues: list[Dialogue]
    whole: bool
    """Whether they are whole sessions of people; else beginnings of them, or none of the talk at all."""


class Ending:
    """Tells when a conversation about two topics is over; chance depends on seed, dialogue and length alone."""

    def __init__(self, second: str, seed: int, name: str) -> None:
        self._second = squeezed(second)
        self._seed, self._name = seed, name

    def __call__(self, turns: tuple[Turn, ...]) -> bool:
        """Tell whether the user has had the last word."""
        if len(turns) < judge.SHORTEST or turns[-1].speaker != "user":
            return False
        if not any(self._second in squeezed(turn.text) for turn in turns if turn.speaker == "system"):
            return False
        return _lot(self._seed, self._name, str(len(turns))) < _LEAVES


class ProactiveStage:
    """Scenes, user and judge of whole conversations (`duologue.core.protocols.Stage`)."""

    def __init__(self, goals: Path, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> None:
        given = talks_of(goals)
        different = _different(given.dialogues)
        chosen = _drawn(different, n, seed)
        others = [talks_of(path).dialogues for path in users]
        exchanges, source = _exchanges(given.dialogues, others)
        self._seed = seed
        self._claims = Claims([*given.dialogues, *(one for dialogues in others for one in dialogues)])
        self._hash = disk.sha256(disk.read_bytes(goals))
        self.scenes = [_scene(one, seed, max_turns) for one in chosen]
        """A scene per goal; its id is that of the dialogue in the file."""
        self.user = PeopleLike(exchanges, {one.id: _topics(one) for one in chosen})
        """The simulated user, not yet prepared."""
        self.people: list[Dialogue] = chosen if given.whole else []
        """The dialogues of people about the same goals; empty where the file does not hold them whole."""
        self.notes = [f"the user answers with {source}"]
        """What a reader of the figures should know."""
        if len(chosen) < n:
            self.notes.append(
                f"{n} conversations were asked for; {goals.name} holds {len(chosen)} different goals with their "
                "knowledge, and each was played once"
            )
        if not self.people:
            self.notes.append(f"{goals.name} holds no whole sessions, so there are no figures of people beside these")

    def judge(self, dialogues: Sequence[Dialogue]) -> Report:
        """Return the figures of finished dialogues with their intervals."""
        return judge.judge(dialogues, self._claims, seed=self._seed, goals_hash=self._hash)


def talks_of(path: Path) -> Talks:
    """Return the dialogues of a session or sample file, as far as each is known; samples of one dialogue are one.

    A file with a session that is empty holds beginnings of sessions. Raises `FormatError` as `files.load` does, and for
    a goal without two topics.
    """
    rows = files.read_rows(path)
    if form_of(rows[0]) == "session":
        dialogues = files.load_sessions(path)
        return Talks(dialogues, all(len(one.turns) > 1 for one in dialogues))
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
    return Talks(list(longest.values()), whole=False)


def pick(path: Path, seed: int) -> Dialogue:
    """Return one dialogue of a file, drawn by `seed`: its goal and knowledge. Raises as `talks_of` does."""
    return _drawn(talks_of(path).dialogues, 1, seed)[0]


def _exchanges(given: Sequence[Dialogue], others: Sequence[Sequence[Dialogue]]) -> tuple[list[Exchange], str]:
    """Return whose answers the user gives, and says so in words."""
    if others:
        found = [exchange for dialogues in others for exchange in exchanges_of(dialogues)]
        source = f"{len(found)} answers of people (--users)"
    else:
        found = exchanges_of(given)
        source = f"{len(found)} answers of people, from the goals file but never from a dialogue about the same topics"
    if len(found) >= _FEW:
        return found, source
    own = own_exchanges()
    return found + own, f"{source} and {len(own)} that come with duologue" if found else f"{len(own)} built-in answers"


def _different(dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    """Return the first dialogue of each goal with its knowledge."""
    found: dict[bytes, Dialogue] = {}
    for one in dialogues:
        found.setdefault(msgspec.json.encode([one.goal, one.knowledge]), one)
    return list(found.values())


def _drawn(dialogues: Sequence[Dialogue], n: int, seed: int) -> list[Dialogue]:
    """Return `n` dialogues drawn by the seed, in the order of the file; all where there are no more."""
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
        over=Ending(dialogue.goal.topics[1], seed, dialogue.id),
    )


def _topics(dialogue: Dialogue) -> frozenset[str]:
    return frozenset(map(squeezed, dialogue.goal.topics)) if dialogue.goal is not None else frozenset()


def _lot(seed: int, name: str, what: str) -> float:
    """Return a number in [0, 1) that depends on these alone."""
    digest = hashlib.sha256(f"{seed}\n{name}\n{what}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)

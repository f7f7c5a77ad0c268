"""A dialogue with the simulated user at act level: what the staff have heard as numbers, numbered actions, rewards.

The staff see the labels of the user's last act and, for the pieces of the knowledge base, how sure they are that the
user asks for them now. At an `error_rate` above 0 some requests are misheard, as by a program that reads the user's
words: another piece has the confidence then, and the right one less. A user who asks again, confirms or denies makes
the picture clearer.

Observation, all from 0 to 1 (`LABELS` + `STATE` + `PIECES` * `PIECE` numbers): the labels of the user's last act
(one or several, in the order of `USER_LABELS`); turns so far of the most that the user stays, open requests (of four),
whether something was asked that the base does not have, whether the last action was of kind answer, confirm or other;
then for each candidate piece, the surest first: whether there is one, how sure it is that it is asked for now, that it
was asked for and not told, whether it was told, whether the user denied it, and whether it is of the user or a type.

Actions: answer with candidate 0, 1, ...; ask the user to confirm candidate 0, 1, ...; then `PLAIN`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duologue.challenges.mobilecs.knowledge.kb import query
from duologue.challenges.mobilecs.schema.intents import ASK, CONFIRM, USER_LABELS, acts_of
from duologue.challenges.mobilecs.schema.ontology import CONSULT, ENTITY_TYPES, USER
from duologue.challenges.mobilecs.simulator.agenda_user import MAX_TURNS, AgendaUser
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.simulator.agenda_user import UserStep
    from duologue.challenges.mobilecs.simulator.reward import Reward

    Base = Mapping[str, Mapping[str, str]]

PIECES = 8
"""Candidates among the pieces of the knowledge base."""
PLAIN = (
    (ASK, "请问您说的是哪一个"),
    ("请求重复", "没听清您再说一遍"),
    ("引导", "您请讲"),
    ("否认", "这个没有查到"),
    ("客套", "不客气"),
    ("再见", "感谢来电再见"),
)
"""Intents and words of the actions that tell nothing."""
LABELS, STATE, PIECE = len(USER_LABELS), 6, 7
OBSERVATION = LABELS + STATE + PIECES * PIECE
"""Numbers of an observation."""
ACTIONS = 2 * PIECES + len(PLAIN)
_OPEN = 4
"""Open requests from which the observation tells no difference."""
_CLOSED_ENTRIES = {"name", "type"}


@dataclass(slots=True)
class ActPiece:
    """A piece of the knowledge base and what the staff believe of it."""

    argument: str
    """As intents have it: `<id>-<slot>`, a slot of the user, a type."""
    name: str
    """What it is called when it is to be confirmed."""
    owner: str
    slot: str
    now: float = 0.0
    """Confidence that the user asks for it now."""
    before: float = 0.0
    """Confidence that the user asked for it and was not told."""
    is_told: bool = False
    is_denied: bool = False


def pieces_of_base(base: Base) -> Iterator[ActPiece]:
    """Yield what can be told of a base: slots of services and of the user, services of each type."""
    for owner, slots in base.items():
        for slot in slots:
            if owner == USER:
                yield ActPiece(argument=slot, name=slot, owner=owner, slot=slot)
            elif slot not in _CLOSED_ENTRIES:
                name = slots.get("name", "").split(",")[0]
                yield ActPiece(argument=f"{owner}-{slot}", name=name or slot, owner=owner, slot=slot)
    if all("name" in slots for owner, slots in base.items() if owner != USER and "type" in slots):
        for kind in ENTITY_TYPES:
            if query(base, ent_type=kind):
                yield ActPiece(argument=kind, name=kind, owner=CONSULT, slot=kind)


class ActDialogue:
    """One dialogue after the other with a simulated user; equal goal, base, seed and actions give an equal dialogue."""

    def __init__(self, *, error_rate: float, reward: Reward | None = None, max_turns: int = MAX_TURNS) -> None:
        """Take the share of requests that are misheard, the terms of the reward, and how long the user stays."""
        self.error_rate, self.max_turns = error_rate, max_turns
        self._user = AgendaUser(max_turns=max_turns, reward=reward, speaks=False)

    def reset(self, goal: Mapping[str, Any], kb: Base, seed: int | str) -> NDArray[np.float32]:
        """Begin a dialogue; return the observation after the user's first utterance."""
        self._user.reset(goal, kb, seed)
        self._rng = Rng(seed, "hearing")
        self.pieces = list(pieces_of_base(kb))
        self._turns, self._kind, self._is_missing, self._confirmed = 0, "", False, ""
        self._hear(self._user.first_utterance()[1])
        return self.observation()

    def step(self, action: int) -> tuple[NDArray[np.float32], UserStep]:
        """Return the observation after an action (0 .. `ACTIONS` - 1) and the user's step."""
        candidates = self.candidates()
        self._turns, self._confirmed = self._turns + 1, ""
        if action < PIECES:
            self._kind = "answer"
            if action < len(candidates):
                chosen = candidates[action]
                chosen.is_told, chosen.now, chosen.before = True, 0.0, 0.0
                step = self._user.step("", f"通知({chosen.argument})")
            else:  # there is nothing to tell
                step = self._user.step("", "通知")
        elif action < 2 * PIECES:
            self._kind = "confirm"
            number = action - PIECES
            if number < len(candidates):
                self._confirmed = candidates[number].argument
                step = self._user.step(f"您是说{candidates[number].name}是吗", CONFIRM)
            else:
                step = self._user.step("是吗", CONFIRM)
        else:
            self._kind = "plain"
            intent, words = PLAIN[action - 2 * PIECES]
            step = self._user.step(words, intent)
        self._hear(step.intent)
        return self.observation(), step

    def candidates(self) -> list[ActPiece]:
        """Return the pieces that actions are about, the surest first; equally sure ones in the order of the base."""
        return sorted(self.pieces, key=lambda one: (-one.now, -one.before))[:PIECES]

    def mask(self) -> NDArray[np.int8]:
        """Return which actions have a piece (1) and which have none (0)."""
        n = len(self.candidates())
        mask = np.ones(ACTIONS, dtype=np.int8)
        mask[n:PIECES], mask[PIECES + n : 2 * PIECES] = 0, 0
        return mask

    def observation(self) -> NDArray[np.float32]:
        """Return the state as numbers from 0 to 1 (`OBSERVATION`,)."""
        found = np.zeros(OBSERVATION, dtype=np.float32)
        for label in self._labels:
            found[USER_LABELS.index(label)] = 1
        waiting = sum(max(one.now, one.before) >= 0.5 for one in self.pieces)
        kinds = (self._kind == kind for kind in ("answer", "confirm", "plain"))
        turns = min(1.0, self._turns / self.max_turns)
        found[LABELS : LABELS + STATE] = (turns, min(waiting, _OPEN) / _OPEN, self._is_missing, *kinds)
        for place, one in enumerate(self.candidates()):
            start = LABELS + STATE + place * PIECE
            belongs = (one.owner == USER, one.owner == CONSULT)
            found[start : start + PIECE] = (1, one.now, one.before, one.is_told, one.is_denied, *belongs)
        return found

    def _hear(self, intent: str) -> None:
        """Take the user's act in: requests, some of them misheard, and whether what was to be confirmed is right."""
        user_acts = acts_of(intent, "user")
        self._labels = [act.name for act in user_acts if act.name in USER_LABELS]
        by_argument = {one.argument: one for one in self.pieces}
        for one in self.pieces:
            one.before, one.now = max(one.before, 0.8 * one.now), 0.0
        if self._confirmed:
            if "否认" in self._labels:
                by_argument[self._confirmed].is_denied = True
            elif "被动确认" in self._labels:
                by_argument[self._confirmed].now = 1.0
        self._is_missing = False
        for argument in (argument for act in user_acts for argument in act.args):
            meant = by_argument.get(argument)
            self._is_missing |= meant is None
            unit = self._rng.unit
            if self._rng.happens(self.error_rate):
                others = [
                    one for one in self.pieces if one is not meant and meant is not None and _are_alike(one, meant)
                ]
                others = others or [one for one in self.pieces if one is not meant]
                if others:
                    wrong = self._rng.choice(others)
                    wrong.now = max(wrong.now, 0.3 + 0.6 * unit())
                if meant is not None:
                    meant.now = max(meant.now, 0.1 + 0.4 * unit())
            elif meant is not None:
                meant.now = max(meant.now, 0.5 + 0.5 * unit())


def _are_alike(one: ActPiece, other: ActPiece) -> bool:
    """Whether two pieces are taken for each other: one slot of two services, or two of one service."""
    return one.slot == other.slot or one.owner == other.owner

"""Surface realiser that says what users of annotated dialogues said when they did the same, of other services.

What nobody said is worded by the phrases of the agenda-based user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.challenges.mobilecs.simulator.agenda_realiser import AgendaRealiser
from duologue.challenges.mobilecs.simulator.user_move import BYE
from duologue.challenges.mobilecs.simulator.user_turns import TurnKey, slot_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.mobilecs.simulator.agenda import Agenda
    from duologue.challenges.mobilecs.simulator.user_move import UserMove
    from duologue.challenges.mobilecs.simulator.user_turns import UserTurn
    from duologue.core.rng import Rng

_ENDS = {"客套", "其他", "被动确认", BYE}
"""Intents of last turns."""


class RetrievalRealiser:
    """Finds a turn with the same requests and told slots, at best with the same intents, and fills it."""

    def __init__(self, turns: Iterable[UserTurn]) -> None:
        self._by_key: dict[TurnKey, list[UserTurn]] = {}
        self._by_labels: dict[tuple[TurnKey, frozenset[str], bool], list[UserTurn]] = {}
        self._last: list[UserTurn] = []
        for turn in turns:
            self._by_key.setdefault(turn.key, []).append(turn)
            self._by_labels.setdefault((turn.key, frozenset(turn.labels), turn.is_first), []).append(turn)
            if turn.is_last and turn.key == TurnKey() and set(turn.labels) <= _ENDS:
                self._last.append(turn)
        self._phrases = AgendaRealiser()

    def reset(self, agenda: Agenda, rng: Rng) -> None:
        """Begin a dialogue, in which no turn is said twice as long as there are others."""
        self._agenda, self._rng = agenda, rng
        self._said: set[tuple[str, ...]] = set()
        self._phrases.reset(agenda, rng)

    def words(self, moves: Sequence[UserMove], heard: str) -> str:
        """Return the utterance of a turn; `heard` is what the staff said before."""
        found = self._found(moves)
        if found is not None:
            return found
        if len(moves) > 1:
            each = [self._found([move]) or self._phrases.words([move], heard) for move in moves]
            return "，".join(each)
        return self._phrases.words(moves, heard)

    def _found(self, moves: Sequence[UserMove]) -> str | None:
        """Return a found turn with its places filled; `None` where none fits."""
        if moves[-1].label == BYE and self._last:
            return self._filled(self._drawn(self._last), moves)
        keys, labels = _keys(moves), frozenset(move.label for move in moves)
        is_first = "问候" in labels
        for at_start in (is_first, not is_first):
            options = [turn for key in keys for turn in self._by_labels.get((key, labels, at_start), ())]
            if options:
                return self._filled(self._drawn(options), moves)
        if not keys[0].asked:
            return None
        options = [turn for key in keys for turn in self._by_key.get(key, ())]
        return self._filled(self._drawn(options), moves) if options else None

    def _drawn(self, options: Sequence[UserTurn]) -> UserTurn:
        drawn = [self._rng.choice(options) for _ in range(4)]
        turn = next((one for one in drawn if one.parts not in self._said), drawn[0])
        self._said.add(turn.parts)
        return turn

    def _filled(self, turn: UserTurn, moves: Sequence[UserMove]) -> str:
        fills = {slot_key(one.owner, one.slot): one.value for move in moves for one in move.told}
        owner = next((one for one in map(_owner, moves) if one), "")
        name = self._rng.choice(self._agenda.spoken_names(owner)) if owner else ""
        return "".join(
            part if number % 2 == 0 else name if part == "name" else fills[part]
            for number, part in enumerate(turn.parts)
        )


def _owner(move: UserMove) -> str:
    """Return the service that a move is about, if it is about one."""
    owners = [move.owner, *(one.owner for one in move.asked)]
    return next((one for one in owners if one not in {"", USER, CONSULT}), "")


def _keys(moves: Sequence[UserMove]) -> list[TurnKey]:
    """Return what turns may be keyed by that say these moves; a name may be left out of a question alone."""
    asked = tuple(slot_key(one.owner, one.slot) for move in moves for one in move.asked)
    told = tuple(sorted({slot_key(one.owner, one.slot) for move in moves for one in move.told}))
    must_name = any(move.owner and _owner(move) and move.kind == "tell" for move in moves)
    may_name = bool(asked) and any(map(_owner, moves))
    named = [True] if must_name else [True, False] if may_name else [False]
    return [TurnKey(asked, told, one) for one in named]

"""Agenda-based simulated user of track 2 dialogues (specification, section 12).

Its goal is the official goal of a dialogue with the dialogue's knowledge base, logged, generated or sampled, so that
the official Success counts for simulated dialogues as it does for others. It works its agenda off: tells what it
knows of a service, asks for what it wants, waits, answers and confirms, asks again in other words where the answer is
missing or wrong, complains and gives up after two such repetitions, and says goodbye when all is done. Between its
requests it talks as callers do: says that it has heard, tells of its case, asks to confirm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from duologue.challenges.mobilecs.schema.intents import ASK, CONFIRM, QUERY
from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.challenges.mobilecs.simulator.agenda import CANCEL, Agenda
from duologue.challenges.mobilecs.simulator.agenda_realiser import AgendaRealiser
from duologue.challenges.mobilecs.simulator.habits import BESIDE_KINDS, NEXT_REQUEST, TALK, Habits
from duologue.challenges.mobilecs.simulator.reward import Reward
from duologue.challenges.mobilecs.simulator.staff_turn import (
    SILENT,
    WAIT,
    StatedAmounts,
    piece_of,
    read_acts,
    read_text,
)
from duologue.challenges.mobilecs.simulator.user_move import BYE, UserMove, intent_of
from duologue.core.errors import UsageError
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.requests import Request
    from duologue.challenges.mobilecs.simulator.staff_turn import StaffTurn

MAX_TURNS = 40
"""Replies after which the user hangs up."""
_REPETITIONS = 2
"""How often the user asks again before complaining and giving the request up."""
_DETOURS = 3
"""How many questions, waits and the like of the staff the user takes per request before these count as no answer."""


class UserRealiser(Protocol):
    """Words what a user does."""

    def reset(self, agenda: Agenda, rng: Rng) -> None:
        """Begin a dialogue."""

    def words(self, moves: Sequence[UserMove], heard: str) -> str:
        """Return the utterance of a turn; `heard` is what the staff said before."""
        ...


class Progress(NamedTuple):
    """How far a simulated dialogue is."""

    fulfilled: tuple[str, ...]
    """Arguments of the official requested items answered so far, in the order of the goal."""
    open: int
    """Official requested items without an answer so far."""
    reward: float
    """Reward for the staff's last turn, with that of the end where this is it."""
    groundless: int
    """Values in the staff's last turn that the knowledge base does not have for what is asked."""
    reply: str
    """What the staff said, in act mode with the values of the pieces: the official Success is counted over these."""
    ended: str
    """Why the dialogue is over: `done`, `gave-up`, `staff-left`, `too-long`; empty while it goes on."""


class UserStep(NamedTuple):
    """The user's answer to a turn of the staff."""

    utterance: str
    intent: str
    """With arguments, in the notation of the official files."""
    done: bool
    """The utterance is the last one: the user has said goodbye."""
    info: Progress


class AgendaUser:
    """A simulated user: `reset`, `first_utterance`, then `step` with each turn of the staff.

    Equal goal, base, seed and turns of the staff give an equal dialogue. What the user does is drawn apart from how it
    is worded: without words (`speaks=False`) the intents are the same.
    """

    def __init__(
        self, *, max_turns: int = MAX_TURNS, reward: Reward | None = None, talk: float = TALK, speaks: bool = True
    ) -> None:
        """Take how long the user stays, the terms of the reward, how much is said beside the agenda (0: nothing)."""
        self._max_turns, self._reward, self._talk = max_turns, reward or Reward(), talk
        self._habits = Habits()
        self._realiser: UserRealiser | None = AgendaRealiser() if speaks else None

    def reset(self, goal: Mapping[str, Any], kb: Mapping[str, Mapping[str, str]], seed: int | str) -> None:
        """Begin a dialogue with an official `goal` and `KB`; `UsageError` for a goal that cannot be played."""
        self._agenda = Agenda(goal, kb)
        self._rng = Rng(seed, "agenda user")
        self._unit = self._rng.unit
        if self._realiser is not None:
            self._realiser.reset(self._agenda, Rng(seed, "agenda user", "words"))
        self._tries = self._detours = self._turns = 0
        self._talks = self._habits.turns_beside(self._rng, self._talk)
        self._before = ""
        self._previous: str | None = None
        self._closing = self._over = False
        self._amounts: StatedAmounts | None = None

    def first_utterance(self) -> tuple[str, str]:
        """Return the user's first utterance and its intent."""
        form = self._habits.opening(self._rng)
        if form in {"bare", "other"}:
            return self._said([UserMove("问候", "greet") if form == "bare" else UserMove("其他", "other")], "")
        greeting = [UserMove("问候", "greet_lead")] if form == "greeted" else []
        return self._said(greeting + self._next_request(), "")

    def step(self, staff_reply: str, staff_intent: str | None = None) -> UserStep:
        """Return the answer to a turn of the staff.

        Without `staff_intent` (text mode) the user has the words alone. With it (act mode) the arguments are pieces of
        the knowledge base, whose values are said: `通知(ent-1-业务费用)`, `通知(流量包)`; the reply may be empty.
        """
        if self._over:
            raise UsageError("the dialogue is over; call reset for another one")
        agenda = self._agenda
        if staff_intent is None:
            heard = read_text(staff_reply)
            groundless = self._groundless_amounts(heard)
        else:
            heard = read_acts(staff_reply, staff_intent, agenda.kb)
            groundless = heard.groundless + self._groundless_pieces(heard)
        self._turns += 1
        new = agenda.take(heard)
        reward = self._reward.of_turn(answered=new, groundless=groundless, is_repeated=heard.text == self._previous)
        self._previous = heard.text
        moves, ended = self._react(heard)
        if ended:
            self._over = True
            moves = [*moves, UserMove(BYE, "bye")]
            reward += self._reward.of_end(is_missing=bool(agenda.missing))
        utterance, intent = self._said(moves, heard.text)
        progress = Progress(agenda.fulfilled, agenda.missing, round(reward, 6), groundless, heard.text, ended)
        return UserStep(utterance, intent, bool(ended), progress)

    def _said(self, moves: list[UserMove], heard: str) -> tuple[str, str]:
        """Return the utterance of a turn and its intent."""
        self._before = moves[-1].label
        return self._realiser.words(moves, heard) if self._realiser is not None else "", intent_of(moves)

    def _groundless_pieces(self, heard: StaffTurn) -> int:
        """Return the number of pieces told instead of what is asked, none of which is that."""
        asked = {piece_of(one.argument, self._agenda.kb) for one in self._agenda.waiting()}
        return len(heard.told) if asked and not asked & {*heard.told} else 0

    def _groundless_amounts(self, heard: StaffTurn) -> int:
        """Return the number of stated amounts that are not in the base for what is asked."""
        if self._amounts is None:
            self._amounts = StatedAmounts(self._agenda.kb, self._agenda.goal)
        return self._amounts.groundless(heard.text, [(one.owner, one.slot) for one in self._agenda.pending])

    def _react(self, heard: StaffTurn) -> tuple[list[UserMove], str]:
        """Return the user's next turn, and why it is the last one."""
        agenda, does = self._agenda, heard.does
        if BYE in does:
            return [], "staff-left" if agenda.missing else "done"
        if self._turns >= self._max_turns:
            return [UserMove("投诉反馈", "complain")] if agenda.missing else [], "too-long"
        waiting = agenda.waiting()
        if not waiting:
            beside = self._beside(does)
            return (beside, "") if beside else self._go_on(lead=bool(agenda.pending))
        agenda.pending = waiting
        if self._detours < _DETOURS:
            detour = self._detour(does, heard.text)
            if detour is not None:
                self._detours += 1
                return detour, ""
        return self._after_no_answer(waiting, is_silent=SILENT in does)

    def _beside(self, does: frozenset[str]) -> list[UserMove]:
        """Return a turn beside the agenda, as callers make between their requests; nothing to come to the next one."""
        if self._talks <= 0 or self._closing or does <= {SILENT}:
            return []
        label = "提供信息" if ASK in does else self._habits.beside(self._rng, does, self._before)
        if label == NEXT_REQUEST:
            return []
        self._talks -= 1
        agenda = self._agenda
        agenda.pending = []
        if ASK in does:
            return [UserMove(label, "answer")]
        if label in {"提供信息", CONFIRM} and agenda.untold and self._unit() < self._habits.tells:
            owner = agenda.untold[0].owner
            named = owner if owner not in agenda.introduced else ""
            agenda.introduced.add(owner)
            return [UserMove(label, "tell", owner=named, told=tuple(agenda.tell(owner, 1 + self._rng.below(2))))]
        return [UserMove(label, BESIDE_KINDS[label])]

    def _after_no_answer(self, waiting: list[Request], *, is_silent: bool) -> tuple[list[UserMove], str]:
        """Return the next turn, as `_react`, where the staff said something else or something wrong."""
        agenda = self._agenda
        for one in waiting:
            if not one.values and not is_silent:  # nothing to be had of it: any answer will do
                agenda.give_up(one)
        waiting = [one for one in waiting if one in agenda.open]
        if not waiting:
            return self._go_on(lead=True)
        agenda.pending = waiting
        if self._tries >= _REPETITIONS:
            for one in waiting:
                agenda.give_up(one)
            agenda.pending = []
            moves, ended = self._go_on(lead=False)
            return [UserMove("投诉反馈", "complain"), *moves], ended
        self._tries += 1
        lead = [UserMove("其他", "listening")] if is_silent else []
        return [*lead, self._ask(waiting, is_again=not lead)], ""

    def _detour(self, does: frozenset[str], text: str) -> list[UserMove] | None:
        """Return the answer to what is neither an answer nor a wrong one; `None` for anything else."""
        pending = self._agenda.pending
        if WAIT in does:
            return [UserMove("被动确认", "wait")]
        if "请求重复" in does or does <= {"引导", "问候", "客套"}:
            return [self._ask(pending)]
        if CONFIRM in does:
            if self._agenda.is_about(text):
                return [UserMove("被动确认", "yes")]
            return [UserMove("否认", "no"), self._ask(pending)]
        if ASK in does:
            return [UserMove("提供信息", "answer", owner=pending[0].owner)]
        return None

    def _go_on(self, *, lead: bool) -> tuple[list[UserMove], str]:
        """Go to the next request, or close; with a word of confirmation before it where something was answered."""
        ack = [UserMove("被动确认", "ack")] if lead and self._unit() < self._habits.with_ack else []
        if self._agenda.open:
            return [*ack, *self._next_request()], ""
        if self._agenda.missing:
            return ack, "gave-up"
        thanks = [*ack, UserMove("客套", "thanks")]
        if self._closing:
            return ([UserMove("其他", "none_more")] if self._unit() < 0.5 else []), "done"
        if self._unit() < self._habits.straight_bye:
            return thanks, "done"
        self._closing, self._agenda.pending = True, []
        return thanks, ""

    def _next_request(self) -> list[UserMove]:
        """Return the turn in which the next request is made, or what is known of its service is told."""
        agenda = self._agenda
        first = agenda.open[0]
        moves: list[UserMove] = []
        if first.owner not in agenda.introduced:
            agenda.introduced.add(first.owner)
            moves = self._introduction(first)
            if moves and self._unit() >= self._habits.with_known:
                agenda.pending = []
                return moves
        self._tries = self._detours = 0
        agenda.pending = [first]
        rest = [one for one in agenda.open[1:] if one.owner == first.owner and one.labels[0] == first.labels[0]]
        if rest and first.owner != CONSULT and self._unit() < self._habits.jointly:
            agenda.pending.append(rest[0])
        return [*moves, self._ask(agenda.pending)]

    def _introduction(self, request: Request) -> list[UserMove]:
        """Return what the user says of a service, or of the own account, before asking: up to two known values."""
        if request.owner == CONSULT:
            return []
        told = self._agenda.tell(request.owner, self._rng.below(3))
        if request.owner == USER and not told:
            return []
        return [UserMove("提供信息", "tell", owner=request.owner, told=tuple(told))]

    @staticmethod
    def _ask(asked: list[Request], *, is_again: bool = False) -> UserMove:
        """Return the move that makes one or two requests."""
        first = asked[0]
        label = next((one for one in first.labels if one in {QUERY, ASK, CANCEL}), ASK)
        if not first.values and CONFIRM in first.labels:  # to confirm only what the user knows, to ask for the rest
            label = CONFIRM
        return UserMove(label, "question", asked=tuple(asked), is_again=is_again)

"""Agenda-based simulated user of track 2 dialogues (specification, section 12).

Its goal is the official goal of a dialogue with the dialogue's knowledge base, logged, generated or sampled, so that
the official Success counts for simulated dialogues as it does for others. It works its agenda off: tells what it
knows of a service, asks for what it wants, waits, answers and confirms, asks again in other words where the answer is
missing or wrong, complains and gives up after two such repetitions, and says goodbye when all is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.schema.intents import ASK, CONFIRM, QUERY
from duologue.challenges.mobilecs.schema.ontology import CONSULT, GOAL_ENTITY_INTENTS, REQUESTED, USER
from duologue.challenges.mobilecs.simulator import acts
from duologue.challenges.mobilecs.simulator.phrases import phrases
from duologue.challenges.mobilecs.simulator.requests import Request, requests_of
from duologue.challenges.mobilecs.simulator.staff_turn import SILENT, WAIT, StatedAmounts, read_acts, read_text
from duologue.challenges.mobilecs.simulator.utterance import Text
from duologue.core.errors import UsageError
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.phrases import Template
    from duologue.challenges.mobilecs.simulator.staff_turn import StaffTurn

PER_TURN, REPEATED, GROUNDLESS, ANSWERED, SUCCESS, LEFT_OPEN = -0.05, -0.1, -0.2, 0.1, 1.0, -0.5
"""Rewards: of a turn, the previous reply said again, a stated value that is not in the knowledge base, a newly
answered request, the end with all answered, the end with an open one."""
MAX_TURNS = 40
"""Replies after which the user hangs up."""
_REPETITIONS = 2
"""How often the user asks again before complaining and giving the request up."""
_DETOURS = 3
"""How many questions, waits and the like of the staff the user takes per request before these count as no answer."""
_JOINTLY = 0.3
"""Share of requests that are asked together with the next one about the same service."""
_WITH_KNOWN = 0.6
"""Share of services of which the user tells what is known in the turn of the request, not in one before."""
_STRAIGHT_BYE = 0.6
_CANCEL = "取消"
BYE = "再见"
"""Intent of the last utterance, and of no other."""


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

    Equal goal, base, seed and turns of the staff give an equal dialogue.
    """

    def __init__(self, *, max_turns: int = MAX_TURNS) -> None:
        self._max_turns = max_turns
        self._user, self._own = phrases("user"), phrases("agenda")

    def reset(self, goal: Mapping[str, Any], kb: Mapping[str, Mapping[str, str]], seed: int | str) -> None:
        """Begin a dialogue with an official `goal` and `KB`.

        Raises `UsageError` for a goal of which the knowledge base answers no request, or with a request that cannot be
        looked up: of an unknown type, or of a type of which a service has no name.
        """
        try:
            self._agenda = [*requests_of(goal, kb), *_cancellations(goal)]
        except KeyError as error:
            what = (
                "a service of the knowledge base has no name" if error.args == ("name",) else f"type {error} is unknown"
            )
            raise UsageError(f"the goal asks for the services of a type, and {what}") from error
        self._official = [one for one in self._agenda if one.values]
        if not self._official:
            raise UsageError("the goal has no request that the knowledge base answers, so it cannot be played")
        self._goal, self._kb = goal, kb
        self._rng = Rng(seed, "agenda user")
        self._unit = self._rng.unit
        self._open = list(self._agenda)
        self._answered: set[Request] = set()
        self._pending: list[Request] = []
        self._introduced: set[str] = set()
        self._tries = self._detours = self._turns = 0
        self._previous: str | None = None
        self._closing = self._over = False
        self._amounts: StatedAmounts | None = None

    def first_utterance(self) -> tuple[str, str]:
        """Return the user's first utterance and its intent."""
        point = self._unit()
        greeting = [("问候", self._say(self._user["greet_lead"]))]
        if point < acts.OPENING["bare"]:
            return self._speak([("问候", self._say(self._user["greet"]))])
        greeted = point < acts.OPENING["bare"] + acts.OPENING["greeted"]
        return self._speak((greeting if greeted else []) + self._next_request())

    def step(self, staff_reply: str, staff_intent: str | None = None) -> UserStep:
        """Return the answer to a turn of the staff.

        Without `staff_intent` (text mode) the user has the words alone. With it (act mode) the arguments are pieces of
        the knowledge base, whose values are said: `通知(ent-1-业务费用)`, `通知(流量包)`; the reply may be empty.
        """
        if self._over:
            raise UsageError("the dialogue is over; call reset for another one")
        heard = read_text(staff_reply) if staff_intent is None else read_acts(staff_reply, staff_intent, self._kb)
        self._turns += 1
        groundless = self._groundless(heard) if staff_intent is None else heard.groundless
        new = self._take(heard)
        said_again = heard.text == self._previous
        self._previous = heard.text
        parts, ended = self._react(heard)
        if ended:
            self._over = True
            parts = [*parts, (BYE, self._say(self._user["bye"]))]
        reward = PER_TURN + ANSWERED * new + GROUNDLESS * groundless + (REPEATED if said_again else 0.0)
        missing = len(self._official) - sum(one in self._answered for one in self._official)
        if ended:
            reward += LEFT_OPEN if missing else SUCCESS
        utterance, intent = self._speak(parts)
        fulfilled = tuple(one.argument for one in self._official if one in self._answered)
        progress = Progress(fulfilled, missing, round(reward, 6), groundless, heard.text, ended)
        return UserStep(utterance, intent, bool(ended), progress)

    def _groundless(self, heard: StaffTurn) -> int:
        """Return the number of stated values that are not in the base for what is asked."""
        if self._amounts is None:
            self._amounts = StatedAmounts(self._kb, self._goal)
        return self._amounts.groundless(heard.text, [(one.owner, one.slot) for one in self._pending])

    def _take(self, heard: StaffTurn) -> int:
        """Strike off what the turn answers; return how many official items are newly answered."""
        new = 0
        for one in list(self._open):
            if one.labels == (_CANCEL,):
                is_answered = one in self._pending and any(
                    name in heard.text.lower() for name in self._names(one.owner)
                )
            else:
                is_answered = any(value in heard.text for value in one.values)
            if is_answered:
                new += bool(one.values)
                self._answered.add(one)
                self._open.remove(one)
        return new

    def _react(self, heard: StaffTurn) -> tuple[list[tuple[str, str]], str]:
        """Return the labels and texts of the user's next turn, and why it is the last one."""
        waiting = [one for one in self._pending if one not in self._answered]
        does = heard.does
        if BYE in does:
            return [], "staff-left" if self._is_missing() else "done"
        if self._turns >= self._max_turns:
            return [("投诉反馈", self._say(self._user["complain"]))] if self._is_missing() else [], "too-long"
        if not waiting:
            return self._go_on(lead=bool(self._pending))
        self._pending = waiting
        if self._detours < _DETOURS:
            detour = self._detour(does, heard.text)
            if detour is not None:
                self._detours += 1
                return detour, ""
        return self._after_no_answer(waiting, is_silent=SILENT in does)

    def _after_no_answer(self, waiting: list[Request], *, is_silent: bool) -> tuple[list[tuple[str, str]], str]:
        """Return the next turn, as `_react`, where the staff said something else or something wrong."""
        for one in waiting:
            if not one.values and not is_silent:  # nothing to be had of it: any answer will do
                self._open.remove(one)
        waiting = [one for one in waiting if one in self._open]
        if not waiting:
            return self._go_on(lead=True)
        self._pending = waiting
        if self._tries >= _REPETITIONS:
            for one in waiting:
                self._open.remove(one)
            self._pending = []
            parts, ended = self._go_on(lead=False)
            return [("投诉反馈", self._say(self._user["complain"])), *parts], ended
        self._tries += 1
        lead = [("其他", self._say(self._own["listening"]))] if is_silent else []
        return [*lead, *self._ask(waiting, again=not lead)], ""

    def _is_missing(self) -> bool:
        return any(one not in self._answered for one in self._official)

    def _detour(self, does: frozenset[str], text: str) -> list[tuple[str, str]] | None:
        """Return the answer to what is neither an answer nor a wrong one; `None` for anything else."""
        if WAIT in does:
            return [("被动确认", self._say(self._own["wait"]))]
        if "请求重复" in does or does <= {"引导", "问候", "客套"}:
            return self._ask(self._pending, again=False)
        if CONFIRM in does:
            if self._is_consistent(text):
                return [("被动确认", self._say(self._own["yes"]))]
            return [("否认", self._say(self._own["no"])), *self._ask(self._pending, again=False)]
        if ASK in does:
            return [("提供信息", self._information(self._pending[0].owner))]
        return None

    def _is_consistent(self, text: str) -> bool:
        """Whether what the staff want confirmed is what is asked about: no other service and no other amount."""
        owner = self._pending[0].owner
        if any(name in text for name in self._names(owner)):
            return True
        others = (name for one in self._kb if one not in {owner, USER} for name in self._names(one))
        return not any(name in text for name in others)

    def _go_on(self, *, lead: bool) -> tuple[list[tuple[str, str]], str]:
        """Go to the next request, or close; with a word of confirmation before it where something was answered."""
        ack = [("被动确认", self._say(self._user["ack"][:24]))] if lead and self._unit() < 0.5 else []
        if self._open:
            return [*ack, *self._next_request()], ""
        if self._is_missing():
            return ack, "gave-up"
        thanks = [*ack, ("客套", self._say(self._user["thanks"]))]
        if self._closing or self._unit() < _STRAIGHT_BYE:
            return thanks, "done"
        self._closing, self._pending = True, []
        return thanks, ""

    def _next_request(self) -> list[tuple[str, str]]:
        """Return the turn in which the next request is made, or what is known of its service is told."""
        first = self._open[0]
        parts: list[tuple[str, str]] = []
        if first.owner not in self._introduced:
            self._introduced.add(first.owner)
            parts = self._introduction(first)
            if parts and self._unit() >= _WITH_KNOWN:
                self._pending = []
                return parts
        self._tries = self._detours = 0
        self._pending = [first]
        rest = [one for one in self._open[1:] if one.owner == first.owner and one.labels[0] == first.labels[0]]
        if rest and first.owner != CONSULT and self._unit() < _JOINTLY:
            self._pending.append(rest[0])
        return parts + self._ask(self._pending, again=False)

    def _introduction(self, request: Request) -> list[tuple[str, str]]:
        """Return what the user says of a service, or of the own account, before asking: one or two known values."""
        entry = self._goal.get(request.owner, {})
        if request.owner == CONSULT:
            return []
        texts = []
        if request.owner != USER:
            texts.append(self._say(self._user["name_lead"], name=self._name(request.owner)))
        room = "inform_user" if request.owner == USER else "inform"
        for slot, known in entry.items():
            values = [one for one in known.split(",") if one and one != REQUESTED]
            if slot in self._user[room] and values and REQUESTED not in known and len(texts) < 3:
                texts.append(self._say(self._user[room][slot], value=values[0]))
        return [("提供信息", "，".join(texts))] if texts else []

    def _information(self, owner: str) -> str:
        """Return an answer to a question: which service, if that may be meant, or that it is not known."""
        if owner not in {USER, CONSULT} and self._unit() < 0.7:
            return self._say(self._user["name_lead"], name=self._name(owner))
        return self._say(self._own["unknown"])

    def _ask(self, asked: Sequence[Request], *, again: bool) -> list[tuple[str, str]]:
        """Return label with arguments and text of a question for one or two requests."""
        texts = [self._question(one) for one in asked]
        text = texts[0] if len(texts) == 1 else f"{texts[0]}，{self._say(self._own['also'])}{texts[1]}"
        if again:
            text = self._say(self._own["again"]) + text
        label = self._label(asked[0])
        if label == _CANCEL:
            return [(label, text)]
        return [(label + "".join(f"({one.argument})" for one in asked), text)]

    @staticmethod
    def _label(request: Request) -> str:
        """Return the intent of a request: to confirm only what the user knows, to ask for the rest."""
        if not request.values and CONFIRM in request.labels:
            return CONFIRM
        return next((one for one in request.labels if one in {QUERY, ASK, _CANCEL}), ASK)

    def _question(self, request: Request) -> str:
        owner, slot = request.owner, request.slot
        if request.labels == (_CANCEL,):
            return self._say(self._user["cancel"], name=self._name(owner))
        if self._label(request) == CONFIRM:
            known = [one for one in self._goal[owner].get(slot, "").split(",") if one and one != REQUESTED]
            if known:
                return self._say(self._user["confirm_value"], value=self._rng.choice(known))
        if owner == CONSULT:
            kinds = self._user["ask_type"]
            return self._say(kinds[slot]) if slot in kinds else self._say(self._own["ask_kind"], slot=slot)
        if owner == USER:
            for known_slots in (self._user["ask_user"], self._own["ask_user"]):
                if slot in known_slots:
                    return self._say(known_slots[slot])
            return self._say(self._own["ask_own_slot"], slot=slot)
        if slot in self._user["ask"]:
            return self._say(self._user["ask"][slot], name=self._name(owner))
        return self._say(self._own["ask_slot"], name=self._name(owner), slot=slot)

    def _names(self, owner: str) -> list[str]:
        """Return the names of an entity in the base."""
        return [one for one in self._kb.get(owner, {}).get("name", "").split(",") if one and one != "na"]

    def _name(self, owner: str) -> str:
        """Return a name of an entity as the user says it: one of the goal, else one of the base."""
        own = [one for one in self._goal.get(owner, {}).get("name", "").split(",") if one and one not in {"NA", "?"}]
        names = own or self._names(owner)
        return self._rng.choice(names) if names else "这个业务"

    def _say(self, options: Sequence[Template], **fills: str) -> str:
        template = options[int(self._unit() * len(options))]
        return template.fill(self._unit, {name: Text(fill) for name, fill in fills.items()}).text

    def _speak(self, parts: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Return the utterance of the parts and its intent, no label twice."""
        return "，".join(filter(None, (text.rstrip("，") for _, text in parts))), ",".join(
            dict.fromkeys(label for label, _ in parts)
        )


def _cancellations(goal: Mapping[str, Any]) -> list[Request]:
    """Return the services that a goal wants cancelled; a goal says so with the intent and no requested slot."""
    return [
        Request(owner, "", (_CANCEL,), ())
        for owner, entry in goal.items()
        if owner not in {CONSULT, USER} and _CANCEL in entry.get(GOAL_ENTITY_INTENTS, "").split(",")
    ]
